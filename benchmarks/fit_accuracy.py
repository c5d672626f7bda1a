"""The fit estimate before a load against what the engine then reports.

    python -m benchmarks.fit_accuracy CHECKPOINT [CHECKPOINT ...] [--set name=value ...] [--json FILE]

Each checkpoint is loaded in turn by one engine host, as a switch. Printed for each: tokens of the KV cache and memory
of the weights, predicted and reported, and what stands beside them (activations, runtime, graphs), with the error of
the tokens: the goal is 5 % at most.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.bridge.fit_estimate import estimate
from benchmarks.children import end_in_order
from benchmarks.cold_switch import parameters_of, switch
from benchmarks.host_overhead import ask, idle_host
from engine.checkpoints.describe import describe
from engine.checkpoints.installed_vllm import InstalledVllm
from engine.checkpoints.machine import Machine, read_machine
from engine.checkpoints.verdict import judge
from engine.gpu.nvml import Nvml
from engine.gpu.sampler import HardwareSampler

if TYPE_CHECKING:
    from app.bridge.fit_estimate import FitView
    from engine.domain.gpu import HardwareSample

_GIB = 1 << 30
_GOAL = 0.05


def look(pids: list[int]) -> HardwareSample:
    """The hardware as it is now; `pids` are the engine's."""
    came = threading.Event()
    samples: list[HardwareSample] = []

    def take(sample: HardwareSample) -> None:
        samples.append(sample)
        if len(samples) >= 3:  # the first ones do not know the engine's own share yet
            came.set()

    sampler = HardwareSampler(take, period_s=0.2)
    sampler.set_engine_pids(pids)
    sampler.start()
    came.wait(20)
    sampler.stop()
    return samples[-1]


def predict(path: str, values: dict[str, Any], machine: Machine, pids: list[int]) -> FitView:
    """The estimate that the window would show before this load."""
    device = machine.device
    found = estimate(look(pids), device, judge(describe(path), machine), values, machine)
    if found is None:
        raise RuntimeError(f"nothing can be said of {path}")
    return found


def row(path: str, view: FitView, facts: dict[str, Any], took_s: float) -> dict[str, Any]:
    """One load's figures."""
    reported = facts["num_blocks"] * facts["block_size"]
    predicted = view.fit.cache.tokens
    beside = [facts.get(name) for name in ("activation_bytes", "non_torch_bytes", "graph_bytes")]
    return {
        "name": Path(path).name,
        "predicted_tokens": predicted,
        "reported_tokens": reported,
        "error": (predicted - reported) / reported if predicted and reported else None,
        "predicted_weights": view.fit.weights_bytes,
        "reported_weights": facts.get("weights_bytes"),
        "predicted_rest": view.fit.overhead_bytes,
        "reported_rest": beside,
        "load_s": round(took_s, 1),
    }


def _gib(size: int | None) -> str:
    return "?" if size is None else f"{size / _GIB:.2f}"


def describe_row(told: dict[str, Any]) -> str:
    """One load's figures as a line."""
    error = "?" if told["error"] is None else f"{100 * told['error']:+.2f} %"
    rest = " + ".join(_gib(each) for each in told["reported_rest"])
    return (
        f"{told['name']:30} KV cache {told['predicted_tokens'] or 0:,} predicted, {told['reported_tokens']:,} reported "
        f"tokens: {error}; weights {_gib(told['predicted_weights'])}, {_gib(told['reported_weights'])} GiB; "
        f"beside {_gib(told['predicted_rest'])}, {rest} GiB; {told['load_s']} s"
    )


def main() -> int:
    end_in_order()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_accuracy", description=__doc__)
    parser.add_argument("checkpoints", nargs="+")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    texts = dict(each.split("=", 1) for each in options.set)
    values = parameters_of(texts)
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name, idle_host(Path(name)) as (url, token):
        vllm = InstalledVllm(Path(name) / "facts").refresh()
        machine = read_machine(Nvml(), vllm)
        pids: list[int] = []
        for path in (str(Path(each).resolve()) for each in options.checkpoints):
            view = predict(path, values, machine, pids)
            took_s = switch(url, token, path, texts)
            facts = ask(f"{url}/kvdeck/status", token)["lifecycle"]["facts"]
            pids = [process["pid"] for process in facts["processes"]]
            rows.append(row(path, view, facts, took_s))
            print(describe_row(rows[-1]), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 0 if all(each["error"] is not None and abs(each["error"]) <= _GOAL for each in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
