"""Stalls: requests wait and nothing is scheduled, or one step takes much longer than those before it.

Worked out from pictures and steps, so that a live engine and a recording tell the same.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.domain.cache_events import Admitted, NeverFits
from engine.domain.request import RequestPhase

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.domain.request import RequestRow
    from engine.domain.telemetry import CacheSnapshot, Counters, StepSample

_IDLE_NS = 250_000_000  # nothing scheduled for this long while requests wait
_LEAST_EMPTY_STEPS = 2
_WINDOW = 64  # steps that the running median looks back on
_FEWEST = 16  # steps before it says anything
_TIMES = 5.0  # a long step takes so many times the median,
_LEAST_EXCESS_NS = 50_000_000  # and so much more than it
_MANY = 3.0  # times the median of prefill tokens: a reason
_STEPS_OF_EVENTS = 4096
_MOST_NAMED = 8


class StallCause(StrEnum):
    """What is known of the reason."""

    NEVER_FITS = "never_fits"  # the first in the queue needs more blocks than the whole cache has
    NO_ROOM = "no_room"  # requests hold the blocks that the waiting ones need
    NOT_SCHEDULED = "not_scheduled"  # there was room; the scheduler did not say why
    PREFILL = "prefill"  # the step computed far more prompt tokens than those before it
    PREEMPTION = "preemption"  # requests were preempted in it
    OUTSIDE = "outside"  # nothing that the scheduler saw: the model, the machine, or a question to the engine


@dataclass(frozen=True, slots=True)
class Stall:
    """One stall. `monotonic_ns` is when it began, `step` the long step, or the first in which nothing was scheduled.

    `duration_ns` is how long it took, or has taken so far while it is `ongoing`. Of a long step `median_ns` is the
    running median before it, `tokens` what it computed; both are None where nothing was scheduled, and then `waiting`
    counts the requests in the queue. `request_ids` are those concerned, the first in the queue first. Long `steps` for
    the same cause one after the other are one stall: durations and tokens are sums, and `longest_ns` is one step's.
    """

    step: int
    monotonic_ns: int
    duration_ns: int
    cause: StallCause
    request_ids: tuple[str, ...] = ()
    median_ns: int | None = None
    tokens: int | None = None
    median_tokens: int | None = None
    waiting: int | None = None
    ongoing: bool = False
    steps: int = 1
    longest_ns: int = 0

    @property
    def request_id(self) -> str | None:
        """The first request concerned."""
        return self.request_ids[0] if self.request_ids else None


class _RunningMedian:
    """The median of the newest values."""

    def __init__(self, window: int) -> None:
        self._newest: deque[int] = deque()
        self._sorted: list[int] = []
        self._window = window

    def __len__(self) -> int:
        return len(self._sorted)

    def add(self, value: int) -> None:
        self._newest.append(value)
        insort(self._sorted, value)
        if len(self._newest) > self._window:
            del self._sorted[bisect_left(self._sorted, self._newest.popleft())]

    @property
    def value(self) -> int:
        return self._sorted[len(self._sorted) // 2] if self._sorted else 0


class StallWatch:
    """Takes every picture of one engine in order and tells the stalls that each adds, in bounded memory.

    A stall in which nothing is scheduled is told once it has lasted a quarter of a second, as ongoing, and once more
    when it is over. A long step after a long step is told as the same stall with one step more.
    """

    def __init__(self) -> None:
        self._durations = _RunningMedian(_WINDOW)
        self._tokens = _RunningMedian(_WINDOW)
        self._last: StepSample | None = None  # not judged yet: whether empty steps follow it is still open
        self._last_step = 0
        self._run: tuple[Stall, int] | None = None  # the newest long steps, and the number of the last of them
        self._idle_since: tuple[int, int] | None = None  # the step and the time at which nothing was scheduled first
        self._told: Stall | None = None
        self._admitted: deque[tuple[int, str]] = deque(maxlen=_STEPS_OF_EVENTS)
        self._never: deque[str] = deque(maxlen=_STEPS_OF_EVENTS)

    def take(self, snapshot: CacheSnapshot) -> list[Stall]:
        """The stalls that this picture tells of."""
        for event in snapshot.events:
            if isinstance(event, Admitted) and event.request_id is not None:
                self._admitted.append((event.step, event.request_id))
            elif isinstance(event, NeverFits) and event.request_id is not None:
                self._never.append(event.request_id)
        found = self._long_steps(snapshot.steps)
        idle = self._nothing_scheduled(snapshot)
        return [*found, idle] if idle is not None else found

    # Steps that took long

    def _long_steps(self, steps: Sequence[StepSample]) -> list[Stall]:
        found: list[Stall] = []
        for step in steps:
            if step.step <= self._last_step:
                continue
            last, self._last, self._last_step = self._last, step, step.step
            if last is None or not last.duration_ns or step.step != last.step + 1:
                continue  # how long it took itself is not known: the engine was idle, or scheduled nothing after it
            median = self._durations.value
            tokens = last.prefill_tokens + last.decode_tokens
            is_long = last.duration_ns > max(_TIMES * median, median + _LEAST_EXCESS_NS)
            if len(self._durations) >= _FEWEST and is_long:
                stall = self._joined(self._long_step(last, median, tokens), last.step)
                if found and found[-1].monotonic_ns == stall.monotonic_ns:
                    found.pop()
                found.append(stall)
            self._durations.add(last.duration_ns)
            self._tokens.add(tokens)
        return found

    def _joined(self, stall: Stall, number: int) -> Stall:
        """This long step, as one with those right before it that had the same cause."""
        if self._run is not None and self._run[1] == number - 1 and self._run[0].cause is stall.cause:
            before = self._run[0]
            stall = replace(
                before, duration_ns=before.duration_ns + stall.duration_ns, steps=before.steps + 1,
                longest_ns=max(before.longest_ns, stall.longest_ns), tokens=(before.tokens or 0) + (stall.tokens or 0),
                request_ids=(*before.request_ids, *stall.request_ids)[:_MOST_NAMED],
            )  # fmt: skip
        self._run = (stall, number)
        return stall

    def _long_step(self, step: StepSample, median: int, tokens: int) -> Stall:
        usual = self._tokens.value
        if step.prefill_tokens and tokens > _MANY * usual:
            cause = StallCause.PREFILL
        elif step.preemptions:
            cause = StallCause.PREEMPTION
        else:
            cause = StallCause.OUTSIDE
        concerned = tuple(request_id for number, request_id in self._admitted if number == step.step)
        return Stall(
            step.step, step.monotonic_ns, step.duration_ns, cause, concerned, median, tokens, usual, step.num_waiting,
            longest_ns=step.duration_ns,
        )  # fmt: skip

    # Nothing scheduled

    def _nothing_scheduled(self, snapshot: CacheSnapshot) -> Stall | None:
        counters = snapshot.counters
        empty = counters.step - self._last_step
        if not counters.num_waiting or counters.num_running or empty < _LEAST_EMPTY_STEPS:
            return self._end(counters)
        if self._idle_since is None:
            self._idle_since = (counters.step, counters.monotonic_ns)
        step, since = self._idle_since
        lasted = counters.monotonic_ns - since
        if self._told is not None or lasted < _IDLE_NS:
            return None
        waiting = _queue(snapshot.requests)
        self._told = Stall(
            step, since, lasted, self._why(waiting, counters), tuple(row.request_id for row in waiting[:_MOST_NAMED]),
            waiting=counters.num_waiting, ongoing=True,
        )  # fmt: skip
        return self._told

    def _end(self, counters: Counters) -> Stall | None:
        told, since = self._told, self._idle_since
        self._told = self._idle_since = None
        if told is None or since is None:
            return None
        lasted = max(told.duration_ns, counters.monotonic_ns - since[1])
        return Stall(told.step, told.monotonic_ns, lasted, told.cause, told.request_ids, waiting=told.waiting)

    def _why(self, waiting: Sequence[RequestRow], counters: Counters) -> StallCause:
        if waiting and waiting[0].request_id in self._never:
            return StallCause.NEVER_FITS
        return StallCause.NO_ROOM if counters.num_used + counters.num_shared else StallCause.NOT_SCHEDULED


def _queue(requests: Iterable[RequestRow]) -> list[RequestRow]:
    """The waiting requests, oldest first."""
    phases = (RequestPhase.WAITING, RequestPhase.PREEMPTED)
    return sorted((row for row in requests if row.phase in phases), key=lambda row: (row.arrival_ns, row.row))
