"""The lab's second page: the runs that are kept; two or more of them chosen are compared below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSortFilterProxyModel, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QMenu,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.tables.lab_runs import SORT_ROLE, Column, RunsModel
from app.widgets.empty_state import EmptyState
from app.widgets.icon import PlainButton
from app.widgets.lab_comparison import DifferenceTable, OverlayCharts
from app.widgets.lab_words import kept_state_text, unit_of, value_text
from app.widgets.labels import role_label
from app.widgets.panel_splitter import PanelSplitter
from app.widgets.segmented import Segmented

if TYPE_CHECKING:
    from app.bridge.lab_shelf import Comparison
    from app.bridge.lab_state import LabRuns
    from app.theme.tokens import Theme
    from engine.bench.result import RunRecord

_TYPING_MS = 250
_WIDEST = {Column.TITLE: 34, Column.WHEN: 20, Column.MODEL: 26, Column.STATE: 10, Column.TOKENS: 12,
           Column.GOODPUT: 9, Column.TTFT: 10, Column.TPOT: 10}  # fmt: skip


class RunsPage(QWidget):
    """Draws LabRuns. What is to be done with the chosen ones goes out as signals with their ids, the oldest first.

    `compare_asked` comes with two or more ids; the answer comes back by `show_comparison`.
    """

    filter_changed = Signal(str)
    compare_asked = Signal(object)
    open_asked = Signal(str)
    again_asked = Signal(object)
    export_asked = Signal(object)
    delete_asked = Signal(object)
    undo_asked = Signal()
    baseline_asked = Signal(str, bool)
    notes_edited = Signal(str, str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._noted: RunRecord | None = None
        self.filter = QLineEdit()
        self.filter.setObjectName("labRunFilter")
        self.filter.setPlaceholderText(self.tr("Filter runs"))
        self.filter.setAccessibleName(self.tr("Filter runs"))
        self.filter.setClearButtonEnabled(True)
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._typing.timeout.connect(lambda: self.filter_changed.emit(self.filter.text()))
        self.filter.textChanged.connect(self._typing.start)
        self.model = RunsModel(lambda key, value: value_text(value, unit_of(key)), kept_state_text, self)
        self._order = QSortFilterProxyModel(self)
        self._order.setSourceModel(self.model)
        self._order.setSortRole(SORT_ROLE)
        self.table = QTableView()
        self.differences = DifferenceTable(theme)
        self.charts = OverlayCharts(theme)
        self._make_parts()
        self._set_up_table()
        self._arrange()
        self._refresh()

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.differences.use_theme(theme)
        self.charts.use_theme(theme)

    def show_runs(self, runs: LabRuns) -> None:
        """Draw the list; what was chosen stays chosen where it is still there."""
        chosen = {record.id for record in self.chosen()}
        self.model.show_records(runs.records)
        self._choose(chosen)
        self.undo.setVisible(bool(runs.deleted))
        self.undo.setText(self.tr("Undo the deletion ({count})").format(count=len(runs.deleted)))
        nothing = not runs.records
        self._whole.setCurrentWidget(self.empty if nothing and not runs.text and not runs.deleted else self._main)
        self._refresh()

    def show_comparison(self, found: Comparison) -> None:
        """Draw what `compare_asked` asked for, unless something else was chosen meanwhile."""
        if [record.id for record in found.records] == [record.id for record in self.chosen()]:
            self.differences.show_comparison(found)
            self.charts.show_records(found.records)
            self._lower.setCurrentWidget(self._compared)

    def chosen(self) -> list[RunRecord]:
        """The chosen runs; a baseline first, then the oldest first."""
        rows = self.table.selectionModel().selectedRows() if self.table.selectionModel() else []
        records = [self.model.records[self._order.mapToSource(row).row()] for row in rows]
        return sorted(records, key=lambda record: (not record.baseline, record.created_unix_s))

    def choose(self, run_ids: set[str]) -> None:
        """Choose these runs, as a click would."""
        self._choose(run_ids)
        self._refresh()

    def _choose(self, run_ids: set[str]) -> None:
        selection = self.table.selectionModel()
        selection.blockSignals(True)
        self.table.clearSelection()
        flag = selection.SelectionFlag.Select | selection.SelectionFlag.Rows
        for row in range(self._order.rowCount()):
            place = self._order.index(row, 0)
            if self.model.records[self._order.mapToSource(place).row()].id in run_ids:
                selection.select(place, flag)
        selection.blockSignals(False)
        self.table.viewport().update()

    # What is chosen

    def _refresh(self) -> None:
        chosen = self.chosen()
        one = chosen[0] if len(chosen) == 1 else None
        for button in (self.open, self.again, self.baseline, self.notes):
            button.setEnabled(one is not None)
        for button in (self.export, self.delete):
            button.setEnabled(bool(chosen))
        self.baseline.setText(self.tr("No baseline") if one is not None and one.baseline else self.tr("Baseline"))
        self._show_notes(one)
        if len(chosen) >= 2:
            self._hint.setText(self.tr("Comparing…"))
            self._lower.setCurrentWidget(self._hint)
            self.compare_asked.emit([record.id for record in chosen])
            return
        self._hint.setText(
            self.tr("Choose two or more runs (Ctrl or Shift and a click) to compare them here. The first is the oldest "
                    "one, or the one marked as baseline.")
        )  # fmt: skip
        self._lower.setCurrentWidget(self._hint)

    def _show_notes(self, one: RunRecord | None) -> None:
        self._noted = one
        self.notes.blockSignals(True)
        self.notes.setText(one.notes if one is not None else "")
        self.notes.blockSignals(False)

    def _save_notes(self) -> None:
        one = self._noted
        if one is not None and self.notes.text() != one.notes:
            self.notes_edited.emit(one.id, self.notes.text())

    def _ids(self) -> list[str]:
        return [record.id for record in self.chosen()]

    # Parts

    def _make_parts(self) -> None:
        self.open = PlainButton(self.tr("Open"))
        self.open.setToolTip(self.tr("Its charts, figures, distributions and requests"))
        self.open.clicked.connect(lambda: self.open_asked.emit(self.chosen()[0].id))
        self.again = PlainButton(self.tr("Use its load"))
        self.again.setToolTip(self.tr("Fill the set-up with this run's load, to send it again"))
        self.again.clicked.connect(lambda: self.again_asked.emit(self.chosen()[0].workload))
        self.baseline = PlainButton("")
        self.baseline.setToolTip(self.tr("What later runs are compared with; kvdeck bench --baseline repeats it"))
        self.baseline.clicked.connect(
            lambda: self.baseline_asked.emit(self.chosen()[0].id, not self.chosen()[0].baseline)
        )
        self.export = PlainButton(self.tr("Export…"))
        self.export.clicked.connect(lambda: self.export_asked.emit(self._ids()))
        self.delete = PlainButton(self.tr("Delete"), "danger")
        self.delete.setToolTip(self.tr("Takes the chosen runs off the list; they can be brought back for an hour"))
        self.delete.clicked.connect(lambda: self.delete_asked.emit(self._ids()))
        self.undo = PlainButton("", "link")
        self.undo.setObjectName("labUndo")
        self.undo.clicked.connect(self.undo_asked)
        self.notes = QLineEdit()
        self.notes.setPlaceholderText(self.tr("Notes on this run"))
        self.notes.setAccessibleName(self.tr("Notes on this run"))
        self.notes.editingFinished.connect(self._save_notes)
        self._hint = role_label("", "muted", wrap=True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.views = Segmented(
            self.tr("View of the comparison"), (("table", self.tr("Differences")), ("charts", self.tr("Over time")))
        )
        self.views.show_key("table")
        self.empty = EmptyState(
            "clock", self.tr("Runs, kept and compared"),
            self.tr("Each load that is sent will be here, with what it was measured on. Send one from the first page."),
            self.tr("Set up a load"),
        )  # fmt: skip

    def _set_up_table(self) -> None:
        table = self.table
        table.setModel(self._order)
        table.setAccessibleName(self.tr("Runs"))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setSortingEnabled(True)
        table.sortByColumn(Column.WHEN, Qt.SortOrder.DescendingOrder)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 9)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, letters in _WIDEST.items():
            table.setColumnWidth(column, table.fontMetrics().averageCharWidth() * letters + 16)
        table.selectionModel().selectionChanged.connect(lambda *_: self._refresh())
        table.doubleClicked.connect(lambda _index: self.open.click())
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.customContextMenuRequested.connect(lambda at: self.menu().popup(table.viewport().mapToGlobal(at)))
        gone = QAction(self.delete.text(), table)
        gone.setShortcut(QKeySequence.StandardKey.Delete)
        gone.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        gone.triggered.connect(lambda _checked=False: self.delete.click())
        table.addAction(gone)

    def _arrange(self) -> None:
        bar = QHBoxLayout()
        bar.setSpacing(6)
        bar.addWidget(self.filter, 1)
        bar.addWidget(self.undo)
        for button in (self.open, self.again, self.baseline, self.export, self.delete):
            bar.addWidget(button)
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.table, 1)
        column.addWidget(self.notes)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.differences)
        self._stack.addWidget(self.charts)
        self.views.chosen.connect(lambda key: self._stack.setCurrentIndex(("table", "charts").index(key)))
        self._compared = QWidget()
        lower = QVBoxLayout(self._compared)
        lower.setContentsMargins(0, 4, 0, 0)
        lower.setSpacing(6)
        lower.addWidget(self.views)
        lower.addWidget(self._stack, 1)
        self._lower = QStackedWidget()
        self._lower.addWidget(self._hint)
        self._lower.addWidget(self._compared)
        splitter = PanelSplitter(Qt.Orientation.Vertical, ((upper, 4), (self._lower, 6)))
        splitter.setChildrenCollapsible(False)
        self._main = QWidget()
        main = QVBoxLayout(self._main)
        main.setContentsMargins(16, 0, 16, 8)
        main.setSpacing(6)
        main.addLayout(bar)
        main.addWidget(splitter, 1)
        self._whole = QStackedWidget()
        self._whole.addWidget(self.empty)
        self._whole.addWidget(self._main)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._whole)

    def menu(self) -> QMenu:
        """What can be done with the chosen runs, for a right click."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for button in (self.open, self.again, self.baseline, self.export, self.delete):
            action = menu.addAction(button.text())
            action.setEnabled(button.isEnabled())
            action.triggered.connect(lambda _checked=False, button=button: button.click())
        return menu
