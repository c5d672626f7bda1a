"""Which base colour of a mode each block takes, as one byte a block. Knows nothing of Qt.

This runs over all blocks of the pool for every snapshot, so it goes by whole arrays of few bytes a block, written into
arrays that are made once, and without a branch a block: 250,000 blocks take 0.03 to 0.2 ms, whatever is in them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

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

_STATES = len(BlockState)
_FLOAT_BIAS = 127  # of the exponent of a float32
_FLOAT_DIGITS = 23
_AT_ONCE = 1 << 15


def owned(states: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which blocks requests own. USED and SHARED are the two states with this bit set."""
    return ((states >> 1) & 1).view(np.bool_)


def deciding(mode: ColourMode, snapshot: CacheSnapshot) -> tuple[object, ...]:
    """What of a snapshot decides over the bytes beside the states: where all of it is the same, they are."""
    return {
        ColourMode.STATE: (), ColourMode.REQUEST: (snapshot.requests,), ColourMode.OWNERS: (snapshot.ref_counts,),
        ColourMode.AGE: (snapshot.last_used_step, snapshot.counters.step), ColourMode.REUSE: (snapshot.reuse_counts,),
        ColourMode.GROUP: (snapshot.requests, snapshot.cached_groups),
    }[mode]  # fmt: skip


