"""Which base colour of a mode each block takes, as one byte a block. Knows nothing of Qt.

This runs over all blocks of the pool for every snapshot, so it goes by whole arrays of bytes: 250,000 blocks take
about 0.1 ms by state and 0.5 ms by age.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.widgets.block_map_palette import AGE_STEPS, REQUEST_COLOURS, ColourMode, owner_step
from engine.domain.blocks import BlockState

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.domain.request import RequestRow
    from engine.domain.telemetry import CacheSnapshot

_STATES = len(BlockState)
_OWNER_BASES = bytes(owner_step(count) + _STATES for count in range(256))
_FLOAT_BIAS = 127  # of the exponent of a float32
_FLOAT_DIGITS = 23


def owned(states: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which blocks requests own. USED and SHARED are the two states with this bit set."""
    return ((states >> 1) & 1).view(np.bool_)


class BlockBases:
    """Makes the bytes for one mode after the other; remembers between snapshots whose colour a block has."""

    def __init__(self) -> None:
        self._requests: tuple[RequestRow, ...] = ()
        self._by_row: NDArray[np.uint8] = np.zeros(0, np.uint8)

    def of(self, mode: ColourMode, snapshot: CacheSnapshot) -> NDArray[np.uint8]:
        """One byte a block: its base colour's number in the mode's palette."""
        if mode is ColourMode.REQUEST:
            return self._by_request(snapshot)
        if mode is ColourMode.OWNERS:
            return _by_owners(snapshot)
        if mode is ColourMode.AGE:
            return _by_age(snapshot)
        return snapshot.states

    def _by_request(self, snapshot: CacheSnapshot) -> NDArray[np.uint8]:
        self._follow(snapshot)
        bases = snapshot.states.copy()
        np.copyto(bases, self._by_row, where=(snapshot.states == BlockState.USED) & (self._by_row > 0))
        return bases

    def _follow(self, snapshot: CacheSnapshot) -> None:
        """Write each request's colour over its blocks; tables that are the same objects as before are done already.

        When a request is gone, a block that it shared may now be another's alone: then all is written anew.
        """
        if len(self._by_row) != snapshot.num_blocks:
            self._by_row, self._requests = np.zeros(snapshot.num_blocks, np.uint8), ()
        if snapshot.requests is self._requests:
            return
        known = {request.request_id: request.block_tables for request in self._requests}
        present = {request.request_id for request in snapshot.requests}
        if not known.keys() <= present:
            self._by_row[:] = 0
            known = {}
        for request in snapshot.requests:
            before = known.get(request.request_id, ())
            colour = request.row % REQUEST_COLOURS + _STATES
            for group, table in enumerate(request.block_tables):
                if group >= len(before) or before[group] is not table:
                    self._by_row[table] = colour
        self._requests = snapshot.requests


def _by_owners(snapshot: CacheSnapshot) -> NDArray[np.uint8]:
    counts = np.minimum(snapshot.ref_counts, 255).astype(np.uint8)
    bases = np.frombuffer(counts.tobytes().translate(_OWNER_BASES), np.uint8)
    return np.where(owned(snapshot.states), bases, snapshot.states)


def _by_age(snapshot: CacheSnapshot) -> NDArray[np.uint8]:
    """The age's power of two, read off the exponent of a float: a tenth of the time of a logarithm."""
    age = np.maximum(np.uint32(snapshot.counters.step) - snapshot.last_used_step, 1).astype(np.float32)
    power = (age.view(np.uint32) >> _FLOAT_DIGITS).astype(np.uint8) - np.uint8(_FLOAT_BIAS)
    bases = np.minimum(power, AGE_STEPS - 1) + np.uint8(_STATES)
    holds = owned(snapshot.states) | (snapshot.states == BlockState.CACHED)
    return np.where(holds, bases, snapshot.states)
