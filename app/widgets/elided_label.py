"""A label of one line that is cut with "…" where it does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent


class ElidedLabel(QLabel):
    """The whole text is its accessible name, and its tooltip while it is cut (unless it was given another one).

    It is cut at its end, or in the `middle` where names differ in how they end.
    """

    def __init__(self, role: str, parent: QWidget | None = None, *, middle: bool = False) -> None:
        super().__init__(parent)
        self._mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
        self._full = ""
        self._own_tip = ""
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_text(self, text: str) -> None:
        """Show this text, cut where it must be."""
        self._full = " ".join(text.split())
        self._cut()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cut again at the new width."""
        super().resizeEvent(event)
        self._cut()

    def changeEvent(self, event: QEvent) -> None:
        """Cut again in the new font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._cut()

    def _cut(self) -> None:
        text = self.fontMetrics().elidedText(self._full, self._mode, max(self.width(), 1))
        if text != self.text():
            self.setText(text)
        if self.toolTip() in ("", self._own_tip):
            self._own_tip = self._full if text != self._full else ""
            self.setToolTip(self._own_tip)
        self.setAccessibleName(self._full)