class BlockBases:
    """Makes the bytes for one mode after the other; remembers between snapshots whose colour a block has.

    What `of` returns is valid until the next call but one.
    """

    def __init__(self) -> None:
        self._rows = TableFollower(lambda request, _group: request.row % REQUEST_COLOURS + _STATES)
        self._groups = TableFollower(lambda _request, group: group % GROUP_COLOURS + 1, by_owner=False)
        self._floats = np.zeros(_AT_ONCE, np.float32)
        self._whole = np.zeros(_AT_ONCE, np.uint32)
        self._mask = np.zeros(0, np.bool_)
        self._spare = np.zeros(0, np.uint8)
        self._results = (np.zeros(0, np.uint8), np.zeros(0, np.uint8))

    def of(self, mode: ColourMode, snapshot: CacheSnapshot) -> NDArray[np.uint8]:
        """One byte a block: its base colour's number in the mode's palette."""
        if mode is ColourMode.STATE:
            return snapshot.states
        self._make_room(snapshot.num_blocks)
        self._results = self._results[::-1]
        bases = self._results[0]
        if mode is ColourMode.REQUEST:
            self._by_request(snapshot, bases)
        elif mode is ColourMode.OWNERS:
            self._by_owners(snapshot, bases)
        elif mode is ColourMode.AGE:
            self._by_age(snapshot, bases)
        elif mode is ColourMode.REUSE:
            self._by_reuse(snapshot, bases)
        else:
            self._by_group(snapshot, bases)
        # A state's number is lower than every number of the mode's own, and those are zero where the state shows.
        return np.maximum(bases, snapshot.states, out=bases)

    def groups_of(self, snapshot: CacheSnapshot) -> NDArray[np.uint8]:
        """The KV-cache group of each block that is owned or cached, plus one; 0 for free ones and where unknown."""
        states = snapshot.states
        if snapshot.num_groups == 1:
            held: NDArray[np.uint8] = (states - np.uint8(1) < BlockState.SHARED).view(np.uint8)
            return held
        groups = self._groups.follow(snapshot) * owned(states).view(np.uint8)
        if snapshot.cached_groups is not None:
            groups += (snapshot.cached_groups + np.uint8(1)) * (states == BlockState.CACHED).view(np.uint8)
        return groups

    def _make_room(self, blocks: int) -> None:
        if len(self._mask) != blocks:
            self._mask = np.zeros(blocks, np.bool_)
            self._spare = np.zeros(blocks, np.uint8)
            self._results = (np.zeros(blocks, np.uint8), np.zeros(blocks, np.uint8))

    def _by_request(self, snapshot: CacheSnapshot, bases: NDArray[np.uint8]) -> None:
        np.equal(snapshot.states, BlockState.USED, out=self._mask)
        np.multiply(self._rows.follow(snapshot), self._mask.view(np.uint8), out=bases)

    def _by_owners(self, snapshot: CacheSnapshot, bases: NDArray[np.uint8]) -> None:
        self._lengths(snapshot.ref_counts, -1, bases)  # of the owners but one
        np.minimum(bases, OWNER_STEPS - 1, out=bases)
        self._keep(bases, self._owned(snapshot))

    def _by_age(self, snapshot: CacheSnapshot, bases: NDArray[np.uint8]) -> None:
        step, last_used, floats = np.uint32(snapshot.counters.step), snapshot.last_used_step, self._floats
        for first in range(0, len(bases), _AT_ONCE):
            part = last_used[first : first + _AT_ONCE]
            whole, found = self._whole[: len(part)], floats[: len(part)]
            np.subtract(step, part, out=whole)
            np.bitwise_or(whole, 1, out=whole)
            np.copyto(found, whole, casting="same_kind")
            _exponents(found, bases[first : first + _AT_ONCE])
        np.minimum(bases, AGE_STEPS - 1, out=bases)
        self._keep(bases, self._held(snapshot))

    def _by_reuse(self, snapshot: CacheSnapshot, bases: NDArray[np.uint8]) -> None:
        if snapshot.reuse_counts is None:
            bases[:] = 0
            return
        self._lengths(snapshot.reuse_counts, 1, bases)
        np.minimum(bases, REUSE_STEPS - 1, out=bases)
        self._keep(bases, self._held(snapshot))

    def _by_group(self, snapshot: CacheSnapshot, bases: NDArray[np.uint8]) -> None:
        """The group's colour; GROUP_COLOURS further on where the block is only cached."""
        groups = self.groups_of(snapshot)
        np.equal(snapshot.states, BlockState.CACHED, out=self._mask)
        np.multiply(self._mask.view(np.uint8), np.uint8(GROUP_COLOURS), out=bases)
        bases += groups
        bases += np.uint8(_STATES - 1)
        np.not_equal(groups, 0, out=self._mask)
        bases *= self._mask.view(np.uint8)

    def _lengths(self, counts: NDArray[np.uint16], plus: int, out: NDArray[np.uint8]) -> None:
        """How many times 2 * count + `plus` can be halved: with 1 the count's length in bits, with -1 its next lower's.

        It goes by parts that the processor's cache holds, since the floats are four times as large as anything else.
        """
        for first in range(0, len(out), _AT_ONCE):
            part = counts[first : first + _AT_ONCE]
            found = self._floats[: len(part)]
            np.copyto(found, part)
            found *= 2
            found += plus
            _exponents(found, out[first : first + _AT_ONCE])

    def _keep(self, bases: NDArray[np.uint8], shown: NDArray[np.uint8]) -> None:
        """Turn steps into colours, and clear those of the blocks that are not shown in the mode's own colours."""
        bases += np.uint8(_STATES)
        bases *= shown

    def _owned(self, snapshot: CacheSnapshot) -> NDArray[np.uint8]:
        np.right_shift(snapshot.states, 1, out=self._spare)
        return np.bitwise_and(self._spare, 1, out=self._spare)

    def _held(self, snapshot: CacheSnapshot) -> NDArray[np.uint8]:
        """Which blocks hold something: CACHED, USED and SHARED, the numbers 1 to 3."""
        np.subtract(snapshot.states, 1, out=self._spare)
        np.less(self._spare, BlockState.SHARED, out=self._mask)
        return self._mask.view(np.uint8)


def _exponents(floats: NDArray[np.float32], out: NDArray[np.uint8]) -> None:
    """The powers of two in these floats, which are overwritten: read off in a tenth of a logarithm's time."""
    bits = floats.view(np.uint32)
    np.right_shift(bits, _FLOAT_DIGITS, out=bits)
    np.copyto(out, bits, casting="unsafe")
    out -= np.uint8(_FLOAT_BIAS)
