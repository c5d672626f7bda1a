"""The runs that are kept, as a table model: what was measured, when, and the figures that matter most."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QDateTime, QLocale, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication

from app.theme.fonts import tabular
from engine.bench.definitions import value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QObject

    from engine.bench.result import RunRecord

Index = QModelIndex | QPersistentModelIndex


class Column(IntEnum):
    """The table's columns, in order."""

    TITLE = 0
    WHEN = 1
    MODEL = 2
    STATE = 3
    TOKENS = 4
    GOODPUT = 5
    TTFT = 6
    TPOT = 7
    NOTES = 8


_KEYS = {Column.TOKENS: "tokens_out_per_s", Column.GOODPUT: "goodput_per_s", Column.TTFT: "ttft.p95",
         Column.TPOT: "tpot.p50"}  # fmt: skip
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
SORT_ROLE = Qt.ItemDataRole.UserRole


class RunsModel(QAbstractTableModel):
    """Run records, as the Store has them. `value_text` and `state_text` put figures and states into words."""

    def __init__(
        self,
        value_text: Callable[[str, float | None], str],
        state_text: Callable[[str], str],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._records: tuple[RunRecord, ...] = ()
        self._value_text = value_text
        self._state_text = state_text
        self._tabular = tabular(QGuiApplication.font())
        self._heads = [
            self.tr("Run"), self.tr("When"), self.tr("Model"), self.tr("State"), self.tr("Output"), self.tr("Goodput"),
            "TTFT p95", "TPOT p50", self.tr("Notes"),
        ]  # fmt: skip

    @property
    def records(self) -> tuple[RunRecord, ...]:
        """What is shown, in the order of the Store."""
        return self._records

    def show_records(self, records: Sequence[RunRecord]) -> None:
        """Show these; rows that stay keep their place and what is chosen."""
        records = tuple(records)
        if [one.id for one in records] == [one.id for one in self._records]:
            self._records = records
            if records:
                self.dataChanged.emit(self.index(0, 0), self.index(len(records) - 1, len(Column) - 1))
            return
        self.beginResetModel()
        self._records = records
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """As many as there are runs."""
        return 0 if parent is not None and parent.isValid() else len(self._records)

    def columnCount(self, parent: Index | None = None) -> int:
        """Fixed."""
        return 0 if parent is not None and parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The columns' names."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._heads[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in _KEYS else Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What stands in a cell."""
        if not index.isValid():
            return None
        column, record = Column(index.column()), self._records[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(column, record)
        if role == SORT_ROLE:
            return self._order(column, record)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(record)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in _KEYS:
            return _RIGHT
        if role == Qt.ItemDataRole.FontRole and column in _KEYS:
            return self._tabular
        return None

    def _text(self, column: Column, record: RunRecord) -> str:
        if column in _KEYS:
            return self._value_text(_KEYS[column], _value(record, _KEYS[column]))
        match column:
            case Column.TITLE:
                return ("★ " if record.baseline else "") + record.title
            case Column.WHEN:
                when = QDateTime.fromSecsSinceEpoch(round(record.created_unix_s))
                return QLocale().toString(when, QLocale.FormatType.ShortFormat)
            case Column.MODEL:
                return " · ".join(part for part in (record.setup.model, record.setup.quantization) if part)
            case Column.STATE:
                return self._state_text(record.state.value)
            case _:
                return " ".join(record.notes.split())

    def _order(self, column: Column, record: RunRecord) -> Any:
        if column in _KEYS:
            found = _value(record, _KEYS[column])
            return -1.0 if found is None else found
        return record.created_unix_s if column is Column.WHEN else self._text(column, record).casefold()

    def _tip(self, record: RunRecord) -> str:
        limits = [f"max_num_seqs {record.setup.max_num_seqs}"] if record.setup.max_num_seqs else []
        if record.setup.max_num_batched_tokens:
            limits.append(f"max_num_batched_tokens {record.setup.max_num_batched_tokens}")
        parts = (record.title, ", ".join(limits), record.error, record.notes)
        return "\n".join(part for part in parts if part)


def _value(record: RunRecord, key: str) -> float | None:
    return None if record.result is None else value_of(record.result.figures, key)
