"""When which latency came: time to the right, the latency upwards, the clearer the more requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from app.widgets import figures
from app.widgets.lab_chart_frame import ChartFrame
from app.widgets.lab_scale import log_ticks, time_ticks
from app.widgets.record_button import clock_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtGui import QMouseEvent, QPaintEvent
    from PySide6.QtWidgets import QWidget

    from app.theme.tokens import Theme
    from app.widgets.lab_series import Mark
    from engine.bench.figures import HeatMap

_PALEST = 0.2  # a single request can be seen


class HeatMapChart(ChartFrame):
    """Counts of durations (seconds) in cells of time and duration."""

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(theme, title, parent)
        self._found: HeatMap | None = None
        self._marks: tuple[Mark, ...] = ()
        self._empty = ""
        self._cell: tuple[int, int] | None = None

    def show_map(self, found: HeatMap | None, marks: Sequence[Mark] = (), empty: str = "") -> None:
        """Draw this; `empty` says why there is none."""
        self._found = found if found is not None and found.counts.any() else None
        self._marks, self._empty, self._cell = tuple(marks), empty, None
        self.update()

    def rows(self) -> Iterable[Sequence[object]]:
        """Each cell that holds something: its bounds and its count."""
        yield ["time_from_s", "time_to_s", "from_s", "to_s", "count"]
        found = self._found
        if found is not None:
            times, values = found.time_edges.tolist(), found.value_edges.tolist()
            for row, column in np.argwhere(found.counts > 0).tolist():
                bounds = times[column], times[column + 1], values[row], values[row + 1]
                yield [*bounds, int(found.counts[row, column])]

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw cells and axes."""
        with QPainter(self) as painter:
            plot = self.begin(painter)
            if self._found is None:
                self.paint_title(painter, self.title)
                self.paint_nothing(painter, plot, self._empty)
            else:
                painter.drawImage(plot, self._picture(self._found))
                self._paint_marks(painter, plot, float(self._found.time_edges[-1]))
                self._paint_axes(painter, plot, self._found)
                self.paint_title(painter, self._caption(self._found))
            self.paint_focus(painter)

    def _picture(self, found: HeatMap) -> QImage:
        """One pixel a cell, the most frequent one the clearest."""
        shares = np.sqrt(found.counts / max(1, int(found.counts.max())))
        shares = np.where(found.counts > 0, _PALEST + (1 - _PALEST) * shares, 0.0)[::-1, :, None]
        low, high = QColor(self.theme.window), QColor(self.theme.series[0])
        ends = np.array([[c.red(), c.green(), c.blue()] for c in (low, high)], dtype=np.float64)
        pixels = np.ascontiguousarray((ends[0] + (ends[1] - ends[0]) * shares).round().astype(np.uint8))
        height, width = pixels.shape[:2]
        return QImage(pixels.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888).copy()

    def _paint_marks(self, painter: QPainter, plot: QRect, end_s: float) -> None:
        painter.setPen(QPen(QColor(self.theme.accent), 1))
        for mark in self._marks:
            x = round(plot.left() + plot.width() * mark.at_s / end_s)
            painter.drawLine(x, plot.top(), x, plot.bottom())

    def _paint_axes(self, painter: QPainter, plot: QRect, found: HeatMap) -> None:
        low, high = float(found.value_edges[0]), float(found.value_edges[-1])
        painter.setPen(QColor(self.theme.text_faint))
        half = painter.fontMetrics().height() // 2
        for value in log_ticks(low, high, self.y_tick_count(plot)):
            y = round(plot.bottom() - plot.height() * float(np.log(value / low) / np.log(high / low)))
            box = QRect(0, y - half, plot.left() - 6, 2 * half)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, figures.duration(value))
        end_s = float(found.time_edges[-1])
        moments = time_ticks(0.0, end_s, self.x_tick_count(plot))
        self.paint_x_axis(painter, plot, [(plot.left() + plot.width() * at / end_s, clock_text(at)) for at in moments])

    def _caption(self, found: HeatMap) -> str:
        if self._cell is None:
            return self.title
        row, column = self._cell
        moment = clock_text(float(found.time_edges[column]))
        begin, end = (figures.duration(float(found.value_edges[edge])) for edge in (row, row + 1))
        return f"{self.title} · {moment} · {begin} – {end}: {figures.count(int(found.counts[row, column]))}"

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at a cell."""
        plot, place, cell = self.plot(), event.position(), None
        if self._found is not None and plot.contains(place.toPoint()):
            rows, columns = self._found.counts.shape
            column = int((place.x() - plot.left()) * columns / max(1, plot.width()))
            row = int((plot.bottom() - place.y()) * rows / max(1, plot.height()))
            cell = min(max(row, 0), rows - 1), min(column, columns - 1)
        if cell != self._cell:
            self._cell = cell
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        self._cell = None
        self.update()
        super().leaveEvent(event)
