"""The lanes of the step chart: where each is, and how bars, lines and axes are drawn in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from app.widgets import figures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.theme.tokens import Theme
    from engine.domain.telemetry import StepSample

GUTTER_PAD = 6
_LANE_GAP = 6
# Tokens per step come first: what has no room for three plots that can be read shows two, or the tokens alone.
_SHARES = ((0.5, 0.25, 0.25), (0.62, 0.38), (1.0,))
_LEAST_PLOT = 28


@dataclass(frozen=True, slots=True)
class Lane:
    """One lane: its plot area in pixels, the value at its upper end, and a step's width in pixels."""

    area: QRect
    end: float
    pitch: int

    def y(self, value: float) -> float:
        """The height of a value."""
        return self.area.bottom() + 1 - self.area.height() * min(1.0, value / self.end)

    def lefts(self, count: int) -> range:
        """The left edges of `count` steps, the newest at the right edge."""
        right = self.area.right() + 1
        return range(right - self.pitch * count, right, self.pitch)


def stacked_lanes(plot: QRect, title_height: int, ends: Sequence[float], pitch: int) -> list[Lane]:
    """Lanes one above the other, each with room for its title: the first of `ends`, and of the others what fits."""
    shares = next((each for each in _SHARES if _lowest(plot, title_height, each) >= _LEAST_PLOT), _SHARES[-1])
    lanes, y = [], plot.top()
    for share, end in zip(shares, ends, strict=False):
        height = int((plot.height() - (len(shares) - 1) * _LANE_GAP) * share)
        area = QRect(plot.left(), y + title_height, plot.width(), max(4, height - title_height))
        lanes.append(Lane(area, end, pitch))
        y += height + _LANE_GAP
    return lanes


def _lowest(plot: QRect, title_height: int, shares: Sequence[float]) -> float:
    return (plot.height() - (len(shares) - 1) * _LANE_GAP) * min(shares) - title_height


def paint_axis(painter: QPainter, lane: Lane, title: str, theme: Theme) -> None:
    """Base line, upper line, title, and the numbers at both ends."""
    metrics, area = painter.fontMetrics(), lane.area
    painter.fillRect(QRect(area.left(), area.bottom() + 1, area.width(), 1), QColor(theme.line))
    painter.fillRect(QRect(area.left(), area.top(), area.width(), 1), QColor(theme.raised))
    painter.setPen(QColor(theme.text_muted))
    painter.drawText(area.left(), area.top() - metrics.descent() - 1, title)
    painter.setPen(QColor(theme.text_faint))
    gutter = QRect(0, area.top() - metrics.height() // 2, area.left() - GUTTER_PAD, metrics.height())
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
    painter.drawText(gutter, right, figures.count(lane.end) if lane.end >= 10 else figures.significant(lane.end, 2))
    if area.height() > 2 * metrics.height():
        painter.drawText(gutter.translated(0, area.height()), right, figures.count(0))


def title_beside(painter: QPainter, lane: Lane, title: str, budget: str) -> str:
    """The title as far as there is room for it before the budget's words."""
    metrics = painter.fontMetrics()
    room = lane.area.width() - metrics.horizontalAdvance(f"{budget} ↑") - 2 * GUTTER_PAD
    return metrics.elidedText(title, Qt.TextElideMode.ElideRight, max(0, room))


def paint_tokens(painter: QPainter, lane: Lane, steps: Sequence[StepSample], theme: Theme) -> None:
    """Decode below, prefill on top of it."""
    thick = lane.pitch - 1 if lane.pitch > 2 else lane.pitch
    floor, scale = lane.area.bottom() + 1, lane.area.height() / lane.end
    decode, prefill = [], []
    for x, step in zip(lane.lefts(len(steps)), steps, strict=True):
        below = step.decode_tokens * scale
        above = step.prefill_tokens * scale
        if below:
            decode.append(QRectF(x, floor - max(1.0, below), thick, max(1.0, below)))
        if above:
            prefill.append(QRectF(x, floor - below - max(1.0, above), thick, max(1.0, above)))
    painter.setPen(Qt.PenStyle.NoPen)
    for colour, bars in ((theme.decode, decode), (theme.prefill, prefill)):
        painter.setBrush(QColor(colour))
        painter.drawRects(bars)


def paint_budget(painter: QPainter, lane: Lane, steps: Sequence[StepSample], text: str, theme: Theme) -> None:
    """The token budget: a dashed line where it is within the lane, and its number in any case."""
    metrics, area = painter.fontMetrics(), lane.area
    if steps[-1].max_num_batched_tokens > lane.end:
        text += " ↑"
    painter.setPen(QColor(theme.warning))
    painter.drawText(area.right() - metrics.horizontalAdvance(text), area.top() - metrics.descent() - 1, text)
    seen = [step if step.max_num_batched_tokens <= lane.end else None for step in steps]
    painter.setPen(QPen(QColor(theme.warning), 1, Qt.PenStyle.DashLine))
    painter.drawPolyline(_stairs(lane, seen, lambda step: float(step.max_num_batched_tokens)))


def paint_line(painter: QPainter, lane: Lane, steps: Sequence[StepSample], value: Callable[[StepSample], float],
               colour: str) -> None:
    """A value of each step as stairs."""
    painter.setPen(QPen(QColor(colour), 1))
    painter.drawPolyline(_stairs(lane, steps, value))


def _stairs(lane: Lane, steps: Sequence[StepSample | None], value: Callable[[StepSample], float]) -> QPolygonF:
    """A point where a stair begins and one where it ends: a value that stays the same is one stair."""
    points: list[QPointF] = []
    height: float | None = None
    end = 0
    for x, step in zip(lane.lefts(len(steps)), steps, strict=True):
        if step is None:
            continue
        y = lane.y(value(step))
        if y != height:
            if height is not None:
                points.append(QPointF(end, height))
            points.append(QPointF(x, y))
            height = y
        end = x + lane.pitch
    if height is not None:
        points.append(QPointF(end, height))
    return QPolygonF(points)
