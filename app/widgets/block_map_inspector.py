"""One line of words that is cut short where the width ends, so that long ids never widen a panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.theme.fonts import tabular

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent


class InspectorLine(QLabel):
    """A muted label of one line. Where the whole does not fit, the first shorter wording that does; else an ellipsis.

    The tooltip has the whole. The text is not QLabel's own, with which every change has the whole window laid out anew.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._shorter: tuple[str, ...] = ()
        self.setProperty("role", "caption")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_text(self, text: str, *shorter: str) -> None:
        """Show this, or where there is no room one of the shorter wordings; the same again costs nothing."""
        if (text, shorter) == (self._text, self._shorter):
            return
        self._text, self._shorter = text, shorter
        self.setToolTip(text)
        self.setAccessibleName(text)
        self.update()

    def text(self) -> str:
        """The whole wording."""
        return self._text

    def sizeHint(self) -> QSize:
        """One line, as wide as there is room."""
        return QSize(200, self.fontMetrics().height() + 2)

    def minimumSizeHint(self) -> QSize:
        """One line."""
        return QSize(40, self.fontMetrics().height() + 2)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw what fits."""
        with QPainter(self) as painter:
            self._paint(painter)

    @property
    def shown(self) -> str:
        """The wording that there is room for."""
        metrics = QFontMetrics(tabular(self.font()))
        wordings = (self._text, *self._shorter)
        fitting = (text for text in wordings if metrics.horizontalAdvance(text) <= self.width())
        return next(fitting, metrics.elidedText(wordings[-1], Qt.TextElideMode.ElideRight, self.width()))

    def _paint(self, painter: QPainter) -> None:
        painter.setFont(tabular(self.font()))
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        leading = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(self.rect(), leading, self.shown)
