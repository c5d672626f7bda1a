"""A part of the window with many parts of its own, one of which gets the keyboard first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent


class LeadingWidget(QWidget):
    """Hands the keyboard on when it gets it itself.

    Not by a focus proxy: Tab stops at each widget that has one, and so came from behind the proxy back to it, for ever.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._first: QWidget | None = None

    def lead_to(self, first: QWidget) -> None:
        """Who gets it, where it can be seen."""
        self._first = first

    def focusInEvent(self, event: QFocusEvent) -> None:
        """On to the first."""
        super().focusInEvent(event)
        if self._first is not None and self._first.isVisible():
            self._first.setFocus(event.reason())
