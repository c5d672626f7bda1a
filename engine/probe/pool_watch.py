"""Follows the block pool: which blocks changed hands since the last publication. It never rescans the pool."""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from engine.domain.blocks import BlockState
from engine.probe.reuse_counts import ReuseCounts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.page.views import PageViews
    from engine.probe.prefix_memory import PrefixMemory

_MOST_REFERENCES = 0xFFFF
_STATES = len(BlockState)


class PoolWatch:
    """Collects the changed blocks of one pool and writes their states to the page when asked to.

    The pool's class is swapped for a subclass that only notes blocks. A block's state is read off the block itself
    when it is published, so changes that somebody makes to a noted block directly are seen as well.
    """

    def __init__(self, pool: Any, views: PageViews, prefixes: PrefixMemory) -> None:
        self._pool = pool
        # The null block is nobody's; a list of our own lets one look tell it, and a block of another pool, from ours.
        self._own = list(pool.blocks)
        self._own[pool.null_block.block_id] = None
        self.prefixes = prefixes
        self._views = views
        self._states = views.states.data
        self._ref_counts = views.ref_counts.data
        self._last_used = views.last_used_step.data
        self._groups = views.cached_groups.data if views.cached_groups is not None else None
        self.reuse = ReuseCounts(views)
        self._earlier: list[tuple[int, list[Any]]] = []
        self._step = 0
        self._prefixes_dropped = False
        self.counts = [0] * _STATES
        self.taken: list[list[Any]] = []
        self.front = pool.free_block_queue.fake_free_list_head
        self._moved: list[Any] = []
        self._rehashed: list[Any] = list(pool.blocks)
        self.counts[BlockState.FREE] = len(pool.blocks) - 1
        pool.__class__ = tracked(pool.__class__)
        pool.kvdeck_watch = self

    def begin_step(self, step: int) -> None:
        """What is noted from here on belongs to this step."""
        if self.taken:
            self._catch_up()
        if self._moved:
            self._earlier.append((self._step, self._moved))
            self._moved = []
        self._step = step

    def note(self, blocks: Iterable[Any]) -> None:
        """Look at these blocks at the next publication: their reference counts were changed directly."""
        self._rehashed.extend(blocks)

    def found(self, blocks: Sequence[Any]) -> None:
        """A request with the same prefix holds these blocks now."""
        if self.taken:
            self._catch_up()
        self._moved.extend(blocks)
        self.reuse.found(blocks)
        self.prefixes.reused(blocks)

    def freed(self, blocks: list[Any]) -> None:
        """One owner gave these blocks back."""
        if self.taken:
            self._catch_up()
        self._moved.extend(blocks)
        self.prefixes.freed(blocks)

    def evicted(self, blocks: list[Any]) -> None:
        """These blocks lost what they were cached under without being handed out."""
        if self.taken:
            self._catch_up()
        self._rehashed.extend(blocks)
        self.reuse.emptied(blocks)

    def drop_prefixes(self) -> None:
        """The whole prefix cache was reset: no free block holds anything reusable any more."""
        if self.taken:
            self._catch_up()
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
        return bool(self._moved or self.taken or self._earlier or self._rehashed or self._prefixes_dropped)

    def publish(self) -> None:
        """Bring the page's blocks up to date. Call between the writer's begin and commit."""
        if self.taken:
            self._catch_up()
        if self._prefixes_dropped:
            self._prefixes_dropped = False
            states = self._views.states
            states[states == BlockState.CACHED] = BlockState.FREE
            self.counts[BlockState.FREE] += self.counts[BlockState.CACHED]
            self.counts[BlockState.CACHED] = 0
        changes = [0] * (_STATES * _STATES)
        for step, blocks in self._earlier:
            self._settle(blocks, step, changes)
        self._earlier.clear()
        self._settle(self._moved, self._step, changes)
        self._moved.clear()
        if self._rehashed:
            self._settle(self._rehashed, None, changes)
            self._rehashed.clear()
        counts = self.counts
        for change, many in enumerate(changes):
            if many:
                counts[change // _STATES] -= many
                counts[change % _STATES] += many

    def _catch_up(self) -> None:
        """Blocks are handed out one by one, many times a step: what that means to others is told once for all.

        It has to be before anything else happens to one of them, which is never before it is given back or found.
        """
        fresh = list(chain.from_iterable(self.taken))
        self.taken.clear()
        self._moved += fresh
        self.reuse.emptied(fresh)
        self.prefixes.taken(fresh)

    def _settle(self, blocks: list[Any], step: int | None, changes: list[int]) -> None:
        """Write these blocks' states; `changes` counts how many went from one state to another."""
        # This loop is the probe's cost per block: plain integers, local names, no enum members, no properties.
        own, states, ref_counts, last_used = self._own, self._states, self._ref_counts, self._last_used
        for block in blocks:
            i = block.block_id
            if own[i] is not block:  # the null block; or a deferred free handed over blocks of another pool
                continue
            references = block.ref_cnt
            if references == 1:
                state = 2
            elif references:
                state = 3
                if references > _MOST_REFERENCES:
                    references = _MOST_REFERENCES
            else:
                state = 0 if block._block_hash is None else 1  # noqa: SLF001 - see above
            before = states[i]
            if before != state:
                states[i] = state
                changes[before * _STATES + state] += 1
            ref_counts[i] = references
            if step is not None:
                last_used[i] = step
        if self._groups is not None:
            self._note_groups(blocks, self._groups)

    def _note_groups(self, blocks: list[Any], groups: memoryview) -> None:
        """vLLM's keys of cached blocks end with the group's number."""
        for block in blocks:
            key = block.block_hash
            if key is not None and self._own[block.block_id] is block:
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
            # Each decoding request comes here for one block every few steps: look only where something is evicted.
            watch = self.kvdeck_watch
            if num_blocks != 1 or watch.front.next_free_block._block_hash is not None:  # noqa: SLF001
                watch.prefixes.before_taking(num_blocks)
            blocks: list[Any] = base.get_new_blocks(self, num_blocks)
            watch.taken.append(blocks)
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
            blocks = [self.blocks[block_id] for block_id in ids]
            self.kvdeck_watch.prefixes.before_evicting(blocks)
            super().evict_blocks(ids)
            self.kvdeck_watch.evicted(blocks)

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
