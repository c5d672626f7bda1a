"""Puts the theme and the text size onto the whole application."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.preferences import TEXT_SIZE, THEME
from app.theme.fonts import tabular, type_scale
from app.theme.palette import palette
from app.theme.stylesheet import stylesheet

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from app.preferences import Preferences
    from app.theme.themes import Themes


class Appearance(QObject):
    """Keeps style, palette, font and style sheet as the preferences and the theme in force say."""

    def __init__(
        self, application: QApplication, themes: Themes, preferences: Preferences, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._application = application
        self._themes = themes
        self._preferences = preferences
        self._system_pt = application.font().pointSizeF()
        application.setStyle("Fusion")
        themes.choose(preferences.theme)
        themes.changed.connect(self.apply)
        preferences.changed.connect(self._preference_changed)
        self.apply()

    def apply(self) -> None:
        """Draw everything anew from the theme and text size in force."""
        scale = type_scale(self._preferences.text_size, self._system_pt)
        font = tabular(self._application.font())
        font.setPointSizeF(scale.text_pt)
        self._application.setFont(font)
        self._application.setPalette(palette(self._themes.current))
        self._application.setStyleSheet(stylesheet(self._themes.current, scale))

    def _preference_changed(self, key: str) -> None:
        if key == THEME:
            self._themes.choose(self._preferences.theme)
        elif key == TEXT_SIZE:
            self.apply()
