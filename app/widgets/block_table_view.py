"""The chosen request's block table: which physical block each logical one is, where it came from, who shares it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QStackedLayout, QTableView, QVBoxLayout, QWidget

from app.tables.block_table import BlockColumn, BlockTableModel
from app.tables.requests import stripped_id
from app.widgets import figures
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import role_label

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from engine.domain.request import RequestRow
    from engine.domain.telemetry import CacheSnapshot
    from engine.metrics.block_owners import BlockOwners

_DIGITS = {BlockColumn.LOGICAL: 7, BlockColumn.PHYSICAL: 8, BlockColumn.FILLED: 8, BlockColumn.ORIGIN: 12}


class BlockTableView(QWidget):
    """A table of logical blocks.

    `pointed` carries the physical block under the pointer or the keyboard's cursor (None: none); `walked` another owner
    of a shared block, whose row was clicked or entered, and that block.
    """

    pointed = Signal(object)
    walked = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = BlockTableModel(self)
        self.summary = ElidedLabel("muted")
        self.table = QTableView()
        self.table.setModel(self.model)
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
        if request is not None:
            self.summary.show_text(self._summary_text(request, snapshot))

    def _summary_text(self, request: RequestRow, snapshot: CacheSnapshot) -> str:
        size = snapshot.block_size
        held = sum(len(table) for table in request.block_tables)
        parts = [
            stripped_id(request.request_id),
            self.tr("blocks: {0}").format(figures.count(held)),
            self.tr("from the prefix cache: {0}").format(figures.count(request.num_cached_tokens // size)),
            self.tr("shared: {0}").format(figures.count(self.model.num_shared)),
        ]
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
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
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
        digit = table.fontMetrics().horizontalAdvance("0")
        for column, digits in _DIGITS.items():
            table.setColumnWidth(column, digits * digit + 10)
        header.setMinimumSectionSize(3 * digit)
        header.setStretchLastSection(True)
        table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.setMouseTracking(True)
        table.viewport().installEventFilter(self)
        table.entered.connect(self._point)
        table.selectionModel().currentRowChanged.connect(self._point)
        table.activated.connect(self._walk)
        table.clicked.connect(self._walk)

    def _point(self, index: QModelIndex) -> None:
        self.pointed.emit(self.model.block_at(index.row()) if index.isValid() else None)

    def _walk(self, index: QModelIndex) -> None:
        others, block = self.model.others_at(index.row()), self.model.block_at(index.row())
        if others and block is not None and index.column() == BlockColumn.SHARED:
            self.walked.emit(others[0], block)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The pointer left: no block is pointed at."""
        if event.type() == QEvent.Type.Leave:
            self.pointed.emit(None)
        return super().eventFilter(watched, event)
