"""Follows the block pool: which blocks changed hands since the last publication. It never rescans the pool."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from engine.domain.blocks import BlockState
from engine.probe.reuse_counts import ReuseCounts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.page.views import PageViews
    from engine.probe.prefix_memory import PrefixMemory

_MOST_REFERENCES = 0xFFFF


class PoolWatch:
    """Collects the changed blocks of one pool and writes their states to the page when asked to.

    The pool's class is swapped for a subclass that only notes blocks. A block's state is read off the block itself
    when it is published, so changes that somebody makes to a noted block directly are seen as well.
    """

    def __init__(self, pool: Any, views: PageViews, prefixes: PrefixMemory) -> None:
        self._pool = pool
        self._blocks = pool.blocks
        self.prefixes = prefixes
        self._null_id = pool.null_block.block_id
        self._views = views
        self._states = views.states.data
        self._ref_counts = views.ref_counts.data
        self._last_used = views.last_used_step.data
        self._groups = views.cached_groups.data if views.cached_groups is not None else None
        self.reuse = ReuseCounts(views)
        self._earlier: list[tuple[int, list[Any]]] = []
        self._step = 0
        self._prefixes_dropped = False
        self.counts = [0] * len(BlockState)
        self.moved: list[Any] = []
        self.rehashed: list[Any] = list(pool.blocks)
        self.counts[BlockState.FREE] = len(pool.blocks) - 1
        pool.__class__ = tracked(pool.__class__)
        pool.kvdeck_watch = self

    def begin_step(self, step: int) -> None:
        """What is noted from here on belongs to this step."""
        if self.moved:
            self._earlier.append((self._step, self.moved))
            self.moved = []
        self._step = step

    def note(self, blocks: Iterable[Any]) -> None:
        """Look at these blocks at the next publication: their reference counts were changed directly."""
        self.rehashed.extend(blocks)

    def drop_prefixes(self) -> None:
        """The whole prefix cache was reset: no free block holds anything reusable any more."""
        self._prefixes_dropped = True
        self.prefixes.reset()
        self.reuse.drop()

    def detach(self) -> None:
        """Give the pool its own class back, and note nothing from now on."""
        pool = self._pool
        if isinstance(pool, tracked(type(pool).__mro__[1])):
            pool.__class__ = type(pool).__mro__[1]

    @property
    def has_news(self) -> bool:
        """Whether anything was noted since the last publication."""
        return bool(self.moved or self._earlier or self.rehashed or self._prefixes_dropped)

    def publish(self) -> None:
        """Bring the page's blocks up to date. Call between the writer's begin and commit."""
        if self._prefixes_dropped:
            self._prefixes_dropped = False
            states = self._views.states
            states[states == BlockState.CACHED] = BlockState.FREE
            self.counts[BlockState.FREE] += self.counts[BlockState.CACHED]
            self.counts[BlockState.CACHED] = 0
        for step, blocks in self._earlier:
            self._settle(blocks, step)
        self._earlier.clear()
        self._settle(self.moved, self._step)
        self.moved.clear()
        if self.rehashed:
            self._settle(self.rehashed, None)
            self.rehashed.clear()

    def _settle(self, blocks: list[Any], step: int | None) -> None:
        # This loop is the probe's cost per block: plain integers, local names, no enum members.
        own, null_id, states, counts = self._blocks, self._null_id, self._states, self.counts
        ref_counts, last_used, most = self._ref_counts, self._last_used, _MOST_REFERENCES
        for block in blocks:
            i = block.block_id
            # A deferred free may hand over blocks of another pool, whose ids mean something else.
            if i == null_id or own[i] is not block:
                continue
            references = block.ref_cnt
            if not references:
                state = 0 if block.block_hash is None else 1
            elif references == 1:
                state = 2
            else:
                state = 3
            before = states[i]
            if before != state:
                states[i] = state
                counts[before] -= 1
                counts[state] += 1
            ref_counts[i] = min(references, most)
            if step is not None:
                last_used[i] = step
        if self._groups is not None:
            self._note_groups(blocks, self._groups)

    def _note_groups(self, blocks: list[Any], groups: memoryview) -> None:
        """vLLM's keys of cached blocks end with the group's number."""
        for block in blocks:
            key = block.block_hash
            if key is not None and self._blocks[block.block_id] is block:
                groups[block.block_id] = key[-1]


@cache
def tracked(base: Any) -> type:
    """A subclass of this block pool class that notes every block whose state a call may change.

    A block's hash decides its state only while it is free, and a free block loses it in just three ways: it is handed
    out, evicted, or the whole cache is reset. So the many calls that give hashes to blocks in use need no watching.
    """

    class TrackedPool(base):  # type: ignore[misc]
        kvdeck_watch: PoolWatch

        def get_new_blocks(self, num_blocks: int) -> list[Any]:
            self.kvdeck_watch.prefixes.before_taking(num_blocks)
            blocks: list[Any] = super().get_new_blocks(num_blocks)
            self.kvdeck_watch.reuse.emptied(blocks)
            self.kvdeck_watch.moved.extend(blocks)
            self.kvdeck_watch.prefixes.taken(blocks)
            return blocks

        def touch(self, blocks: Any) -> None:
            super().touch(blocks)
            self.kvdeck_watch.reuse.found(blocks)
            self.kvdeck_watch.moved.extend(blocks)
            self.kvdeck_watch.prefixes.reused(blocks)

        def free_blocks(self, ordered_blocks: Iterable[Any]) -> None:
            blocks = list(ordered_blocks)  # often an iterator
            super().free_blocks(blocks)
            self.kvdeck_watch.moved.extend(blocks)
            self.kvdeck_watch.prefixes.freed(blocks)

        def evict_blocks(self, block_ids: Iterable[int]) -> None:
            ids = set(block_ids)
            self.kvdeck_watch.prefixes.before_evicting([self.blocks[block_id] for block_id in ids])
            super().evict_blocks(ids)
            evicted = [self.blocks[block_id] for block_id in ids]
            self.kvdeck_watch.rehashed.extend(evicted)
            self.kvdeck_watch.reuse.emptied(evicted)

        def reset_prefix_cache(self) -> bool:
            done: bool = super().reset_prefix_cache()
            if done:
                self.kvdeck_watch.drop_prefixes()
            return done

    if hasattr(base, "unpin_blocks"):  # vLLM 0.32 and later

        def unpin_blocks(self: Any, blocks: Iterable[Any], on_reuse: Any) -> None:
            listed = list(blocks)
            super(TrackedPool, self).unpin_blocks(listed, on_reuse)
            self.kvdeck_watch.moved.extend(listed)
            self.kvdeck_watch.prefixes.freed(listed)

        TrackedPool.unpin_blocks = unpin_blocks
    return TrackedPool
