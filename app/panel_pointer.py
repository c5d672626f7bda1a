"""Shows the user where to look: a frame around a panel for a moment, or a parameter with the keyboard in its row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPalette, QPen
from PySide6.QtWidgets import QDockWidget, QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from app.bridge.store import Pointer, Store
    from app.main_window import MainWindow

_SHOWN_MS = 2500


class PanelPointer(QObject):
    """Follows the store's pointers. A panel behind a tab comes forward; the keyboard stays where it is."""

    def __init__(self, window: MainWindow, store: Store) -> None:
        super().__init__(window)
        self._window = window
        self.frame = PanelFrame()
        store.pointed.connect(self._point)

    def _point(self, pointer: Pointer) -> None:
        slot = self._window.slots.get(pointer.panel)
        if slot is None:
            return
        if pointer.parameter is not None:
            self._window.show_panel(pointer.panel)  # the panel itself goes to the row
            return
        if isinstance(slot, QDockWidget):
            slot.show()
            slot.raise_()
        self.frame.surround(slot)


class PanelFrame(QWidget):
    """A frame in the accent colour over a widget's edges. The pointer goes through it; it does not move."""

    def __init__(self) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SHOWN_MS)
        self._timer.timeout.connect(self._leave)

    def surround(self, widget: QWidget) -> None:
        """Frame this widget for a moment."""
        self._leave()
        self.setParent(widget)
        widget.installEventFilter(self)
        self.setGeometry(widget.rect())
        self.show()
        self.raise_()
        self._timer.start()

    def _leave(self) -> None:
        self._timer.stop()
        parent = self.parentWidget()
        if parent is not None:
            parent.removeEventFilter(self)
        self.hide()
        self.setParent(None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as what is framed."""
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the frame."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Accent), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5), 4, 4)
