"""Who owns which physical block: the block tables of one snapshot, turned around."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from engine.domain.request import RequestRow

_NULL_BLOCK = 0  # vLLM's placeholder stands in tables of sliding-window groups; nobody owns it
_NOTHING = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True)
class Ownership:
    """One request's hold on one block. `position` is logical, in the block table of KV-cache group `group`.

    `filled` is how many of the block's slots hold a token's KV, as seen from this request.
    """

    request: RequestRow
    group: int
    position: int
    filled: int


@dataclass(frozen=True, slots=True)
class TableEntries:
    """All entries of all block tables but null ones, as parallel int32 arrays; `owners` indexes the requests."""

    blocks: NDArray[np.int32]
    owners: NDArray[np.int32]
    groups: NDArray[np.int32]
    positions: NDArray[np.int32]


class BlockOwners:
    """Answers for the rows of one snapshot which requests hold a block, and which blocks a request holds.

    Making one is free; the index over all tables is built when a block is first asked for.
    """

    def __init__(self, requests: Sequence[RequestRow], block_size: int) -> None:
        self.requests = tuple(requests)
        self.block_size = block_size

    @cached_property
    def entries(self) -> TableEntries:
        """The block tables of all requests, flat."""
        tables, owners, groups = [], [], []
        for index, request in enumerate(self.requests):
            for group, table in enumerate(request.block_tables):
                tables.append(table)
                owners.append(index)
                groups.append(group)
        if not tables:
            return TableEntries(_NOTHING, _NOTHING, _NOTHING, _NOTHING)
        lengths = np.fromiter(map(len, tables), np.int32, len(tables))
        blocks = np.concatenate(tables)
        starts = np.repeat(np.cumsum(lengths, dtype=np.int32) - lengths, lengths)
        positions = np.arange(len(blocks), dtype=np.int32) - starts
        real = blocks != _NULL_BLOCK
        return TableEntries(
            blocks[real], np.repeat(np.asarray(owners, np.int32), lengths)[real],
            np.repeat(np.asarray(groups, np.int32), lengths)[real], positions[real],
        )

    def of(self, block_id: int) -> tuple[Ownership, ...]:
        """Every hold on this block, in the order of the requests."""
        entries = self.entries
        found = []
        for entry in np.flatnonzero(entries.blocks == block_id).tolist():
            request, position = self.requests[entries.owners[entry]], int(entries.positions[entry])
            filled = request.filled_slots(position, self.block_size)
            found.append(Ownership(request, int(entries.groups[entry]), position, filled))
        return tuple(found)

    def blocks_of(self, request_id: str) -> NDArray[np.int32]:
        """The physical blocks of this request, in logical order; empty where it has none or is gone."""
        for request in self.requests:
            if request.request_id == request_id and request.block_tables:
                blocks = np.concatenate(request.block_tables)
                held: NDArray[np.int32] = blocks[blocks != _NULL_BLOCK]
                return held
        return _NOTHING

    def partial(self, ref_counts: NDArray[np.uint16]) -> dict[int, int]:
        """Owned blocks that are not full: block id to the number of filled slots.

        `ref_counts` tells the shared ones, which count with the most that any of their owners has filled.
        """
        fills: dict[int, int] = {}
        for block, filled in self._unfilled():
            if ref_counts[block] > 1:
                filled = max(hold.filled for hold in self.of(block))
            if filled < self.block_size:
                fills[block] = filled
        return fills

    def _unfilled(self) -> Iterator[tuple[int, int]]:
        for request in self.requests:
            first = request.num_computed_tokens // self.block_size
            for table in request.block_tables:
                for position, block in enumerate(table[first:].tolist(), first):
                    if block != _NULL_BLOCK:
                        yield block, request.filled_slots(position, self.block_size)
