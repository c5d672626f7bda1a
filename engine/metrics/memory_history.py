"""The last minutes of one memory: how it was split and how busy its processor was."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.metrics.memory_split import MemorySplit

_REWIND_NS = 250_000_000


class Column(IntEnum):
    """Of a history's table. Bytes, 0 where they are unknown; utilization 0 to 1, NaN where it is."""

    NS = 0
    WEIGHTS = 1
    KV_CACHE = 2
    REST = 3
    UNATTRIBUTED = 4
    OTHERS = 5
    TOTAL = 6
    UTILIZATION = 7


PARTS = [Column.WEIGHTS, Column.KV_CACHE, Column.REST, Column.UNATTRIBUTED, Column.OTHERS]  # from the bottom up


@dataclass(frozen=True, slots=True)
class MemoryPoint:
    """One sample: CLOCK_MONOTONIC nanoseconds, the split in bytes, and utilization 0 to 1 (None: unknown)."""

    monotonic_ns: int
    split: MemorySplit
    utilization: float | None


class MemoryHistory:
    """MemoryPoints of at most the last `keep_s` seconds, oldest first, and the same as a table for charts."""

    def __init__(self, keep_s: float = 900.0) -> None:
        self._keep_ns = int(keep_s * 1e9)
        self._points: list[MemoryPoint] = []
        self._table = np.empty((512, len(Column)))

    def __len__(self) -> int:
        return len(self._points)

    @property
    def newest(self) -> MemoryPoint | None:
        """The newest sample."""
        return self._points[-1] if self._points else None

    def add(self, point: MemoryPoint) -> None:
        """Keep one more sample; one that is not newer than the last is not kept.

        One from much earlier says that time went back (a replay): what came after it has not happened yet.
        """
        newest = self.newest
        if newest is not None and point.monotonic_ns < newest.monotonic_ns - _REWIND_NS:
            del self._points[bisect_left(self._points, point.monotonic_ns, key=lambda one: one.monotonic_ns) :]
        elif newest is not None and point.monotonic_ns <= newest.monotonic_ns:
            return
        self._append(point)
        first = bisect_left(self._points, point.monotonic_ns - self._keep_ns, key=lambda one: one.monotonic_ns)
        if first > len(self._points) // 8:  # in lots, so that a sample costs no copy of the whole
            del self._points[:first]
            kept = len(self._points)
            self._table[:kept] = self._table[first : first + kept].copy()

    def _append(self, point: MemoryPoint) -> None:
        count = len(self._points)
        if count == len(self._table):
            self._table = np.concatenate((self._table, np.empty_like(self._table)))
        split, load = point.split, point.utilization
        self._table[count] = (
            point.monotonic_ns, split.weights_bytes or 0, split.kv_cache_bytes or 0, split.rest_bytes or 0,
            split.unattributed_bytes or 0, split.others_bytes or 0, split.total_bytes or 0,
            np.nan if load is None else load,
        )  # fmt: skip
        self._points.append(point)

    def table_since(self, monotonic_ns: int) -> NDArray[np.float64]:
        """What `since` returns, as rows of Column; it holds until the next sample."""
        first = bisect_left(self._points, monotonic_ns, key=lambda one: one.monotonic_ns)
        return self._table[max(0, first - 1) : len(self._points)]

    def since(self, monotonic_ns: int) -> list[MemoryPoint]:
        """The samples from this moment on, and the one before it, so that a line enters from the edge."""
        first = bisect_left(self._points, monotonic_ns, key=lambda one: one.monotonic_ns)
        return self._points[max(0, first - 1):]

    def nearest(self, monotonic_ns: int) -> MemoryPoint | None:
        """The sample nearest to this moment."""
        if not self._points:
            return None
        place = bisect_left(self._points, monotonic_ns, key=lambda one: one.monotonic_ns)
        around = self._points[max(0, place - 1):place + 1]
        return min(around, key=lambda one: abs(one.monotonic_ns - monotonic_ns))
