"""What the probe costs per scheduler step: `python -m benchmarks.probe_cost`.

Runs vLLM's real scheduler and block pool without a model, 256 requests decoding (or as many as a small cache holds),
with finishing and arriving requests and shared prefixes. The plain and the probed schedulers take turns, fifty steps
each, under the same traffic, so that whatever else the machine does slows them alike. A step is schedule() and
update_from_output(); times are microseconds a step.

- scheduler, with probe, ratio: processor time without the probe and with it, publishing as often as in service (about
  30 times a second). The difference of two large numbers: believe it on a quiet machine only;
- in probe: time inside the probe's own calls, measured directly, without the slowest hundredth of the steps (another
  program had the processor then), and in parentheses the median;
- paced: the same as if every step took `--paced-ms`, as a GPU's steps do, so that more of them are published;
- noting: what the probe adds to the pool's own calls, which is not in the other two; reading the clock twice for each
  call (about 2 a step) is part of it.

The first line says how fast Python runs here at the moment, to tell a slow machine from a slow probe.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from engine.probe.scheduler import ProbedScheduler
from tests.engine.probe.driving import BLOCK, Runner, Traffic, engine_config, import_vllm, make_probed

SIZES = (1_000, 10_000, 60_000, 250_000)
_BATCH = 50


class Timed:
    """One scheduler under steady traffic; collects nanoseconds per step."""

    def __init__(self, scheduler: Any, running: int) -> None:
        self.runner = Runner(scheduler)
        self.traffic = Traffic(scheduler, seed=7, longest=40, prefixes=20)
        self._running = running
        self._room = min(running, scheduler.kv_cache_manager.block_pool.num_gpu_blocks // 8)
        self.batches: list[float] = []  # microseconds a step, one value per batch
        self.inside: list[int] = []  # nanoseconds inside the probe, one value per step
        self.noting: list[int] = []  # nanoseconds that the probe adds to the pool's calls, one value per step
        self._spent = 0
        self._pool = scheduler.kv_cache_manager.block_pool
        self._pool.noted_ns = 0
        if isinstance(scheduler, ProbedScheduler):
            self._time_the_probe(scheduler)

    def _time_the_probe(self, scheduler: Any) -> None:
        tell = scheduler._kvdeck_tell  # noqa: SLF001 - everything that the probe does passes through this one call

        def timed(event: Any, *args: Any) -> None:
            began = time.perf_counter_ns()
            tell(event, *args)
            self._spent += time.perf_counter_ns() - began

        scheduler._kvdeck_tell = timed  # noqa: SLF001

    def run(self, steps: int, clock: PacedClock | None = None) -> None:
        """So many steps, with requests arriving as others finish."""
        scheduler = self.runner.scheduler
        spent = 0
        for _ in range(steps):
            for _ in range(self._room - len(scheduler.requests)):
                # Each with a length of its own: otherwise all of them would end in the same step.
                self.traffic.add(max_tokens=self.traffic.random.randrange(200, 400))
            self.inside.append(self._spent)
            self.noting.append(self._pool.noted_ns)
            self._spent = self._pool.noted_ns = 0
            if clock is not None:
                clock.advance()
            began = time.thread_time_ns()
            self.runner.step()
            spent += time.thread_time_ns() - began
        self.batches.append(spent / steps / 1e3)


def time_the_noting(tracked: Any) -> None:
    """Have every pool of this tracked class count in `noted_ns` what its calls take beyond vLLM's own within them."""
    if "noting_is_timed" in vars(tracked):
        return  # for an earlier size
    tracked.noting_is_timed = True
    base = tracked.__mro__[1]
    for name in ("get_new_blocks", "touch", "free_blocks"):
        setattr(base, name, _counted(getattr(base, name), -1))
        setattr(tracked, name, _counted(tracked.__dict__[name], 1))


def _counted(call: Any, sign: int) -> Any:
    def timed(pool: Any, *args: Any) -> Any:
        began = time.perf_counter_ns()
        result = call(pool, *args)
        pool.noted_ns += sign * (time.perf_counter_ns() - began)
        return result

    return timed


class PacedClock:
    """A monotonic clock for the publish rate that moves a fixed time a step."""

    def __init__(self, step_ms: float) -> None:
        self._step_ns = int(step_ms * 1e6)
        self._now_ns = time.monotonic_ns()

    def advance(self) -> None:
        """One step has passed."""
        self._now_ns += self._step_ns

    def monotonic_ns(self) -> int:
        """What the publisher takes for the time."""
        return self._now_ns


