"""Axes: where ticks go, linear and logarithmic, and lines made short enough to draw. Knows nothing of Qt."""

from __future__ import annotations

from math import ceil, floor, log10

import numpy as np

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_TIME_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200)


def ticks(low: float, high: float, most: int) -> list[float]:
    """At most `most` round values from `low` to `high`."""
    if not high > low or most < 1:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** floor(log10(rough))
    step = next(each * power for each in _STEPS if each * power >= rough * (1 - 1e-9))
    first = ceil(low / step - 1e-9)
    last = floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def time_ticks(low: float, high: float, most: int) -> list[float]:
    """At most `most` moments in seconds that a clock would show."""
    rough = (high - low) / max(1, most)
    if rough < 1:
        return ticks(low, high, most)
    step = next((each for each in _TIME_STEPS if each >= rough), _TIME_STEPS[-1] * ceil(rough / _TIME_STEPS[-1]))
    return [float(number * step) for number in range(ceil(low / step), floor(high / step) + 1)]


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Powers of ten from `low` to `high`, with 2 and 5 between where there is room."""
    first, last = floor(log10(low)), ceil(log10(high))
    for factors in ((1, 2, 5), (1, 3), (1,)):
        found = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
        found = [value for value in found if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]
        if len(found) <= most:
            return found
    return found[:: max(1, ceil(len(found) / max(1, most)))]


def thinned(times: np.ndarray, values: np.ndarray, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The line with at most two points a column: the least and the largest of each, so that no peak is lost."""
    size = len(times)
    if size <= 2 * columns or columns < 1:
        return times, values
    lot = ceil(size / columns)
    padding = (-size) % lot
    filled = np.concatenate((values, np.full(padding, np.nan))).reshape(-1, lot)
    low = np.argmin(np.where(np.isnan(filled), np.inf, filled), axis=1)
    high = np.argmax(np.where(np.isnan(filled), -np.inf, filled), axis=1)
    starts = np.arange(len(filled)) * lot
    chosen = np.unique(np.minimum(np.concatenate((starts + low, starts + high)), size - 1))
    return times[chosen], values[chosen]


def runs(values: np.ndarray) -> list[slice]:
    """The stretches without a gap (NaN)."""
    known = np.flatnonzero(~np.isnan(values))
    if not known.size:
        return []
    breaks = np.flatnonzero(np.diff(known) > 1)
    begins = np.concatenate(([0], breaks + 1))
    ends = np.concatenate((breaks, [known.size - 1]))
    return [slice(int(known[a]), int(known[b]) + 1) for a, b in zip(begins, ends, strict=True)]
