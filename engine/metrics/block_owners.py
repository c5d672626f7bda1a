"""Who owns which physical block: the block tables of one snapshot, turned around."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.domain.request import RequestRow

_NULL_BLOCK = 0  # vLLM's placeholder stands in tables of sliding-window groups; nobody owns it


@dataclass(frozen=True, slots=True)
class Ownership:
    """One request's hold on one block. `position` is logical, in the block table of KV-cache group `group`.

    `filled` is how many of the block's slots hold a token's KV, as seen from this request.
    """

    request: RequestRow
    group: int
    position: int
    filled: int


class BlockOwners:
    """An index from physical block ids to the requests whose block tables name them.

    Built from the rows of one snapshot and never changed afterwards. `blocks`, `owners` and `positions` are
    parallel int32 arrays with one element per entry of any block table (null blocks left out); `owners` indexes
    `requests`.
    """

    __slots__ = ("_groups", "block_size", "blocks", "owners", "positions", "requests")

    def __init__(self, requests: Sequence[RequestRow], block_size: int) -> None:
        self.requests = tuple(requests)
        self.block_size = block_size
        tables, owners, groups = [], [], []
        for index, request in enumerate(self.requests):
            for group, table in enumerate(request.block_tables):
                tables.append(table)
                owners.append(index)
                groups.append(group)
        lengths = np.fromiter((len(table) for table in tables), np.int32, len(tables))
        self.blocks: NDArray[np.int32] = np.concatenate(tables) if tables else np.zeros(0, np.int32)
        self.owners: NDArray[np.int32] = np.repeat(np.asarray(owners, np.int32), lengths)
        self._groups: NDArray[np.int32] = np.repeat(np.asarray(groups, np.int32), lengths)
        starts = np.repeat(np.cumsum(lengths, dtype=np.int32) - lengths, lengths)
        self.positions: NDArray[np.int32] = np.arange(len(self.blocks), dtype=np.int32) - starts
        self._drop_null()

    def _drop_null(self) -> None:
        real = self.blocks != _NULL_BLOCK
        if not real.all():
            self.blocks, self.owners = self.blocks[real], self.owners[real]
            self.positions, self._groups = self.positions[real], self._groups[real]

    def of(self, block_id: int) -> tuple[Ownership, ...]:
        """Every hold on this block, in the order of the requests."""
        found = []
        for entry in np.flatnonzero(self.blocks == block_id):
            request, position = self.requests[self.owners[entry]], int(self.positions[entry])
            filled = request.filled_slots(position, self.block_size)
            found.append(Ownership(request, int(self._groups[entry]), position, filled))
        return tuple(found)

    def blocks_of(self, request_id: str) -> NDArray[np.int32]:
        """The physical blocks of this request, in logical order; empty where it has none or is gone."""
        for index, request in enumerate(self.requests):
            if request.request_id == request_id:
                held: NDArray[np.int32] = self.blocks[self.owners == index]
                return held
        return np.zeros(0, np.int32)

    def partial(self) -> dict[int, int]:
        """Blocks that some request owns and that are not full: block id to the number of filled slots.

        A block that several requests hold counts with the most that any of them has filled.
        """
        if not self.requests:
            return {}
        computed = np.fromiter((r.num_computed_tokens for r in self.requests), np.int64, len(self.requests))
        filled = np.clip(computed[self.owners] - self.positions.astype(np.int64) * self.block_size, 0, self.block_size)
        fills: dict[int, int] = {}
        for entry in np.flatnonzero(filled < self.block_size):
            block = int(self.blocks[entry])
            fills[block] = max(fills.get(block, 0), int(filled[entry]))
        for entry in np.flatnonzero((filled == self.block_size) & np.isin(self.blocks, list(fills))):
            fills.pop(int(self.blocks[entry]), None)
        return fills

    def rows_by_block(self, num_blocks: int) -> NDArray[np.int32]:
        """For each block the page row of one owner (stable while it lives), -1 where nobody owns it."""
        rows = np.full(num_blocks, -1, np.int32)
        page_rows = np.fromiter((r.row for r in self.requests), np.int32, len(self.requests))
        known = self.blocks < num_blocks
        rows[self.blocks[known]] = page_rows[self.owners[known]]
        return rows
