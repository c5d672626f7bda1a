"""Block tables on the page: each in one extent of a shared pool, doubled when it is full."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.page.views import PageViews

_SMALLEST = 32


class ExtentPool:
    """Hands out extents whose sizes are powers of two, from a pool of fixed size. Freed ones are used again."""

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._fresh = 0
        self._live = 0
        self._free: dict[int, list[int]] = {}

    def take(self, needed: int) -> tuple[int, int] | None:
        """Offset and capacity of an extent that holds at least `needed` entries, or None where none is left."""
        capacity = max(_SMALLEST, 1 << (needed - 1).bit_length())
        offset = self._reuse(capacity)
        if offset is None:
            if self._fresh + capacity > self._entries:
                return self._take_larger(capacity)
            offset = self._fresh
            self._fresh += capacity
        self._live += 1
        return offset, capacity

    def give_back(self, offset: int, capacity: int) -> None:
        """Return an extent. When the last one comes back the pool is whole again."""
        self._live -= 1
        if self._live:
            self._free.setdefault(capacity, []).append(offset)
        else:
            self._fresh = 0
            self._free.clear()

    def _reuse(self, capacity: int) -> int | None:
        offsets = self._free.get(capacity)
        return offsets.pop() if offsets else None

    def _take_larger(self, capacity: int) -> tuple[int, int] | None:
        for larger in sorted(size for size, offsets in self._free.items() if size > capacity and offsets):
            self._live += 1
            return self._free[larger].pop(), larger
        return None


class TableWriter:
    """Writes block tables of (row, group) into the page. Call only between the writer's begin and commit.

    What does not fit is left out: the methods then answer False, and the row has to be marked as truncated.
    """

    def __init__(self, views: PageViews) -> None:
        entries = views.table_entries
        self._pool = ExtentPool(len(entries))
        self._entries = entries.data
        self._zeroable = entries
        groups = views.table_length.shape[1]
        self._groups = groups
        self._offset = views.table_offset.reshape(-1).data
        self._length = views.table_length.reshape(-1).data
        self._revision = views.table_revision.reshape(-1).data
        self._extents: dict[int, tuple[int, int]] = {}
        self._truncated: set[int] = set()
        self._zeroed: dict[int, int] = {}

    def append(self, row: int, group: int, block_ids: Sequence[int]) -> bool:
        """Add block ids at the end of a table. False if they did not all fit, now or at an earlier append."""
        key = row * self._groups + group
        if key in self._truncated:
            return False
        length = self._length[key]
        needed = length + len(block_ids)
        extent = self._extents.get(key)
        if len(block_ids) == 1 and extent is not None and needed <= extent[1]:  # what a decoding request needs
            self._entries[extent[0] + length] = block_ids[0]
            self._length[key] = needed
            self._touch(key)
            return True
        if extent is None or needed > extent[1]:
            extent = self._grow(key, extent, length, needed)
        offset, capacity = extent
        fits = min(needed, capacity)
        ids = block_ids if fits == needed else block_ids[: fits - length]
        if ids:
            self._entries[offset + length : offset + fits] = array("I", ids)
        self._length[key] = fits
        self._touch(key)
        if fits < needed:
            self._truncated.add(key)
        return bool(fits == needed)

    def zero(self, row: int, group: int, last: int) -> None:
        """Point the positions before `last` at the null block: a sliding window has left them behind."""
        key = row * self._groups + group
        offset = self._offset[key]
        first = self._zeroed.get(key, 0)
        last = min(last, self._length[key])
        if first < last:
            self._zeroable[offset + first : offset + last] = np.uint32(0)
            self._zeroed[key] = last
            self._touch(key)

    def clear(self, row: int, group: int) -> None:
        """Drop a table and give its extent back."""
        key = row * self._groups + group
        self._truncated.discard(key)
        self._zeroed.pop(key, None)
        extent = self._extents.pop(key, None)
        if extent is not None:
            self._pool.give_back(*extent)
        self._offset[key] = 0
        self._length[key] = 0
        self._touch(key)

    def _touch(self, key: int) -> None:
        self._revision[key] = (self._revision[key] + 1) & 0xFFFFFFFF

    def _grow(self, key: int, extent: tuple[int, int] | None, length: int, needed: int) -> tuple[int, int]:
        larger = self._pool.take(needed)
        if larger is None:
            return extent or (0, 0)
        offset = larger[0]
        if extent is not None:
            if length:
                old = extent[0]
                self._entries[offset : offset + length] = self._entries[old : old + length]
            self._pool.give_back(*extent)
        self._extents[key] = larger
        self._offset[key] = offset
        return larger
