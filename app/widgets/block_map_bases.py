"""Which base colour of a mode each block takes, as one byte a block. Knows nothing of Qt.

From one snapshot to the next only the blocks that may have changed are looked at: which these are is found by
comparing whole arrays, 250,000 blocks in a few hundredths of a millisecond. What a number means is read from tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from app.widgets.block_map_ages import AgeCalendar
from app.widgets.block_map_changes import Differences
from app.widgets.block_map_palette import (
    AGE_STEPS,
    GROUP_COLOURS,
    OWNER_STEPS,
    REQUEST_COLOURS,
    REUSE_STEPS,
    ColourMode,
)
from app.widgets.block_map_tables import TableFollower
from engine.domain.blocks import BlockState

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.domain.telemetry import CacheSnapshot

    Bytes = NDArray[np.uint8]
    Which = NDArray[np.intp] | slice

_STATES = len(BlockState)
_OWN_COLOURS = {
    ColourMode.STATE: 0, ColourMode.REQUEST: REQUEST_COLOURS, ColourMode.AGE: AGE_STEPS,
    ColourMode.OWNERS: OWNER_STEPS, ColourMode.REUSE: REUSE_STEPS, ColourMode.GROUP: 2 * GROUP_COLOURS,
}  # fmt: skip
_COUNTS = 1 << 16  # as many as an uint16 tells
_OLDEST = 1 << (AGE_STEPS - 1)  # steps, from which on the colour stays
_FLOAT_BIAS = 127  # of the exponent of a float32
_FLOAT_DIGITS = 23
_ALL = slice(None)
_MANY = 6  # where one in so many blocks has to be looked at, all of them are


def _steps(numbers: int, limits: list[int]) -> Bytes:
    """A table of base colours: the first for numbers up to the first limit, and so on, one more for all above."""
    return (np.searchsorted(limits, np.arange(numbers)) + _STATES).astype(np.uint8)


_BY_OWNERS = _steps(_COUNTS, [1 << step for step in range(OWNER_STEPS - 1)])
_BY_REUSE = _steps(_COUNTS, [(1 << step) - 1 for step in range(REUSE_STEPS - 1)])


def owned(states: Bytes) -> NDArray[np.bool_]:
    """Which blocks requests own. USED and SHARED are the two states with this bit set."""
    return ((states >> 1) & 1).view(np.bool_)


def _held(states: Bytes) -> Bytes:
    """Which blocks hold something, as 0 or 1: CACHED, USED and SHARED, the numbers 1 to 3."""
    return (states - np.uint8(1) < BlockState.SHARED).view(np.uint8)


def _by_age(step: int, last_used: NDArray[np.uint32]) -> Bytes:
    """The base colours of these ages: a float's exponent says how often a number can be halved, faster than a table."""
    ages = np.uint32(step) - last_used
    np.minimum(ages, _OLDEST, out=ages)
    np.maximum(ages, 1, out=ages)
    bits = ages.view(np.int32).astype(np.float32).view(np.uint32)
    np.right_shift(bits, _FLOAT_DIGITS, out=bits)
    bits -= np.uint32(_FLOAT_BIAS - _STATES)
    return bits.astype(np.uint8)


