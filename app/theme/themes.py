"""Which theme is in force, and the signal that it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication

from app.theme.icons import icon
from app.theme.tokens import DARK, LIGHT, Theme

if TYPE_CHECKING:
    from PySide6.QtGui import QIcon

CHOICES = ("system", "dark", "light")


class Themes(QObject):
    """Holds the theme in force. Panels take colours from `current` and redraw on `changed`."""

    changed = Signal(object)

    def __init__(self, start: Theme = DARK, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.current = start
        self.choice = start.name
        hints = QGuiApplication.styleHints()
        if hints is not None:
            hints.colorSchemeChanged.connect(self._system_changed)

    def use(self, name: str) -> None:
        """Switch to "dark" or "light"."""
        theme = LIGHT if name == "light" else DARK
        if theme is not self.current:
            self.current = theme
            self.changed.emit(theme)

    def choose(self, choice: str) -> None:
        """Switch to "dark" or "light", or follow the desktop ("system"; dark where it has no opinion)."""
        self.choice = choice if choice in CHOICES else "system"
        self.use(system_theme() if self.choice == "system" else self.choice)

    def icon(self, name: str, role: str = "text_muted") -> QIcon:
        """One of our icons in a colour of the theme ("text_muted", "accent", ...). Ask again on `changed`."""
        return icon(name, getattr(self.current, role), self.current.line)

    def _system_changed(self) -> None:
        if self.choice == "system":
            self.use(system_theme())


def system_theme() -> str:
    """ "dark" or "light", as the desktop asks for; dark where it does not say."""
    hints = QGuiApplication.styleHints()
    return "light" if hints is not None and hints.colorScheme() is Qt.ColorScheme.Light else "dark"
