"""An area that scrolls upwards and downwards only, and asks for the width that what is in it cannot do without."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

_WIDEST = 24  # letters' heights: a long name must not push the other panels away


class UprightScroll(QScrollArea):
    """`body` is as wide as the area, at least as wide as its contents need; what is longer has to wrap or to elide."""

    def __init__(self, body: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what is in it takes the keyboard, and scrolls it
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._body = body
        self.setWidget(body)

    def minimumSizeHint(self) -> QSize:
        """Room for the body and the scroll bar beside it."""
        height = super().minimumSizeHint().height()
        needed = self._body.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(min(needed, _WIDEST * self.fontMetrics().height()), height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ask anew when the body's contents have changed."""
        handled = super().eventFilter(watched, event)
        if event.type() is QEvent.Type.LayoutRequest and watched is self._body:
            self.updateGeometry()
        return handled
