"""KVDeck's load generator against vLLM's own `vllm bench serve`: the same engine, the same load, one run.

    python -m benchmarks.load_agreement CHECKPOINT [--clients 8] [--requests 48] [--input 64] [--output 48]
        [--rounds 8] [--set name=value ...] [--address-file FILE] [--json FILE]

One vLLM server; both clients take turns (A B, B A, ...) with closed loops of the same shape, prompts of fresh tokens,
prefix caching off. Prints the ratio of each figure, KVDeck's over vLLM's: the geometric mean of the pairs' ratios with
its 95 % interval, so that a drift of the machine hits both alike; the goal is 3 %. A ratio beyond it whose interval
reaches back into it is told as not decided: more rounds decide it. What vLLM's own turns differ by, and the share of
gaps that both clients see as nothing (pieces that came together), stand beside it. `--address-file` uses an engine host
that runs already instead of a server of its own. Exit status 1 where a figure is beyond the goal for sure.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import geometric_mean
from typing import TYPE_CHECKING, Any

import msgspec

from benchmarks.children import end_in_order
from benchmarks.host_overhead import vllm_alone
from engine.bench.definitions import value_of
from engine.bench.messages import Finished, Target
from engine.bench.runner import Runner
from engine.bench.workload import ClosedLoop, Fixed, Workload
from engine.tuner.interval import ratio_interval

if TYPE_CHECKING:
    from engine.bench.messages import Message

GOAL = 0.03
HELD, NOT_DECIDED, BEYOND = "held", "not decided: the interval reaches into 3 %", "beyond 3 %"
TOGETHER = "gaps of nothing"
TOGETHER_S = 5e-4  # a gap below this is between pieces that one read of the socket brought
# `vllm bench serve` itself asks for a distribution named vllm, which the CPU build is not; this is the same program.
VLLM_BENCH = (
    "from vllm.benchmarks.serve import add_cli_args, main\n"
    "from vllm.utils.argparse_utils import FlexibleArgumentParser\n"
    "parser = FlexibleArgumentParser()\n"
    "add_cli_args(parser)\n"
    "main(parser.parse_args())\n"
)
FIGURES = {
    "requests/s": ("requests_per_s", "request_throughput", 1.0),
    "output tokens/s": ("tokens_out_per_s", "output_throughput", 1.0),
    "TTFT mean": ("ttft.mean", "mean_ttft_ms", 1e-3),
    "TTFT p50": ("ttft.p50", "median_ttft_ms", 1e-3),
    "TPOT mean": ("tpot.mean", "mean_tpot_ms", 1e-3),
    "TPOT p50": ("tpot.p50", "median_tpot_ms", 1e-3),
    "ITL mean": ("itl.mean", "mean_itl_ms", 1e-3),
    "ITL p50": ("itl.p50", "median_itl_ms", 1e-3),
    "E2E mean": ("e2e.mean", "mean_e2el_ms", 1e-3),
    "E2E p50": ("e2e.p50", "median_e2el_ms", 1e-3),
}


def ours(server: Target, options: argparse.Namespace, seed: int) -> dict[str, float]:
    """One turn of KVDeck's load generator."""
    workload = Workload(
        route="completions", arrival=ClosedLoop(options.clients), prompt=Fixed(options.input),
        output=Fixed(options.output), requests=options.requests, warm_up_requests=options.clients, seed=seed,
    )  # fmt: skip
    gaps: list[float] = []

    def hear(message: Message) -> None:
        if isinstance(message, Finished):
            gaps.extend(float(gap) for sample in message.samples for gap in sample.gaps_s)

    record = asyncio.run(Runner().run(server, workload, on_message=hear))
    assert record.result is not None
    figures = record.result.figures
    assert figures.successful == options.requests, figures.failures
    found = {name: value_of(figures, key) or 0.0 for name, (key, _, _) in FIGURES.items()}
    return found | {TOGETHER: together(gaps)}


