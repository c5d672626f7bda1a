"""What the probe costs per scheduler step: `python -m benchmarks.probe_cost`.

Runs vLLM's real scheduler and block pool without a model, 256 requests decoding (or as many as a small cache holds),
with finishing and arriving requests and shared prefixes. The plain and the probed schedulers take turns, fifty steps
each, under the same traffic, so that whatever else the machine does slows them alike; the probe's clock stands still
while it is not its turn. A step is schedule() and update_from_output(); times are microseconds a step.

- scheduler, with probe, ratio: processor time without the probe and with it, publishing as often as in service (about
  30 times a second). The difference of two large numbers: believe it on a quiet machine only;
- path: what the probe adds to the time of a step: all that it does before the model is given the step or after the
  model's answer. Each method of the scheduler, the block pool and the KV cache manager whose place it takes is timed
  from outside, without the vLLM method within it. What timing itself takes is measured in the plain scheduler, whose
  methods are timed twice over, in the same steps, and taken off. Steps in which another program had the processor are
  left out ("steps" says how many remained: on a busy machine few do); no other step is. In parentheses the median;
- pool: the part of it that is in the pool's own calls;
- all: the same with publishing, which is done while vLLM waits for the model: processor time, but no step's. In
  parentheses the median, a step that is not published;
- paced: path and all as if every step took `--paced-ms`, as a GPU's steps do, so that more of them are published.

The first line says how fast Python runs here at the moment, to tell a slow machine from a slow probe.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from engine.probe.scheduler import ProbedScheduler
from tests.engine.probe.driving import BLOCK, Runner, Traffic, engine_config, import_vllm, make_probed

SIZES = (1_000, 10_000, 60_000, 250_000)
_BATCH = 50
_LONG = 1900  # tokens


class Spent(NamedTuple):
    """Nanoseconds that the probe took in one step, in the scheduler and in the pool, each with the number of timed
    calls, and the part of the former that was spent publishing.
    """

    own: int
    calls: int
    pool: int
    pool_calls: int
    hidden: int
    hidden_calls: int


class Timed:
    """One scheduler under steady traffic; collects nanoseconds per step."""

    def __init__(self, scheduler: Any, running: int) -> None:
        self.runner = Runner(scheduler)
        self.traffic = Traffic(scheduler, seed=7, longest=40, prefixes=20)
        self._running = running
        self._room = min(running, scheduler.kv_cache_manager.block_pool.num_gpu_blocks // 8)
        self.batches: list[float] = []  # microseconds a step, one value per batch
        self.steps: list[Spent] = []  # the undisturbed ones
        self._meters = (scheduler, scheduler.kv_cache_manager.block_pool)
        for meter in self._meters:
            meter.spent_ns = meter.timed_calls = meter.hidden_ns = 0

    def fill(self, clock: PacedClock | None = None) -> None:
        """Hand every block out once, so that steps evict what is cached, as they do in an engine that has served for a
        while.
        """
        scheduler, chance = self.runner.scheduler, self.traffic.random
        blocks = scheduler.kv_cache_manager.block_pool.num_gpu_blocks
        for _ in range(-(-blocks * BLOCK // _LONG)):
            self.traffic.add(prompt=[chance.randrange(1000) for _ in range(_LONG)], max_tokens=1)
        while scheduler.has_requests():
            if clock is not None:
                clock.advance()
            self.runner.step()

    def run(self, steps: int, clock: PacedClock | None = None) -> None:
        """So many steps, with requests arriving as others finish."""
        scheduler = self.runner.scheduler
        spent = 0
        for _ in range(steps):
            if clock is not None:
                clock.advance()
            switches = resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw
            for _ in range(self._room - len(scheduler.requests)):
                # Each with a length of its own: otherwise all of them would end in the same step.
                self.traffic.add(max_tokens=self.traffic.random.randrange(200, 400))
            began = time.thread_time_ns()
            self.runner.step()
            spent += time.thread_time_ns() - began
            self._take(undisturbed=resource.getrusage(resource.RUSAGE_THREAD).ru_nivcsw == switches)
        self.batches.append(spent / steps / 1e3)

    def clear(self) -> None:
        """Forget what was measured while the cache was filled."""
        self.batches.clear()
        self.steps.clear()

    def overhead_ns(self) -> float:
        """What a timed call takes by itself, of a scheduler whose own methods are timed twice over."""
        return sum(step.own for step in self.steps) / max(1, sum(step.calls for step in self.steps))

    def microseconds(self, overhead_ns: float) -> dict[str, list[float]]:
        """What the probe added to each step: "all" of it, in the "pool", and in the step's "path"."""
        pool = [(step.pool - step.pool_calls * overhead_ns) / 1e3 for step in self.steps]
        own = [(step.own - step.calls * overhead_ns) / 1e3 for step in self.steps]
        hidden = [(step.hidden - step.hidden_calls * overhead_ns) / 1e3 for step in self.steps]
        both = [a + b for a, b in zip(own, pool, strict=True)]
        return {"all": both, "pool": pool, "path": [a - b for a, b in zip(both, hidden, strict=True)]}

    def _take(self, *, undisturbed: bool) -> None:
        scheduler, pool = self._meters
        if undisturbed:
            hidden = scheduler.hidden_ns
            self.steps.append(
                Spent(scheduler.spent_ns, scheduler.timed_calls, pool.spent_ns, pool.timed_calls, hidden, hidden > 0)
            )
        for meter in self._meters:
            meter.spent_ns = meter.timed_calls = meter.hidden_ns = 0


