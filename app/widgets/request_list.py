"""The list of live requests, its selection in step with the block map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QCursor, QGuiApplication, QKeySequence, QPainter, QPaintEvent, QPalette, QRegion
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QMenu, QTableView

from app.tables.requests import Column, RequestsModel
from app.widgets.request_rows import RequestRows

if TYPE_CHECKING:
    from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QResizeEvent
    from PySide6.QtWidgets import QWidget


# Widths in digits of the font; the id takes the rest.
_WIDTHS = {Column.PHASE: 11, Column.PROMPT: 8, Column.GENERATED: 8, Column.CACHED: 8, Column.BLOCKS: 8,
           Column.AGE: 8}
_BY_IMPORTANCE = (Column.PHASE, Column.BLOCKS, Column.GENERATED, Column.PROMPT, Column.CACHED, Column.AGE)
_ID_SIGNS = 13
# Beside a right-aligned title the arrow would lie on the text.
_SORT_ARROW = ("QHeaderView::up-arrow, QHeaderView::down-arrow { subcontrol-origin: padding; "
               "subcontrol-position: center left; width: 8px; height: 8px; }")

_PRIORITY = 10  # far enough from the usual 0 that what a program sends rarely lies beyond it


class RequestList(QTableView):
    """Shows a RequestsModel. `chosen` carries the id the user selected (None: nothing), `abort_asked` one to abort.

    `priority_asked` carries an id and the priority that it is to have (less is earlier).
    """

    chosen = Signal(object)
    abort_asked = Signal(str)
    priority_asked = Signal(str, int)

    def __init__(self, model: RequestsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._requests = model
        self._selecting = False
        self._rows = RequestRows(self, model)
        self.setModel(model)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)  # Tab leads out of it; arrows lead through it
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)  # ids differ at their beginning or their end
        self.setIconSize(QSize(10, 10))
        self.setAccessibleName(self.tr("Live requests"))
        self.setMinimumHeight(64)
        self._set_up_headers()
        self.sortByColumn(Column.AGE, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        self.selectionModel().selectionChanged.connect(self._report)

    def _set_up_headers(self) -> None:
        rows = self.verticalHeader()
        rows.setVisible(False)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() + 8)
        columns = self.horizontalHeader()
        columns.setHighlightSections(False)
        columns.setMinimumSectionSize(36)
        columns.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        columns.setSectionResizeMode(Column.REQUEST, QHeaderView.ResizeMode.Stretch)
        sign = self.fontMetrics().horizontalAdvance("0")
        columns.setStyleSheet(_SORT_ARROW)
        for column, signs in _WIDTHS.items():
            columns.resizeSection(column, signs * sign)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the least important columns where there is no room for all."""
        super().resizeEvent(event)
        sign = self.fontMetrics().horizontalAdvance("0")
        room = self.viewport().width() - _ID_SIGNS * sign
        for column in _BY_IMPORTANCE:
            room -= self.columnWidth(column) or _WIDTHS[column] * sign
            self.setColumnHidden(column, room < 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows, or say what will be here while there is nothing."""
        special = QRegion()
        first, last = self.rowAt(event.rect().top()), self.rowAt(event.rect().bottom())
        shown = range(first, (last if last >= 0 else self._requests.rowCount() - 1) + 1) if first >= 0 else range(0)
        unusual = self._unusual_rows()
        with QPainter(self.viewport()) as painter:
            self._rows.paint(painter, [row for row in shown if row not in unusual])
        for row in unusual.intersection(shown):
            special += QRect(0, self.rowViewportPosition(row), self.viewport().width(), self.rowHeight(row))
        if not special.isEmpty():
            super().paintEvent(QPaintEvent(special & event.region()))
        if self._requests.rowCount() == 0:
            with QPainter(self.viewport()) as painter:
                painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
                painter.drawText(
                    self.viewport().rect().adjusted(8, 8, -8, -8),
                    Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap,
                    self.tr("No request runs or waits. Each will be a row here."),
                )

    def _unusual_rows(self) -> set[int]:
        """Rows that Qt draws itself: selected, under the pointer, with the keyboard in them."""
        rows = {index.row() for index in self.selectionModel().selectedRows()}
        if self.hasFocus():
            rows.add(self.currentIndex().row())
        if self.viewport().underMouse():
            rows.add(self.rowAt(self.viewport().mapFromGlobal(QCursor.pos()).y()))
        return rows

    def changeEvent(self, event: QEvent) -> None:
        """Take the new looks."""
        super().changeEvent(event)
        if hasattr(self, "_rows"):
            self._rows.forget()

    def select(self, request_id: str | None) -> None:
        """Select this request's row, without reporting it back."""
        row = self._requests.row_of(request_id) if request_id is not None else None
        self._selecting = True
        try:
            if row is None:
                self.selectionModel().clear()
            elif not self.selectionModel().isRowSelected(row, QModelIndex()):
                flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
                self.selectionModel().setCurrentIndex(self._requests.index(row, 0), flags)
                self.scrollTo(self._requests.index(row, 0))
        finally:
            self._selecting = False

    def selected_id(self) -> str | None:
        """The id of the selected request."""
        rows = self.selectionModel().selectedRows()
        request = self._requests.request_at(rows[0].row()) if rows else None
        return request.request_id if request is not None else None

    def _report(self) -> None:
        if not self._selecting:
            self.chosen.emit(self.selected_id())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete aborts, Escape clears the selection, Ctrl+C copies the id."""
        selected = self.selected_id()
        if event.key() == Qt.Key.Key_Escape and selected is not None:
            self.clearSelection()
        elif event.key() == Qt.Key.Key_Delete and selected is not None:
            self.abort_asked.emit(selected)
        elif event.matches(QKeySequence.StandardKey.Copy) and selected is not None:
            QGuiApplication.clipboard().setText(selected)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with the request."""
        menu = self.build_menu(self.viewport().mapFromGlobal(event.globalPos()))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def _add_priorities(self, menu: QMenu, request_id: str) -> None:
        submenu = menu.addMenu(self.tr("Priority"))
        for text, priority in (
            (self.tr("Before all usual ones"), -_PRIORITY), (self.tr("Usual"), 0),
            (self.tr("After all usual ones"), _PRIORITY),
        ):  # fmt: skip
            action = QAction(text, submenu)
            action.triggered.connect(
                lambda _checked=False, priority=priority: self.priority_asked.emit(request_id, priority)
            )
            submenu.addAction(action)

    def build_menu(self, place: QPoint) -> QMenu:
        """The context menu for this place of the list."""
        menu = QMenu(self)
        request = self._requests.request_at(self.indexAt(place).row())
        if request is not None:
            request_id = request.request_id
            abort = QAction(self.tr("Abort request"), menu)
            abort.triggered.connect(lambda: self.abort_asked.emit(request_id))
            copy = QAction(self.tr("Copy id"), menu)
            copy.triggered.connect(lambda: QGuiApplication.clipboard().setText(request_id))
            menu.addActions([abort, copy])
            self._add_priorities(menu, request_id)
            menu.addSeparator()
        table = QAction(self.tr("Copy table as CSV"), menu)
        table.triggered.connect(lambda: QGuiApplication.clipboard().setText(self._requests.as_csv()))
        menu.addAction(table)
        return menu
