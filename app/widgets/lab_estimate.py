"""How long a load will take, from what is known of this engine. Knows nothing of Qt."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from engine.bench.workload import (
    AsRecorded,
    Bursts,
    ClosedLoop,
    Fixed,
    FromData,
    LogNormal,
    Normal,
    OpenLoop,
    Ramp,
    Uniform,
    Workload,
)

if TYPE_CHECKING:
    from engine.bench.workload import Lengths


def mean_tokens(lengths: Lengths) -> float | None:
    """The mean length; None where only the data know it."""
    match lengths:
        case Fixed():
            return float(lengths.tokens)
        case Uniform():
            return (lengths.least + lengths.most) / 2
        case Normal():
            return min(max(lengths.mean, lengths.least), lengths.most)
        case LogNormal():
            mean = lengths.median * math.exp(lengths.sigma**2 / 2)
            return min(max(mean, lengths.least), lengths.most)
        case FromData():
            return None


def expected_s(workload: Workload, tokens_per_s: float | None) -> float | None:
    """Seconds until the load is over; `tokens_per_s` is what this engine put out under such a load (None: unknown).

    None where nothing can be said.
    """
    by_requests = None if workload.requests is None else _for_requests(workload, workload.requests, tokens_per_s)
    known = [seconds for seconds in (by_requests, workload.duration_s) if seconds is not None]
    if workload.duration_s is None and by_requests is None:
        return None
    return min(known)


def _for_requests(workload: Workload, count: int, tokens_per_s: float | None) -> float | None:
    arriving = _arrival_s(workload, count)
    tokens = mean_tokens(workload.output)
    computing = None if tokens is None or not tokens_per_s else count * tokens / tokens_per_s
    if isinstance(workload.arrival, ClosedLoop):
        return computing
    if arriving is None:
        return None
    return arriving if computing is None else max(arriving, computing)


def _arrival_s(workload: Workload, count: int) -> float | None:
    """Seconds until the last request has come."""
    match workload.arrival:
        case OpenLoop(rate_per_s=rate):
            return count / rate
        case Bursts(size=size, every_s=every):
            return (math.ceil(count / size) - 1) * every
        case Ramp(from_per_s=first, to_per_s=last, over_s=over):
            during = (first + last) / 2 * over
            if count >= during:
                return over + (count - during) / last
            slope = (last - first) / over
            return count / first if slope == 0 else (-first + math.sqrt(first**2 + 2 * slope * count)) / slope
        case ClosedLoop() | AsRecorded():
            return None
