"""When requests are due, in seconds of sending time (pauses left out), for every arrival but the closed loop."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from engine.bench.workload import Arrival, AsRecorded, Bursts, ClosedLoop, OpenLoop, Ramp

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def due_times(arrival: Arrival, seed: int, recorded: Sequence[float] = ()) -> Iterator[float]:
    """Due times, rising, without end but for a recorded log. The first request is due at once."""
    if isinstance(arrival, OpenLoop):
        return _gamma(arrival, seed)
    if isinstance(arrival, Bursts):
        return (burst * arrival.every_s for burst in itertools.count() for _ in range(arrival.size))
    if isinstance(arrival, Ramp):
        return _ramp(arrival, seed)
    if isinstance(arrival, AsRecorded):
        return (at / arrival.speed for at in recorded)
    assert isinstance(arrival, ClosedLoop)
    return itertools.repeat(0.0)


def most_at_once(arrival: Arrival) -> int | None:
    """How many requests may be under way at once; None: any number."""
    return arrival.clients if isinstance(arrival, ClosedLoop) else arrival.most_at_once


def _gamma(arrival: OpenLoop, seed: int) -> Iterator[float]:
    random = np.random.default_rng((seed, 1))
    scale = 1.0 / (arrival.rate_per_s * arrival.burstiness)
    at = 0.0
    while True:
        yield at
        at += float(random.gamma(arrival.burstiness, scale))


def _ramp(arrival: Ramp, seed: int) -> Iterator[float]:
    """A Poisson process with a rising rate: unit gaps in the integral of the rate, mapped back to time."""
    random = np.random.default_rng((seed, 2))
    area = 0.0
    while True:
        yield _when(arrival, area)
        area += float(random.exponential(1.0))


def _when(arrival: Ramp, area: float) -> float:
    """The time at which so many requests were expected."""
    begin, end, over = arrival.from_per_s, arrival.to_per_s, arrival.over_s
    within = (begin + end) / 2 * over
    if area >= within:
        return over + (area - within) / end
    slope = (end - begin) / over
    if abs(slope) < 1e-12:
        return area / begin
    return max(0.0, (float(np.sqrt(begin * begin + 2 * slope * area)) - begin) / slope)
