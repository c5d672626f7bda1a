"""The running step's sample, and the totals over all steps."""

from __future__ import annotations

import struct
from collections import deque
from typing import TYPE_CHECKING

from engine.page.layout import RING_FIELDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DURATION, _PREEMPTIONS, _FINISHED = 2, 8, 9
_SAMPLE = struct.Struct("<12Q")  # StepSample's fields in order; the rest of an entry stays zero


class _Step:
    """A scheduled step until it is written: the sample, and what is known of it by now.

    `follows`: there was work since the step before, all of it scheduled.
    """

    __slots__ = ("closed", "done", "follows", "output", "sample")

    def __init__(self, output: int, sample: list[int], *, follows: bool) -> None:
        self.output = output
        self.sample = sample
        self.follows = follows
        self.closed = self.done = False


class StepLog:
    """Collects samples of finished steps for the page's ring, and counts tokens, preemptions and finished requests.

    A step is closed when the next one begins or when no work is left: what is preempted or finishes in between belongs
    to it. It is done when the model's answer comes. With asynchronous scheduling the next step begins long before: a
    step's duration is counted from the answer before its own, as long as there was work, so that durations add up to
    the time that passed. Steps that scheduled nothing leave no sample.
    """

    def __init__(self, ring: NDArray[np.uint64]) -> None:
        self._size = len(ring)
        self._items = ring.reshape(-1).data.cast("B")
        self._open: _Step | None = None
        self._steps: deque[_Step] = deque()
        self._began = (0, 0)
        self._newest = 0
        self._idle = True
        self._answered_ns = 0
        self.written = 0
        self.prefill_tokens = 0
        self.decode_tokens = 0
        self.preemptions = 0
        self.finished_requests = 0

    def begin(self) -> None:
        """A step is about to be scheduled: what is preempted from now on belongs to it, if it schedules anything."""
        self._began = (self.preemptions, self.finished_requests)

    def scheduled(self, output: int, sample: list[int]) -> None:
        """A step was scheduled: StepSample's fields in order; `output` is what `answered` will know it by."""
        if self._open is not None:
            self._close(self._began)
        sample[_PREEMPTIONS], sample[_FINISHED] = self._began
        self._open = step = _Step(output, sample, follows=not self._idle and sample[0] == self._newest + 1)
        self._steps.append(step)
        self._newest, self._idle = sample[0], False
        self.prefill_tokens += sample[5]
        self.decode_tokens += sample[6]

    def rest(self) -> None:
        """No work is left."""
        self._close((self.preemptions, self.finished_requests))
        self._idle = True

    def answered(self, output: int, now_ns: int) -> None:
        """The model's answer to this step came. Older ones without an answer will get none; their duration is 0."""
        older = []
        for step in self._steps:
            if step.done:
                continue
            if step.output == output:
                break
            older.append(step)
        else:
            return  # it scheduled nothing
        for unanswered in older:
            unanswered.done = True
        before, self._answered_ns = self._answered_ns, now_ns
        step.sample[_DURATION] = now_ns - (before if step.follows else max(before, step.sample[1]))
        step.done = True

    def publish(self) -> bool:
        """Write finished steps into the ring. Call between the writer's begin and commit. True if there were any."""
        steps, written = self._steps, self.written
        while steps and steps[0].closed and steps[0].done:
            place = self.written % self._size * (RING_FIELDS * 8)
            _SAMPLE.pack_into(self._items, place, *steps.popleft().sample)
            self.written += 1
        return self.written != written

    def _close(self, totals: tuple[int, int]) -> None:
        """The open step is over: preemptions and finished requests as they stood then."""
        step, self._open = self._open, None
        if step is not None:
            step.sample[_PREEMPTIONS] = totals[0] - step.sample[_PREEMPTIONS]
            step.sample[_FINISHED] = totals[1] - step.sample[_FINISHED]
            step.closed = True
