"""Our line icons (resources/icons/*.svg), drawn in a colour of the theme."""

from __future__ import annotations

from functools import cache, lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.resources import resource

_SIZES = (16, 20, 32, 48)
_PIXMAPS = 256


@cache
def _source(name: str) -> str:
    return resource("icons", f"{name}.svg").read_text(encoding="utf-8")


@lru_cache(_PIXMAPS)  # asked for each time that one is painted
def pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """One icon as a picture of `size` logical pixels for a screen of this device pixel ratio."""
    picture = QPixmap(QSize(round(size * ratio), round(size * ratio)))
    picture.fill(Qt.GlobalColor.transparent)
    renderer = QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))
    painter = QPainter(picture)
    renderer.render(painter, QRectF(picture.rect()))
    painter.end()
    picture.setDevicePixelRatio(ratio)
    return picture


@cache
def icon(name: str, colour: str, disabled: str | None = None) -> QIcon:
    """An icon in `colour` ("#rrggbb"), and in `disabled` where its control is off."""
    result = QIcon()
    for size in _SIZES:
        result.addPixmap(pixmap(name, colour, size), QIcon.Mode.Normal)
        if disabled is not None:
            result.addPixmap(pixmap(name, disabled, size), QIcon.Mode.Disabled)
    return result
