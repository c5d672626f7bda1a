"""What the requests' block tables say of each block, kept from snapshot to snapshot. Knows nothing of Qt."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from engine.domain.blocks import BlockState

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from engine.domain.request import RequestRow
    from engine.domain.telemetry import CacheSnapshot

_NAME = attrgetter("request_id")
_Tables = tuple["NDArray[np.int32]", ...]


class TableFollower:
    """One byte a block: what `mark` says for a request and a KV-cache group that hold it, 0 where nobody did.

    Of a block that several requests hold, any of them decides; of one that is no longer owned, the byte means nothing.
    Only tables that changed are looked at, and of one that grew only what is new. Where all that hold a block say the
    same (`by_owner` is False), nothing has to be done when one of them lets it go.
    `marks` are the newest bytes.
    """

    def __init__(self, mark: Callable[[RequestRow, int], int], *, by_owner: bool = True) -> None:
        self._mark = mark
        self._by_owner = by_owner
        self._requests: tuple[RequestRow, ...] = ()
        self._known: dict[str, RequestRow] = {}
        self.marks: NDArray[np.uint8] = np.zeros(0, np.uint8)

    def follow(self, snapshot: CacheSnapshot) -> list[NDArray[np.int32]]:
        """Make `marks` those of this snapshot. Returns the blocks of which one may mean another thing now."""
        if len(self.marks) != snapshot.num_blocks:
            self.marks, self._requests, self._known = np.zeros(snapshot.num_blocks, np.uint8), (), {}
        if snapshot.requests is self._requests:
            return []
        fresh: list[tuple[int, NDArray[np.int32]]] = []
        released: list[NDArray[np.int32]] = []
        last, known = self._known, dict(zip(map(_NAME, snapshot.requests), snapshot.requests, strict=True))
        for name, request in known.items():
            before = last.get(name)
            if before is not None and before.block_tables is request.block_tables and before.row == request.row:
                continue  # the reader hands out the same tables where nothing about them changed
            tables: _Tables = ()
            if before is not None and before.row == request.row:
                tables = before.block_tables
            elif before is not None:
                released += before.block_tables
            for group, table in enumerate(request.block_tables):
                old = tables[group] if group < len(tables) else None
                if old is not table:
                    self._compare(self._mark(request, group), old, table, fresh, released)
        for name in last.keys() - known.keys():
            released += last[name].block_tables
        self._requests, self._known = snapshot.requests, known
        self._write(snapshot, fresh, released)
        return [*(table for _, table in fresh), *released]

    @staticmethod
    def _compare(mark: int, old: NDArray[np.int32] | None, table: NDArray[np.int32],
                 fresh: list[tuple[int, NDArray[np.int32]]], released: list[NDArray[np.int32]]) -> None:
        if old is None:
            fresh.append((mark, table))
        elif len(old) <= len(table) and (old == table[: len(old)]).all():
            fresh.append((mark, table[len(old) :]))
        else:
            released.append(old)
            fresh.append((mark, table))

    def _write(self, snapshot: CacheSnapshot, fresh: list[tuple[int, NDArray[np.int32]]],
               released: list[NDArray[np.int32]]) -> None:
        marks = self.marks
        given_up = np.concatenate(released) if released and self._by_owner else None
        if given_up is not None:
            marks[given_up] = 0
        for mark, table in fresh:
            marks[table] = mark
        if given_up is not None:
            orphans = given_up[marks[given_up] == 0]
            if (snapshot.states[orphans] == BlockState.USED).any():
                # It was shared, and has one owner left; who that is only its table knows.
                for request in snapshot.requests:
                    for group, table in enumerate(request.block_tables):
                        marks[table] = self._mark(request, group)
