"""How close decode and prefill come to what the device can do, in the window's own figures.

    python -m benchmarks.close_to_limit CHECKPOINT [CHECKPOINT ...] [--set name=value ...] [--json FILE]

The device's bandwidth and matrix rates are measured first, in the same run, with nothing loaded. Then each checkpoint
is loaded by one engine host, as a switch, and gets two loads: one stream that decodes (each token reads all weights and
its context: bytes over the bandwidth are the floor), and prompts that fill the token budget (operations over the matrix
rate). Bytes and operations are counted as the window's roofline counts them, from the telemetry page. Each load's fit
estimate is printed beside what the engine then reported.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from benchmarks.children import end_in_order
from benchmarks.cold_switch import parameters_of, switch
from benchmarks.fit_accuracy import describe_row, predict, row
from benchmarks.host_overhead import ask, idle_host
from benchmarks.http_load import Load, run_load
from engine.checkpoints.compute import read_compute
from engine.checkpoints.installed_vllm import InstalledVllm
from engine.checkpoints.machine import read_machine
from engine.domain.lifecycle import EngineFacts
from engine.gpu.ceilings_file import CeilingsFolder
from engine.gpu.nvml import Nvml
from engine.gpu.processor import cpu_key
from engine.metrics.roofline import Part, model_cost, roof_of
from engine.metrics.roofline_window import RooflineWindow
from engine.page.reader import PageReader

if TYPE_CHECKING:
    from engine.domain.roofline import Ceilings
    from engine.metrics.roofline import ModelCost, Roof, Work

_PICTURE_S = 0.02
_SECONDS = 120.0


def measure_device() -> None:
    """Measure and keep the limits of this machine's devices; raises CalledProcessError."""
    subprocess.run([sys.executable, "-m", "engine.ceilings", "--device", "auto"], check=True)


def work_while(page: Path, cost: ModelCost, load: Load, part: Part) -> Work | None:
    """What the engine did of one part while this load ran, from its telemetry page."""
    reader, window, ended = PageReader(page), RooflineWindow(cost, seconds=_SECONDS), threading.Event()

    def look() -> None:
        while not ended.wait(_PICTURE_S):
            snapshot = reader.snapshot()
            if snapshot is not None and snapshot.steps and snapshot.steps[-1].monotonic_ns >= began:
                window.take(snapshot)

    began = time.monotonic_ns()
    watch = threading.Thread(target=look)
    watch.start()
    try:
        outcome = run_load(load)
    finally:
        ended.set()
        watch.join()
        reader.close()
    if outcome.failed:
        raise RuntimeError(f"{outcome.failed} requests failed")
    standing = window.standing()
    return standing.work(part) if standing is not None else None


def _said(part: Part, work: Work | None, roof: Roof | None) -> dict[str, Any]:
    if work is None:
        return {"part": part.value}
    told: dict[str, Any] = {
        "part": part.value,
        "steps": work.steps,
        "step_ms": work.step_s * 1e3,
        "bytes_per_s": work.bytes_per_s,
        "flops_per_s": work.flops_per_s,
        "intensity": work.intensity,
    }
    if roof is not None:
        share = roof.share(work)
        told |= {"share": share, "bound": roof.bound(work).value, "floor_ms": told["step_ms"] * share}
    return told


def _line(told: dict[str, Any]) -> str:
    if "steps" not in told:
        return f"    {told['part']}: not measured"
    share = f"{told['share']:.3f} of the roof ({told['bound']})" if "share" in told else "roof not measured"
    return (
        f"    {told['part']:8} {told['steps']:5} steps of {told['step_ms']:.2f} ms, at least "
        f"{told.get('floor_ms', float('nan')):.2f}: {share}; {told['bytes_per_s'] / 1e9:,.0f} GB/s, "
        f"{told['flops_per_s'] / 1e12:,.1f} TFLOP/s, {told['intensity']:,.1f} FLOP/byte"
    )


def limits_of(facts: EngineFacts) -> Ceilings | None:
    """What was measured of the engine's device."""
    return CeilingsFolder().read(facts.gpu_uuids[0] if facts.gpu_uuids else cpu_key())


def hold(url: str, token: str, facts: EngineFacts, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Both loads on the engine with these facts."""
    shape = read_compute(facts.checkpoint)
    unpacked = any("unpacked" in note for note in facts.notes)
    cost = model_cost(shape, facts, unpacked=unpacked) if shape is not None else None
    if cost is None:
        raise RuntimeError(f"what a step of {facts.checkpoint} costs is not known")
    roof = roof_of(limits_of(facts), cost)
    page, name = Path(facts.page_path), facts.served_model_name
    run_load(Load(url, token, name, 1, 128, 16))  # kernels that are made at first use
    decode = Load(url, token, name, 1, 128, options.decode)
    prefill = Load(url, token, name, options.prompts, options.prompt, 1)
    run_load(prefill)
    ask(f"{url}/kvdeck/reset_prefix_cache", token, {})
    loads = ((Part.DECODE, decode), (Part.PREFILL, prefill))
    return [_said(part, work_while(page, cost, load, part), roof) for part, load in loads]


def main() -> int:
    end_in_order()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.close_to_limit", description=__doc__)
    parser.add_argument("checkpoints", nargs="+")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--decode", type=int, default=512, help="tokens that the one stream decodes")
    parser.add_argument("--prompts", type=int, default=16)
    parser.add_argument("--prompt", type=int, default=2048, help="tokens of each prompt")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    texts = dict(each.split("=", 1) for each in options.set)
    values = parameters_of(texts)
    measure_device()
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name, idle_host(Path(name)) as (url, token):
        machine = read_machine(Nvml(), InstalledVllm(Path(name) / "facts").refresh())
        pids: list[int] = []
        for path in (str(Path(each).resolve()) for each in options.checkpoints):
            view = predict(path, values, machine, pids)
            took_s = switch(url, token, path, texts)
            told = ask(f"{url}/kvdeck/status", token)["lifecycle"]["facts"]
            facts = msgspec.convert(told, EngineFacts)
            pids = [process.pid for process in facts.processes]
            fit = row(path, view, told, took_s)
            print(describe_row(fit), flush=True)
            parts = hold(url, token, facts, options)
            for part in parts:
                print(_line(part), flush=True)
            limits = limits_of(facts)
            found.append({"fit": fit, "parts": parts, "limits": asdict(limits) if limits is not None else None})
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
