"""`python -m tests.soak`: kills the window, the host, the EngineCore and the worker at random moments, round by round.

Every round is a real window with a real engine under load; afterwards everything must be gone that should be, and
everything there that should be. `--report FILE` gets one JSON line a round, and a second call goes on after the last.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import tempfile
import time
from pathlib import Path

from engine.gpu.nvml import Nvml
from tests.soak.report import Report
from tests.soak.rounds import TARGETS, Soak
from tests.soak.tiny import write_tiny

_GENTLE = {"max_num_seqs": 32, "enforce_eager": True}
_ON_CPU, _ON_GPU = {"cpu_kvcache_space_gib": 1.0}, {"gpu_memory_utilization": 0.4}
_TINY = {
    "load_format": "dummy",
    "max_model_len": 2048,
    "num_gpu_blocks_override": 4096,
}  # a GiB would be 262,144 blocks


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--rounds", type=int, default=100, help="how many in all, with those in the report (100)")
    parser.add_argument("--minutes", type=float, default=1e9, help="begin no round after this long")
    parser.add_argument("--checkpoint", type=Path, help="what is loaded (a tiny shape with random weights)")
    parser.add_argument("--tokenizer", type=Path, help="a checkpoint whose tokenizer the tiny shape takes")
    parser.add_argument("--report", type=Path, help="append each round to this file, and go on after its last")
    parser.add_argument("--seed", type=int, help="what the random moments come from (a new one, which is printed)")
    parser.add_argument("--clients", type=int, default=6, help="how many stream completions (6)")
    parser.add_argument("--target", action="append", choices=TARGETS, help="kill only this (all four)")
    parser.add_argument("--busy-machine", action="store_true", help="loads take their full share of the cores")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of each load")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Run the rounds; 0 where none found anything."""
    options = parse(arguments)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kvdeck-soak-") as folder:
        path = options.report or Path(folder) / "soak.jsonl"
        report = Report(path)
        seed = options.seed if options.seed is not None else report.seed(secrets.randbelow(1 << 31))
        home = path.with_name(f"{path.name}.home").resolve()
        parameters: dict[str, object] = {**_GENTLE, **(_ON_GPU if Nvml().read() else _ON_CPU)}
        checkpoint = options.checkpoint
        if checkpoint is None:
            checkpoint = write_tiny(home / "Tiny-Llama", options.tokenizer)
            parameters |= _TINY
        for text in options.set:
            name, _, value = text.partition("=")
            parameters[name] = json.loads(value)
        (home / "config").mkdir(exist_ok=True)
        if not (home / "config" / "window.ini").exists():  # any free port: several soaks may run
            (home / "config" / "window.ini").write_text("[server]\nport=0\n", encoding="utf-8")
        soak = Soak(
            home,
            checkpoint.resolve(),
            parameters,
            options.clients,
            tuple(options.target or TARGETS),
            busy_machine=options.busy_machine,
        )
        print(f"seed {seed}, {checkpoint}, rounds {len(report.rounds) + 1} to {options.rounds}", flush=True)
        try:
            while len(report.rounds) < options.rounds and time.monotonic() - began < options.minutes * 60:
                result = soak.round(len(report.rounds) + 1, seed)
                report.add(result.as_json())
                print(json.dumps(result.as_json()), flush=True)
        finally:
            left = soak.close()
        print(report.summary(), *(f"at the end: {fault}" for fault in left), sep="\n", flush=True)
        return 1 if left or any(not each["ok"] for each in report.rounds) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
