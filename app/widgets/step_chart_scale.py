"""Axis ends that read well. Knows nothing of Qt."""

from __future__ import annotations

from math import floor, log10


def nice_ceiling(value: float) -> float:
    """The least of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that is not less than `value` (1 for nothing)."""
    if value <= 0:
        return 1.0
    power = 10.0 ** floor(log10(value))
    for step in (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0):
        if value <= step * power * (1 + 1e-9):
            return step * power
    return 10.0 * power


class SettledScale:
    """An axis end that rises at once and falls only after the values stayed low for `patience` updates.

    Without it the axis would jump with each step that scrolls out of sight.
    """

    def __init__(self, patience: int = 60) -> None:
        self._patience = patience
        self._low_for = 0
        self.end = 1.0

    def reset(self) -> None:
        """Forget the values: the next ones are of something else."""
        self.end, self._low_for = 1.0, 0

    def settle(self, largest: float) -> float:
        """The axis end for values up to `largest`."""
        wanted = nice_ceiling(largest)
        if wanted >= self.end:
            self.end, self._low_for = wanted, 0
        else:
            self._low_for += 1
            if self._low_for >= self._patience:
                self.end, self._low_for = wanted, 0
        return self.end
