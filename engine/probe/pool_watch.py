"""Follows the block pool: notes which blocks change hands. It never rescans the pool."""

from __future__ import annotations

from array import array
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine.probe.block_ledger import BlockLedger
    from engine.probe.block_times import Leave
    from engine.probe.journal import Journal

_SAMPLE_RATE = 0.01  # what vLLM's own collector would have


class Collector:
    """Hears from vLLM's block pool of each block, through the interface for its own metrics, where nothing has to be
    overridden for it: what is called here is called in vLLM's own loops, while it has the block in its hands.

    `theirs` is the pool's own collector, which is told as well.
    """

    def __init__(self, journal: Journal, ledger: BlockLedger, theirs: Any) -> None:
        self.theirs = theirs
        self.sample_rate = getattr(theirs, "sample_rate", _SAMPLE_RATE)
        self.reset: Callable[[], object] = _nothing if theirs is None else theirs.reset
        note, find = journal.note, ledger.find

        def found(block: Any) -> None:
            if block.block_id:  # the null block is nobody's
                note((find, (block.block_id, block._block_hash is not None)))  # noqa: SLF001 - once a block

        self.on_block_evicted: Callable[[Any], object] = id  # it does nothing, quickly: the ledger knows by itself
        self.on_block_allocated: Callable[[Any], object] = note
        self.on_block_accessed: Callable[[Any], object] = found
        if theirs is not None:
            for name in ("on_block_evicted", "on_block_allocated", "on_block_accessed"):
                setattr(self, name, _both(getattr(self, name), getattr(theirs, name)))


def _nothing() -> None:
    pass


def _both(ours: Callable[[Any], object], theirs: Callable[[Any], object]) -> Callable[[Any], None]:
    def told(block: Any) -> None:
        ours(block)
        theirs(block)

    return told


class PoolWatch:
    """Notes in the journal what happens to the blocks of one pool, for the ledger.

    The pool's class is swapped for a subclass. What is handed out or found is told by the pool itself, to its metrics
    collector, where `is_told`; elsewhere whoever makes the watch knows it from what the scheduler puts out.
    """

    def __init__(
        self, pool: Any, journal: Journal, ledger: BlockLedger, *, is_told: bool, has_guests: bool = False
    ) -> None:
        """`has_guests`: blocks of other pools may be handed to this one to be freed."""
        self._pool = pool
        self._has_guests = has_guests
        self._note, self._ledger = journal.note, ledger
        self._free = ledger.free
        self.leave: Leave | None = None  # the request whose whole table is being freed, and its hashes
        self.is_leaving = False  # what is freed next is a whole table that whoever says so notes by itself
        self._collector = Collector(journal, ledger, pool.metrics_collector) if is_told else None
        if self._collector is not None:
            pool.metrics_collector = self._collector
        pool.__class__ = tracked(pool.__class__)
        pool.kvdeck_watch = self

    def count(self, blocks: Iterable[Any]) -> None:
        """How often these blocks are held was changed directly, by no method of the pool."""
        held = [(block.block_id, block.ref_cnt) for block in blocks]
        if held:
            self._note((self._ledger.count, (held,)))

    def freed(self, blocks: list[Any]) -> None:
        """One owner gave these blocks back."""
        if self._has_guests:
            own = self._pool.blocks
            blocks = [block for block in blocks if own[block.block_id] is block]
        if self.leave is not None:
            blocks = blocks[::-1]  # vLLM frees a table from its end
        ids = array("I", [block.block_id for block in blocks])
        self._note((self._free, (ids, [block._block_hash for block in blocks], self.leave)))  # noqa: SLF001

    def evict(self, evict: Callable[..., None], block_ids: set[int]) -> None:
        """Have blocks lose what they are cached under without being handed out."""
        blocks = self._pool.blocks
        cached = [i for i in block_ids if i and i < len(blocks) and blocks[i]._block_hash is not None]  # noqa: SLF001
        evict(self._pool, block_ids)
        self._note((self._ledger.evict, (cached,)))

    def drop_prefixes(self) -> None:
        """The whole prefix cache was reset."""
        self._note((self._ledger.drop, ()))

    def detach(self) -> None:
        """Give the pool its own class back, and note nothing from now on."""
        pool = self._pool
        own = type(pool).__mro__[1]
        is_ours: bool = type(pool) is tracked(own)  # another one may have swapped the class once more
        if is_ours:
            if self._collector is not None:
                pool.metrics_collector = self._collector.theirs
            pool.__class__ = own


@cache
def tracked(base: Any) -> type:
    """A subclass of this block pool class that notes every block whose state a call may change, but for those that are
    handed out or found.

    A block's hash decides its state only while it is free, and a free block loses it in just three ways: it is handed
    out, evicted, or the whole cache is reset. So the many calls that give hashes to blocks in use need no watching.
    """

    class TrackedPool(base):  # type: ignore[misc]
        kvdeck_watch: PoolWatch

        def free_blocks(self, ordered_blocks: Iterable[Any]) -> None:
            watch = self.kvdeck_watch
            if watch.is_leaving:
                watch.is_leaving = False
                base.free_blocks(self, ordered_blocks)
                return
            blocks = list(ordered_blocks)  # often an iterator
            base.free_blocks(self, blocks)
            watch.freed(blocks)

        def evict_blocks(self, block_ids: Iterable[int]) -> None:
            self.kvdeck_watch.evict(base.evict_blocks, set(block_ids))

        def reset_prefix_cache(self) -> bool:
            done: bool = super().reset_prefix_cache()
            if done:
                self.kvdeck_watch.drop_prefixes()
            return done

    if hasattr(base, "unpin_blocks"):  # vLLM 0.32 and later

        def unpin_blocks(self: Any, blocks: Iterable[Any], on_reuse: Any) -> None:
            listed = list(blocks)
            super(TrackedPool, self).unpin_blocks(listed, on_reuse)
            self.kvdeck_watch.freed(listed)

        TrackedPool.unpin_blocks = unpin_blocks
    return TrackedPool
