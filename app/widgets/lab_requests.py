"""A run's requests, one a row: successful, incomplete and failed apart, with why, and the way into the timeline."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QTableView, QVBoxLayout, QWidget

from app.theme.fonts import mono, tabular
from app.widgets import figures
from app.widgets.icon import PlainButton
from app.widgets.labels import role_label
from app.widgets.segmented import Segmented
from engine.bench.sample import Outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject

    from engine.bench.sample import Sample

Index = QModelIndex | QPersistentModelIndex


class Column(IntEnum):
    """The table's columns, in order."""

    NUMBER = 0
    OUTCOME = 1
    SENT = 2
    PROMPT = 3
    CACHED = 4
    OUTPUT = 5
    TTFT = 6
    TPOT = 7
    E2E = 8
    REASON = 9


_VALUES: dict[Column, Any] = {
    Column.NUMBER: lambda sample: sample.number,
    Column.OUTCOME: lambda sample: sample.outcome.value,
    Column.SENT: lambda sample: sample.sent_s,
    Column.PROMPT: lambda sample: sample.prompt_tokens,
    Column.CACHED: lambda sample: sample.cached_tokens,
    Column.OUTPUT: lambda sample: sample.output_tokens,
    Column.TTFT: lambda sample: sample.ttft_s,
    Column.TPOT: lambda sample: sample.tpot_s,
    Column.E2E: lambda sample: sample.e2e_s,
    Column.REASON: lambda sample: sample.reason,
}
_DURATIONS = {Column.SENT, Column.TTFT, Column.TPOT, Column.E2E}
_TEXTS = {Column.OUTCOME, Column.REASON}
_WIDEST = {
    Column.NUMBER: "88,888", Column.OUTCOME: "successful", Column.SENT: "88.8 s", Column.PROMPT: "88,888",
    Column.CACHED: "88,888", Column.OUTPUT: "8,888", Column.TTFT: "888 ms", Column.TPOT: "888 ms",
    Column.E2E: "88.8 s",
}  # fmt: skip
_SORT_ROLE = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class SamplesModel(QAbstractTableModel):
    """Samples as a table; `show_samples` appends where the new ones begin with the old."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._samples: list[Sample] = []
        self._tabular = tabular(QGuiApplication.font())
        self._mono = mono(QGuiApplication.font())
        self._heads = [
            "#", self.tr("Ended"), self.tr("Sent at"), self.tr("Prompt"), self.tr("Cached"), self.tr("Output"), "TTFT",
            "TPOT", "E2E", self.tr("Reason"),
        ]  # fmt: skip
        self.outcomes = {
            Outcome.SUCCESSFUL: self.tr("successful"), Outcome.INCOMPLETE: self.tr("incomplete"),
            Outcome.FAILED: self.tr("failed"),
        }  # fmt: skip

    def sample(self, row: int) -> Sample:
        """The sample in a row."""
        return self._samples[row]

    def show_samples(self, samples: Sequence[Sample]) -> None:
        """Show these, in the order of their coming."""
        known = len(self._samples)
        if known and len(samples) >= known and samples[known - 1] is self._samples[-1]:
            if len(samples) > known:
                self.beginInsertRows(QModelIndex(), known, len(samples) - 1)
                self._samples.extend(samples[known:])
                self.endInsertRows()
            return
        self.beginResetModel()
        self._samples = list(samples)
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """As many as there are samples."""
        return 0 if parent is not None and parent.isValid() else len(self._samples)

    def columnCount(self, parent: Index | None = None) -> int:
        """Fixed."""
        return 0 if parent is not None and parent.isValid() else len(Column)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """The columns' names."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._heads[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return None if section in _TEXTS else _RIGHT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What stands in a cell."""
        if not index.isValid():
            return None
        column = Column(index.column())
        sample = self._samples[index.row()]
        value = _VALUES[column](sample)
        if role == _SORT_ROLE:
            return (-1.0 if value is None else value) if column not in _TEXTS else str(value)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(column, value, sample)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return None if column in _TEXTS else _RIGHT
        if role == Qt.ItemDataRole.FontRole:
            return None if column in _TEXTS else self._tabular
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(text for text in (sample.request_id, sample.reason) if text)
        return None

    def _text(self, column: Column, value: Any, sample: Sample) -> str:
        if column is Column.OUTCOME:
            return self.outcomes[sample.outcome]
        if column in _TEXTS:
            return str(value)
        return figures.duration(value) if column in _DURATIONS else figures.count(value)


