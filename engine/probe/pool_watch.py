"""Follows the block pool: notes which blocks change hands. It never rescans the pool."""

from __future__ import annotations

from array import array
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

    What is handed out or found is told by the pool itself, to its metrics collector, where `is_told`; elsewhere whoever
    makes the watch knows it from what the scheduler puts out. For the rest a few methods are replaced in the pool
    itself. Its class stays, and nobody asks for its `__dict__`: either would make every attribute of the pool slower,
    and vLLM asks for several of them for each request and step (measured: 0.5 ms of 256 requests' step).

    A block's hash decides its state only while it is free, and a free block loses it in just three ways: it is handed
    out, evicted, or the whole cache is reset. So the many calls that give hashes to blocks in use need no watching.
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
        makers: dict[str, Callable[[Any], Callable[..., Any]]] = {
            "free_blocks": self._freeing, "unpin_blocks": self._unpinning, "evict_blocks": self._evicting,
            "reset_prefix_cache": self._resetting,
        }  # fmt: skip
        self._replaced = [name for name in makers if hasattr(pool, name)]  # unpin_blocks: vLLM 0.32 and later
        for name in self._replaced:
            setattr(pool, name, makers[name](getattr(pool, name)))

    def count(self, blocks: Iterable[Any]) -> None:
        """How often these blocks are held was changed directly, by no method of the pool."""
        held = [(block.block_id, block.ref_cnt) for block in blocks]
        if held:
            self._note((self._ledger.count, (held,)))

    def detach(self) -> None:
        """Give the pool its own methods back, and note nothing from now on."""
        if self._collector is not None:
            self._pool.metrics_collector = self._collector.theirs
        for name in self._replaced:
            delattr(self._pool, name)
        self._replaced.clear()

    def _freed(self, blocks: list[Any]) -> None:
        if self._has_guests:
            own = self._pool.blocks
            blocks = [block for block in blocks if own[block.block_id] is block]
        blocks = blocks[::-1]  # vLLM frees a table from its end, and evicts first what it was given first
        ids = array("I", [block.block_id for block in blocks])
        self._note((self._free, (ids, [block._block_hash for block in blocks], self.leave)))  # noqa: SLF001

    def _freeing(self, free: Callable[[Iterable[Any]], None]) -> Callable[[Iterable[Any]], None]:
        def free_blocks(ordered_blocks: Iterable[Any]) -> None:
            if self.is_leaving:
                self.is_leaving = False
                free(ordered_blocks)
                return
            blocks = list(ordered_blocks)  # often an iterator
            free(blocks)
            self._freed(blocks)

        return free_blocks

    def _unpinning(self, unpin: Callable[..., None]) -> Callable[..., None]:
        def unpin_blocks(blocks: Iterable[Any], on_reuse: Any) -> None:
            listed = list(blocks)
            unpin(listed, on_reuse)
            self._freed(listed)

        return unpin_blocks

    def _evicting(self, evict: Callable[[set[int]], None]) -> Callable[[Iterable[int]], None]:
        def evict_blocks(block_ids: Iterable[int]) -> None:
            wanted, blocks = set(block_ids), self._pool.blocks
            cached = [i for i in wanted if i and i < len(blocks) and blocks[i]._block_hash is not None]  # noqa: SLF001
            evict(wanted)
            self._note((self._ledger.evict, (cached,)))

        return evict_blocks

    def _resetting(self, reset: Callable[[], bool]) -> Callable[[], bool]:
        def reset_prefix_cache() -> bool:
            done = reset()
            if done:
                self._note((self._ledger.drop, ()))
            return done

        return reset_prefix_cache