def theirs(server: Target, options: argparse.Namespace, seed: int, folder: Path) -> dict[str, float]:
    """One turn of `vllm bench serve`."""
    file = f"vllm-{seed}.json"
    words = [
        "--backend", "openai", "--base-url", server.url, "--endpoint", "/v1/completions",
        "--model", options.checkpoint, "--served-model-name", str(server.model),
        "--dataset-name", "random", "--random-input-len", str(options.input),
        "--random-output-len", str(options.output), "--random-range-ratio", "0", "--num-prompts", str(options.requests),
        "--max-concurrency", str(options.clients), "--num-warmups", str(options.clients), "--ignore-eos",
        "--temperature", "0", "--seed", str(seed), "--percentile-metrics", "ttft,tpot,itl,e2el", "--disable-tqdm",
        "--save-result", "--save-detailed", "--result-dir", str(folder), "--result-filename", file,
    ]  # fmt: skip
    environment = {**os.environ, "OPENAI_API_KEY": server.token}
    command = [sys.executable, "-c", VLLM_BENCH, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False, env=environment)
    if done.returncode:
        said = done.stdout[-2000:] + done.stderr[-3000:]
        raise RuntimeError(f"vllm bench serve ended with {done.returncode}:\n{said}")
    found: dict[str, Any] = json.loads((folder / file).read_text())
    assert found["completed"] == options.requests, found["completed"]
    gaps = [gap for request in found["itls"] for gap in request]
    return {name: float(found[key]) * factor for name, (_, key, factor) in FIGURES.items()} | {TOGETHER: together(gaps)}


def together(gaps: list[float]) -> float:
    """Which share of the gaps between pieces is none: they came in one read."""
    return sum(gap < TOGETHER_S for gap in gaps) / max(1, len(gaps))


def take_turns(server: Target, options: argparse.Namespace, folder: Path) -> tuple[list[dict[str, float]], ...]:
    """Both clients' turns, in changing order."""
    kvdeck: list[dict[str, float]] = []
    vllm: list[dict[str, float]] = []
    for turn in range(options.rounds):
        order = (True, False) if turn % 2 == 0 else (False, True)
        for first in order:
            if first:
                kvdeck.append(ours(server, options, 1000 + turn))
            else:
                vllm.append(theirs(server, options, 2000 + turn, folder))
        print(f"turn {turn + 1}: KVDeck {kvdeck[-1]['output tokens/s']:.1f}, vLLM {vllm[-1]['output tokens/s']:.1f} "
              "tokens/s", flush=True)  # fmt: skip
    return kvdeck, vllm


def report(kvdeck: list[dict[str, float]], vllm: list[dict[str, float]]) -> dict[str, dict[str, Any]]:
    """Print the ratios and return them."""
    rows: dict[str, dict[str, Any]] = {}
    print(f"{'figure':18}{'KVDeck':>12}{'vLLM':>12}{'ratio':>9}{'95 % interval':>18}{'vLLM, turn to turn':>21}")
    for name in FIGURES:
        ours_, theirs_ = [row[name] for row in kvdeck], [row[name] for row in vllm]
        one, other = geometric_mean(ours_), geometric_mean(theirs_)
        ratio, low, high = ratio_interval(theirs_, ours_)
        noise = (max(theirs_) - min(theirs_)) / other
        verdict = HELD if abs(ratio - 1) <= GOAL else NOT_DECIDED if low <= 1 + GOAL and high >= 1 - GOAL else BEYOND
        rows[name] = {
            "kvdeck": one, "vllm": other, "ratio": ratio, "low": low, "high": high, "noise": noise, "verdict": verdict,
        }  # fmt: skip
        print(f"{name:18}{one:12.4f}{other:12.4f}{ratio:9.3f}{f'{low:.3f} to {high:.3f}':>18}{noise:20.1%}  {verdict}")
    shares = [sum(row[TOGETHER] for row in rows_) / len(rows_) for rows_ in (kvdeck, vllm)]
    print(f"{TOGETHER}: KVDeck {shares[0]:.2%}, vLLM {shares[1]:.2%}")
    return rows


def main() -> int:
    end_in_order()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--requests", type=int, default=48)
    parser.add_argument("--input", type=int, default=64)
    parser.add_argument("--output", type=int, default=48)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--address-file", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    values = {"enable_prefix_caching": "false", **dict(item.split("=", 1) for item in options.set)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.address_file:
            known = json.loads(options.address_file.read_text())
            server = Target(known["address"], known["token"], Path(options.checkpoint).name)
            kvdeck, vllm = take_turns(server, options, folder)
        else:
            with vllm_alone(options.checkpoint, values, folder / "vllm.log") as (url, _):
                kvdeck, vllm = take_turns(Target(url, model="bench"), options, folder)
    rows = report(kvdeck, vllm)
    if options.json:
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=1))
    return int(any(row["verdict"] == BEYOND for row in rows.values()))


if __name__ == "__main__":
    raise SystemExit(main())
