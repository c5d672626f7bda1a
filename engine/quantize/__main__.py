"""`python -m engine.quantize`: build the starter model's variants, show what is there, ask which kernels run here."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.checkpoints.starter_recipe import RECIPE_FILE, load_recipe
from engine.domain.errors import Cancelled, KVDeckError
from engine.domain.paths import cache_dir
from engine.page.parent_end import end_with

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_FAILED, _CANCELLED = 1, 143
_NICENESS = 5  # both cores for minutes: the window and a running engine come first


def main(arguments: list[str] | None = None) -> int:
    """Run one command; the exit code is 0 when all is well, 1 after an error, 143 when cancelled (SIGTERM, SIGINT)."""
    options = _parser().parse_args(arguments)
    if options.parent_pid is not None:
        end_with(options.parent_pid, _CANCELLED)  # a build may be killed at any point
    emit = _emit_json if options.json else _emit_text
    try:
        return int(_COMMANDS[options.command](options, emit))
    except Cancelled:
        emit({"event": "cancelled"})
        return _CANCELLED
    except KVDeckError as error:
        emit({"event": "error", **_described(error)})
        return _FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m engine.quantize", description=__doc__)
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--json", action="store_true", help="one JSON object a line")
    shared.add_argument("--parent-pid", type=int, help="end when this process has ended")
    commands = parser.add_subparsers(dest="command", required=True)
    build = commands.add_parser("build", parents=[shared], help="build the starter model")
    build.add_argument("--variants", default="", help="bf16,awq,gptq,fp8,int8 (default: all)")
    show = commands.add_parser("status", parents=[shared], help="what is on disk")
    for command in (build, show):
        command.add_argument("--dest", type=Path, help="folder of the variants (default: the cache folder)")
        command.add_argument("--recipe", type=Path, default=RECIPE_FILE, help="another recipe")
    commands.add_parser("kernels", parents=[shared], help="which quantizations this machine runs, and how")
    return parser


def _build(options: argparse.Namespace, emit: Callable[[dict[str, Any]], None]) -> int:
    signal.signal(signal.SIGTERM, _cancel)
    signal.signal(signal.SIGINT, _cancel)
    # Threads that wait must sleep: spinning, a build beside a busy engine takes three times as long.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    with contextlib.suppress(OSError):
        os.nice(_NICENESS)
    from engine.quantize.build import Builder  # late: torch takes seconds, and a signal must not wait

    keys = [key for key in options.variants.split(",") if key]
    builder = Builder(load_recipe(options.recipe), _destination(options), emit)
    whole = builder.build(keys)
    emit({"event": "done", "whole": whole})
    return 0 if whole else _FAILED


def _status(options: argparse.Namespace, emit: Callable[[dict[str, Any]], None]) -> int:
    from engine.checkpoints.starter_folders import status

    for variant in status(load_recipe(options.recipe), _destination(options)).variants:
        emit({"event": "status", "variant": variant.key, "state": variant.state, "path": variant.path})
    return 0


def _kernels(_options: argparse.Namespace, emit: Callable[[dict[str, Any]], None]) -> int:
    from engine.quantize.kernels import describe  # late: imports vLLM

    emit({"event": "kernels", **describe()})
    return 0


_COMMANDS = {"build": _build, "status": _status, "kernels": _kernels}


def _destination(options: argparse.Namespace) -> Path:
    return options.dest if options.dest is not None else cache_dir() / "starter"


def _cancel(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # once is enough: a second one must not break the tidying up
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise Cancelled("The build was cancelled.", remedy="Build again to go on where it stopped.")


def _described(error: KVDeckError) -> dict[str, str]:
    return {"kind": error.kind, "message": error.message, "remedy": error.remedy, "details": error.details}


def _emit_json(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _emit_text(line: dict[str, Any]) -> None:
    event, variant = line["event"], line.get("variant", "")
    if event == "progress":
        done, left = line["progress"] * 100, line["remaining_s"]
        text = f"{variant:5} {done:5.1f} %  {line['step']:<24} {left:.0f} s left"
    elif event == "ready":
        quality = line.get("quality")
        text = f"{variant:5} ready: {line['path']}"
        if quality:
            text += f"  (KL {quality['kl']:.4f}, top-1 {quality['top1']:.3f}, perplexity {quality['perplexity']:.2f})"
    elif event in ("failed", "error"):
        text = f"{variant} {line['message']} {line['remedy']}".strip()
    elif event == "kernels":
        text = json.dumps(line, indent=2)
    else:
        text = " ".join(str(value) for value in line.values())
    stream = sys.stderr if event in ("failed", "error") else sys.stdout
    stream.write(text + "\n")
    stream.flush()


if __name__ == "__main__":
    sys.exit(main())
