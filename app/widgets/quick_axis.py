"""An axis with the looks of pyqtgraph's own, which makes two points of each tick and a picture to play them from."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MEASURED = QRectF(0, 0, 100, 100)
_HEIGHT = 0.8  # of a text's box, which is larger than what stands in it
_MOST_SIZES = 1000


@dataclass(frozen=True, slots=True)
class _Drawing:
    line: QLineF
    ticks: list[tuple[QPen, list[QLineF]]]
    texts: list[tuple[QRectF, str]]


class QuickAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """An axis at the left or at the bottom, with a font of its own and without grid, logarithms or prefixes."""

    picture: _Drawing | None

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation)
        self._upright = orientation == "left"
        self._sizes: dict[str, tuple[float, float]] = {}

    def setTickFont(self, font: QFont) -> None:
        """Write the numbers in this font."""
        self._sizes.clear()
        super().setTickFont(font)

    def paint(self, painter: QPainter, _option: object, _widget: object = None) -> None:
        """Draw. `picture` is what there is to draw; pyqtgraph clears it where that changes."""
        if self.style["tickFont"] is not None:
            painter.setFont(self.style["tickFont"])
        drawing: _Drawing | None = self.picture
        if drawing is None:
            drawing = self.picture = self._draw(painter)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(self.pen())
        painter.drawLine(drawing.line)
        for pen, lines in drawing.ticks:
            painter.setPen(pen)
            painter.drawLines(lines)
        painter.setPen(self.textPen())
        painter.setClipRect(self.boundingRect().toAlignedRect(), Qt.ClipOperation.IntersectClip)
        side = Qt.AlignmentFlag.AlignRight if self._upright else Qt.AlignmentFlag.AlignHCenter
        above = Qt.AlignmentFlag.AlignVCenter if self._upright else Qt.AlignmentFlag.AlignTop
        flags = int(side | above) | int(Qt.TextFlag.TextDontClip)
        for place, text in drawing.texts:
            painter.drawText(place, flags, text)
        painter.restore()

    def tickValues(self, least: float, most: float, size: float) -> list[tuple[float, list[float]]]:
        """Distance and places of the ticks, by level."""
        least, most = sorted((least, most))
        levels, known = [], np.empty(0)
        for distance, offset in self.tickSpacing(least, most, size):
            first = ceil((least - offset) / distance) * distance + offset
            values = np.arange(int((most - first) / distance) + 1) * distance + first
            if known.size:
                after = np.searchsorted(known, values)
                around = np.stack((known[np.minimum(after, known.size - 1)], known[np.maximum(after - 1, 0)]))
                values = values[(np.abs(around - values) > distance * 0.01).all(axis=0)]
            known = np.sort(np.concatenate((known, values)))
            levels.append((distance, values.tolist()))
        return levels

    def _draw(self, painter: QPainter) -> _Drawing:
        bounds = self.mapRectFromParent(self.geometry())
        if self._upright:
            edge = bounds.right() - 1
            line = QLineF(edge, bounds.top() - 1, edge, bounds.bottom() + 1)
        else:
            edge = bounds.top() + 1
            line = QLineF(bounds.left() - 1, edge, bounds.right() + 1, edge)
        levels = self.tickValues(self.range[0], self.range[1], line.length())
        places = [self._places(np.array(values), bounds) for _, values in levels]
        ticks = [self._ticks(level, on[~np.isnan(on)], bounds) for level, on in enumerate(places)]
        texts = self._texts(painter, levels, places, bounds) if self.style["showValues"] else []
        return _Drawing(line, ticks, texts)

    def _places(self, values: NDArray[np.float64], bounds: QRectF) -> NDArray[np.float64]:
        """Where values stand along the axis, in the item's units; NaN beyond its ends."""
        begin, end = self.range
        whole = bounds.height() if self._upright else bounds.width()
        if begin == end:
            return values
        share = (values - begin) / (end - begin)
        places: NDArray[np.float64] = np.where((share < 0) | (share > 1), np.nan, share)
        return (1 - places) * whole if self._upright else places * whole

    def _ticks(self, level: int, places: NDArray[np.float64], bounds: QRectF) -> tuple[QPen, list[QLineF]]:
        pen = QPen(self.tickPen())
        colour = QColor(pen.color())
        colour.setAlpha(255 // (level + 1))
        pen.setColor(colour)
        length = self.style["tickLength"] / (level * 0.5 + 1)
        if self._upright:
            right = bounds.right()
            return pen, [QLineF(right, y, right - length, y) for y in places.tolist()]
        top = bounds.top()
        return pen, [QLineF(x, top, x, top + length) for x in places.tolist()]

    def _texts(
        self, painter: QPainter, levels: list[tuple[float, list[float]]], places: list[NDArray[np.float64]],
        bounds: QRectF,
    ) -> list[tuple[QRectF, str]]:  # fmt: skip
        """Numbers of the coarsest level, and of finer ones as long as they are not crowded."""
        texts: list[tuple[QRectF, str]] = []
        taken = 0.0
        whole = (bounds.height() if self._upright else bounds.width()) + 2
        for level in range(min(len(levels), self.style["maxTextLevel"] + 1)):
            distance, values = levels[level]
            on = [place for place in zip(places[level].tolist(), self.tickStrings(values, 1.0, distance), strict=True)
                  if place[0] == place[0]]  # fmt: skip
            sizes = [self._size(painter, text) for _, text in on]
            taken += sum(size[1 if self._upright else 0] for size in sizes)
            if level and any(len(texts) >= count and taken / whole >= most
                             for count, most in self.style["textFillLimits"]):  # fmt: skip
                break
            for (place, text), size in zip(on, sizes, strict=True):
                rect = self._text_place(place, size, bounds)
                if self.boundingRect().intersected(rect) == rect:
                    texts.append((rect, text))
        return texts

    def _text_place(self, place: float, size: tuple[float, float], bounds: QRectF) -> QRectF:
        width, height = size
        offset = max(0, self.style["tickLength"]) + self.style["tickTextOffset"][0 if self._upright else 1]
        corner = (
            QPointF(bounds.right() - offset - width, place - height / 2)
            if self._upright
            else QPointF(place - width / 2, bounds.top() + offset)
        )
        return QRectF(corner.x(), corner.y(), width, height)

    def _size(self, painter: QPainter, text: str) -> tuple[float, float]:
        size = self._sizes.get(text)
        if size is None:
            if len(self._sizes) > _MOST_SIZES:
                self._sizes.clear()
            box: Any = painter.boundingRect(_MEASURED, int(Qt.AlignmentFlag.AlignCenter), text)
            size = self._sizes[text] = box.width(), box.height() * _HEIGHT
        return size