_SCHEDULER = ("finish_requests", "_preempt_request")  # overridden
_NOTED = ("schedule", "update_from_output", "add_request", "_free_blocks")  # replaced in the object
_POOL = ("free_blocks",)
_WATCHED = {"_admitting": 1, "_tried_again": 1, "_allocate": -1}  # a lookup itself is only watched where blocks are few


def time_the_probe(probed: type, base: type, names: tuple[str, ...], overridden: bool = True) -> None:
    """Have objects of the `probed` class count in `spent_ns` what its methods take beyond those of `base` in them.

    Without `overridden` only vLLM's part is taken off: the rest is replaced in the object.
    """
    for name in names:
        if name in vars(probed) or not overridden:
            setattr(base, name, _counted(getattr(base, name), -1))
        if overridden and name in vars(probed):
            setattr(probed, name, _counted(vars(probed)[name], 1))


def _counted(call: Any, sign: int) -> Any:
    def timed(owner: Any, *args: Any, **kwargs: Any) -> Any:
        began = time.perf_counter_ns()
        result = call(owner, *args, **kwargs)
        owner.spent_ns += sign * (time.perf_counter_ns() - began)
        owner.timed_calls += sign > 0
        return result

    return timed


def _counted_for(owner: Any, call: Any, sign: int) -> Any:
    """The same of what is no method, counted with `owner`."""

    def timed(*args: Any, **kwargs: Any) -> Any:
        began = time.perf_counter_ns()
        result = call(*args, **kwargs)
        owner.spent_ns += sign * (time.perf_counter_ns() - began)
        owner.timed_calls += sign > 0
        return result

    return timed


def time_twice(scheduler: Any) -> None:
    """Time an unprobed scheduler's methods as if the probe were there: what is left is the timing's own."""
    for name in (*_NOTED, *_SCHEDULER):
        setattr(scheduler, name, _counted_for(scheduler, getattr(scheduler, name), 1))


def time_the_notes(scheduler: Any) -> None:
    """The same of what the probe put in the place of this scheduler's methods, and its watch over allocations."""
    for name in _NOTED:
        setattr(scheduler, name, _counted_for(scheduler, scheduler.__dict__[name], 1))
    pool = scheduler.kv_cache_manager.block_pool
    for name in _POOL:
        setattr(pool, name, _counted_for(pool, getattr(pool, name), 1))
    notes, watch = scheduler._kvdeck_notes, scheduler.kvdeck_publisher.events.allocations  # noqa: SLF001
    _time_the_mask(scheduler, notes)
    for name, sign in _WATCHED.items():
        setattr(watch, name, _counted_for(scheduler, getattr(watch, name), sign))
    watch.arm(False)


def _time_the_mask(scheduler: Any, notes: Any) -> None:
    """Publishing where vLLM asks for a mask: that time is hidden behind the model's."""
    own = vars(notes)
    masked, mask, within = notes._masked, own["_mask"], [0]  # noqa: SLF001

    def timed_own(*args: Any, **kwargs: Any) -> Any:
        began = time.perf_counter_ns()
        result = mask(*args, **kwargs)
        within[0] = time.perf_counter_ns() - began
        return result

    def timed(*args: Any, **kwargs: Any) -> Any:
        own["_mask"] = timed_own
        began = time.perf_counter_ns()
        result = masked(*args, **kwargs)
        took = time.perf_counter_ns() - began - within[0]
        own["_mask"] = scheduler.get_grammar_bitmask = mask
        scheduler.spent_ns += took
        scheduler.hidden_ns += took
        scheduler.timed_calls += 1
        return result

    own["_masked"] = timed


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


