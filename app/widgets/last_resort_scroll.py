"""All the room for one widget; where that is less than it cannot do without, it scrolls instead of being cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

_MOST_LINES = QSize(24, 12)


class LastResortScroll(QScrollArea):
    """Asks for what its content needs, yet for no more than `most` heights of a line of text.

    `needs_changed` says that this may be another size: what is hidden behind a tab passes no such word on by itself.

    Not a resizable QScrollArea: that one gives a content with wrapped words the height that it would like to have.
    """

    needs_changed = Signal()

    def __init__(
        self, content: QWidget | None = None, most: QSize = _MOST_LINES, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._most = most
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the content takes the keyboard
        self.viewport().setAutoFillBackground(False)
        if content is not None:
            self.hold(content)

    def hold(self, content: QWidget) -> None:
        """Give the room to this widget."""
        self.setWidget(content)
        content.setAutoFillBackground(False)
        self._tell()

    def minimumSizeHint(self) -> QSize:
        """What the content needs, within limits."""
        return self._needed.boundedTo(self._most * self.fontMetrics().height())

    def sizeHint(self) -> QSize:
        """As the content has it."""
        content = self.widget()
        return super().sizeHint() if content is None else content.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """All the room is the content's."""
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Ask anew when the content needs another size."""
        handled = super().eventFilter(watched, event)
        if event.type() is QEvent.Type.LayoutRequest and watched is self.widget():
            self._tell()
        return handled

    def viewportEvent(self, event: QEvent) -> bool:
        """The content has told its surroundings that it needs another size."""
        handled = super().viewportEvent(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self._tell()
        return handled

    def _tell(self) -> None:
        self._fit()
        self.updateGeometry()
        self.needs_changed.emit()

    @property
    def _needed(self) -> QSize:
        content = self.widget()
        return QSize() if content is None else content.minimumSizeHint().expandedTo(content.minimumSize())

    def _fit(self) -> None:
        content = self.widget()
        if content is None:
            return
        room, needed = self.size(), self._needed
        bar = self.verticalScrollBar().sizeHint().width()
        is_high = needed.height() > room.height()
        is_wide = needed.width() > room.width() - (bar if is_high else 0)
        beside = QSize(bar if is_high else 0, bar if is_wide else 0)
        content.resize((room - beside).expandedTo(needed))
