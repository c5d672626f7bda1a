"""The chosen request's block table: which physical block each logical one is, where it came from, who shares it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QStackedLayout, QTableView, QVBoxLayout, QWidget

from app.tables.block_table import BlockColumn, BlockTableModel
from app.tables.requests import stripped_id
from app.widgets import figures
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import role_label

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtCore import QObject

    from engine.domain.request import RequestRow
    from engine.domain.telemetry import CacheSnapshot
    from engine.metrics.block_owners import BlockOwners

_DIGITS = {BlockColumn.LOGICAL: 7, BlockColumn.PHYSICAL: 8, BlockColumn.FILLED: 8, BlockColumn.ORIGIN: 16}
_GROUP_DIGITS = 7
_COPY = QKeySequence.StandardKey.Copy


class BlockTableView(QWidget):
    """A table of logical blocks.

    `pointed` carries the physical block under the pointer or the keyboard's cursor (None: none); `walked` another owner
    of a shared block, whose cell was clicked or entered, and that block; `located` a block to show in the map.
    Ctrl+C copies the chosen rows, or all of them.
    """

    pointed = Signal(object)
    walked = Signal(str, int)
    located = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = BlockTableModel(self)
        self.adapters: Mapping[str, str] = {}  # of the live requests that use one, by internal id
        self.summary = ElidedLabel("muted")
        self.table = QTableView()
        self.table.setModel(self.model)
        self._several_groups: bool | None = None
        self._wanted: int | None = None
        self._set_up_table()
        self._nothing = role_label(self.tr("Choose a request, or click a block that is in use."), "muted", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.summary)
        column.addWidget(self.table)
        self.stack = QStackedLayout(self)
        self.stack.addWidget(self._nothing)
        self.stack.addWidget(body)

    def show_request(self, request: RequestRow | None, owners: BlockOwners, snapshot: CacheSnapshot) -> None:
        """Show this request as it is in this snapshot; None says that none is chosen."""
        self.model.show_request(request, owners, snapshot)
        self.stack.setCurrentIndex(0 if request is None else 1)
        self._reveal_wanted()
        self._fit_columns(several_groups=snapshot.num_groups > 1)
        if request is not None:
            self.summary.show_text(self._summary_text(request, snapshot))

    def _summary_text(self, request: RequestRow, snapshot: CacheSnapshot) -> str:
        parts = [
            stripped_id(request.request_id),
            self.tr("blocks: {0}").format(figures.count(self.model.num_held)),
            self.tr("from the prefix cache: {0}").format(figures.count(self.model.num_found)),
            self.tr("shared: {0}").format(figures.count(self.model.num_shared)),
        ]
        adapter = self.adapters.get(request.request_id)
        if adapter is not None:
            parts.insert(1, self.tr("adapter {0}").format(adapter))
        size = snapshot.block_size
        if len(request.block_table):
            filled = request.filled_slots(len(request.block_table) - 1, size)
            parts.append(self.tr("last block: {0} of {1} slots").format(figures.count(filled), figures.count(size)))
        if request.tables_truncated:
            parts.append(self.tr("the page had no room for all of them"))
        return " · ".join(parts)

    def _set_up_table(self) -> None:
        table = self.table
        table.setFrameShape(QFrame.Shape.NoFrame)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)  # Tab leads out of it; arrows lead through it
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setWordWrap(False)
        table.setAccessibleName(self.tr("Block table of the chosen request"))
        table.setMinimumHeight(48)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 8)
        header = table.horizontalHeader()
        header.setSectionsClickable(False)
        header.setHighlightSections(False)
        header.setMinimumSectionSize(3 * table.fontMetrics().horizontalAdvance("0"))
        self._fit_columns(several_groups=False)
        header.setStretchLastSection(True)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.setMouseTracking(True)
        table.viewport().installEventFilter(self)
        table.installEventFilter(self)
        table.entered.connect(self._point)
        table.selectionModel().currentRowChanged.connect(self._point)
        table.activated.connect(self._enter)
        table.clicked.connect(self._walk)
        self._add_actions()

    def _fit_columns(self, *, several_groups: bool) -> None:
        if several_groups == self._several_groups:
            return
        self._several_groups = several_groups
        digit = self.table.fontMetrics().horizontalAdvance("0")
        for column, digits in _DIGITS.items():
            wider = _GROUP_DIGITS if several_groups and column is BlockColumn.LOGICAL else 0
            self.table.setColumnWidth(column, (digits + wider) * digit + 10)

    def _point(self, index: QModelIndex) -> None:
        self.pointed.emit(self.model.block_at(index.row()) if index.isValid() else None)

    def reveal(self, block: int) -> None:
        """Scroll to the row of this block and choose it, as soon as the table is seen and has it."""
        self._wanted = block
        self._reveal_wanted()

    def _reveal_wanted(self) -> None:
        if self._wanted is None or not self.table.isVisible():
            return
        row, self._wanted = self.model.row_of(self._wanted), None
        if row is not None and row != self.table.currentIndex().row():
            self.table.setCurrentIndex(self.model.index(row, BlockColumn.PHYSICAL))
            self.table.scrollTo(self.model.index(row, 0), QAbstractItemView.ScrollHint.PositionAtCenter)

    def _add_actions(self) -> None:
        table = self.table
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        for text, keys, act in (
            (self.tr("Copy the chosen rows"), QKeySequence(_COPY), self.copy_chosen),
            (self.tr("Copy the whole block table"), QKeySequence(), self.copy_all),
            (self.tr("Show the block in the map"), QKeySequence(), lambda: self._locate(table.currentIndex())),
        ):
            action = QAction(text, table)
            action.setShortcut(keys)
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(act)
            table.addAction(action)

    def copy_chosen(self) -> None:
        """Copy the chosen rows as tab-separated text; all where none is chosen."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        QGuiApplication.clipboard().setText(self.model.as_text(rows or range(self.model.rowCount())))

    def copy_all(self) -> None:
        """Copy all rows as tab-separated text."""
        QGuiApplication.clipboard().setText(self.model.as_text(range(self.model.rowCount())))

    def _locate(self, index: QModelIndex) -> None:
        block = self.model.block_at(index.row()) if index.isValid() else None
        if block is not None:
            self.located.emit(block)

    def _enter(self, index: QModelIndex) -> None:
        if index.column() == BlockColumn.SHARED and self.model.others_at(index.row()):
            self._walk(index)
        else:
            self._locate(index)

    def _walk(self, index: QModelIndex) -> None:
        others, block = self.model.others_at(index.row()), self.model.block_at(index.row())
        if others and block is not None and index.column() == BlockColumn.SHARED:
            self.walked.emit(others[0], block)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The pointer left: no block is pointed at. And copying copies rows, where Qt would copy one cell."""
        if event.type() == QEvent.Type.Leave and watched is self.table.viewport():
            self.pointed.emit(None)
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.matches(_COPY):
            self.copy_chosen()
            return True
        return super().eventFilter(watched, event)