def measure(config: Any, folder: Path, num_blocks: int, running: int, steps: int, paced_ms: float) -> dict[str, float]:
    """Mean and median microseconds of one size."""
    from vllm.v1.core.sched.scheduler import Scheduler

    plain = Timed(make_probed(config, num_blocks, factory=Scheduler), running)
    probed = Timed(_with_page(config, num_blocks, folder / "probed.page"), running)
    paced = Timed(_with_page(config, num_blocks, folder / "paced.page"), running)
    time_the_noting(type(probed.runner.scheduler.kv_cache_manager.block_pool))
    clock = PacedClock(paced_ms)
    paced.runner.scheduler.kvdeck_publisher.clock = clock.monotonic_ns
    gc.disable()
    try:
        for round_ in range(2 + steps // _BATCH):
            plain.run(_BATCH)
            probed.run(_BATCH)
            paced.run(_BATCH, clock)
            if round_ == 1:  # the first two rounds fill the cache
                for timed in (plain, probed, paced):
                    timed.batches.clear()
                    timed.inside.clear()
                    timed.noting.clear()
            gc.collect()
    finally:
        gc.enable()
    result = _figures(num_blocks, plain, probed, paced)
    for timed in (probed, paced):
        scheduler = timed.runner.scheduler
        assert scheduler.kvdeck_failure is None
        assert scheduler.kvdeck_scan_blocks()["mismatches"] == 0
    for timed in (plain, probed, paced):
        timed.runner.scheduler.shutdown()
    return result


def _with_page(config: Any, num_blocks: int, page: Path) -> Any:
    os.environ["KVDECK_PAGE"] = str(page)
    scheduler = make_probed(config, num_blocks)
    assert scheduler.kvdeck_publisher is not None, scheduler.kvdeck_failure
    return scheduler


def _figures(num_blocks: int, plain: Timed, probed: Timed, paced: Timed) -> dict[str, float]:
    scheduler, with_probe = statistics.fmean(plain.batches), statistics.fmean(probed.batches)
    return {
        "blocks": num_blocks,
        "running": len(probed.runner.scheduler.running),
        "steps": len(probed.inside),
        "scheduler_us": scheduler,
        "with_probe_us": with_probe,
        "ratio": with_probe / scheduler,
        "probe_us": _undisturbed_mean(probed.inside) / 1e3,
        "probe_median_us": statistics.median(probed.inside) / 1e3,
        "noting_us": _undisturbed_mean(probed.noting) / 1e3,
        "paced_probe_us": _undisturbed_mean(paced.inside) / 1e3,
        "paced_probe_median_us": statistics.median(paced.inside) / 1e3,
    }


def _undisturbed_mean(samples: list[int]) -> float:
    return statistics.fmean(sorted(samples)[: len(samples) - len(samples) // 100])


def python_speed() -> float:
    """Nanoseconds of one round of an empty counting loop, at best of five."""

    def once() -> float:
        began = time.thread_time_ns()
        for _ in range(1_000_000):
            pass
        return (time.thread_time_ns() - began) / 1e6

    return min(once() for _ in range(5))


def main(arguments: list[str] | None = None) -> int:
    """Print a table, or JSON with --json."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=3000, help="steps measured per size (default 3000)")
    parser.add_argument("--running", type=int, default=256, help="running requests (default 256)")
    parser.add_argument("--blocks", type=int, nargs="*", default=list(SIZES), help="cache sizes in blocks")
    parser.add_argument("--paced-ms", type=float, default=10.0, help="length of a step in the paced run (default 10)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    import_vllm()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        config = engine_config(Path(folder) / "model", max_num_seqs=options.running, budget=8192)
        for num_blocks in options.blocks:
            results.append(measure(config, Path(folder), num_blocks, options.running, options.steps, options.paced_ms))
            if not options.json:
                _print_row(results[-1], header=len(results) == 1)
    if options.json:
        json.dump(results, sys.stdout, indent=2)
    return 0


def _print_row(row: dict[str, float], *, header: bool) -> None:
    if header:
        print(f"Python: {python_speed():.1f} ns a loop round. Block size {BLOCK}; microseconds a step, mean (median).")
        columns = f"{'blocks':>8} {'running':>8} {'scheduler':>10} {'with probe':>11} {'ratio':>7}"
        print(f"{columns} {'in probe':>14} {'paced':>14} {'noting':>7}")
    print(
        f"{row['blocks']:>8,.0f} {row['running']:>8.0f} {row['scheduler_us']:>10.1f} {row['with_probe_us']:>11.1f} "
        f"{row['ratio']:>7.3f} {row['probe_us']:>6.1f} ({row['probe_median_us']:>5.1f}) "
        f"{row['paced_probe_us']:>6.1f} ({row['paced_probe_median_us']:>5.1f}) {row['noting_us']:>7.1f}",
        flush=True,
    )


if __name__ == "__main__":
    raise SystemExit(main())
