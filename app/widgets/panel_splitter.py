"""A splitter with a hairline that is easy to grab: the handle is wider than what is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QSplitter, QSplitterHandle, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

_HANDLE = 9


class _Hairline(QSplitterHandle):
    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw one line in the middle, in the accent colour under the pointer."""
        role = QPalette.ColorRole.Accent if self.underMouse() else QPalette.ColorRole.Mid
        with QPainter(self) as painter:
            colour = self.palette().color(role)
            if self.orientation() == Qt.Orientation.Horizontal:
                painter.fillRect(self.width() // 2, 0, 1, self.height(), colour)
            else:
                painter.fillRect(0, self.height() // 2, self.width(), 1, colour)


class PanelSplitter(QSplitter):
    """Splits a panel into `parts` whose sizes begin in these proportions."""

    def __init__(self, orientation: Qt.Orientation, parts: tuple[tuple[QWidget, int], ...]) -> None:
        super().__init__(orientation)
        self.setHandleWidth(_HANDLE)
        for place, (widget, share) in enumerate(parts):
            self.addWidget(widget)
            self.setStretchFactor(place, share)
        self.setSizes([1000 * share for _, share in parts])

    def createHandle(self) -> QSplitterHandle:
        """A handle that draws a hairline."""
        return _Hairline(self.orientation(), self)


def stacked(*widgets: QWidget) -> QWidget:
    """A part of a splitter: these, one under the other."""
    holder = QWidget()
    layout = QVBoxLayout(holder)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(6)
    for widget in widgets:
        layout.addWidget(widget)
    return holder
