"""The roofline: operations a byte against operations a second, both in powers of ten, with the limits as a roof."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QHelpEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.theme.fonts import tabular
from app.widgets import figures
from app.widgets.roofline_words import mark_name, mark_text, rate, roof_texts
from engine.metrics.roofline import Part

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import QPaintEvent

    from app.theme.tokens import Theme
    from engine.metrics.roofline import Roof, Work
    from engine.metrics.roofline_window import Standing

_MARK = 5.0
_NEAR = 14.0  # pixels from a mark within which the pointer means it
_ORDER = (Part.MIX, Part.PREFILL, Part.DECODE)


@dataclass(frozen=True, slots=True)
class Scale:
    """Powers of ten at the edges of the plot: operations a byte from left to right, a second from below."""

    left: float
    right: float
    low: float
    high: float

    def place(self, area: QRectF, intensity: float, flops_per_s: float) -> QPointF:
        """Where these two stand in the area."""
        x = (math.log10(intensity) - self.left) / (self.right - self.left)
        y = (math.log10(flops_per_s) - self.low) / (self.high - self.low)
        return QPointF(area.left() + x * area.width(), area.bottom() - y * area.height())


def scale_of(roof: Roof | None, works: list[Work], trail: tuple[tuple[float, float], ...]) -> Scale:
    """A scale of half powers of ten that holds all of it, so that it moves seldom."""
    xs = [work.intensity for work in works] + [x for x, _ in trail]
    ys = [work.flops_per_s for work in works] + [y for _, y in trail]
    if roof is not None:
        xs += [roof.ridge / 8, roof.ridge * 6]
        ys += [roof.flops_per_s * 1.6, roof.flops_per_s / 60]
    xs, ys = [x for x in xs if x > 0] or [1.0], [y for y in ys if y > 0] or [1e9]
    left, right = _halves(min(xs) / 1.6, max(xs) * 1.6)
    low, high = _halves(min(ys) / 1.6, max(ys) * 1.2)
    return Scale(left, right, low, high)


def _halves(low: float, high: float) -> tuple[float, float]:
    first, last = math.floor(math.log10(low) * 2) / 2, math.ceil(math.log10(high) * 2) / 2
    return first, max(last, first + 1.0)


class RooflinePlot(QWidget):
    """Marks tell the parts apart by their shape: a disc decodes, a square reads prompts, a ring is both together.

    Left to right in every language, as all charts.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._standing: Standing | None = None
        self._roof: Roof | None = None
        self._marks: list[tuple[QPointF, Work]] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Roofline"))

    def show_standing(self, standing: Standing | None, roof: Roof | None) -> None:
        """Draw this."""
        if (standing, roof) == (self._standing, self._roof):
            return
        self._standing, self._roof = standing, roof
        self.setAccessibleDescription("; ".join(mark_text(work, roof) for work in self._works()))
        self.update()

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """What can be read at a glance."""
        return QSize(320, 200)

    def minimumSizeHint(self) -> QSize:
        """The least that can be read."""
        return QSize(200, 96)

    def _works(self) -> list[Work]:
        if self._standing is None:
            return []
        found = (self._standing.work(part) for part in _ORDER)
        return [work for work in found if work is not None]

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw axes, roof, trail and marks."""
        with QPainter(self) as painter:
            font = QFont(self.font())
            font.setPointSizeF(max(7.0, font.pointSizeF() * 0.82))
            painter.setFont(tabular(font))
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint(painter)

    def _paint(self, painter: QPainter) -> None:
        works, trail = self._works(), self._standing.trail if self._standing is not None else ()
        scale = scale_of(self._roof, works, trail)
        metrics = painter.fontMetrics()
        side = metrics.horizontalAdvance("888 GFLOP/s") + 6
        end = metrics.horizontalAdvance("8,888") / 2 + 2
        area = QRectF(self.rect()).adjusted(side, metrics.height() * 0.6, -end, -metrics.height() * 2.1 - 4)
        if area.width() < 60 or area.height() < 30:
            return
        self._paint_axes(painter, area, scale)
        painter.setClipRect(area.adjusted(-1, -1, 1, 1))
        if self._roof is not None:
            self._paint_roof(painter, area, scale, self._roof)
        self._paint_trail(painter, area, scale, trail)
        painter.setClipping(False)
        self._paint_marks(painter, area, scale, works)

    def _paint_axes(self, painter: QPainter, area: QRectF, scale: Scale) -> None:
        line, faint = QColor(self._theme.line), QColor(self._theme.text_faint)
        height = painter.fontMetrics().height()
        for power in _whole(scale.left, scale.right):
            x = scale.place(area, 10.0**power, 1.0).x()
            painter.setPen(QPen(line, 1))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            painter.setPen(faint)
            box = QRectF(x - 40, area.bottom() + 2, 80, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, figures.significant(10.0**power, 2))
        for power in _whole(scale.low, scale.high):
            y = scale.place(area, 1.0, 10.0**power).y()
            painter.setPen(QPen(line, 1))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(faint)
            box = QRectF(0, y - height / 2, area.left() - 5, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                             rate(10.0**power, "FLOP/s", 1))  # fmt: skip
        painter.setPen(QColor(self._theme.text_muted))
        title, metrics = self.tr("arithmetic intensity, FLOP per byte"), painter.fontMetrics()
        fits = metrics.horizontalAdvance(title) <= area.width()  # else it has the room below the other axis, too
        box = QRectF(area.left() if fits else 0, 0, area.width() if fits else self.width(), height)
        box.moveTop(area.bottom() + height + 3)
        title = metrics.elidedText(title, Qt.TextElideMode.ElideRight, int(box.width()))
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter, title)

    def _paint_roof(self, painter: QPainter, area: QRectF, scale: Scale, roof: Roof) -> None:
        first, last = 10.0**scale.left, 10.0**scale.right
        ridge = scale.place(area, roof.ridge, roof.flops_per_s)
        begin = scale.place(area, first, first * roof.bytes_per_s)
        end = scale.place(area, last, roof.flops_per_s)
        under = QColor(self._theme.accent_soft)
        under.setAlpha(110)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(under)
        below = [QPointF(end.x(), area.bottom() + 400), QPointF(begin.x(), area.bottom() + 400)]
        painter.drawPolygon(QPolygonF([begin, ridge, end, *below]))
        painter.setPen(QPen(QColor(self._theme.text_faint), 1, Qt.PenStyle.DotLine))
        painter.drawLine(ridge, QPointF(ridge.x(), area.bottom()))
        painter.setPen(QPen(QColor(self._theme.text_muted), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPolyline(QPolygonF([begin, ridge, end]))
        self._paint_roof_texts(painter, area, ridge, roof)

    def _paint_roof_texts(self, painter: QPainter, area: QRectF, ridge: QPointF, roof: Roof) -> None:
        bandwidth, arithmetic, at_ridge = roof_texts(roof)
        metrics = painter.fontMetrics()
        painter.setPen(QColor(self._theme.text_muted))
        above = ridge.y() - 4
        width = metrics.horizontalAdvance(arithmetic)
        painter.drawText(QPointF(max(area.left() + 2, area.right() - width - 2), above), arithmetic)
        painter.drawText(QPointF(area.left() + 4, area.top() + metrics.ascent() + 1), bandwidth)
        painter.setPen(QColor(self._theme.text_faint))
        x = min(ridge.x() + 4, area.right() - metrics.horizontalAdvance(at_ridge) - 2)
        painter.drawText(QPointF(x, area.bottom() - 4), at_ridge)

    def _paint_trail(
        self, painter: QPainter, area: QRectF, scale: Scale, trail: tuple[tuple[float, float], ...]
    ) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        for number, (intensity, flops) in enumerate(trail, 1):
            colour = QColor(self._theme.text_muted)
            colour.setAlphaF(0.15 + 0.5 * number / len(trail))
            painter.setBrush(colour)
            painter.drawEllipse(scale.place(area, intensity, flops), 1.8, 1.8)

    def _paint_marks(self, painter: QPainter, area: QRectF, scale: Scale, works: list[Work]) -> None:
        self._marks = [(scale.place(area, work.intensity, work.flops_per_s), work) for work in works]
        taken: list[QRectF] = []
        for place, work in self._marks:
            self._paint_gap(painter, area, scale, place, work)
        for place, work in self._marks:
            self._paint_mark(painter, place, work.part)
            taken.append(QRectF(place.x() - _MARK, place.y() - _MARK, 2 * _MARK, 2 * _MARK))
        for place, work in reversed(self._marks):
            if work.part is Part.MIX and any(_distance(place, other) < _NEAR for other, _ in self._marks[1:]):
                continue  # the ring is around a mark that says the same
            text = mark_name(work.part)
            if self._roof is not None:
                text = f"{text} {figures.percent(self._roof.share(work))}"
            box = _free_box(painter, area, place, text, taken)
            if box is not None:
                taken.append(box)
                painter.setPen(QColor(self._theme.text))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_gap(self, painter: QPainter, area: QRectF, scale: Scale, place: QPointF, work: Work) -> None:
        """From the mark up to what the roof allows at its intensity."""
        roof = self._roof
        if roof is None or work.part is Part.MIX:
            return
        allowed = min(roof.flops_per_s, work.intensity * roof.bytes_per_s)
        top = scale.place(area, work.intensity, allowed)
        painter.setPen(QPen(QColor(self._colour(work.part)), 1, Qt.PenStyle.DashLine))
        painter.drawLine(place, top)

    def _paint_mark(self, painter: QPainter, place: QPointF, part: Part) -> None:
        rim, fill = QColor(self._theme.surface), QColor(self._colour(part))
        if part is Part.MIX:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(rim, 4))
            painter.drawEllipse(place, _MARK + 2.5, _MARK + 2.5)
            painter.setPen(QPen(fill, 1.8))
            painter.drawEllipse(place, _MARK + 2.5, _MARK + 2.5)
            return
        painter.setPen(QPen(rim, 1.5))
        painter.setBrush(fill)
        if part is Part.DECODE:
            painter.drawEllipse(place, _MARK, _MARK)
        else:
            painter.drawRect(QRectF(place.x() - _MARK, place.y() - _MARK, 2 * _MARK, 2 * _MARK))

    def _colour(self, part: Part) -> str:
        theme = self._theme
        return {Part.DECODE: theme.decode, Part.PREFILL: theme.prefill, Part.MIX: theme.text}[part]

    def event(self, event: QEvent) -> bool:
        """The tooltip of a mark has all of its numbers."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            near = [(_distance(place, QPointF(event.pos())), work) for place, work in self._marks]
            found = min(near, key=lambda pair: pair[0], default=None)
            if found is not None and found[0] <= _NEAR:
                QToolTip.showText(event.globalPos(), mark_text(found[1], self._roof), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)


def _whole(first: float, last: float) -> Iterator[int]:
    count = math.floor(last) - math.ceil(first) + 1
    step = 1 if count <= 6 else 2
    yield from range(math.ceil(first), math.floor(last) + 1, step)


def _distance(first: QPointF, second: QPointF) -> float:
    return math.hypot(first.x() - second.x(), first.y() - second.y())


def _free_box(
    painter: QPainter, area: QRectF, place: QPointF, text: str, taken: list[QRectF]
) -> QRectF | None:
    """Room for a mark's name beside, below or above it; None where there is none."""
    metrics = painter.fontMetrics()
    width, height = metrics.horizontalAdvance(text) + 4.0, float(metrics.height())
    middle, beside = place.y() - height / 2, _MARK + 5
    for x, y in (
        (place.x() + beside, middle), (place.x() - width / 2, place.y() + beside), (place.x() - beside - width, middle),
        (place.x() + beside, place.y() + beside), (place.x() - beside - width, place.y() + beside),
        (place.x() - width / 2, place.y() - beside - height),
    ):  # fmt: skip
        box = QRectF(x, y, width, height)
        if area.adjusted(0, -2, 2, 2).contains(box) and not any(box.intersects(other) for other in taken):
            return box
    return None
