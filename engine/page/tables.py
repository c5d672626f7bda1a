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
    """Writes block tables into the page. Call only between the writer's begin and commit.

    A table goes by its key, `row * num_groups + group`. What does not fit is left out; the methods say so, and the row
    has to be marked as truncated. A table that was cut once takes nothing more: what follows would be misplaced.
    `lengths` counts what was asked for, whether it fitted or not.
    """

    def __init__(self, views: PageViews) -> None:
        self._entries = views.table_entries
        self._pool = ExtentPool(len(self._entries))
        self._groups: int = views.table_length.shape[1]
        self._zeroed: dict[int, int] = {}
        self._truncated: dict[int, array[int]] = {}  # what did not fit
        # Single items are written three times as fast through a memoryview as through an array. Nothing is read back
        # from the page: lists of our own are four times as fast again.
        self._entry_items = self._entries.data
        self._offset_items = views.table_offset.reshape(-1).data
        self._length_items = views.table_length.reshape(-1).data
        self._revision_items = views.table_revision.reshape(-1).data
        self._offsets, self.lengths, self._capacities = ([0] * len(self._length_items) for _ in range(3))
        self._revision = 0

    def key(self, row: int, group: int) -> int:
        """The key of one row's table in one group."""
        return row * self._groups + group

    def append(self, key: int, block_ids: Sequence[int]) -> bool:
        """Add block ids at the end of a table. False if they did not all fit, now or at an earlier append."""
        length = self.lengths[key]
        needed = self.lengths[key] = length + len(block_ids)
        if key in self._truncated:
            self._truncated[key].extend(block_ids)
            return False
        if needed > self._capacities[key]:
            self._grow(key, length, needed)
        fits = min(needed, self._capacities[key])
        offset, ids = self._offsets[key], array("I", block_ids)
        self._entry_items[offset + length : offset + fits] = ids if fits == needed else ids[: fits - length]
        self._show_length(key, fits)
        if fits < needed:
            self._truncated[key] = ids[fits - length :]
            return False
        return True

    def append_each(self, keys: Sequence[int], block_ids: Sequence[int | Sequence[int]]) -> tuple[int, list[int]]:
        """Add block ids to many tables, mostly one to each, as a decoding batch needs it. Returns how many there were,
        and the keys cut.

        A plain loop on purpose: numpy's indexing is faster only while its code is in the processor's cache, and
        between two publications the scheduler has driven it out (measured: 10 microseconds warm, 110 in service).
        """
        entries, offsets, lengths, capacities = self._entry_items, self._offsets, self.lengths, self._capacities
        length_items, revision_items, revision = self._length_items, self._revision_items, self._next_revision()
        cut, added = [], 0
        for key, new in zip(keys, block_ids, strict=True):
            length = lengths[key]
            if isinstance(new, int) and length < capacities[key]:
                entries[offsets[key] + length] = new
                lengths[key] = length_items[key] = length + 1
                revision_items[key] = revision
                added += 1
                continue
            ids = (new,) if isinstance(new, int) else new
            added += len(ids)
            if not self.append(key, ids):
                cut.append(key)
        return added, cut

    def ids(self, key: int) -> array[int]:
        """A table's block ids, those for which there was no room among them."""
        offset, cut = self._offsets[key], self._truncated.get(key)
        shown = self._entry_items[offset : offset + min(self.lengths[key], self._capacities[key])]
        ids = array("I", shown.tobytes())
        if cut is not None:
            ids += cut
        return ids

    def zero(self, key: int, last: int) -> None:
        """Point the positions before `last` at the null block: a sliding window has left them behind."""
        offset = self._offsets[key]
        first = self._zeroed.get(key, 0)
        last = min(last, self.lengths[key], self._capacities[key])
        if first < last:
            self._entries[offset + first : offset + last] = np.uint32(0)
            self._zeroed[key] = last
            self._revision_items[key] = self._next_revision()

    def clear(self, key: int) -> None:
        """Drop a table and give its extent back."""
        self._truncated.pop(key, None)
        self._zeroed.pop(key, None)
        capacity = self._capacities[key]
        if capacity:
            self._pool.give_back(self._offsets[key], capacity)
        self._capacities[key] = self._offsets[key] = self.lengths[key] = 0
        self._show_length(key, 0)

    def _show_length(self, key: int, length: int) -> None:
        self._length_items[key] = length
        self._revision = self._revision_items[key] = (self._revision + 1) & 0xFFFFFFFF

    def _next_revision(self) -> int:
        """A number that no table has borne for a long time."""
        self._revision = (self._revision + 1) & 0xFFFFFFFF
        return self._revision

    def _grow(self, key: int, length: int, needed: int) -> None:
        larger = self._pool.take(needed)
        if larger is None:
            return
        offset, old, items = larger[0], self._offsets[key], self._entry_items
        if length:
            items[offset : offset + length] = items[old : old + length]
        if self._capacities[key]:
            self._pool.give_back(old, self._capacities[key])
        self._offsets[key], self._capacities[key] = larger
        self._offset_items[key] = offset