class BlockBases:
    """The bytes for one mode, brought from snapshot to snapshot; another mode or pool begins anew.

    `bytes` are the newest. With a `group`, blocks of the other KV-cache groups take the mode's last number.
    """

    def __init__(self) -> None:
        self.bytes: Bytes = np.zeros(0, np.uint8)
        self._counts: NDArray[np.intp] | None = None
        self._rows = TableFollower(lambda request, _group: request.row % REQUEST_COLOURS + _STATES)
        self._groups = TableFollower(lambda _request, group: group % GROUP_COLOURS + 1, by_owner=False)
        self._differences = Differences()
        self._ages = AgeCalendar()
        self._key: tuple[ColourMode, int | None, int] | None = None
        self._last: CacheSnapshot | None = None

    def update(self, mode: ColourMode, snapshot: CacheSnapshot, group: int | None = None) -> NDArray[np.intp] | None:
        """Make `bytes` those of this snapshot. Returns the blocks whose byte changed, None where it may be any."""
        key, last = (mode, group, snapshot.num_blocks), self._last
        if last is None or key != self._key:
            self._ages.forget()
            last = None
        self._key, self._last = key, snapshot
        at = self._candidates(mode, snapshot, last, group)
        if at is None or len(at) * _MANY > snapshot.num_blocks:
            self.bytes, self._counts = self._bases(mode, snapshot, group, _ALL), None
            return None
        after, before = self._bases(mode, snapshot, group, at), self.bytes[at]
        differs = after != before
        changed: NDArray[np.intp] = at[differs]
        after, before = after[differs], before[differs]
        self.bytes[changed] = after
        if self._counts is not None:
            most = len(self._counts)
            self._counts += np.bincount(after, minlength=most) - np.bincount(before, minlength=most)
        return changed

    @property
    def is_behind(self) -> bool:
        """Whether some blocks still have the colour of a younger age: `update` again, with the same snapshot."""
        return self._ages.is_behind

    @property
    def counts(self) -> NDArray[np.intp]:
        """How many blocks have each base colour of the mode."""
        if self._counts is None:
            most = _STATES + 1 + (_OWN_COLOURS[self._key[0]] if self._key else 0)
            self._counts = np.bincount(self.bytes, minlength=most)
        return self._counts

    def groups(self, at: Which = _ALL) -> Bytes:
        """The KV-cache group of each block that is owned or cached, plus one; 0 for free ones and where unknown."""
        if self._last is None:
            return np.zeros(0, np.uint8)
        if self._last.num_groups > 1:
            self._groups.follow(self._last)  # where it was not followed yet, nothing depends on it
        return self._groups_at(self._last, at)

    # What may have changed

    def _candidates(self, mode: ColourMode, snapshot: CacheSnapshot, last: CacheSnapshot | None,
                    group: int | None) -> NDArray[np.intp] | None:
        """The blocks to look at, None for all; the followers of tables that count are brought to this snapshot."""
        tables = self._rows.follow(snapshot) if mode is ColourMode.REQUEST else []
        if (mode is ColourMode.GROUP or group is not None) and snapshot.num_groups > 1:
            tables += self._groups.follow(snapshot)
        if last is None:
            return None
        differences = self._differences
        differences.begin(snapshot.num_blocks)
        for now, before in zip(_deciding(mode, snapshot, group), _deciding(mode, last, group), strict=True):
            if (now is None) != (before is None):
                return None
            if now is not None and before is not None:
                differences.compare(now, before)
        if mode is ColourMode.AGE and not self._add_aged(snapshot, last):
            return None
        for table in tables:
            differences.add(table)
        return differences.take()

    def _add_aged(self, snapshot: CacheSnapshot, last: CacheSnapshot) -> bool:
        """Whether few enough grew too old for their colour to be told one by one; these are differences then."""
        before, now, differences = last.counters.step, snapshot.counters.step, self._differences
        if not self._ages.can_follow(before, now):
            self._ages.forget()
            return False
        due = self._ages.due(last.last_used_step, before, now)
        if snapshot.last_used_step is not last.last_used_step:
            self._ages.note(differences.take(), snapshot.last_used_step, now)
        if sum(map(len, due)) * _MANY > snapshot.num_blocks:
            return False
        for blocks in due:
            differences.add(blocks)
        return True

    # What colour these have

    def _bases(self, mode: ColourMode, snapshot: CacheSnapshot, group: int | None, at: Which) -> Bytes:
        states = snapshot.states[at]
        # A state's number is lower than every number of the mode's own, and those are zero where the state shows.
        bases: Bytes = np.maximum(self._own(mode, snapshot, states, at), states)
        if group is not None and snapshot.num_groups > 1:
            groups = self._groups_at(snapshot, at)
            bases[(groups != 0) & (groups != group + 1)] = _STATES + _OWN_COLOURS[mode]
        return bases

    def _own(self, mode: ColourMode, snapshot: CacheSnapshot, states: Bytes, at: Which) -> Bytes | np.uint8:
        """The mode's own number, or 0."""
        own: Bytes | np.uint8 = np.uint8(0)
        if mode is ColourMode.REQUEST:
            own = self._rows.marks[at] * (states == BlockState.USED).view(np.uint8)
        elif mode is ColourMode.OWNERS:
            own = _BY_OWNERS[snapshot.ref_counts[at]] * owned(states).view(np.uint8)
        elif mode is ColourMode.AGE:
            own = _by_age(snapshot.counters.step, snapshot.last_used_step[at]) * _held(states)
        elif mode is ColourMode.REUSE and snapshot.reuse_counts is not None:
            own = _BY_REUSE[snapshot.reuse_counts[at]] * _held(states)
        elif mode is ColourMode.GROUP:
            groups = self._groups_at(snapshot, at)
            only_cached = (states == BlockState.CACHED).view(np.uint8)
            own = (groups + only_cached * np.uint8(GROUP_COLOURS) + np.uint8(_STATES - 1)) * (groups != 0)
        return own

    def _groups_at(self, snapshot: CacheSnapshot, at: Which) -> Bytes:
        states = snapshot.states[at]
        if snapshot.num_groups == 1:
            return _held(states)
        groups = self._groups.marks[at] * owned(states).view(np.uint8)
        if snapshot.cached_groups is not None:
            cached = (states == BlockState.CACHED).view(np.uint8)
            groups += (snapshot.cached_groups[at] + np.uint8(1)) * cached
        return groups


def _deciding(mode: ColourMode, snapshot: CacheSnapshot, group: int | None) -> tuple[NDArray[Any] | None, ...]:
    """The arrays of a snapshot that decide over the bytes; the last first used ones stand last."""
    own: dict[ColourMode, NDArray[Any] | None] = {
        ColourMode.OWNERS: snapshot.ref_counts, ColourMode.AGE: snapshot.last_used_step,
        ColourMode.REUSE: snapshot.reuse_counts,
    }  # fmt: skip
    groups = snapshot.cached_groups if mode is ColourMode.GROUP or group is not None else None
    return snapshot.states, own.get(mode), groups
