"""What the installed vLLM says of each row, and how its own parser reads our command lines: called in a process with
vLLM (tests/vllm_child.py)."""

import dataclasses
from typing import Any


def rows_and_commands(question: dict[str, Any]) -> dict[str, Any]:
    """`question`: {"names": {name: choices}, "commands": [[word, ...], ...], "compare": [name, ...]}."""
    from vllm import AsyncEngineArgs
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    fields = {field.name: field for field in dataclasses.fields(AsyncEngineArgs)}
    defaults = AsyncEngineArgs()
    parser = AsyncEngineArgs.add_cli_args(FlexibleArgumentParser())
    rows: dict[str, Any] = {}
    for name, choices in question["names"].items():
        if name not in fields:
            rows[name] = None
            continue
        option = "--" + name.replace("_", "-")
        rows[name] = {
            "default": getattr(defaults, name),
            "type": str(fields[name].type),
            "accepted": _accepted(parser, option, choices),
        }
    parsed = []
    for words in question["commands"]:
        args = AsyncEngineArgs.from_cli_args(parser.parse_args(words))
        parsed.append({name: getattr(args, name) for name in question["compare"]})
    return {"rows": rows, "parsed": parsed}


def _accepted(parser: Any, option: str, values: list[str]) -> list[str]:
    """Which of `values` vLLM's own parser takes for `option`."""
    taken = []
    for value in values:
        try:
            parser.parse_args([option, value])
        except (SystemExit, ValueError):
            continue
        taken.append(value)
    return taken
