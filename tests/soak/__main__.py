"""`python -m tests.soak`: kills the window, the host, the EngineCore and the worker at random moments, round by round.

Every round is a real window with a real engine under load; afterwards everything must be gone that should be, and
everything there that should be. `--report FILE` gets one JSON line a round, and a second call does those that it lacks.
`--parallel N` runs N at once, each with folders of its own, over all GPUs of the machine. The last line printed is one
JSON object: rounds, failures and times by what was killed; it is FILE.summary.json, too.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from engine.parameters.gpu_choice import VISIBLE
from tests.soak.lane import LaneSettings
from tests.soak.lanes import Lanes
from tests.soak.leftovers import Surroundings
from tests.soak.report import Report
from tests.soak.rounds import MOMENTS, TARGETS
from tests.soak.tiny import write_tiny

_GENTLE = {"max_num_seqs": 32, "enforce_eager": True}
_ON_CPU, _ON_GPU = {"cpu_kvcache_space_gib": 1.0}, {"gpu_memory_utilization": 0.4}
# Without a size of its own an engine measures what is free, and fails where another one gives memory back meanwhile.
_ON_SHARED_GPU = {"gpu_memory_utilization": 0.05, "kv_cache_memory_bytes": 1 << 30}
_TINY = {
    "load_format": "dummy",
    "max_model_len": 2048,
    "num_gpu_blocks_override": 4096,
}  # a GiB would be 262,144 blocks


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.soak", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=100, help="how many in all, with those in the report (100)")
    parser.add_argument("--parallel", type=int, default=1, metavar="N", help="how many at once (1)")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no round after this long")
    parser.add_argument("--at-most", type=float, metavar="MINUTES", help="end unfinished ones (5 minutes after that)")
    parser.add_argument("--checkpoint", type=Path, help="what is loaded (a tiny shape with random weights)")
    parser.add_argument("--tokenizer", type=Path, help="a checkpoint whose tokenizer the tiny shape takes")
    parser.add_argument("--report", type=Path, help="append each round to this file, and do those that it lacks")
    parser.add_argument("--seed", type=int, help="what the random moments come from (a new one, which is printed)")
    parser.add_argument("--clients", type=int, default=6, help="how many stream completions to each engine (6)")
    parser.add_argument("--target", action="append", choices=TARGETS, help="kill only this (all four)")
    parser.add_argument("--moment", choices=MOMENTS, help="kill only then (both)")
    parser.add_argument("--busy-machine", action="store_true", help="others use it, too, and times may be longer")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of each load")
    return parser.parse_args(arguments)


def lane_settings(
    options: argparse.Namespace, number: int, base: Path, seed: int, gpus: tuple[str, ...]
) -> LaneSettings:
    """One lane's, with its home and checkpoint made."""
    home = base / str(number)
    (home / "config").mkdir(parents=True, exist_ok=True)
    parallel = options.parallel > 1
    parameters: dict[str, Any] = {**_GENTLE, **((_ON_SHARED_GPU if parallel else _ON_GPU) if gpus else _ON_CPU)}
    if len(gpus) > 1 and VISIBLE not in os.environ:
        parameters["gpu_uuids"] = gpus[number % len(gpus)]
    checkpoint = options.checkpoint
    if checkpoint is None:
        checkpoint = write_tiny(home / "Tiny-Llama", options.tokenizer)
        parameters |= _TINY
    for text in options.set:
        name, _, value = text.partition("=")
        parameters[name] = json.loads(value)
    if not (home / "config" / "window.ini").exists():  # any free port: several soaks may run
        (home / "config" / "window.ini").write_text("[server]\nport=0\n", encoding="utf-8")
    return LaneSettings(
        home=str(home),
        checkpoint=str(checkpoint.resolve()),
        parameters=parameters,
        clients=options.clients,
        targets=tuple(options.target or TARGETS),
        moment=options.moment,
        seed=seed,
        worker="EngineCore" if gpus else "Worker",  # on one GPU the EngineCore computes, too
        alone=not parallel and not options.busy_machine,
        busy_machine=options.busy_machine,
    )


def soak(options: argparse.Namespace, path: Path) -> int:
    """Run the rounds over the report in `path`; 0 where none found anything and none was cut short."""
    began, report, surroundings = time.monotonic(), Report(path), Surroundings()
    seed = options.seed if options.seed is not None else report.seed(secrets.randbelow(1 << 31))
    base, gpus = path.with_name(f"{path.name}.home").resolve(), surroundings.gpus
    settings = [lane_settings(options, number, base, seed, gpus) for number in range(options.parallel)]
    print(f"seed {seed}, {options.parallel} at once, {len(report.rounds)} of {options.rounds} rounds done", flush=True)
    end_s = 60 * (options.minutes + 5 if options.at_most is None else options.at_most)
    lanes = Lanes(settings, report, options.rounds, options.minutes * 60, end_s)
    ended = None
    try:
        left = lanes.run()
    except (KeyboardInterrupt, SystemExit) as error:  # what was found until then is told all the same
        ended, left = type(error).__name__, lanes.left
    if not options.busy_machine:
        left += [f"at the end: {fault}" for fault in surroundings.left()]
    figures = report.figures()
    whole = {
        "ok": not figures["failed"] and not left and ended is None,
        "ended_by": ended,
        "seed": seed,
        "parallel": options.parallel,
        "gpus": len(gpus),
        "cores": os.cpu_count(),
        "wall_s": round(time.monotonic() - began, 1),
        "cut_rounds": lanes.cut,
        "left": left,
        **figures,
    }
    print(report.summary(), *left, json.dumps(whole), sep="\n", flush=True)
    path.with_name(f"{path.name}.summary.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")
    return 0 if whole["ok"] else 1


def main(arguments: list[str]) -> int:
    """Read the command line and run."""
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # as Ctrl+C: the lanes end first
    options = parse(arguments)
    with tempfile.TemporaryDirectory(prefix="kvdeck-soak-") as folder:
        return soak(options, options.report or Path(folder) / "soak.jsonl")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
