"""Icons inside widgets: drawn from the application's palette, so that they follow the theme by themselves."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QApplication, QPushButton, QSizePolicy, QToolButton, QWidget

from app.theme.icons import icon, pixmap
from app.theme.stylesheet import mixed

_RESTYLED = (QEvent.Type.PaletteChange, QEvent.Type.StyleChange, QEvent.Type.ApplicationPaletteChange)


class Tint(StrEnum):
    """Which colour of the theme an icon takes."""

    TEXT = "text"
    MUTED = "muted"
    FAINT = "faint"
    ACCENT = "accent"
    ERROR = "error"
    ON_ACCENT = "on_accent"


def tint_colour(tint: Tint) -> str:
    """The tint's colour in the theme in force, as "#rrggbb"."""
    palette = QApplication.palette()
    roles = {
        Tint.TEXT: QPalette.ColorRole.WindowText,
        Tint.FAINT: QPalette.ColorRole.PlaceholderText,
        Tint.ACCENT: QPalette.ColorRole.Accent,
        Tint.ERROR: QPalette.ColorRole.BrightText,
        Tint.ON_ACCENT: QPalette.ColorRole.Base,
    }
    if tint is Tint.MUTED:
        text = palette.color(QPalette.ColorRole.WindowText).name()
        return mixed(palette.color(QPalette.ColorRole.Base).name(), text, 0.68)
    return palette.color(roles[tint]).name()


def tinted(name: str, tint: Tint) -> QIcon:
    """An icon in the theme's colour, paler where its control is off."""
    palette = QApplication.palette()
    text = palette.color(QPalette.ColorRole.WindowText).name()
    return icon(name, tint_colour(tint), mixed(palette.color(QPalette.ColorRole.Base).name(), text, 0.36))


class IconLabel(QWidget):
    """A picture of one icon, for decoration: screen readers pass over it."""

    def __init__(self, name: str, size: int = 16, tint: Tint = Tint.MUTED, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._size, self._tint = name, size, tint
        self.setFixedSize(QSize(size, size))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_icon(self, name: str, tint: Tint | None = None) -> None:
        """Draw another icon."""
        self._name, self._tint = name, tint or self._tint
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the icon sharp at this screen's pixel ratio."""
        painter = QPainter(self)
        painter.drawPixmap(0, 0, pixmap(self._name, tint_colour(self._tint), self._size, self.devicePixelRatioF()))


class IconButton(QToolButton):
    """A flat button with an icon. `label` is its tooltip and its name for screen readers."""

    def __init__(
        self, name: str, label: str, *, size: int = 16, tint: Tint = Tint.MUTED, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._name, self._tint = name, tint
        self.setIconSize(QSize(size, size))
        self.setToolTip(label)
        self.setAccessibleName(label)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setIcon(tinted(name, tint))

    def show_icon(self, name: str, tint: Tint | None = None) -> None:
        """Draw another icon."""
        self._name, self._tint = name, tint or self._tint
        self.setIcon(tinted(self._name, self._tint))

    def changeEvent(self, event: QEvent) -> None:
        """Take the new theme's colour."""
        super().changeEvent(event)
        if event.type() in _RESTYLED:
            self.setIcon(tinted(self._name, self._tint))


class PlainButton(QPushButton):
    """A push button of one of the style sheet's kinds ("", "primary", "danger", "quiet", "link")."""

    def __init__(self, text: str, kind: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setProperty("kind", kind)
        self.setAutoDefault(False)
        if kind == "link":
            self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_kind(self, kind: str) -> None:
        """Change the kind, restyling only when it is another one."""
        if self.property("kind") != kind:
            self.setProperty("kind", kind)
            self.style().unpolish(self)
            self.style().polish(self)
