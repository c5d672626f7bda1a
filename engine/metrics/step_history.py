"""The scheduler's recent steps in order, collected from successive snapshots, in bounded memory."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.telemetry import StepSample


class StepHistory:
    """Holds at most `capacity` StepSamples, oldest first, without doubles. A new engine's steps replace the old."""

    def __init__(self, capacity: int = 20_000) -> None:
        self._capacity = capacity
        self._samples: list[StepSample] = []

    def __len__(self) -> int:
        return len(self._samples)

    def add(self, steps: Sequence[StepSample]) -> int:
        """Take what is new in `steps` (oldest first, may overlap what is held); returns how many were new.

        The newest sample held is replaced when it comes again, since its duration is known only a step later.
        """
        if not steps:
            return 0
        if self._samples and steps[-1].step < self._samples[-1].step:
            self._samples.clear()
        last = self._samples[-1].step if self._samples else -1
        first = len(steps)
        while first > 0 and steps[first - 1].step > last:
            first -= 1
        if first > 0 and self._samples and steps[first - 1].step == last:
            self._samples[-1] = steps[first - 1]
        self._samples.extend(steps[first:])
        if len(self._samples) > self._capacity + self._capacity // 8:
            del self._samples[:-self._capacity]  # in lots, so that a step costs no copy of the whole
        return len(steps) - first

    def clear(self) -> None:
        """Forget all steps."""
        self._samples.clear()

    def view(self, count: int, back: int = 0) -> list[StepSample]:
        """The newest `count` steps but for the last `back`, oldest first."""
        end = max(0, len(self._samples) - back)
        return self._samples[max(0, end - count):end]

    def find(self, number: int) -> StepSample | None:
        """The step of this number; None where it is not held."""
        place = bisect_left(self._samples, number, key=lambda sample: sample.step)
        found = self._samples[place] if place < len(self._samples) else None
        return found if found is not None and found.step == number else None

    @property
    def newest(self) -> StepSample | None:
        """The newest step."""
        return self._samples[-1] if self._samples else None
