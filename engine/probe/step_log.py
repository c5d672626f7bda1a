"""The running step's sample, and the totals over all steps."""

from __future__ import annotations

import struct
from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, Any

from engine.page.layout import RING_FIELDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DURATION, _PREEMPTIONS, _FINISHED = 2, 8, 9
_SAMPLE = struct.Struct("<12Q")  # StepSample's fields in order; the rest of an entry stays zero


class _Step:
    """A scheduled step until it is written: vLLM's output, the sample, and what is known of it by now.

    `follows`: there was work since the step before, all of it scheduled.
    """

    __slots__ = ("closed", "done", "follows", "output", "sample")

    def __init__(self, output: Any, sample: list[int], *, follows: bool) -> None:
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
        self._newest = 0
        self._idle = True
        self._answered_ns = 0
        self._prefilling: set[str] = set()
        self.written = 0
        self.prefill_tokens = 0
        self.decode_tokens = 0
        self.preemptions = 0
        self.finished_requests = 0

    def preempted(self) -> None:
        """A request was preempted."""
        self.preemptions += 1

    def split_tokens(self, output: Any, entered: list[str], requests: dict[str, Any]) -> tuple[int, list[str]]:
        """Prefill tokens of a scheduled step, and the requests whose prefill ended in it; `entered` were admitted."""
        prefilling = self._prefilling
        prefilling.update(entered)
        if not prefilling:
            return 0, []
        scheduled = output.num_scheduled_tokens
        prefill, ended = 0, []
        for request_id in prefilling:
            prefill += scheduled.get(request_id, 0)
            request = requests.get(request_id)
            if request is None or not request.is_prefill_chunk:
                ended.append(request_id)
        prefilling.difference_update(ended)
        return prefill, ended

    @property
    def totals(self) -> tuple[int, int]:
        """Preemptions and finished requests since the engine started."""
        return self.preemptions, self.finished_requests

    def close(self, totals: tuple[int, int], *, idle: bool = False) -> None:
        """The open step is over: `totals` as they stood then. `idle`: no work is left."""
        step = self._open
        if step is not None:
            self._open = None
            sample = step.sample
            sample[_PREEMPTIONS] = totals[0] - sample[_PREEMPTIONS]
            sample[_FINISHED] = totals[1] - sample[_FINISHED]
            step.closed = True
        self._idle = idle

    def begin(self, output: Any, sample: list[int], totals: tuple[int, int]) -> None:
        """A step was scheduled: StepSample's fields in order, and the totals as they stood when it began."""
        if self._open is not None:
            self.close(totals)
        sample[_PREEMPTIONS], sample[_FINISHED] = totals
        self._open = step = _Step(output, sample, follows=not self._idle and sample[0] == self._newest + 1)
        self._steps.append(step)
        self._newest, self._idle = sample[0], False
        self.prefill_tokens += sample[5]
        self.decode_tokens += sample[6]

    def answered(self, output: Any, now_ns: int) -> None:
        """The model's answer to this step came. Older ones without an answer will get none; their duration is 0."""
        steps = self._steps
        place = next((number for number, step in enumerate(steps) if step.output is output), None)
        if place is None:
            return  # it scheduled nothing
        for older in islice(steps, place):
            older.done = True
        step = steps[place]
        before, self._answered_ns = self._answered_ns, now_ns
        step.sample[_DURATION] = now_ns - (before if step.follows else max(before, step.sample[1]))
        step.output, step.done = None, True

    @property
    def has_prefill(self) -> bool:
        """Whether any request's prompt was not whole after the last step."""
        return bool(self._prefilling)

    def publish(self) -> bool:
        """Write finished steps into the ring. Call between the writer's begin and commit. True if there were any."""
        steps, written = self._steps, self.written
        while steps and steps[0].closed and steps[0].done:
            place = self.written % self._size * (RING_FIELDS * 8)
            _SAMPLE.pack_into(self._items, place, *steps.popleft().sample)
            self.written += 1
        return self.written != written
