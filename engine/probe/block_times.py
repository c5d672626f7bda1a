"""Collects how long blocks live, lie unused, and wait to be found again. Fixed memory: a little for each block."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING

from engine.domain.block_times import NS_PER_MS, NUM_BUCKETS, BlockTimes, TimeHistogram, bucket_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_MOST_KEYS = 1 << 17  # of some 80 bytes: with so many more, those are looked for that nobody needs
_LONG = 1 << NUM_BUCKETS - 2  # milliseconds: below it a time's bucket is its length in bits

# Who gave blocks back, and the hashes of its full blocks, from the first (None: nobody can ask for it any more).
Leave = tuple[str, "Sequence[bytes | None]"]


class Release:
    """What one free() of blocks has in common: its step and time, who gave up its whole table with it (or None), vLLM's
    keys of the blocks or, of a whole table, their hashes, and the blocks. Each block has its place in both (in a whole
    table that is its depth).

    The blocks are an array and no list: their numbers lie side by side in memory, not each in a place of its own.
    `newest` is where the block is looked for first that is evicted next: vLLM takes them from the last to the first.
    """

    __slots__ = ("block_ids", "keys", "leave", "newest", "now_ns", "step")

    def __init__(
        self, step: int, now_ns: int, leave: Leave | None, keys: Sequence[bytes | None], block_ids: array[int],
        newest: int,
    ) -> None:  # fmt: skip
        self.step = step
        self.now_ns = now_ns
        self.leave = leave
        self.keys = keys
        self.block_ids = block_ids
        self.newest = newest

    def place_of(self, block_id: int) -> int:
        """Where this block stands in it."""
        place, block_ids = self.newest, self.block_ids
        return place if 0 <= place < len(block_ids) and block_ids[place] == block_id else block_ids.index(block_id)

    def trim(self, released: Sequence[Release | None], count: int) -> int:
        """Let go of the keys before those of its blocks, `count` in number, and of the parent of the first; `released`
        says which they are. Returns how many keys are held still.

        A beginning that many requests share is given back by each of them, and only the last one is asked for it.
        """
        place, block_ids = self.newest, self.block_ids
        while place >= 0 and released[block_ids[place]] is self:
            place -= 1
            count -= 1
        if count or place < 1:  # they lie elsewhere in it, too, which is rare
            return len(self.keys)
        if self.keys[place - 1] is not None:
            self.keys = [*[None] * place, *self.keys[place:]]
            if self.leave is not None:
                self.leave = (self.leave[0], self.keys)
        return len(self.keys) - place


# Blocks of one release that were evicted together, and their places in it.
Evicted = tuple[Release, list[int], list[int]]


class BlockClock:
    """Follows one pool. All times are of the steps in which something happened.

    `taken_ns` says of each block when it was handed out last, `released` how a cached block was given back last (None:
    it was not); whoever follows the blocks writes both. What costs time is how many places in memory are touched: an
    object for each block would be one more.
    """

    def __init__(self, num_blocks: int, now_ns: int) -> None:
        self.now_ns = now_ns
        self.taken_ns = array("q", [now_ns]) * num_blocks
        self.released: list[Release | None] = [None] * num_blocks
        self._residency = [0] * NUM_BUCKETS
        self._idle = [0] * NUM_BUCKETS
        self._gaps = [0] * NUM_BUCKETS
        self._found_in_use = 0
        self._held, self._most_held = 0, _MOST_KEYS  # keys in releases

    def hold(self, release: Release) -> None:
        """Blocks were given back with this: its keys are kept for as long as one of them is cached."""
        self._held += len(release.keys)
        if self._held > self._most_held:
            blocks = Counter(self.released)
            self._held = sum(each.trim(self.released, blocks[each]) for each in blocks if each is not None)
            self._most_held = self._held + _MOST_KEYS

    def lost(self, block_id: int, now_ns: int) -> None:
        """The last owner gave this block back, and what it holds is not cached."""
        self.released[block_id] = None
        self._residency[bucket_of(now_ns - self.taken_ns[block_id])] += 1

    def found(self, block_id: int, now_ns: int, *, in_use: bool) -> None:
        """A request found this cached block and holds it now; others may hold it, too."""
        if in_use:
            self._found_in_use += 1
            return
        release = self.released[block_id]
        if release is not None:
            self._gaps[bucket_of(now_ns - release.now_ns)] += 1

    def evict(self, block_ids: Iterable[int], now_ns: int) -> list[Evicted]:
        """Cached blocks that nobody holds lost their prefixes. Returns them by their releases, in their order."""
        released, taken_ns, residency = self.released, self.taken_ns, self._residency
        runs: list[Evicted] = []
        last: Release | None = None
        for i in block_ids:
            release = released[i]
            assert release is not None, "only what was given back is cached"
            released[i] = None
            if release is not last:
                last, table, ids, places = release, release.block_ids, list[int](), list[int]()
                place = release.newest
                runs.append((release, ids, places))
            if place < 0 or table[place] != i:
                place = table.index(i)
            ids.append(i)
            places.append(place)
            release.newest = place = place - 1
            lived = (now_ns - taken_ns[i]) // NS_PER_MS
            residency[lived.bit_length() if 0 < lived < _LONG else bucket_of(lived * NS_PER_MS)] += 1
        for release, ids, _ in runs:
            self._idle[bucket_of(now_ns - release.now_ns)] += len(ids)
        return runs

    def forget(self) -> None:
        """Nothing is cached any more but what is in use."""
        self.released[:] = [None] * len(self.released)

    def summary(self, step: int) -> BlockTimes:
        """The distributions so far."""
        residency, idle, gaps = (TimeHistogram(tuple(each)) for each in (self._residency, self._idle, self._gaps))
        return BlockTimes(step, residency, idle, gaps, self._found_in_use)
