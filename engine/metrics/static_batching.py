"""The counterfactual of continuous batching: the very same requests in static batches, on this engine's own step times.

Static batching takes as many waiting requests as the batch holds, computes their prompts, and generates until the last
of them is done; a request that ends early keeps its place, and nobody enters meanwhile. Nothing is padded and streams
are read as they come, so this is kinder to it than most implementations were.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.metrics.step_levels import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.metrics.timeline import Lane, Timeline

_STEPS = 8192
_FEWEST_STEPS = 8
_FEWEST_REQUESTS = 2
_MOST_REQUESTS = 2048


@dataclass(frozen=True, slots=True)
class StepCost:
    """What a step takes, fitted to the steps that ran: seconds for the step, a prefill token and a decode token."""

    step_s: float
    prefill_s: float
    decode_s: float

    def times(self, factor: float) -> StepCost:
        """The same, so many times as long."""
        return StepCost(self.step_s * factor, self.prefill_s * factor, self.decode_s * factor)

    def of(self, prefill: float, decode: float) -> float:
        """Seconds of a step with so many tokens."""
        return self.step_s + self.prefill_s * prefill + self.decode_s * decode


@dataclass(frozen=True, slots=True)
class StaticLane:
    """Where one request would have been: waiting until `begin_ns`, its last token at `end_ns`, its place in the batch
    taken until `released_ns`.
    """

    serial: int
    begin_ns: int
    end_ns: int
    released_ns: int


@dataclass(frozen=True, slots=True)
class BatchingComparison:
    """The same requests both ways. Busy seconds are those in which the engine computed; latency is from arrival to the
    last token, on average. `batch_size` is how many requests ran at most at once, and so a static batch's size.
    """

    requests: int
    batch_size: int
    cost: StepCost
    busy_s: float
    static_busy_s: float
    latency_s: float
    static_latency_s: float
    lanes: tuple[StaticLane, ...]

    @property
    def saved_s(self) -> float:
        """Engine time that continuous batching saved."""
        return self.static_busy_s - self.busy_s


def compare(timeline: Timeline) -> BatchingComparison | None:
    """Compare over the finished requests that the timeline has whole; None while there is too little to say."""
    table = timeline.steps.recent(_STEPS)
    lanes = _whole(timeline, table)
    cost = fit(table)
    if cost is None or len(lanes) < _FEWEST_REQUESTS:
        return None
    begin, end = min(lane.arrival_ns for lane in lanes), max(lane.end_ns or 0 for lane in lanes)
    during = table[(table[:, Column.BEGIN_NS] >= begin) & (table[:, Column.BEGIN_NS] <= end)]
    if not len(during):
        return None
    size = max(1, int(during[:, Column.RUNNING].max()))
    budget = max(1, int(np.median(during[:, Column.MAX_NUM_BATCHED_TOKENS])))
    # What slowed these steps down (other programs, say) would have slowed static batches down as well.
    busy_s = float(during[:, Column.BUSY_NS].sum()) / 1e9
    timed = during[during[:, Column.BUSY_NS] > 0]
    tokens = zip(timed[:, Column.PREFILL_TOKENS].tolist(), timed[:, Column.DECODE_TOKENS].tolist(), strict=True)
    told_s = sum(cost.of(prefill, decode) for prefill, decode in tokens)
    cost = cost.times(busy_s / told_s) if told_s else cost
    static, static_busy_s = simulate(lanes, size, budget, cost)
    # Other requests ran in these steps, too: their part of the tokens is left out.
    all_tokens = float(during[:, Column.PREFILL_TOKENS].sum() + during[:, Column.DECODE_TOKENS].sum())
    ours = float(sum(_prompt(lane) + lane.recomputed_tokens + lane.output_tokens for lane in lanes))
    share = min(1.0, ours / all_tokens) if all_tokens else 1.0
    arrivals = {lane.serial: lane.arrival_ns for lane in lanes}
    return BatchingComparison(
        requests=len(lanes),
        batch_size=size,
        cost=cost,
        busy_s=busy_s * share,
        static_busy_s=static_busy_s,
        latency_s=float(np.mean([((lane.end_ns or 0) - lane.arrival_ns) / 1e9 for lane in lanes])),
        static_latency_s=float(np.mean([(one.end_ns - arrivals[one.serial]) / 1e9 for one in static])),
        lanes=static,
    )


def fit(table: NDArray[np.int64]) -> StepCost | None:
    """Least squares over steps one by one; no cost below nothing. None for fewer than eight steps of known length."""
    known = table[table[:, Column.BUSY_NS] > 0]
    if len(known) < _FEWEST_STEPS:
        return None
    seconds = known[:, Column.BUSY_NS] / 1e9
    # A step that waited for something else (a pause, a compilation) says nothing about its tokens.
    usual = seconds <= 20 * np.median(seconds)
    columns = [np.ones(len(known)), known[:, Column.PREFILL_TOKENS], known[:, Column.DECODE_TOKENS]]
    design, seconds = np.stack(columns, axis=1).astype(float)[usual], seconds[usual]
    used = [0, 1, 2]
    while True:
        found = np.linalg.lstsq(design[:, used], seconds, rcond=None)[0]
        if (found >= 0).all() or len(used) == 1:
            break
        used.pop(int(np.argmin(found)))
    costs = [0.0, 0.0, 0.0]
    for place, cost in zip(used, found.tolist(), strict=True):
        costs[place] = max(0.0, cost)
    return StepCost(*costs)


def simulate(
    lanes: Sequence[Lane], batch_size: int, budget: int, cost: StepCost
) -> tuple[tuple[StaticLane, ...], float]:
    """Run the lanes' requests in static batches; returns where each was, and the seconds that the engine computed."""
    waiting = sorted(lanes, key=lambda lane: lane.arrival_ns)
    placed: list[StaticLane] = []
    now_s, busy_s = waiting[0].arrival_ns / 1e9, 0.0
    while waiting:
        now_s = max(now_s, waiting[0].arrival_ns / 1e9)
        batch = [lane for lane in waiting[:batch_size] if lane.arrival_ns / 1e9 <= now_s]
        waiting = waiting[len(batch) :]
        begin_s = now_s
        prompt = sum(_prompt(lane) for lane in batch)
        full, rest = divmod(prompt, budget)
        now_s += full * cost.of(budget, 0) + (cost.of(rest, 0) if rest else 0.0)
        step_s = cost.of(0, len(batch))
        lengths = [max(0, lane.output_tokens - 1) for lane in batch]  # the prefill brings the first token
        released_s = now_s + step_s * max(lengths)
        placed += [
            StaticLane(lane.serial, int(begin_s * 1e9), int((now_s + step_s * length) * 1e9), int(released_s * 1e9))
            for lane, length in zip(batch, lengths, strict=True)
        ]
        busy_s += released_s - begin_s
        now_s = released_s
    return tuple(placed), busy_s


def _whole(timeline: Timeline, table: NDArray[np.int64]) -> list[Lane]:
    """The newest finished requests whose every step is still known one by one, and that generated something."""
    if not len(table):
        return []
    first = int(table[0, Column.BEGIN_NS]) if len(table) == _STEPS else 0
    lanes = timeline.finished[-_MOST_REQUESTS:]
    return [lane for lane in lanes if lane.output_tokens > 0 and lane.arrival_ns >= first]


def _prompt(lane: Lane) -> int:
    return max(0, lane.num_prompt_tokens - lane.num_cached_tokens)