class _Filter(QSortFilterProxyModel):
    """Only one outcome, or all."""

    def __init__(self, source: SamplesModel) -> None:
        super().__init__(source)
        self._samples = source
        self.outcome: str | None = None
        self.setSourceModel(source)
        self.setSortRole(_SORT_ROLE)

    def show_only(self, outcome: str | None) -> None:
        self.beginFilterChange()
        self.outcome = outcome
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def filterAcceptsRow(self, row: int, _parent: Index) -> bool:
        return self.outcome is None or self._samples.sample(row).outcome.value == self.outcome


class RequestsView(QWidget):
    """The table and what goes with it. `timeline_asked` carries the Sample to be shown in the timeline."""

    timeline_asked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = SamplesModel(self)
        self._filter = _Filter(self.model)
        self.outcomes = Segmented(
            self.tr("Requests"),
            (("", self.tr("all")), ("successful", self.tr("successful")), ("incomplete", self.tr("incomplete")),
             ("failed", self.tr("failed"))),
        )  # fmt: skip
        self.outcomes.show_key("")
        self.outcomes.chosen.connect(lambda key: self._filter.show_only(key or None))
        self.show_button = PlainButton(self.tr("Show in the timeline"))
        self.slowest = PlainButton(self.tr("Go to the slowest"))
        self._count = role_label("", "muted")
        self.table = QTableView()
        self._set_up_table()
        self._arrange()
        self.show_button.clicked.connect(self._show_chosen)
        self.slowest.clicked.connect(self.show_slowest)
        self.table.doubleClicked.connect(lambda _index: self._show_chosen())
        self._refresh()

    def show_samples(self, samples: Sequence[Sample]) -> None:
        """Show these; rows keep their place while a run goes on."""
        self.model.show_samples(samples)
        self._refresh()

    def show_slowest(self) -> None:
        """Choose the request that took longest, and show it in the timeline."""
        rows = range(self._filter.rowCount())
        found = max(rows, key=lambda row: self._e2e(row), default=None)
        if found is not None:
            self.table.selectRow(found)
            self.table.scrollTo(self._filter.index(found, 0))
            self._show_chosen()

    def _e2e(self, row: int) -> float:
        return self._sample(row).e2e_s or 0.0

    def _sample(self, row: int) -> Sample:
        return self.model.sample(self._filter.mapToSource(self._filter.index(row, 0)).row())

    def _show_chosen(self) -> None:
        rows = self.table.selectionModel().selectedRows()
        if rows:
            self.timeline_asked.emit(self._sample(rows[0].row()))

    def _refresh(self) -> None:
        any_row = self.model.rowCount() > 0
        self._count.setText(self.tr("Requests: {count}").format(count=figures.count(self._filter.rowCount())))
        self.slowest.setEnabled(any_row)
        self.show_button.setEnabled(bool(self.table.selectionModel().selectedRows()))

    def _set_up_table(self) -> None:
        table = self.table
        table.setModel(self._filter)
        table.setAccessibleName(self.tr("Requests of the run"))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setSortingEnabled(True)
        table.sortByColumn(Column.NUMBER, Qt.SortOrder.AscendingOrder)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 8)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, widest in _WIDEST.items():
            if column is Column.OUTCOME:
                widest = max(self.model.outcomes.values(), key=len)
            widest = max(widest, str(self.model.headerData(column, Qt.Orientation.Horizontal)) + "  ", key=len)
            table.setColumnWidth(column, table.fontMetrics().horizontalAdvance(widest) + 20)
        table.selectionModel().selectionChanged.connect(lambda *_: self._refresh())
        self._filter.rowsInserted.connect(lambda *_: self._refresh())
        self._filter.layoutChanged.connect(lambda *_: self._refresh())

    def _arrange(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.outcomes)
        top.addStretch(1)
        bottom = QHBoxLayout()
        bottom.setSpacing(8)
        bottom.addWidget(self._count)
        bottom.addStretch(1)
        for button in (self.slowest, self.show_button):
            bottom.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 0)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self.table, 1)
        column.addLayout(bottom)
