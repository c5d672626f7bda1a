"""The log: a window of its own that can be docked at the bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDockWidget

from app.widgets.log_view import LogView
from app.widgets.panel_slot import PanelTitle

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent
    from PySide6.QtWidgets import QWidget

    from app.theme.themes import Themes
    from app.widgets.log_book import LogBook

_SIZE = (900, 460)


class LogWindow(QDockWidget):
    """Window, host and engine in one log. Begins as a floating window; Esc closes it."""

    def __init__(self, book: LogBook, themes: Themes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Log"))
        self.setObjectName("dock_log")
        self.view = LogView(book, themes)
        self.setWidget(self.view)
        bar = PanelTitle(self.tr("Log"))
        bar.add_button("dock", self.tr("Dock or float")).clicked.connect(
            lambda: self.setFloating(not self.isFloating())
        )
        bar.add_button("close", self.tr("Hide the log")).clicked.connect(self.close)
        self.setTitleBarWidget(bar)

    def place(self, window: QWidget) -> None:
        """Float over the lower part of `window`, where the log has never been before."""
        self.setFloating(True)
        width, height = min(_SIZE[0], window.width() - 80), min(_SIZE[1], window.height() - 120)
        self.resize(width, height)
        corner = window.geometry()
        self.move(corner.x() + (corner.width() - width) // 2, corner.bottom() - height - 64)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes a floating log."""
        if event.key() == Qt.Key.Key_Escape and self.isFloating():
            self.close()
        else:
            super().keyPressEvent(event)
