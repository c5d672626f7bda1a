"""Collects how long blocks live, lie unused, and wait to be found again. Fixed memory: two numbers a block."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from engine.domain.block_times import NUM_BUCKETS, BlockTimes, TimeHistogram, bucket_of

if TYPE_CHECKING:
    from collections.abc import Iterable


class BlockClock:
    """Follows one pool. All times are of the step in which something happened (`now_ns`)."""

    def __init__(self, num_blocks: int, now_ns: int) -> None:
        self.now_ns = now_ns
        self._taken_ns = array("Q", [now_ns]) * num_blocks
        self.freed_step = array("Q", bytes(8 * num_blocks))
        self._freed_ns = array("Q", [now_ns]) * num_blocks
        self._residency = [0] * NUM_BUCKETS
        self._idle = [0] * NUM_BUCKETS
        self._gaps = [0] * NUM_BUCKETS
        self._found_in_use = 0

    def taken(self, blocks: Iterable[Any]) -> None:
        """These blocks were handed out anew."""
        now, taken = self.now_ns, self._taken_ns
        for block in blocks:
            taken[block.block_id] = now

    def freed(self, blocks: Iterable[Any], step: int) -> None:
        """One owner gave these blocks back in this step; what was not full is lost with its last owner."""
        now, freed, steps = self.now_ns, self._freed_ns, self.freed_step
        for block in blocks:
            i = block.block_id
            steps[i] = step
            freed[i] = now
            # The attribute, not the property over it: this runs for every block that is given back.
            if block._block_hash is None and not block.ref_cnt and not block.is_null:  # noqa: SLF001
                self._residency[bucket_of(now - self._taken_ns[i])] += 1

    def found(self, blocks: Iterable[Any]) -> None:
        """A request found these cached blocks and holds them now."""
        now, freed = self.now_ns, self._freed_ns
        for block in blocks:
            if block.ref_cnt > 1:
                self._found_in_use += 1
            elif not block.is_null:
                self._gaps[bucket_of(now - freed[block.block_id])] += 1

    def evicted(self, block_id: int) -> None:
        """A cached block that nobody holds lost its prefix."""
        now = self.now_ns
        self._idle[bucket_of(now - self._freed_ns[block_id])] += 1
        self._residency[bucket_of(now - self._taken_ns[block_id])] += 1

    def summary(self, step: int) -> BlockTimes:
        """The distributions so far."""
        residency, idle, gaps = (TimeHistogram(tuple(each)) for each in (self._residency, self._idle, self._gaps))
        return BlockTimes(step, residency, idle, gaps, self._found_in_use)
