"""How often each latency came: bars on a logarithmic axis, with the percentiles as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.widgets import figures
from app.widgets.lab_chart_frame import ChartFrame
from app.widgets.lab_scale import log_ticks, ticks
from app.widgets.step_chart_scale import nice_ceiling

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent, QPaintEvent
    from PySide6.QtWidgets import QWidget

    from app.theme.tokens import Theme
    from engine.bench.figures import Histogram
    from engine.bench.result import Spread

_PERCENTILES = ("p50", "p90", "p95", "p99")


class HistogramChart(ChartFrame):
    """Durations in seconds, in bins that grow evenly on a logarithmic axis. The pointer tells a bar's bounds."""

    def __init__(self, theme: Theme, title: str, colour: int = 0, parent: QWidget | None = None) -> None:
        super().__init__(theme, title, parent)
        self._series = colour
        self._found: Histogram | None = None
        self._spread: Spread | None = None
        self._empty = ""
        self._bar: int | None = None

    def show_histogram(self, found: Histogram | None, spread: Spread | None, empty: str = "") -> None:
        """Draw this; `empty` says why there is none."""
        self._found = found if found is not None and found.counts.sum() else None
        self._spread, self._empty, self._bar = spread, empty, None
        self.update()

    def rows(self) -> Iterable[Sequence[object]]:
        """Each bar's bounds in seconds and its count."""
        yield ["from_s", "to_s", "count"]
        if self._found is not None:
            edges = self._found.edges.tolist()
            yield from zip(edges[:-1], edges[1:], self._found.counts.tolist(), strict=True)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw bars, percentiles and axes."""
        with QPainter(self) as painter:
            plot = self.begin(painter)
            if self._found is None:
                self.paint_title(painter, self.title)
                self.paint_nothing(painter, plot, self._empty)
            else:
                self._paint(painter, plot, self._found)
            self.paint_focus(painter)

    def _paint(self, painter: QPainter, plot: QRect, found: Histogram) -> None:
        top = nice_ceiling(float(found.counts.max()))
        lines = [value for value in ticks(0, top, self.y_tick_count(plot)) if value == round(value)]
        self.paint_y_axis(painter, plot, [(_y(plot, value / top), figures.count(value)) for value in lines])
        self._paint_bars(painter, plot, found, top)
        marks = log_ticks(float(found.edges[0]), float(found.edges[-1]), self.x_tick_count(plot))
        self.paint_x_axis(painter, plot, [(self._x(plot, found, at), figures.duration(at)) for at in marks])
        self._paint_percentiles(painter, plot, found)
        self.paint_title(painter, self._caption(found))

    def _caption(self, found: Histogram) -> str:
        if self._bar is None:
            return f"{self.title} · {figures.count(int(found.counts.sum()))}"
        begin, end = (figures.duration(float(found.edges[edge])) for edge in (self._bar, self._bar + 1))
        return f"{self.title} · {begin} – {end}: {figures.count(int(found.counts[self._bar]))}"

    @staticmethod
    def _x(plot: QRect, found: Histogram, value: float) -> float:
        low, high = float(found.edges[0]), float(found.edges[-1])
        return plot.left() + plot.width() * float(np.log(max(value, low) / low) / np.log(high / low))

    def _paint_bars(self, painter: QPainter, plot: QRect, found: Histogram, top: float) -> None:
        width = plot.width() / len(found.counts)
        colour = self.colour(self._series)
        pale = QColor(colour)
        pale.setAlpha(190)
        for number, value in enumerate(found.counts.tolist()):
            if value:
                y = min(_y(plot, value / top), plot.bottom())
                box = QRectF(plot.left() + number * width + 0.5, y, max(1.0, width - 1), plot.bottom() + 1 - y)
                painter.fillRect(box, colour if number == self._bar else pale)

    def _paint_percentiles(self, painter: QPainter, plot: QRect, found: Histogram) -> None:
        if self._spread is None:
            return
        height, right, row = self.line_height(), -1_000, 0
        for name in _PERCENTILES:
            x = round(self._x(plot, found, getattr(self._spread, name)))
            painter.setPen(QPen(QColor(self.theme.text_muted), 1, Qt.PenStyle.DotLine))
            painter.drawLine(x, plot.top(), x, plot.bottom())
            width = painter.fontMetrics().horizontalAdvance(name)
            left = x + 3 if x + 3 + width <= plot.right() else x - width - 3
            row = row + 1 if left <= right else 0  # one below the other where they are close
            box = QRect(left, plot.top() + 1 + row * height, width + 2, height)
            painter.setPen(QColor(self.theme.text))
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft, name)
            right = left + width + 2

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at a bar."""
        plot = self.plot()
        bar = None
        if self._found is not None and plot.contains(event.position().toPoint()):
            bar = int((event.position().x() - plot.left()) * len(self._found.counts) / max(1, plot.width()))
            bar = min(bar, len(self._found.counts) - 1)
        if bar != self._bar:
            self._bar = bar
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        self._bar = None
        self.update()
        super().leaveEvent(event)


def _y(plot: QRect, share: float) -> float:
    return plot.bottom() + 1 - plot.height() * share
