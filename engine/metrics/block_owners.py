"""Who owns which physical block: the block tables of one snapshot, turned around."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from engine.domain.kv_groups import GroupKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from engine.domain.kv_groups import KvCacheGroup
    from engine.domain.request import RequestRow

_NULL_BLOCK = 0  # vLLM's placeholder stands in tables of sliding-window groups; nobody owns it
_NOTHING = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True)
class Ownership:
    """One request's hold on one block. `position` is logical, in the block table of KV-cache group `group`.

    `filled` is how many of the block's `slots` hold a token's KV, as seen from this request. Both are None in a group
    whose blocks hold states instead of tokens.
    """

    request: RequestRow
    group: int
    position: int
    filled: int | None
    slots: int | None


class Fill(NamedTuple):
    """How many of a block's slots hold a token's KV."""

    filled: int
    slots: int


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

    def __init__(self, requests: Sequence[RequestRow], block_size: int, groups: Sequence[KvCacheGroup] = ()) -> None:
        """`groups` describes the KV-cache groups; without it every block has `block_size` slots."""
        self.requests = tuple(requests)
        self.block_size = block_size
        self._slots = tuple(None if group.kind is GroupKind.STATE else group.block_size for group in groups)

    def slots(self, group: int) -> int | None:
        """How many tokens a block of this group holds; None where it holds a state."""
        return self._slots[group] if group < len(self._slots) else self.block_size

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
            group = int(entries.groups[entry])
            slots = self.slots(group)
            filled = None if slots is None else request.filled_slots(position, slots)
            found.append(Ownership(request, group, position, filled, slots))
        return tuple(found)

    def requests_with(self, block_id: int) -> list[RequestRow]:
        """The requests that hold this block, in their order: less than `of` tells, in a tenth of its time."""
        entries = self.entries
        found = np.unique(entries.owners[entries.blocks == block_id]).tolist()
        return [self.requests[owner] for owner in found]

    def blocks_of(self, request_id: str) -> NDArray[np.int32]:
        """The physical blocks of this request, in logical order; empty where it has none or is gone."""
        for request in self.requests:
            if request.request_id == request_id and request.block_tables:
                blocks = np.concatenate(request.block_tables)
                held: NDArray[np.int32] = blocks[blocks != _NULL_BLOCK]
                return held
        return _NOTHING

    def partial(self, ref_counts: NDArray[np.uint16]) -> dict[int, Fill]:
        """Owned blocks that are not full, by block id.

        `ref_counts` tells the shared ones, which count with the most that any of their owners has filled.
        """
        fills: dict[int, Fill] = {}
        for block, fill in self._unfilled():
            if ref_counts[block] > 1:
                fill = Fill(max(hold.filled or 0 for hold in self.of(block)), fill.slots)
            if fill.filled < fill.slots:
                fills[block] = fill
        return fills

    def _unfilled(self) -> Iterator[tuple[int, Fill]]:
        for request in self.requests:
            for group, table in enumerate(request.block_tables):
                slots = self.slots(group)
                if slots is None:
                    continue
                first = request.num_computed_tokens // slots
                for position, block in enumerate(table[first:].tolist(), first):
                    if block != _NULL_BLOCK:
                        yield block, Fill(request.filled_slots(position, slots), slots)
