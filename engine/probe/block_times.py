"""Collects how long blocks live, lie unused, and wait to be found again. Fixed memory: a little for each block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.block_times import NUM_BUCKETS, BlockTimes, TimeHistogram, bucket_of

if TYPE_CHECKING:
    from collections.abc import Sequence


# What one free() of blocks has in common: its step and time, who gave up its whole table with it (or None), and vLLM's
# keys of the blocks or, of a whole table, their hashes. Each block has its place there.
Release = tuple[int, int, "Leave | None", "Sequence[bytes | None]"]
# A block's last release (or None) and its place in it (in a whole table that is its depth), and when it was handed out.
# One tuple, so that all of it is in one place in memory: what costs time is how many such places are touched.
Life = tuple["Release | None", int, int]
# Who gave blocks back, and the hashes of its full blocks, from the first.
Leave = tuple[str, "Sequence[bytes]"]


class BlockClock:
    """Follows one pool. All times are of the steps in which something happened.

    `lives` has a Life for each block; whoever follows the blocks writes them.
    """

    def __init__(self, num_blocks: int, now_ns: int) -> None:
        self.now_ns = now_ns
        self.lives: list[Life] = [(None, 0, now_ns)] * num_blocks
        self._residency = [0] * NUM_BUCKETS
        self._idle = [0] * NUM_BUCKETS
        self._gaps = [0] * NUM_BUCKETS
        self._found_in_use = 0

    def lost(self, block_id: int, now_ns: int) -> None:
        """The last owner gave this block back, and what it holds is not cached."""
        self._residency[bucket_of(now_ns - self.lives[block_id][2])] += 1

    def found(self, block_id: int, now_ns: int, *, in_use: bool) -> None:
        """A request found this cached block and holds it now; others may hold it, too."""
        if in_use:
            self._found_in_use += 1
            return
        released = self.lives[block_id][0]
        if released is not None:
            self._gaps[bucket_of(now_ns - released[1])] += 1

    def evicted(self, freed_ns: int, taken_ns: int, now_ns: int) -> None:
        """A cached block that nobody holds lost its prefix."""
        self._idle[bucket_of(now_ns - freed_ns)] += 1
        self._residency[bucket_of(now_ns - taken_ns)] += 1

    def summary(self, step: int) -> BlockTimes:
        """The distributions so far."""
        residency, idle, gaps = (TimeHistogram(tuple(each)) for each in (self._residency, self._idle, self._gaps))
        return BlockTimes(step, residency, idle, gaps, self._found_in_use)
