"""Which theme is in force, and the signal that it changed."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.theme.tokens import DARK, LIGHT, Theme


class Themes(QObject):
    """Holds the theme in force. Panels take colours from `current` and redraw on `changed`."""

    changed = Signal(object)

    def __init__(self, start: Theme = DARK, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.current = start

    def use(self, name: str) -> None:
        """Switch to "dark" or "light"."""
        theme = LIGHT if name == "light" else DARK
        if theme is not self.current:
            self.current = theme
            self.changed.emit(theme)
