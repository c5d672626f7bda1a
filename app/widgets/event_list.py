"""The list of cache events and stalls; choosing one chooses its request, block and step everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListView, QStackedLayout, QWidget

from app.tables.cache_events import CacheEventsModel
from app.widgets.labels import role_label
from engine.domain.cache_events import Evicted

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent


class _Lines(QListView):
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+C copies the line."""
        index = self.currentIndex()
        if event.matches(QKeySequence.StandardKey.Copy) and index.isValid():
            QGuiApplication.clipboard().setText(str(index.data()))
        else:
            super().keyPressEvent(event)


class EventList(QWidget):
    """Shows a CacheEventsModel. `chosen` carries the id, the block and the step of a line (None: it has none)."""

    chosen = Signal(object, object, object)
    look_asked = Signal()  # after `chosen`: show where that was

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = CacheEventsModel(self)
        self.lines = _Lines()
        self.lines.setModel(self.model)
        self.lines.setFrameShape(QFrame.Shape.NoFrame)
        self.lines.setUniformItemSizes(True)
        self.lines.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # long lines end in "…"
        self.lines.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.lines.setAccessibleName(self.tr("Events of the KV cache, newest first"))
        self.lines.clicked.connect(self._choose)
        self.lines.activated.connect(self._look)
        nothing = self.tr("Nothing has happened yet. Admissions, preemptions, evictions, failures, stalls come here.")
        self._nothing = role_label(nothing, "muted", wrap=True)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stack = QStackedLayout(self)
        self.stack.addWidget(self._nothing)
        self.stack.addWidget(self.lines)
        for signal in (self.model.rowsInserted, self.model.modelReset):
            signal.connect(self._show_what_there_is)

    def _show_what_there_is(self) -> None:
        self.stack.setCurrentIndex(1 if self.model.rowCount() else 0)

    def _look(self, index: QModelIndex) -> None:
        self._choose(index)
        self.look_asked.emit()

    def _choose(self, index: QModelIndex) -> None:
        line = self.model.line_at(index.row())
        if line is not None:
            first = line[0]
            self.chosen.emit(first.request_id, first.block_id if isinstance(first, Evicted) else None, first.step)
