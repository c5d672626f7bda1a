"""A program: what the installed vLLM says of each row, and how its own parser reads our command lines.

Reads {"names": [...], "commands": [[word, ...], ...]} on standard input, prints one JSON object.
"""

import dataclasses
import json
import os
import sys

answer_to = os.dup(1)
os.dup2(2, 1)
os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
# Told that the hub is offline, vLLM looks its default model up in the hub's cache at once and fails; asked nothing
# but its arguments, it never goes there.
os.environ.pop("HF_HUB_OFFLINE", None)

from vllm import AsyncEngineArgs  # noqa: E402
from vllm.utils.argparse_utils import FlexibleArgumentParser  # noqa: E402


def accepts(parser, option, values):
    """Which of `values` vLLM's own parser takes for `option`."""
    taken = []
    for value in values:
        try:
            parser.parse_args([option, value])
        except (SystemExit, ValueError):
            continue
        taken.append(value)
    return taken


def main():
    question = json.load(sys.stdin)
    fields = {field.name: field for field in dataclasses.fields(AsyncEngineArgs)}
    defaults = AsyncEngineArgs()
    parser = AsyncEngineArgs.add_cli_args(FlexibleArgumentParser())
    rows = {}
    for name, choices in question["names"].items():
        if name not in fields:
            rows[name] = None
            continue
        option = "--" + name.replace("_", "-")
        rows[name] = {
            "default": getattr(defaults, name),
            "type": str(fields[name].type),
            "accepted": accepts(parser, option, choices),
        }
    parsed = []
    for words in question["commands"]:
        args = AsyncEngineArgs.from_cli_args(parser.parse_args(words))
        parsed.append({name: getattr(args, name) for name in question["compare"]})
    with os.fdopen(answer_to, "w") as out:
        json.dump({"rows": rows, "parsed": parsed}, out, default=str)


main()
