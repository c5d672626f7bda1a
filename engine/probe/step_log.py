"""The running step's sample, and the totals over all steps."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from engine.page.layout import RING_FIELDS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DURATION, _PREEMPTIONS, _FINISHED = 2, 8, 9
_SAMPLE = struct.Struct("<12Q")  # StepSample's fields in order; the rest of an entry stays zero


class StepLog:
    """Collects samples of finished steps for the page's ring, and counts tokens, preemptions and finished requests.

    A step is finished when the next one begins (its duration is known then) or when no work is left. What is preempted
    or finishes in between belongs to it. Steps that scheduled nothing leave no sample.
    """

    def __init__(self, ring: NDArray[np.uint64]) -> None:
        self._size = len(ring)
        self._items = ring.reshape(-1).data.cast("B")
        self._open: list[int] | None = None
        self._finished: list[list[int]] = []
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

    def close(self, totals: tuple[int, int], now_ns: int | None) -> None:
        """The running step is over: `totals` as they stood then, and when the next step began (None: none did)."""
        sample = self._open
        if sample is None:
            return
        self._open = None
        sample[_DURATION] = 0 if now_ns is None else now_ns - sample[1]
        sample[_PREEMPTIONS] = totals[0] - sample[_PREEMPTIONS]
        sample[_FINISHED] = totals[1] - sample[_FINISHED]
        self._finished.append(sample)

    def begin(self, sample: list[int], totals: tuple[int, int]) -> None:
        """A step was scheduled: StepSample's fields in order, and the totals as they stood when it began."""
        if self._open is not None:
            self.close(totals, sample[1])
        sample[_PREEMPTIONS], sample[_FINISHED] = totals
        self._open = sample
        self.prefill_tokens += sample[5]
        self.decode_tokens += sample[6]

    @property
    def has_prefill(self) -> bool:
        """Whether any request's prompt was not whole after the last step."""
        return bool(self._prefilling)

    def publish(self) -> bool:
        """Write finished steps into the ring. Call between the writer's begin and commit. True if there were any."""
        finished = self._finished
        if not finished:
            return False
        for sample in finished[-self._size :]:
            _SAMPLE.pack_into(self._items, self.written % self._size * (RING_FIELDS * 8), *sample)
            self.written += 1
        finished.clear()
        return True
