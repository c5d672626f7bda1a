"""The page's blocks, worked out from what happened to them, in the order in which it happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.blocks import MOST_REUSES, BlockState
from engine.probe.block_times import Release

if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterable, Sequence

    from engine.page.views import PageViews
    from engine.probe.block_times import Leave
    from engine.probe.cache_events import CacheEvents

_MOST_REFERENCES = 0xFFFF
# Plain integers: an enum's members cost a call each where they are used.
_FREE, _CACHED, _USED, _SHARED = (int(state) for state in list(BlockState)[:4])


class BlockLedger:
    """Call everything between the writer's begin and commit; what happens belongs to `events`' present step.

    `counts` is how many blocks are in each state; `changed` and `reuse_changed` say that the page's blocks were
    written, and are cleared by whoever takes them.
    """

    def __init__(self, views: PageViews, events: CacheEvents) -> None:
        assert views.reuse_counts is not None
        self._views = views
        # Memoryviews write single items three times as fast as arrays do.
        self._states, self._references = views.states.data, views.ref_counts.data
        self._used, self._reuse_counts = views.last_used_step.data, views.reuse_counts.data
        self._groups = views.cached_groups.data if views.cached_groups is not None else None
        self._events = events
        self._clock = events.prefixes.clock
        self.counts = [0] * len(BlockState)
        self.counts[_FREE] = len(views.states) - 1
        self._bare: set[int] = set()  # in use, and cached no more
        self._reused: set[int] = set()  # whose count of reuses is not 0: looked up faster than on the page
        self.changed = self.reuse_changed = True  # the first picture is news, too

    # Plain loops on purpose: numpy's code is in the processor's cache only while it runs often, and between two
    # publications the scheduler has driven it out.

    def take(self, block_ids: Sequence[int]) -> None:
        """The pool handed these blocks out, each to one owner."""
        step, step_ns = self._events.step, self._events.step_ns
        taken_ns, states, references, used = self._clock.taken_ns, self._states, self._references, self._used
        if self.counts[_CACHED]:
            cached = [i for i in block_ids if states[i]]
            if cached:
                self._evict(cached)
        if self._bare:
            self._bare.difference_update(block_ids)
        for i in block_ids:
            states[i] = _USED
            references[i] = 1
            used[i] = step
            taken_ns[i] = step_ns
        self.counts[_FREE] -= len(block_ids)
        self.counts[_USED] += len(block_ids)
        self.changed = True

    def take_missing(self, block_ids: Iterable[int]) -> None:
        """A request holds these blocks. Those that nobody held were handed out in this very step, and it will not keep
        them: the step's output does not name them.
        """
        self.take([i for i in block_ids if not self._references[i]])

    def find(self, block_id: int, is_cached: bool) -> None:
        """One more request holds this block; `is_cached`: it was found by its prefix."""
        step, now_ns = self._events.step, self._events.step_ns
        before, references = self._states[block_id], self._references[block_id] + 1
        self._clock.found(block_id, now_ns, in_use=before >= _USED)
        if is_cached and self._reuse_counts[block_id] < MOST_REUSES:
            self._reuse_counts[block_id] += 1
            self._reused.add(block_id)
            self.reuse_changed = True
        self._used[block_id] = step
        self._put(block_id, references, _USED if references == 1 else _SHARED)

    def free(self, block_ids: array[int], keys: Sequence[bytes | None], leave: Leave | None) -> None:
        """One owner gave these blocks back; `keys` is what they were cached under then. What is not is lost with its
        last owner. `leave`: they are the whole table, in its order, of a request that gives up.
        """
        release = Release(
            self._events.step, self._events.step_ns, leave, keys if leave is None else leave[1], block_ids,
            len(block_ids) - 1,
        )  # fmt: skip
        self._keep([i for i, key in zip(block_ids, keys, strict=True) if i and key is not None], release)
        self._clock.hold(release)
        self._lose([i for i, key in zip(block_ids, keys, strict=True) if i and key is None])
        if self._groups is not None:
            self._note_groups(block_ids, keys)

    def free_table(self, block_ids: array[int], leave: Leave, cached: int) -> None:
        """A request gave up its whole table, of which so many blocks were cached, each under one of its hashes."""
        release = Release(self._events.step, self._events.step_ns, leave, leave[1], block_ids, cached - 1)
        kept: Sequence[int] = block_ids[:cached]
        lost: Sequence[int] = block_ids[cached:]
        if self._bare:
            bare = self._bare.intersection(kept)
            if bare:
                kept, lost = [i for i in kept if i not in bare], [*lost, *bare]
        self._keep(kept, release)
        self._clock.hold(release)
        if lost:
            self._lose(lost)

    def _keep(self, block_ids: Sequence[int], release: Release) -> None:
        """One owner gave these cached blocks back."""
        step, shared = release.step, []
        released, states, references, used = self._clock.released, self._states, self._references, self._used
        for i in block_ids:
            released[i] = release
            used[i] = step
            if references[i] == 1:
                references[i] = 0
                states[i] = _CACHED
            else:
                shared.append(i)
        self.counts[_USED] -= len(block_ids) - len(shared)
        self.counts[_CACHED] += len(block_ids) - len(shared)
        self.changed = True
        for i in shared:
            self._leave(i, _CACHED)

    def _lose(self, block_ids: Sequence[int]) -> None:
        """One owner gave these blocks back, which are not cached."""
        step, step_ns = self._events.step, self._events.step_ns
        for i in block_ids:
            self._used[i] = step
            if self._leave(i, _FREE):
                self._clock.lost(i, step_ns)
                self._empty(i)

    def _leave(self, i: int, state: int) -> bool:
        """One owner less; without any, a block is in this state. Says whether there is none."""
        references = max(0, self._references[i] - 1)
        self._put(i, references, (_USED if references == 1 else _SHARED) if references else state)
        return not references

    def _note_groups(self, block_ids: Sequence[int], keys: Sequence[bytes | None]) -> None:
        """vLLM's keys of cached blocks end with the group's number."""
        assert self._groups is not None
        for i, key in zip(block_ids, keys, strict=True):
            if key is not None:
                self._groups[i] = key[-1]

    def evict(self, block_ids: Iterable[int]) -> None:
        """These blocks, which were cached, are so no more, and were not handed out; some may be in use."""
        for i in block_ids:
            if self._states[i] == _CACHED:
                self._evict((i,))
                self._states[i] = _FREE
                self.changed = True
            else:
                self._empty(i)
                self._bare.add(i)

    def count(self, references: Iterable[tuple[int, int]]) -> None:
        """Blocks and how often each is held: vLLM changed that outside the pool."""
        for i, held in references:
            if i and held:
                self._put(i, held, _USED if held == 1 else _SHARED)

    def drop(self) -> None:
        """The whole prefix cache was reset: no free block holds anything reusable any more."""
        views, counts = self._views, self.counts
        views.states[views.states == _CACHED] = _FREE
        counts[_FREE] += counts[_CACHED]
        counts[_CACHED] = 0
        assert views.reuse_counts is not None
        views.reuse_counts[:] = 0
        self._reused.clear()
        self._events.prefixes.reset()
        self.changed = self.reuse_changed = True

    def _put(self, i: int, references: int, state: int) -> None:
        self.counts[self._states[i]] -= 1
        self.counts[state] += 1
        self._states[i] = state
        self._references[i] = min(references, _MOST_REFERENCES)
        self.changed = True

    def _evict(self, block_ids: Sequence[int]) -> None:
        """Cached blocks that nobody holds lose their prefixes; whoever calls this says on the page what they are."""
        self.counts[_CACHED] -= len(block_ids)
        self.counts[_FREE] += len(block_ids)
        self._events.evicted(block_ids)
        if self._reused:
            for i in self._reused.intersection(block_ids):
                self._empty(i)

    def _empty(self, i: int) -> None:
        """What this block held is gone."""
        if i in self._reused:
            self._reused.remove(i)
            self._reuse_counts[i] = 0
            self.reuse_changed = True
