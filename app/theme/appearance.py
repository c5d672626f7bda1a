"""Puts the theme and the text size onto the whole application."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QObject, Qt

from app.preferences import TEXT_SIZE, THEME
from app.theme.fonts import tabular, type_scale
from app.theme.palette import palette
from app.theme.restyling import Restyling
from app.theme.stylesheet import SCOPE, stylesheet_of_both

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication, QWidget

    from app.preferences import Preferences
    from app.theme.themes import Themes


class Appearance(QObject):
    """Keeps style, palette, font and style sheet as the preferences and the theme in force say.

    The style sheet names both themes and is set for a text size, not for a theme: windows carry the theme's name, by
    which its rules choose, so that another theme needs each widget looked at once only.
    """

    def __init__(
        self, application: QApplication, themes: Themes, preferences: Preferences, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._application = application
        self.themes = themes
        self._preferences = preferences
        self._system_pt = application.font().pointSizeF()
        self.restyling = Restyling(application, self)
        self._named: list[QWidget] = []
        application.setStyle("Fusion")
        themes.choose(preferences.theme)
        themes.changed.connect(self._change_theme)
        preferences.changed.connect(self._preference_changed)
        self.apply()

    def apply(self) -> None:
        """Draw everything anew from the theme and text size in force."""
        self.restyling.forget()
        scale = type_scale(self._preferences.text_size, self._system_pt)
        font = tabular(self._application.font())
        font.setPointSizeF(scale.text_pt)
        self._application.setFont(font)
        self._application.setPalette(palette(self.themes.current))
        self._name_theme()
        self._application.setStyleSheet("")  # off and on again: to change one, Qt takes several times as long
        mirrored = self._application.layoutDirection() is Qt.LayoutDirection.RightToLeft
        self._application.setStyleSheet(stylesheet_of_both(self.themes.current, scale, mirrored=mirrored))

    def _change_theme(self) -> None:
        windows = self._name_theme()
        if any(window.isVisible() for window in windows):
            self._application.setPalette(palette(self.themes.current))
            self.restyling.begin(windows)
        else:  # nothing is shown yet: what comes has the theme in force as its first one
            self.apply()

    def _name_theme(self) -> list[QWidget]:
        """Write the theme's name onto every window that is no other one's; those windows."""
        for part in self._named:
            if shiboken6.isValid(part) and part.parent() is not None:  # it is a part of a window now
                part.setProperty(SCOPE, None)
        self._named = [window for window in self._application.topLevelWidgets() if window.parent() is None]
        for window in self._named:
            window.setProperty(SCOPE, self.themes.current.name)
        return self._named

    def _preference_changed(self, key: str) -> None:
        if key == THEME:
            self.themes.choose(self._preferences.theme)
        elif key == TEXT_SIZE:
            self.apply()
