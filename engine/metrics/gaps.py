"""How evenly something ticks: the distribution of the gaps between its ticks, in bounded memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

_CAPACITY = 65_536
NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class GapSummary:
    """Gaps between successive ticks, in milliseconds, over the newest ticks kept; None before there were two.

    `count` and `over_limit` count all gaps since the start; `max_ms` is the longest of them all.
    """

    count: int
    p50_ms: float | None
    p99_ms: float | None
    max_ms: float | None
    over_limit: int
    limit_ms: float


class GapRecorder:
    """Takes monotonic time stamps and keeps the gaps between them. `tick` costs under a microsecond.

    `pause` forgets the last time stamp: the time until the next tick is then not a gap (a clock that was stopped on
    purpose has not stalled).
    """

    def __init__(self, limit_ms: float = 50.0, capacity: int = _CAPACITY) -> None:
        self._limit_ns = int(limit_ms * NS_PER_MS)
        self._gaps = np.zeros(capacity, np.int64)
        self._count = 0
        self._over = 0
        self._longest = 0
        self._last: int | None = None

    def tick(self, now_ns: int) -> int | None:
        """Record one tick at `now_ns` (monotonic ns); returns the gap since the last one, None for the first."""
        last, self._last = self._last, now_ns
        if last is None:
            return None
        gap = now_ns - last
        self._gaps[self._count % self._gaps.size] = gap
        self._count += 1
        self._over += gap > self._limit_ns
        self._longest = max(self._longest, gap)
        return gap

    def pause(self) -> None:
        """The next tick begins anew."""
        self._last = None

    def reset(self) -> None:
        """Forget everything."""
        self._count, self._over, self._longest, self._last = 0, 0, 0, None

    def summary(self) -> GapSummary:
        """The distribution so far."""
        kept = self._gaps[: min(self._count, self._gaps.size)]
        if not kept.size:
            return GapSummary(0, None, None, None, 0, self._limit_ns / NS_PER_MS)
        p50, p99 = np.percentile(kept, (50, 99)) / NS_PER_MS
        return GapSummary(
            count=self._count,
            p50_ms=float(p50),
            p99_ms=float(p99),
            max_ms=self._longest / NS_PER_MS,
            over_limit=self._over,
            limit_ms=self._limit_ns / NS_PER_MS,
        )
