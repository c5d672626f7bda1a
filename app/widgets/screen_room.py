"""No window larger than its screen: at 200 % one of 1280 × 800 pixels has room for 640 × 400 of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

_FRAME = QSize(8, 36)  # what a window manager may put around it, with the title bar to stay on the screen


def within_screen(window: QWidget, wanted: QSize) -> QSize:
    """`wanted`, or as much of it as the screen has room for on which `window` is or will be shown."""
    shown_on = window.parentWidget() or window
    return wanted.boundedTo(shown_on.screen().availableSize() - _FRAME)
