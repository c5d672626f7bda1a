"""One request's block table as a table model: logical blocks in order, and the physical ones behind them."""

from __future__ import annotations

from bisect import bisect_right
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication

from app.tables.block_origin import Origin, origin_at, origin_meaning, origin_text
from app.tables.requests import short_id
from app.theme.fonts import tabular
from engine.domain.blocks import BlockState

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray
    from PySide6.QtCore import QObject

    from engine.domain.request import RequestRow
    from engine.domain.telemetry import CacheSnapshot
    from engine.metrics.block_owners import BlockOwners

Index = QModelIndex | QPersistentModelIndex
_NAMED = 3


class BlockColumn(IntEnum):
    """The table's columns, in order."""

    LOGICAL = 0
    PHYSICAL = 1
    FILLED = 2
    ORIGIN = 3
    SHARED = 4


class BlockTableModel(QAbstractTableModel):
    """The blocks of one request, all its KV-cache groups one after the other. Made for tables of 10,000 rows."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.request: RequestRow | None = None
        self._owners: BlockOwners | None = None
        self._snapshot: CacheSnapshot | None = None
        self._blocks: NDArray[np.int32] = np.zeros(0, np.int32)
        self._starts: list[int] = []
        self._others: dict[int, list[str]] = {}
        self._tabular = tabular(QGuiApplication.font())

    def show_request(self, request: RequestRow | None, owners: BlockOwners, snapshot: CacheSnapshot) -> None:
        """Show this request's table as it is in this snapshot; None empties it."""
        tables = request.block_tables if request is not None else ()
        blocks = np.concatenate(tables) if tables else np.zeros(0, np.int32)
        starts = np.cumsum([0, *map(len, tables)]).tolist()[:-1]
        before, known = self.request, self._blocks
        grows = (
            request is not None and before is not None and request.request_id == before.request_id
            and starts == self._starts and len(blocks) >= len(known) and np.array_equal(blocks[: len(known)], known)
        )  # fmt: skip
        if not grows:
            self.beginResetModel()
        elif len(blocks) > len(known):
            self.beginInsertRows(QModelIndex(), len(known), len(blocks) - 1)
        self.request, self._owners, self._snapshot = request, owners, snapshot
        self._blocks, self._starts = blocks, starts
        self._others.clear()
        if not grows:
            self.endResetModel()
        elif len(blocks) > len(known):
            self.endInsertRows()
        if grows and len(known):
            self.dataChanged.emit(self.index(0, 0), self.index(len(known) - 1, len(BlockColumn) - 1))

    def block_at(self, row: int) -> int | None:
        """The physical block of a row; None for the null block and beyond the end."""
        if not 0 <= row < len(self._blocks):
            return None
        return int(self._blocks[row]) or None

    def row_of(self, block: int) -> int | None:
        """The first row of this physical block."""
        rows = np.flatnonzero(self._blocks == block)
        return int(rows[0]) if block and len(rows) else None

    def place_of(self, row: int) -> tuple[int, int]:
        """KV-cache group and logical position of a row."""
        group = bisect_right(self._starts, row) - 1
        return group, row - self._starts[group]

    def others_at(self, row: int) -> list[str]:
        """The ids of the other requests that share this row's block."""
        block = self.block_at(row)
        if block is None or self._owners is None or self.request is None or self._snapshot is None:
            return []
        if self._snapshot.states[block] != BlockState.SHARED:
            return []
        if row not in self._others:
            own = self.request.request_id
            ids = [request.request_id for request in self._owners.requests_with(block)]
            self._others[row] = [request_id for request_id in ids if request_id != own]
        return self._others[row]

    @property
    def num_held(self) -> int:
        """How many physical blocks the request holds; positions that a window has left behind have none."""
        return int(np.count_nonzero(self._blocks))

    @property
    def num_found(self) -> int:
        """How many of them were found whole in the prefix cache."""
        if self.request is None or self._owners is None:
            return 0
        found = 0
        for group, table in enumerate(self.request.block_tables):
            slots = self._owners.slots(group)
            if slots is not None:
                found += int(np.count_nonzero(table[: self.request.num_cached_tokens // slots]))
        return found

    @property
    def num_shared(self) -> int:
        """How many of the blocks have other owners."""
        if self._snapshot is None or not len(self._blocks):
            return 0
        held = self._blocks[self._blocks != 0]
        return int(np.count_nonzero(self._snapshot.states[held] == BlockState.SHARED))

    def as_text(self, rows: Iterable[int]) -> str:
        """These rows as lines of tab-separated columns under a line of names; all owners with their whole ids."""
        lines = ["\t".join(self._names())]
        for row in rows:
            cells = [self._text(row, column) for column in BlockColumn]
            cells[BlockColumn.SHARED] = ", ".join(self.others_at(row))
            lines.append("\t".join(cells))
        return "\n".join(lines) + "\n"

    def rowCount(self, parent: Index | None = None) -> int:
        """A row for each logical block."""
        return 0 if parent is not None and parent.isValid() else len(self._blocks)

    def columnCount(self, parent: Index | None = None) -> int:
        """As many as there are columns."""
        return 0 if parent is not None and parent.isValid() else len(BlockColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The columns' names."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        return self._names()[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows."""
        if not index.isValid() or self.request is None or self._snapshot is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._text(index.row(), BlockColumn(index.column()))
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == BlockColumn.SHARED:
            return "\n".join(self.others_at(index.row()))
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == BlockColumn.ORIGIN:
            return origin_meaning(self._origin(index.row()))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        if role == Qt.ItemDataRole.FontRole and index.column() <= BlockColumn.FILLED:
            return self._tabular
        return None

    def _names(self) -> tuple[str, ...]:
        return self.tr("Logical"), self.tr("Physical"), self.tr("Slots"), self.tr("From"), self.tr("Shared with")

    def _origin(self, row: int) -> Origin:
        assert self.request is not None
        assert self._owners is not None
        group, position = self.place_of(row)
        return origin_at(self.request, position, self._owners.slots(group), is_null=not self._blocks[row])

    def _text(self, row: int, column: BlockColumn) -> str:
        assert self.request is not None
        assert self._owners is not None
        group, position = self.place_of(row)
        block, locale, slots = int(self._blocks[row]), QLocale(), self._owners.slots(group)
        if column is BlockColumn.LOGICAL:
            number = locale.toString(position)
            return number if len(self._starts) == 1 else self.tr("{0} · group {1}").format(number, group)
        if column is BlockColumn.PHYSICAL:
            return locale.toString(block) if block else self.tr("none")
        if column is BlockColumn.ORIGIN:
            return origin_text(self._origin(row))
        if not block:
            return ""
        if column is BlockColumn.FILLED:
            if slots is None:
                return self.tr("state")
            return f"{locale.toString(self.request.filled_slots(position, slots))}/{locale.toString(slots)}"
        others = self.others_at(row)
        names = ", ".join(short_id(each) for each in others[:_NAMED])
        return self.tr("{0} and {1} more").format(names, len(others) - _NAMED) if len(others) > _NAMED else names

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignTrailing if column <= BlockColumn.FILLED else Qt.AlignmentFlag.AlignLeading
        return side | Qt.AlignmentFlag.AlignVCenter
