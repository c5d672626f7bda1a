"""Bars by the thousand onto an image: what QPainter.drawRects would paint without smoothing, without its objects.

Each bar that Qt is to draw has to be an object of Python's first; at 512 requests making them took longer than drawing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QColor, QPainter

    _Numbers = NDArray[np.float64]


class BarRaster:
    """An image over the part of an item that `painter` shows: `fill` bars in the item's units, then `paint` it.

    For painters that move and scale but do not turn; edges are rounded to pixels as Qt rounds them.
    """

    def __init__(self, painter: QPainter, shown: QRectF) -> None:
        """`shown` is the part of the item that is seen."""
        self._painter = painter
        moved = painter.worldTransform()
        device = painter.device()
        self._ratio = ratio = device.devicePixelRatio()
        area = moved.mapRect(shown).normalized()
        self._left, self._top = int(np.floor(area.left() * ratio)), int(np.floor(area.top() * ratio))
        width = int(np.ceil(area.right() * ratio)) - self._left
        height = int(np.ceil(area.bottom() * ratio)) - self._top
        self._pixels = np.zeros((max(0, height), max(0, width)), np.uint32)
        self._x = moved.m11() * ratio, moved.dx() * ratio - self._left
        self._y = moved.m22() * ratio, moved.dy() * ratio - self._top

    def fill(self, x: _Numbers, y: _Numbers, widths: _Numbers, heights: _Numbers, colour: QColor) -> None:
        """Bars with these upper left corners, one after the other; a later one replaces what it covers."""
        height, width = self._pixels.shape
        lefts, rights = _pixels(x, widths, self._x, width)
        tops, bottoms = _pixels(y, heights, self._y, height)
        seen = (rights > lefts) & (bottoms > tops)
        value, pixels = _premultiplied(colour), self._pixels
        for left, right, top, bottom in zip(
            lefts[seen].tolist(), rights[seen].tolist(), tops[seen].tolist(), bottoms[seen].tolist(), strict=True
        ):
            pixels[top:bottom, left:right] = value

    def mark(self, x: _Numbers, y: _Numbers, heights: _Numbers, colour: QColor) -> None:
        """Upright lines, a pixel wide."""
        scale, _ = self._x
        at = np.floor(x * scale + self._x[1])
        self.fill((at - self._x[1]) / scale, y, np.full(len(x), 1 / abs(scale)), heights, colour)

    def paint(self) -> None:
        """Put the image where it belongs."""
        height, width = self._pixels.shape
        if not height or not width:
            return
        image = QImage(self._pixels.data, width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(self._ratio)
        painter = self._painter
        painter.save()
        painter.resetTransform()
        painter.drawImage(QPointF(self._left / self._ratio, self._top / self._ratio), image)
        painter.restore()


def _pixels(
    begins: _Numbers, lengths: _Numbers, scaled: tuple[float, float], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    scale, offset = scaled
    edges = np.stack((begins, begins + lengths)) * scale + offset
    edges = np.clip(np.floor(np.sort(edges, axis=0) + 0.5), 0, most).astype(np.int64)
    return edges[0], edges[1]


def _premultiplied(colour: QColor) -> np.uint32:
    alpha = colour.alpha()
    red, green, blue = ((part * alpha + 127) // 255 for part in (colour.red(), colour.green(), colour.blue()))
    return np.uint32(alpha << 24 | red << 16 | green << 8 | blue)
