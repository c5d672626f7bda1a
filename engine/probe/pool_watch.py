"""Follows the block pool: which blocks changed hands since the last publication. It never rescans the pool."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from engine.domain.blocks import BlockState
from engine.probe.block_moves import Move, MoveLog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine.page.views import PageViews
    from engine.probe.prefix_memory import PrefixMemory

_MOST_REFERENCES = 0xFFFF
# Plain integers: an enum's members cost a call each where they are used.
_TAKEN_CACHED, _FOUND, _TOUCHED, _FREED, _KEPT, _LOST, _EVICTED, _EMPTIED = (
    int(move)
    for move in (
        Move.TAKEN_CACHED, Move.FOUND, Move.TOUCHED, Move.FREED, Move.KEPT, Move.LOST, Move.EVICTED, Move.EMPTIED,
    )
)  # fmt: skip
_SAMPLE_RATE = 0.01  # what vLLM's own collector would have


class Collector:
    """Hears from vLLM's block pool of each block, through the interface for its own metrics, where nothing has to be
    overridden for it: what is called here is called in vLLM's own loops, while it has the block in its hands.

    `theirs` is the pool's own collector, which is told as well.
    """

    def __init__(self, moves: list[int], evicted: list[bytes], theirs: Any, *, has_prefixes: bool) -> None:
        """`moves` takes what happens, `evicted` what handed-out blocks were cached under. `has_prefixes`: the pool
        keeps prefixes, and so tells of each block that it may be about to evict one, then that it hands it out.
        """
        self.theirs = theirs
        self.sample_rate = getattr(theirs, "sample_rate", _SAMPLE_RATE)
        self.reset: Callable[[], object] = _nothing if theirs is None else theirs.reset
        note, note_evicted = moves.append, evicted.append

        def taken(block: Any) -> None:
            key = block._block_hash  # noqa: SLF001 - the attribute, not the property over it: once a block
            if key is None:
                note(block.block_id)
            else:
                note(block.block_id + _TAKEN_CACHED)
                note_evicted(key)

        def found(block: Any) -> None:
            if block.block_id:  # the null block is nobody's
                note(block.block_id + (_TOUCHED if block._block_hash is None else _FOUND))  # noqa: SLF001

        self.on_block_evicted: Callable[[Any], object] = taken if has_prefixes else id
        self.on_block_allocated: Callable[[Any], object] = id if has_prefixes else taken  # `id` does nothing, quickly
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
    """Notes what happens to the blocks of one pool, and brings their part of the page up to date when asked to.

    What happens is only noted: one whole number for each block, while vLLM has just had the block in its hands
    (`moves`). What is handed out or found is told by the pool itself, to its metrics collector; for the rest the
    pool's class is swapped for a subclass. What that means is worked out at the publication, for all blocks at once.
    Whoever begins a step adds to `marks` how many moves were before it, the step, and its time.
    """

    def __init__(self, pool: Any, views: PageViews, prefixes: PrefixMemory, *, has_guests: bool = False) -> None:
        """`has_guests`: blocks of other pools may be handed to this one to be freed."""
        self._pool = pool
        self._has_guests = has_guests
        self.prefixes = prefixes
        self._views = views
        self._groups = views.cached_groups.data if views.cached_groups is not None else None
        self._cached_for: list[tuple[int, int]] = []  # block, group
        self._log = MoveLog(views, prefixes.clock)
        self.moves, self.marks = self._log.moves, self._log.marks
        self._changed_directly: list[Any] = []
        self._collector = Collector(
            self.moves, prefixes.evicted, pool.metrics_collector, has_prefixes=pool.enable_caching
        )
        pool.metrics_collector = self._collector
        pool.__class__ = tracked(pool.__class__)
        pool.kvdeck_watch = self
        self._log.counts[BlockState.FREE] = len(pool.blocks) - 1
        self.has_news = True  # the first picture is news, too

    @property
    def counts(self) -> list[int]:
        """How many blocks are in each state, as of the last publication."""
        return self._log.counts

    def note(self, blocks: Iterable[Any]) -> None:
        """Look at these blocks at the next publication: their reference counts were changed directly."""
        self._changed_directly.extend(blocks)

    def freed(self, blocks: list[Any]) -> None:
        """One owner gave these blocks back; what was not full is lost with its last owner."""
        if self._has_guests:
            own = self._pool.blocks
            blocks = [block for block in blocks if own[block.block_id] is block]
        self.moves += [
            block.block_id + (_FREED if block.ref_cnt else _LOST if block._block_hash is None else _KEPT)  # noqa: SLF001
            for block in blocks
            if block.block_id
        ]
        if self._groups is not None:
            self._note_groups(blocks)

    def evict(self, evict: Callable[..., None], block_ids: set[int]) -> None:
        """Have blocks lose what they are cached under without being handed out."""
        pool = self._pool
        self._evicting(pool.blocks[block_id] for block_id in block_ids)
        pool.metrics_collector = self._collector.theirs
        try:
            evict(pool, block_ids)
        finally:
            pool.metrics_collector = self._collector

    def _evicting(self, blocks: Iterable[Any]) -> None:
        for block in blocks:
            if block._block_hash is None or block.ref_cnt:  # noqa: SLF001
                self.moves.append(block.block_id + _EMPTIED)
            else:
                self.moves.append(block.block_id + _EVICTED)
                self.prefixes.evicted.append(block._block_hash)  # noqa: SLF001

    def drop_prefixes(self) -> None:
        """The whole prefix cache was reset: no free block holds anything reusable any more."""
        self._log.drops.append(len(self.moves))
        self.prefixes.reset()

    def detach(self) -> None:
        """Give the pool its own class back, and note nothing from now on."""
        pool = self._pool
        own = type(pool).__mro__[1]
        is_ours: bool = type(pool) is tracked(own)  # another one may have swapped the class once more
        if is_ours:
            pool.metrics_collector = self._collector.theirs
            pool.__class__ = own

    def take_reuse_changed(self) -> bool:
        """Whether any block's count of reuses was changed by `publish` since the last time."""
        changed, self._log.reuse_changed = self._log.reuse_changed, False
        return changed

    def publish(self) -> bool:
        """Bring the page's blocks up to date. Call between the writer's begin and commit. True if any changed."""
        changed = self._log.apply() or self.has_news
        if self._log.evictions:
            self.prefixes.evictions += self._log.evictions
            self._log.evictions.clear()
        if self._groups is not None:
            for block_id, group in self._cached_for:
                self._groups[block_id] = group
            self._cached_for.clear()
        if self._changed_directly:
            self._look_at(self._changed_directly)
            self._changed_directly.clear()
            changed = True
        self.has_news = False
        return changed

    def _look_at(self, blocks: list[Any]) -> None:
        """Write the state of blocks as they are now."""
        states, ref_counts, counts = self._views.states.data, self._views.ref_counts.data, self._log.counts
        for block in blocks:
            i, references = block.block_id, block.ref_cnt
            if not i:
                continue
            state = min(references + 1, 3) if references else 0 if block.block_hash is None else 1
            counts[states[i]] -= 1
            counts[state] += 1
            states[i] = state
            ref_counts[i] = min(references, _MOST_REFERENCES)

    def _note_groups(self, blocks: list[Any]) -> None:
        """vLLM's keys of cached blocks end with the group's number."""
        self._cached_for += [
            (block.block_id, block._block_hash[-1])  # noqa: SLF001
            for block in blocks
            if block._block_hash is not None and block.block_id  # noqa: SLF001
        ]


@cache
def tracked(base: Any) -> type:
    """A subclass of this block pool class that notes every block whose state a call may change, but for the calls of
    which the pool tells its collector.

    A block's hash decides its state only while it is free, and a free block loses it in just three ways: it is handed
    out, evicted, or the whole cache is reset. So the many calls that give hashes to blocks in use need no watching.
    """

    class TrackedPool(base):  # type: ignore[misc]
        kvdeck_watch: PoolWatch

        def free_blocks(self, ordered_blocks: Iterable[Any]) -> None:
            blocks = list(ordered_blocks)  # often an iterator
            base.free_blocks(self, blocks)
            self.kvdeck_watch.freed(blocks)

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
