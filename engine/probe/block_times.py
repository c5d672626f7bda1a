"""Collects how long blocks live, lie unused, and wait to be found again. Fixed memory: two numbers a block."""

from __future__ import annotations

from array import array

from engine.domain.block_times import NUM_BUCKETS, BlockTimes, TimeHistogram, bucket_of


class BlockClock:
    """Follows one pool. All times are of the steps in which something happened.

    `times` has two numbers for each block, side by side because they are used together: when it was handed out, and
    when one of its owners gave it back last. Whoever follows the blocks writes them.
    """

    def __init__(self, num_blocks: int, now_ns: int) -> None:
        self.now_ns = now_ns
        self.times = array("Q", [now_ns]) * (2 * num_blocks)
        self._residency = [0] * NUM_BUCKETS
        self._idle = [0] * NUM_BUCKETS
        self._gaps = [0] * NUM_BUCKETS
        self._found_in_use = 0

    def lost(self, block_id: int, now_ns: int) -> None:
        """The last owner gave this block back, and what it holds is not cached."""
        self._residency[bucket_of(now_ns - self.times[2 * block_id])] += 1

    def found(self, block_id: int, now_ns: int, *, in_use: bool) -> None:
        """A request found this cached block and holds it now; others may hold it, too."""
        if in_use:
            self._found_in_use += 1
        else:
            self._gaps[bucket_of(now_ns - self.times[2 * block_id + 1])] += 1

    def evicted(self, block_id: int, now_ns: int) -> None:
        """A cached block that nobody holds lost its prefix."""
        self._idle[bucket_of(now_ns - self.times[2 * block_id + 1])] += 1
        self._residency[bucket_of(now_ns - self.times[2 * block_id])] += 1

    def summary(self, step: int) -> BlockTimes:
        """The distributions so far."""
        residency, idle, gaps = (TimeHistogram(tuple(each)) for each in (self._residency, self._idle, self._gaps))
        return BlockTimes(step, residency, idle, gaps, self._found_in_use)
