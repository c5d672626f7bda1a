"""Where the running mix stands on the roofline: the last seconds of steps, and a trail of where it stood before."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.metrics.roofline import ModelCost, Part, Work, work_of
from engine.metrics.roofline_contexts import Contexts, ContextWatch, total

if TYPE_CHECKING:
    from engine.domain.telemetry import CacheSnapshot, StepSample

_TRAIL_EVERY_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Standing:
    """The last seconds of a running engine. A part is None where it did not happen, or its work is not known.

    `running` and `waiting` are means over the steps, `at_limit` the share of steps in which as many requests ran as
    may, `full` the share of prefill steps that used (nearly) the whole token budget.
    """

    mix: Work | None
    prefill: Work | None
    decode: Work | None
    running: float
    waiting: float
    at_limit: float
    full: float
    preemptions: int
    trail: tuple[tuple[float, float], ...] = ()

    def work(self, part: Part) -> Work | None:
        """The work of one part."""
        return {Part.MIX: self.mix, Part.PREFILL: self.prefill, Part.DECODE: self.decode}[part]


class RooflineWindow:
    """Take every picture; `standing` is of the last `seconds` before the newest step that is known.

    The trail has (operations a byte, operations a second) of the mix, once a second, at most `trail` of them.
    """

    def __init__(self, cost: ModelCost | None = None, seconds: float = 5.0, trail: int = 30) -> None:
        self._cost = cost
        self._keep_ns = int(seconds * 1e9)
        self._watch = ContextWatch(cost.window if cost is not None else None)
        self._steps: deque[StepSample] = deque()
        self._contexts: deque[tuple[int, Contexts]] = deque()
        self._trail: deque[tuple[float, float]] = deque(maxlen=trail)
        self._trailed_ns = self._newest_ns = 0

    @property
    def cost(self) -> ModelCost | None:
        """What a step costs; before that is known, only steps and contexts are gathered."""
        return self._cost

    def use_cost(self, cost: ModelCost) -> None:
        """From now on this is what a step costs; what was gathered stays, unless a sliding window cuts contexts."""
        self._cost = cost
        if cost.window is not None:
            self._restart()

    def _restart(self) -> None:
        self._watch = ContextWatch(self._cost.window if self._cost is not None else None)
        for kept in (self._steps, self._contexts, self._trail):
            kept.clear()
        self._trailed_ns = 0

    def take(self, snapshot: CacheSnapshot) -> None:
        """The next picture. One that is older than the last (a replay went back) begins anew."""
        if snapshot.published_ns < self._newest_ns:
            self._restart()
        self._newest_ns = snapshot.published_ns
        last = self._steps[-1].step if self._steps else -1
        self._steps.extend(step for step in snapshot.steps if step.step > last)
        found = self._watch.take(snapshot.requests)
        if found.prefill.tokens or found.decode.tokens:
            self._contexts.append((snapshot.published_ns, found))
        self._forget()
        if snapshot.published_ns - self._trailed_ns >= _TRAIL_EVERY_NS and self._steps:
            self._trailed_ns = snapshot.published_ns
            work = self._work(Part.MIX, list(self._steps))
            place = (work.intensity, work.flops_per_s) if work is not None else None
            if place is not None and (not self._trail or self._trail[-1] != place):
                self._trail.append(place)

    def _forget(self) -> None:
        """Only what ran shortly before the newest step is of now; an engine that rests keeps its last picture."""
        if not self._steps:
            return
        first_ns = self._steps[-1].monotonic_ns - self._keep_ns
        while self._steps[0].monotonic_ns < first_ns:
            self._steps.popleft()
        while len(self._contexts) > 1 and self._contexts[0][0] < first_ns:
            self._contexts.popleft()

    def standing(self) -> Standing | None:
        """Where the engine stands; None before its first step, or while what a step costs is not known."""
        steps = list(self._steps)
        if not steps or self._cost is None:
            return None
        filling = [step for step in steps if step.prefill_tokens]
        return Standing(
            mix=self._work(Part.MIX, steps),
            prefill=self._work(Part.PREFILL, filling),
            decode=self._work(Part.DECODE, [step for step in steps if not step.prefill_tokens]),
            running=sum(step.num_running for step in steps) / len(steps),
            waiting=sum(step.num_waiting for step in steps) / len(steps),
            at_limit=sum(step.num_running >= step.max_num_seqs for step in steps) / len(steps),
            full=sum(map(_is_full, filling)) / len(filling) if filling else 0.0,
            preemptions=sum(step.preemptions for step in steps),
            trail=tuple(self._trail),
        )

    def _work(self, part: Part, steps: list[StepSample]) -> Work | None:
        if not steps or self._cost is None:
            return None
        return work_of(self._cost, part, steps, total([found for _, found in self._contexts]))


def _is_full(step: StepSample) -> bool:
    return step.prefill_tokens + step.decode_tokens >= 0.95 * step.max_num_batched_tokens