class TurnClock:
    """A monotonic clock that goes only within its `with` blocks."""

    def __init__(self) -> None:
        self._away_ns = 0
        self._left_ns = time.monotonic_ns()

    def __enter__(self) -> None:
        self._away_ns += time.monotonic_ns() - self._left_ns

    def __exit__(self, *_: object) -> None:
        self._left_ns = time.monotonic_ns()

    def monotonic_ns(self) -> int:
        """What the publisher takes for the time."""
        return time.monotonic_ns() - self._away_ns


@cache
def time_vllm() -> None:
    """Time vLLM's own methods, which the probe's call, from now on; before any scheduler is made."""
    from vllm.v1.core.block_pool import BlockPool
    from vllm.v1.core.sched.scheduler import Scheduler

    time_the_probe(ProbedScheduler, Scheduler, _SCHEDULER)
    time_the_probe(ProbedScheduler, Scheduler, _NOTED, overridden=False)
    time_the_probe(object, BlockPool, _POOL, overridden=False)


def measure(config: Any, folder: Path, num_blocks: int, running: int, steps: int, paced_ms: float) -> dict[str, float]:
    """Mean and median microseconds of one size."""
    from vllm.v1.core.sched.scheduler import Scheduler

    time_vllm()
    plain = Timed(make_probed(config, num_blocks, factory=Scheduler), running)
    probed = Timed(_with_page(config, num_blocks, folder / "probed.page"), running)
    paced = Timed(_with_page(config, num_blocks, folder / "paced.page"), running)
    clock, turns = PacedClock(paced_ms), TurnClock()
    probed.runner.scheduler.kvdeck_publisher.clock = turns.monotonic_ns
    paced.runner.scheduler.kvdeck_publisher.clock = clock.monotonic_ns
    time_twice(plain.runner.scheduler)
    for timed in (probed, paced):
        time_the_notes(timed.runner.scheduler)
        assert timed.runner.scheduler.kvdeck_publisher.is_plain, "elsewhere vLLM's loops tell the probe of each block"
    plain.fill()
    with turns:
        probed.fill()
    paced.fill(clock)
    gc.disable()
    try:
        for round_ in range(2 + steps // _BATCH):
            plain.run(_BATCH)
            with turns:
                probed.run(_BATCH)
            paced.run(_BATCH, clock)
            if round_ == 1:  # the first two rounds bring the requests in
                for timed in (plain, probed, paced):
                    timed.clear()
            gc.collect()
    finally:
        gc.enable()
    if not (plain.steps and probed.steps and paced.steps):
        sys.exit("Not one step was left alone by other programs: measure on a quieter machine.")
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
    overhead_ns = plain.overhead_ns()
    figures = {
        "blocks": num_blocks,
        "running": len(probed.runner.scheduler.running),
        "steps": len(probed.steps),
        "timing_ns": overhead_ns,
        "scheduler_us": scheduler,
        "with_probe_us": with_probe,
        "ratio": with_probe / scheduler,
    }
    for prefix, timed in (("", probed), ("paced_", paced)):
        for name, values in timed.microseconds(overhead_ns).items():
            figures[f"{prefix}{name}_us"] = statistics.fmean(values)
            figures[f"{prefix}{name}_median_us"] = statistics.median(values)
    return figures


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
        columns = f"{'blocks':>8} {'running':>8} {'steps':>6} {'scheduler':>10} {'with probe':>11} {'ratio':>7}"
        print(f"{columns} {'path':>14} {'pool':>6} {'all':>14} {'paced path':>14} {'paced all':>14} {'timing ns':>10}")
    print(
        f"{row['blocks']:>8,.0f} {row['running']:>8.0f} {row['steps']:>6.0f} {row['scheduler_us']:>10.1f} "
        f"{row['with_probe_us']:>11.1f} {row['ratio']:>7.3f} {_pair(row, 'path')} {row['pool_us']:>6.1f} "
        f"{_pair(row, 'all')} {_pair(row, 'paced_path')} {_pair(row, 'paced_all')} {row['timing_ns']:>10.0f}",
        flush=True,
    )


def _pair(row: dict[str, float], name: str) -> str:
    return f"{row[f'{name}_us']:>6.1f} ({row[f'{name}_median_us']:>5.1f})"


if __name__ == "__main__":
    raise SystemExit(main())
