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


def fp8_cache_refused(heads: list[int]) -> dict[str, str | None]:
    """For each size of an attention head, what vLLM's CPU attention has against an FP8 cache of it (None: nothing)."""
    import torch
    from vllm.v1.attention.backends.cpu_attn import _get_attn_isa

    torch.cpu._is_avx512_supported = lambda: True  # type: ignore[attr-defined]  # whatever this processor has
    told: dict[str, str | None] = {}
    for size in heads:
        try:
            _get_attn_isa(torch.bfloat16, 128, size, "fp8")
            told[str(size)] = None
        except NotImplementedError as error:
            told[str(size)] = str(error)
    return told


def ray_device(_: None) -> str:
    """What Ray calls this platform's devices for vLLM; "" where vLLM says that it does not support Ray."""
    from vllm.platforms import current_platform

    return str(current_platform.ray_device_key)
