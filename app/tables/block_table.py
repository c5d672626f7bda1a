"""One request's block table as a table model: logical blocks in order, and the physical ones behind them."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication

from app.tables.requests import short_id
from app.theme.fonts import tabular

if TYPE_CHECKING:
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
    """The blocks of one request, all its KV-cache groups one after the other."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.request: RequestRow | None = None
        self._owners: BlockOwners | None = None
        self._snapshot: CacheSnapshot | None = None
        self._entries: list[tuple[int, int, int]] = []
        self._tabular = tabular(QGuiApplication.font())

    def show_request(self, request: RequestRow | None, owners: BlockOwners, snapshot: CacheSnapshot) -> None:
        """Show this request's table as it is in this snapshot; None empties it."""
        before = self.request.request_id if self.request is not None else None
        tables = request.block_tables if request is not None else ()
        entries = [
            (group, position, block)
            for group, table in enumerate(tables)
            for position, block in enumerate(table.tolist())
        ]
        same = request is not None and request.request_id == before
        grows = same and entries[: len(self._entries)] == self._entries
        if grows and len(entries) > len(self._entries):
            self.beginInsertRows(QModelIndex(), len(self._entries), len(entries) - 1)
            self.request, self._owners, self._snapshot, self._entries = request, owners, snapshot, entries
            self.endInsertRows()
        elif grows:
            self.request, self._owners, self._snapshot = request, owners, snapshot
        else:
            self.beginResetModel()
            self.request, self._owners, self._snapshot, self._entries = request, owners, snapshot, entries
            self.endResetModel()
        if entries:
            self.dataChanged.emit(self.index(0, 0), self.index(len(entries) - 1, len(BlockColumn) - 1))

    def block_at(self, row: int) -> int | None:
        """The physical block of a row; None for the null block and beyond the end."""
        if not 0 <= row < len(self._entries):
            return None
        return self._entries[row][2] or None

    def others_at(self, row: int) -> list[str]:
        """The ids of the other requests that share this row's block."""
        block = self.block_at(row)
        if block is None or self._owners is None or self.request is None:
            return []
        own = self.request.request_id
        return [hold.request.request_id for hold in self._owners.of(block) if hold.request.request_id != own]

    @property
    def num_shared(self) -> int:
        """How many of the blocks have other owners."""
        if self._snapshot is None:
            return 0
        counts = self._snapshot.ref_counts
        return sum(1 for _, _, block in self._entries if block and counts[block] > 1)

    def rowCount(self, parent: Index | None = None) -> int:
        """A row for each logical block."""
        return 0 if parent is not None and parent.isValid() else len(self._entries)

    def columnCount(self, parent: Index | None = None) -> int:
        """As many as there are columns."""
        return 0 if parent is not None and parent.isValid() else len(BlockColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The columns' names."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(section)
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return (self.tr("Logical"), self.tr("Physical"), self.tr("Slots"), self.tr("From"), self.tr("Shared with"))[
            section
        ]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows."""
        if not index.isValid() or self.request is None or self._snapshot is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(index.row(), BlockColumn(index.column()))
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == BlockColumn.SHARED:
            return "\n".join(self.others_at(index.row()))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        if role == Qt.ItemDataRole.FontRole and index.column() <= BlockColumn.FILLED:
            return self._tabular
        return None

    def _text(self, row: int, column: BlockColumn) -> str:
        assert self.request is not None
        assert self._snapshot is not None
        group, position, block = self._entries[row]
        size, locale = self._snapshot.block_size, QLocale()
        if column is BlockColumn.LOGICAL:
            number = locale.toString(position)
            return number if group == 0 else self.tr("{0}, group {1}").format(number, locale.toString(group))
        if column is BlockColumn.PHYSICAL:
            return locale.toString(block) if block else self.tr("none")
        if not block:
            return self.tr("left behind by the window") if column is BlockColumn.ORIGIN else ""
        if column is BlockColumn.FILLED:
            return f"{locale.toString(self.request.filled_slots(position, size))}/{locale.toString(size)}"
        if column is BlockColumn.ORIGIN:
            cached = (position + 1) * size <= self.request.num_cached_tokens
            return self.tr("prefix cache") if cached else self.tr("computed")
        others = self.others_at(row) if self._snapshot.ref_counts[block] > 1 else []
        names = ", ".join(short_id(each) for each in others[:_NAMED])
        return self.tr("{0} and {1} more").format(names, len(others) - _NAMED) if len(others) > _NAMED else names

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignTrailing if column <= BlockColumn.FILLED else Qt.AlignmentFlag.AlignLeading
        return side | Qt.AlignmentFlag.AlignVCenter
