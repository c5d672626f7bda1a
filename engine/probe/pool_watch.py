"""Follows the block pool: which blocks changed hands since the last publication. It never rescans the pool."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from engine.domain.blocks import BlockState
from engine.probe.block_moves import Move, MoveLog

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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


class PoolWatch:
    """Notes what happens to the blocks of one pool, and brings their part of the page up to date when asked to.

    The pool's class is swapped for a subclass that only notes: one whole number for each block, while vLLM has just
    had the block in its hands (`moves`). What that means is worked out at the publication, for all blocks at once.
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
        self.front = pool.free_block_queue.fake_free_list_head
        self._changed_directly: list[Any] = []
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

    def take_cached(self, take: Any, num_blocks: int) -> list[Any]:
        """Hand out the first blocks of the free queue, some of which may be cached: those are evicted."""
        keys: list[bytes | None] = []
        block = self.front.next_free_block
        while block is not None and len(keys) < num_blocks:
            keys.append(block._block_hash)  # noqa: SLF001 - the attribute, not the property over it: once a block
            block = block.next_free_block
        blocks: list[Any] = take(self._pool, num_blocks)
        moves, evicted = self.moves, self.prefixes.evicted
        for block, key in zip(blocks, keys, strict=True):
            if key is None:
                moves.append(block.block_id)
            else:
                moves.append(block.block_id + _TAKEN_CACHED)
                evicted.append(key)
        return blocks

    def found(self, blocks: Sequence[Any]) -> None:
        """A request with the same prefix holds these blocks now."""
        self.moves += [
            block.block_id + (_TOUCHED if block._block_hash is None else _FOUND)  # noqa: SLF001
            for block in blocks
            if block.block_id  # the null block is nobody's
        ]

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

    def evicting(self, blocks: Iterable[Any]) -> None:
        """These blocks are about to lose what they are cached under without being handed out."""
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
        if isinstance(pool, tracked(type(pool).__mro__[1])):
            pool.__class__ = type(pool).__mro__[1]

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
    """A subclass of this block pool class that notes every block whose state a call may change.

    A block's hash decides its state only while it is free, and a free block loses it in just three ways: it is handed
    out, evicted, or the whole cache is reset. So the many calls that give hashes to blocks in use need no watching.
    """

    class TrackedPool(base):  # type: ignore[misc]
        kvdeck_watch: PoolWatch

        def get_new_blocks(self, num_blocks: int) -> list[Any]:
            # Each decoding request comes here for one block every few steps: look closer only where it is cached.
            watch = self.kvdeck_watch
            if num_blocks != 1 or watch.front.next_free_block._block_hash is not None:  # noqa: SLF001
                return watch.take_cached(base.get_new_blocks, num_blocks)
            blocks: list[Any] = base.get_new_blocks(self, 1)
            watch.moves.append(blocks[0].block_id)
            return blocks

        def touch(self, blocks: Any) -> None:
            super().touch(blocks)
            self.kvdeck_watch.found(blocks)

        def free_blocks(self, ordered_blocks: Iterable[Any]) -> None:
            blocks = list(ordered_blocks)  # often an iterator
            super().free_blocks(blocks)
            self.kvdeck_watch.freed(blocks)

        def evict_blocks(self, block_ids: Iterable[int]) -> None:
            ids = set(block_ids)
            self.kvdeck_watch.evicting([self.blocks[block_id] for block_id in ids])
            super().evict_blocks(ids)

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
