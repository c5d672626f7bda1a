"""Seconds of warm switches between engines that wait, against cold loads of the same checkpoints in the same run.

    python -m benchmarks.warm_switch DIR1 DIR2 [DIR3 ...] [--rounds 10] [--set name=value ...] [--json FILE]

Each checkpoint is loaded cold once, the one before it kept (vLLM's sleep mode on a GPU, idle in main memory on the
CPU). Then `rounds` times through all of them: from the request to READY, to the first token of a chat request, and what
went to sleeping, waking and the proof. After each switch: main memory and VRAM of everyone who waits. At the end the
first checkpoint is loaded cold once more, now that its compiled graphs are known. Engines that are lost are counted and
named; the switch then loads them anew. Without gpu_memory_utilization among the settings it is 0.85: all sleepers
together keep a few GiB of VRAM, and vLLM asks for its share to be free when it starts.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
import urllib.error
from pathlib import Path
from typing import Any

from benchmarks.children import end_in_order
from benchmarks.host_overhead import ask, idle_host
from engine.gpu.nvml import Nvml
from engine.host.room import free_bytes

_LOAD_S = 400.0
_POLL_S = 0.005
_GIB = 1 << 30
_GOAL_S = 1.0
_FIGURES = ("rest", "ram_bytes", "vram_bytes", "freed_bytes", "slept_in_s")
_LOST = ("died", "no_sleep", "no_wake")


class Bench:
    """One host, and what a user does with it."""

    def __init__(self, url: str, token: str, parameters: dict[str, Any]) -> None:
        self.url, self.token, self.parameters = url, token, parameters
        self._nvml = Nvml()

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """One request; a refusal is told with the host's own words."""
        try:
            return ask(self.url + path, self.token, body)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path}: {error.code} {error.read().decode(errors='replace')[:2000]}") from error

    def switch(self, checkpoint: Path) -> dict[str, Any]:
        """Switch to a checkpoint, cold or warm as the host has it: the times, and how it went."""
        began = time.monotonic()
        self.ask("/kvdeck/load", {"checkpoint": str(checkpoint), "parameters": self.parameters})
        lifecycle = self._wait(str(checkpoint), began)
        ready_s = time.monotonic() - began
        self._chat(lifecycle["facts"]["served_model_name"])
        first_s = time.monotonic() - began
        tray = self.ask("/kvdeck/sleepers")
        told = tray["last_switch"] if lifecycle["warm"] else None
        return {
            "checkpoint": checkpoint.name,
            "warm": lifecycle["warm"],
            "ready_s": ready_s,
            "first_token_s": first_s,
            "host_s": lifecycle["elapsed_s"],
            "last_switch": told,
            "waiting": {each["name"]: {key: each[key] for key in _FIGURES} for each in tray["waiting"]},
            "lost": [each["message"] for each in tray["ended"] if each["why"] in _LOST],
            "ended": [each["message"] for each in tray["ended"] if each["why"] not in _LOST],
            "gpu_used_bytes": self._gpu_used(),
            "ram_free_bytes": free_bytes(),
        }

    def _wait(self, checkpoint: str, began: float) -> Any:
        while time.monotonic() - began < _LOAD_S:
            lifecycle = self.ask("/kvdeck/status")["lifecycle"]
            if lifecycle["phase"] in ("failed", "crashed", "idle"):
                raise RuntimeError(f"the switch to {checkpoint} failed: {json.dumps(lifecycle['failure'], indent=1)}")
            if lifecycle["phase"] == "ready":
                if lifecycle["checkpoint"] == checkpoint:
                    return lifecycle
                if lifecycle["failure"] is not None:
                    raise RuntimeError(f"{checkpoint} did not come: {json.dumps(lifecycle['failure'], indent=1)}")
            time.sleep(_POLL_S if lifecycle["warm"] else 20 * _POLL_S)
        raise TimeoutError(f"the switch to {checkpoint}")

    def _chat(self, model: str) -> None:
        """The first token of an answer; a model without a chat template completes a text instead."""
        message = [{"role": "user", "content": "What is a KV cache?"}]
        options = {"model": model, "max_tokens": 1, "temperature": 0}
        try:
            answer = self.ask("/v1/chat/completions", {**options, "messages": message})
        except RuntimeError:
            answer = self.ask("/v1/completions", {**options, "prompt": "What is a KV cache?"})
        if not answer["choices"]:
            raise RuntimeError("no token came")

    def _gpu_used(self) -> int | None:
        sizes = [reading.used_bytes for reading in self._nvml.read() if reading.used_bytes is not None]
        return sum(sizes) if sizes else None


