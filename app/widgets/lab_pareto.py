"""Throughput against latency, one point a trial; the front connects those that no other beats in both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLocale, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip

from app.widgets import figures
from app.widgets.lab_chart_frame import ChartFrame
from app.widgets.lab_scale import ticks
from app.widgets.step_chart_scale import nice_ceiling

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent
    from PySide6.QtWidgets import QWidget

    from app.theme.tokens import Theme

_NEAR = 12  # pixels within which a point is meant
_RADIUS = 4.5
_MOST_NAMED = 80  # points; of more, the numbers would be one grey cloud


@dataclass(frozen=True, slots=True)
class Point:
    """One trial: tokens a second to the right, seconds of latency upwards. `text` is for the hover."""

    number: int
    rate: float
    latency_s: float
    text: str
    is_best: bool = False
    is_present: bool = False


class ParetoChart(ChartFrame):
    """`chosen` carries a point's number; arrows walk along the points, Enter chooses."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "", parent)
        self.title = self.tr("TTFT p95 over output tokens per second")
        self.setAccessibleName(self.title)
        self._points: tuple[Point, ...] = ()
        self._front: tuple[int, ...] = ()
        self._ends = (1.0, 1.0)  # of the axes
        self._choice: int | None = None
        self._empty = ""

    def show_points(self, points: Sequence[Point], front: Sequence[int], empty: str) -> None:
        """Draw these; `front` are numbers by rising rate, `empty` says why there is no point."""
        self._points = tuple(sorted(points, key=lambda point: point.rate))
        self._front, self._empty = tuple(front), empty
        rate = max((point.rate for point in points), default=1.0)
        latency = max((point.latency_s for point in points), default=1.0)
        self._ends = nice_ceiling(rate * 1.05), nice_ceiling(latency * 1.1)
        self.update()

    def choose(self, number: int | None) -> None:
        """Ring one point."""
        self._choice = number
        self.update()

    def rows(self) -> Iterable[Sequence[object]]:
        """One row a point."""
        yield ["trial", "tokens_out_per_s", "ttft_p95_s", "on_front"]
        for point in self._points:
            yield [point.number, point.rate, point.latency_s, int(point.number in self._front)]

    # Painting

    def widest_y(self) -> str:
        """Latencies have a unit."""
        latency = self._ends[1]
        return max(super().widest_y(), *(figures.duration(latency * share) for share in (0.88, 1.0)), key=len)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw axes, front and points."""
        with QPainter(self) as painter:
            plot = self.begin(painter)
            self.paint_title(painter, self.title)
            if not self._points:
                self.paint_nothing(painter, plot, self._empty)
            else:
                self._paint_axes(painter, plot)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                self._paint_front(painter, plot)
                self._paint_points(painter, plot)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            self.paint_focus(painter)

    def _place(self, plot: QRect, point: Point) -> QPointF:
        rate, latency = self._ends
        return QPointF(plot.left() + plot.width() * point.rate / rate,
                       plot.bottom() - plot.height() * point.latency_s / latency)  # fmt: skip

    def _paint_axes(self, painter: QPainter, plot: QRect) -> None:
        rate, latency = self._ends
        places = [(plot.bottom() - plot.height() * value / latency, figures.duration(value))
                  for value in ticks(0.0, latency, self.y_tick_count(plot))]  # fmt: skip
        self.paint_y_axis(painter, plot, places)
        values = ticks(0.0, rate, self.x_tick_count(plot))
        self.paint_x_axis(painter, plot, [(plot.left() + plot.width() * v / rate, _tick_text(v)) for v in values])

    def _paint_front(self, painter: QPainter, plot: QRect) -> None:
        known = {point.number: point for point in self._points}
        line = [self._place(plot, known[number]) for number in self._front if number in known]
        painter.setPen(QPen(self.colour(2), 1.4))
        painter.drawPolyline(QPolygonF(line))

    def _paint_points(self, painter: QPainter, plot: QRect) -> None:
        for point in self._points:
            place = self._place(plot, point)
            on_front = point.number in self._front
            colour = self.colour(1) if point.is_present else self.colour(2 if on_front else 0)
            painter.setPen(QPen(QColor(self.theme.window), 1))
            painter.setBrush(colour)
            painter.drawEllipse(place, _RADIUS, _RADIUS)
            if point.is_best or point.number == self._choice:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(self.theme.text if point.number == self._choice else self.theme.good), 1.6))
                painter.drawEllipse(place, _RADIUS + 3, _RADIUS + 3)
            if len(self._points) > _MOST_NAMED and not on_front and point.number != self._choice:
                continue
            painter.setPen(QColor(self.theme.text_muted))
            painter.drawText(place + QPointF(_RADIUS + 5, -_RADIUS), str(point.number))

    # Pointer and keys

    def point_at(self, at: QPointF) -> Point | None:
        """The point that is meant at a place."""
        plot = self.plot()
        near = [((self._place(plot, point) - at).manhattanLength(), point) for point in self._points]
        found = min(near, key=lambda each: each[0], default=None)
        return found[1] if found is not None and found[0] <= _NEAR else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a point."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        point = self.point_at(event.position())
        if point is not None:
            self.choose(point.number)
            self.chosen.emit(point.number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right walk along the points."""
        if event.key() not in (Qt.Key.Key_Left, Qt.Key.Key_Right) or not self._points:
            super().keyPressEvent(event)
            return
        numbers = [point.number for point in self._points]
        step = 1 if event.key() == Qt.Key.Key_Right else -1
        place = numbers.index(self._choice) + step if self._choice in numbers else 0
        self.choose(numbers[max(0, min(place, len(numbers) - 1))])
        self.chosen.emit(self._choice)
        event.accept()

    def event(self, event: QEvent) -> bool:
        """A point tells on hover what it is."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            point = self.point_at(QPointF(event.pos()))
            if point is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), point.text, self)
            return True
        return bool(super().event(event))


def _tick_text(rate: float) -> str:
    """A rate on the axis: small ones with their decimals, or neighbours would have the same words."""
    return figures.count(rate) if rate == round(rate) else QLocale().toString(rate, "g", 6)
