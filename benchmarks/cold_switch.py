"""Seconds of a cold switch in the engine host, against starting `vllm serve` with the same arguments.

    python -m benchmarks.cold_switch CHECKPOINT OTHER [--set name=value ...] [--rounds 2] [--json FILE]

Alone: from the start of vLLM's own server to its first token, as a user without KVDeck would do it (the old server
has ended already). The host: from the request to load CHECKPOINT while OTHER runs, to the same first token; the end of
the old engine, with the check that its memory is back, is in it. In turns, on the same machine, in one run.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.children import end_in_order
from benchmarks.host_overhead import ask, host_with_window, vllm_alone

_LOAD_S = 550
_GOAL = 1.05


def first_token(url: str, token: str, model: str) -> None:
    """One token through the OpenAI routes."""
    body = {"model": model, "prompt": "Once", "max_tokens": 1, "temperature": 0}
    if not ask(f"{url}/v1/completions", token, body)["choices"]:
        raise RuntimeError("no token came")


def alone(checkpoint: str, values: dict[str, str], folder: Path) -> float:
    """Seconds from the start of vLLM's own server to its first token."""
    began = time.monotonic()
    with vllm_alone(checkpoint, values, folder / "vllm.log") as (url, token):
        first_token(url, token, "bench")
        return time.monotonic() - began


def switch(url: str, token: str, checkpoint: str, values: dict[str, str]) -> float:
    """Seconds from asking the host for `checkpoint` to its first token."""
    began = time.monotonic()
    ask(f"{url}/kvdeck/load", token, {"checkpoint": checkpoint, "parameters": parameters_of(values)})
    while time.monotonic() - began < _LOAD_S:
        lifecycle = ask(f"{url}/kvdeck/status", token)["lifecycle"]
        if lifecycle["phase"] in ("failed", "crashed"):
            raise RuntimeError(f"the switch failed: {lifecycle['failure']}")
        if lifecycle["phase"] == "ready" and lifecycle["checkpoint"] == checkpoint:
            first_token(url, token, lifecycle["facts"]["served_model_name"])
            return time.monotonic() - began
        time.sleep(0.1)
    raise TimeoutError("the switch")


def parameters_of(values: dict[str, str]) -> dict[str, Any]:
    """NAME=VALUE words as the host's parameters."""
    return {name: value == "true" if value in ("true", "false") else _number(value) for name, value in values.items()}


def _number(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


def stages(lifecycle: dict[str, Any]) -> str:
    """Where the time of a load went, and what its end of the old engine left."""
    told = [
        f"{each['stage']} {each['ended_s'] - each['started_s']:.1f}"
        for each in lifecycle["stages"]
        if each.get("ended_s") is not None and each["ended_s"] > each["started_s"]
    ]
    left = (lifecycle.get("last_check") or {}).get("processes_left") or ()
    return ", ".join(told) + (f"; processes left: {left}" if left else "")


def main() -> int:
    end_in_order()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cold_switch", description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("other")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    values = dict(each.split("=", 1) for each in options.set)
    took: dict[str, list[float]] = {"alone": [], "switch": []}
    for turn in range(options.rounds):
        with tempfile.TemporaryDirectory() as name:
            took["alone"].append(alone(options.checkpoint, values, Path(name)))
            print(f"round {turn + 1}: alone  {took['alone'][-1]:6.1f} s", flush=True)
        with (
            tempfile.TemporaryDirectory() as name,
            host_with_window(options.other, values, Path(name), window=False) as (url, token),
        ):
            took["switch"].append(switch(url, token, options.checkpoint, values))
            spent = stages(ask(f"{url}/kvdeck/status", token)["lifecycle"])
            print(f"round {turn + 1}: switch {took['switch'][-1]:6.1f} s ({spent})", flush=True)
    best = {side: statistics.median(seconds) for side, seconds in took.items()}
    ratio = best["switch"] / best["alone"]
    for side, seconds in took.items():
        print(f"{side:8} median {best[side]:6.1f} s of {', '.join(f'{each:.1f}' for each in seconds)}")
    print(f"ratio    {ratio:6.3f} (goal: at most 1.05)")
    if options.json is not None:
        options.json.write_text(json.dumps({"seconds": took, "ratio": ratio}), encoding="utf-8")
    return 0 if ratio <= _GOAL else 1


if __name__ == "__main__":
    raise SystemExit(main())
