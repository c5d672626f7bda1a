"""What happened to blocks between two publications, worked out in one go."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from engine.domain.blocks import MOST_REUSES, BlockState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.page.views import PageViews
    from engine.probe.block_times import BlockClock

_SHIFT = 24
_ID = (1 << _SHIFT) - 1
_STATES = len(BlockState)

# Block, step and its time, and age in steps.
Evicted = tuple[int, int, int, int]


class Move(IntEnum):
    """What happened to a block, above the bits of its id; small enough for one digit of Python's integers.

    TAKEN: handed out; TAKEN_CACHED: the same, and what it was cached under is lost. FOUND: a request found it by its
    prefix; TOUCHED: one more holds it, by no prefix. FREED: given back, and others hold it; KEPT: nobody does, and it
    is cached; LOST: nobody does, and it is not. EVICTED: no longer cached, and nobody's; EMPTIED: the same of a block
    in use, or of one that was not cached.
    """

    TAKEN = 0 << _SHIFT
    TAKEN_CACHED = 1 << _SHIFT
    FOUND = 2 << _SHIFT
    TOUCHED = 3 << _SHIFT
    FREED = 4 << _SHIFT
    KEPT = 5 << _SHIFT
    LOST = 6 << _SHIFT
    EVICTED = 7 << _SHIFT
    EMPTIED = 8 << _SHIFT


# Plain integers: an enum's members cost a call each where they are used.
_TAKEN_CACHED, _FOUND, _TOUCHED, _FREED, _KEPT, _LOST, _EVICTED = (int(move) for move in list(Move)[1:8])
_FREE, _CACHED, _USED, _SHARED = (int(state) for state in list(BlockState)[:4])


class MoveLog:
    """Moves as they are noted, and the page's blocks as they follow from them.

    `moves` has a Move plus a block id each, `marks` three numbers for each step: how many moves were before it, the
    step, and its time. `drops` says after how many moves the whole prefix cache was reset. `counts` is how many blocks
    are in each state, `evictions` what was evicted since somebody took it.
    """

    def __init__(self, views: PageViews, clock: BlockClock) -> None:
        if len(views.states) > _ID:
            raise ValueError(f"The probe follows up to {_ID:,} blocks, and the pool has {len(views.states):,}.")
        assert views.reuse_counts is not None
        self._views = views
        # Memoryviews write single items three times as fast as arrays do.
        self._states, self._references = views.states.data, views.ref_counts.data
        self._used, self._reuse_counts = views.last_used_step.data, views.reuse_counts.data
        self._clock = clock
        self.moves: list[int] = []
        self.marks: list[int] = []
        self.drops: list[int] = []
        self.counts = [0] * _STATES
        self.evictions: list[Evicted] = []
        self.reuse_changed = False
        self._now = (0, clock.now_ns)

    def apply(self) -> bool:
        """Bring the page up to date. Call between the writer's begin and commit. True if anything was noted."""
        moves, drops, first = self.moves, self.drops, 0
        if not moves and not drops:
            if self.marks:
                self._now = (self.marks[-2], self.marks[-1])
                self.marks.clear()
            return False
        for end, step, now_ns in self._stretches():
            while drops and drops[0] <= end:
                self._apply(moves[first : drops[0]], step, now_ns)
                first = drops.pop(0)
                self._drop()
            if first < end:
                self._apply(moves[first:end], step, now_ns)
                first = end
        moves.clear()
        return True

    def _stretches(self) -> Iterator[tuple[int, int, int]]:
        """Up to which move each step goes, the step and its time."""
        marks, (step, now_ns) = self.marks, self._now
        for place in range(0, len(marks), 3):
            yield marks[place], step, now_ns
            step, now_ns = marks[place + 1], marks[place + 2]
        marks.clear()
        self._now = (step, now_ns)
        yield len(self.moves), step, now_ns

    def _apply(self, moves: Sequence[int], step: int, now_ns: int) -> None:
        """Apply one step's moves in order."""
        # This loop is the probe's cost per block: plain integers, local names, few arrays. Not numpy, whose code the
        # scheduler has driven out of the processor's caches between two publications.
        times, counts = self._clock.times, self.counts
        states, references, used = self._states, self._references, self._used
        taken = 0
        for move in moves:
            if move < _TAKEN_CACHED:
                states[move] = _USED
                references[move] = 1
                used[move] = step
                times[move + move] = now_ns
                taken += 1
            elif _KEPT <= move < _LOST:
                i = move - _KEPT
                counts[states[i]] -= 1
                counts[_CACHED] += 1
                states[i] = _CACHED
                references[i] = 0
                used[i] = step
                times[i + i + 1] = now_ns
            else:
                self._apply_rare(move, step, now_ns)
        counts[_FREE] -= taken
        counts[_USED] += taken

    def _apply_rare(self, move: int, step: int, now_ns: int) -> None:
        clock, counts, states, used = self._clock, self.counts, self._states, self._used
        i, kind = move & _ID, move & ~_ID
        before = states[i]
        references: int = self._references[i]
        if kind in (_FOUND, _TOUCHED):
            clock.found(i, now_ns, in_use=before >= _USED)
            references += 1
            after = _USED if references == 1 else _SHARED
            if kind == _FOUND and self._reuse_counts[i] < MOST_REUSES:
                self._reuse_counts[i] += 1
                self.reuse_changed = True
        elif kind == _FREED:
            references = max(references - 1, 1)
            after = _USED if references == 1 else _SHARED
            clock.times[i + i + 1] = now_ns
        elif kind == _LOST:
            references, after = 0, _FREE
            clock.lost(i, now_ns)
            clock.times[i + i + 1] = now_ns
            self._empty(i)
        else:
            self._empty(i)
            after = before
            if kind in (_TAKEN_CACHED, _EVICTED):
                clock.evicted(i, now_ns)
                self.evictions.append((i, step, now_ns, step - used[i]))
                after = _FREE
            if kind == _TAKEN_CACHED:
                clock.times[i + i] = now_ns
                references, after = 1, _USED
        counts[before] -= 1
        counts[after] += 1
        states[i] = after
        self._references[i] = references
        if kind < _EVICTED:
            used[i] = step

    def _empty(self, i: int) -> None:
        """What this block held is gone."""
        if self._reuse_counts[i]:
            self._reuse_counts[i] = 0
            self.reuse_changed = True

    def _drop(self) -> None:
        views, counts = self._views, self.counts
        views.states[views.states == _CACHED] = _FREE
        counts[_FREE] += counts[_CACHED]
        counts[_CACHED] = 0
        assert views.reuse_counts is not None
        views.reuse_counts[:] = 0
        self.reuse_changed = True

