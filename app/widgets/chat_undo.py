"""A line that offers the way back for some seconds."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.widgets.icon import IconButton, PlainButton
from app.widgets.labels import role_label

_SHOWN_MS = 8000


class UndoBar(QWidget):
    """`undone` when the way back is taken, `expired` when it is gone for good; exactly one of them an offer."""

    undone = Signal()
    expired = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = role_label("", "caption")
        self._text.setMinimumWidth(20)
        self._open = False
        self._end = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._end.timeout.connect(self.expire)
        self.button = PlainButton(self.tr("Undo"), "link")
        self.button.clicked.connect(self._undo)
        close = IconButton("close", self.tr("Dismiss"), size=12)
        close.clicked.connect(self.expire)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 4, 2)
        row.addWidget(self._text, 1)
        row.addWidget(self.button)
        row.addWidget(close)
        self.hide()

    def offer(self, text: str) -> None:
        """Offer to undo what `text` says; an offer before it expires."""
        self.expire()
        self._open = True
        self._text.setText(text)
        self.show()
        self._end.start()

    def expire(self) -> None:
        """End the offer."""
        was_open = self._close()
        if was_open:
            self.expired.emit()

    def _undo(self) -> None:
        if self._close():
            self.undone.emit()

    def _close(self) -> bool:
        was_open, self._open = self._open, False
        self._end.stop()
        self.hide()
        return was_open
