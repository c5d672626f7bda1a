"""Requests that took far longer than others, and the moment that cost them: where to look in lanes and steps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from engine.metrics.step_levels import Column
from engine.metrics.timeline import SpanKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from engine.metrics.timeline import Lane, Timeline

_STEPS = 20_000  # that are kept one by one
_REQUESTS = 2048


class Delay(StrEnum):
    """What took long: the wait for the first token, the longest pause between two tokens, or all of it."""

    FIRST_TOKEN = "first_token"
    PAUSE = "pause"
    WHOLE = "whole"


@dataclass(frozen=True, slots=True)
class Outlier:
    """One slow request. The delay lasted from `begin_ns` to `end_ns`, which is now where it has not ended.

    `step` is the longest of the steps meanwhile, None where none is kept one by one; `preempted` says that the request
    had lost its blocks for some of the time.
    """

    delay: Delay
    lane: Lane
    begin_ns: int
    end_ns: int
    step: int | None = None
    preempted: bool = False

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (self.end_ns - self.begin_ns) / 1e9


def outliers(timeline: Timeline, delay: Delay, count: int = 8) -> tuple[Outlier, ...]:
    """The slowest of the newest 2,048 requests in this respect, the slowest first."""
    lanes = [*timeline.finished[-_REQUESTS:], *timeline.live]
    steps = timeline.steps.recent(_STEPS)
    found = [one for lane in lanes if (one := _delay(timeline, steps, lane, delay)) is not None]
    found.sort(key=lambda one: one.end_ns - one.begin_ns, reverse=True)
    return tuple(_with_step(steps, one) for one in found[:count])


def _delay(timeline: Timeline, steps: NDArray[np.int64], lane: Lane, delay: Delay) -> Outlier | None:
    now = lane.end_ns if lane.end_ns is not None else timeline.newest_ns
    if delay is Delay.WHOLE:
        return Outlier(delay, lane, lane.arrival_ns, now, preempted=lane.num_preemptions > 0)
    if delay is Delay.FIRST_TOKEN:
        if lane.first_token_ns is None and lane.end_ns is not None:
            return None  # aborted before it said a word
        first = lane.first_token_ns if lane.first_token_ns is not None else now
        return Outlier(delay, lane, lane.arrival_ns, first)
    return max(_pauses(timeline, steps, lane, now), key=lambda one: one.end_ns - one.begin_ns, default=None)


def _pauses(timeline: Timeline, steps: NDArray[np.int64], lane: Lane, now: int) -> Iterator[Outlier]:
    """Candidates for the longest pause: the longest step while it decoded, and each time that it was preempted."""
    first = lane.first_token_ns
    if first is None:
        return
    begins = steps[:, Column.BEGIN_NS]
    low, high = np.searchsorted(begins, (first, now), side="left")
    during = steps[low:high]
    if len(during):
        longest = during[int(np.argmax(during[:, Column.BUSY_NS]))]
        begin = int(longest[Column.BEGIN_NS])
        yield Outlier(Delay.PAUSE, lane, begin, begin + int(longest[Column.BUSY_NS]))
    if lane.num_preemptions:
        spans = timeline.spans(first, now)
        mine = (spans.lane == lane.serial) & np.isin(spans.kind, (SpanKind.PREEMPTED, SpanKind.RECOMPUTE))
        yield from _runs(lane, spans.begin_ns[mine].tolist(), spans.end_ns[mine].tolist())


def _runs(lane: Lane, begins: list[int], ends: list[int]) -> Iterator[Outlier]:
    """Spans that follow each other at once are one pause."""
    pairs = sorted(zip(begins, ends, strict=True))
    while pairs:
        begin, end = pairs.pop(0)
        while pairs and pairs[0][0] <= end:
            end = max(end, pairs.pop(0)[1])
        yield Outlier(Delay.PAUSE, lane, begin, end, preempted=True)


def _with_step(steps: NDArray[np.int64], found: Outlier) -> Outlier:
    begins = steps[:, Column.BEGIN_NS]
    low = max(0, int(np.searchsorted(begins, found.begin_ns, side="right")) - 1)
    high = int(np.searchsorted(begins, found.end_ns, side="left"))
    during = steps[low:high]
    if not len(during):
        return found
    longest = int(during[int(np.argmax(during[:, Column.BUSY_NS])), Column.FIRST_STEP])
    return Outlier(found.delay, found.lane, found.begin_ns, found.end_ns, longest, found.preempted)