def show(round_number: int, row: dict[str, Any]) -> None:
    """One line a switch, one line a sleeper."""
    told = row["last_switch"]
    parts = (
        f"rest {told['sleep_s']:.3f}, wake {told['wake_s']:.3f}, proof {told['first_token_s']:.3f}, "
        f"same token {told['same_answer']}"
        if told
        else f"cold, {row['host_s']:.1f} s by the host"
    )
    print(
        f"{round_number:3} {row['checkpoint']:32} ready {row['ready_s']:7.3f} s, first token "
        f"{row['first_token_s']:7.3f} s ({parts}); GPU {_gib(row['gpu_used_bytes'])}, RAM free "
        f"{_gib(row['ram_free_bytes'])}",
        flush=True,
    )
    for name, each in row["waiting"].items():
        print(
            f"      {each['rest']:6} {name:32} RAM {_gib(each['ram_bytes'])}, VRAM {_gib(each['vram_bytes'])}, "
            f"gave back {_gib(each['freed_bytes'])}, slept in {each['slept_in_s']:.2f} s",
            flush=True,
        )


def _gib(size: int | None) -> str:
    return "—" if size is None else f"{size / _GIB:.2f} GiB"


def measure(bench: Bench, checkpoints: list[Path], options: argparse.Namespace) -> dict[str, Any]:
    """Cold loads, rounds of warm switches, one cold load more."""
    policy = {"keep": "on", "most": len(checkpoints), "most_bytes": options.most_gib * _GIB}
    bench.ask("/kvdeck/sleepers", policy)
    report: dict[str, Any] = {"cold": [], "rounds": [], "cold_again": None}
    for checkpoint in checkpoints:
        report["cold"].append(bench.switch(checkpoint))
        show(0, report["cold"][-1])
    for turn in range(options.rounds):
        for checkpoint in checkpoints:
            report["rounds"].append(bench.switch(checkpoint))
            show(turn + 1, report["rounds"][-1])
    report["tray"] = bench.ask("/kvdeck/sleepers")
    if not options.no_cold_again:
        bench.ask("/kvdeck/end", {})
        bench.ask("/kvdeck/sleepers", {"keep": "off"})
        report["cold_again"] = bench.switch(checkpoints[0])
        show(0, report["cold_again"])
    return report


def summarize(report: dict[str, Any]) -> dict[str, Any]:
    """The figures that the goal is about."""
    rows = report["rounds"]
    warm = [row for row in rows if row["warm"]]
    lost = sorted({message for row in rows for message in row["lost"]})
    summary: dict[str, Any] = {
        "switches": len(rows),
        "warm": len(warm),
        "lost": lost,
        "other_answer": sum((row["last_switch"] or {}).get("same_answer") is False for row in warm),
        "cold_s": [row["first_token_s"] for row in report["cold"]],
    }
    for key in ("ready_s", "first_token_s"):
        values = sorted(row[key] for row in warm)
        if values:
            summary[key] = {"median": statistics.median(values), "least": values[0], "most": values[-1]}
    return summary


def main() -> int:
    """Read the command line and run."""
    end_in_order()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoints", type=Path, nargs="+")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--most-gib", type=int, default=1024, help="main memory of all sleepers together")
    parser.add_argument("--no-cold-again", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    checkpoints = [path.resolve() for path in options.checkpoints]
    if len(set(checkpoints)) < 2:
        parser.error("give at least two different checkpoints")
    values = {name: _value(text) for name, text in (item.split("=", 1) for item in options.set)}
    if Nvml().available:
        values.setdefault("gpu_memory_utilization", 0.85)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        try:
            with idle_host(folder) as (url, token):
                report = measure(Bench(url, token, values), checkpoints, options)
        except (RuntimeError, TimeoutError, OSError) as error:
            print(error)
            print((folder / "host.log").read_text(errors="replace")[-6000:])
            return 1
    report["summary"] = summarize(report)
    print(json.dumps(report["summary"], indent=1))
    if options.json is not None:
        options.json.write_text(json.dumps(report, indent=1), encoding="utf-8")
    reached = report["summary"].get("first_token_s", {}).get("median", 1e9) <= _GOAL_S
    print(f"first token within {_GOAL_S:g} s of the request: {'yes' if reached else 'no'}")
    return 0


def _value(text: str) -> Any:
    """A parameter's value: a number or a truth where it reads as one, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


if __name__ == "__main__":
    raise SystemExit(main())
