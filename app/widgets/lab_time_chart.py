"""Lines over time, with a band for each stretch between two changes of a parameter and a flag at each change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip

from app.widgets import figures
from app.widgets.lab_chart_frame import ChartFrame
from app.widgets.lab_scale import runs, thinned, ticks, time_ticks
from app.widgets.record_button import clock_text
from app.widgets.step_chart_scale import nice_ceiling

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QWheelEvent
    from PySide6.QtWidgets import QWidget

    from app.theme.tokens import Theme
    from app.widgets.lab_series import Mark, Series
    from app.widgets.lab_span import ChartSpan

_NEAR = 8  # pixels within which a flag is meant
_SWATCH = 10


class TimeChart(ChartFrame):
    """Draws series over the span that it shares with other charts; at most as often as it is told something new.

    Wheel zooms, drag scrolls, a double click shows all; so do plus, minus, the arrows and 0.
    """

    def __init__(
        self,
        theme: Theme,
        span: ChartSpan,
        title: str,
        unit: str = "",
        *,
        whole: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """`whole` values are counts."""
        super().__init__(theme, title, parent)
        self.span = span
        self.unit = unit
        self.names_changes = True  # else a change is a line alone; of charts in a column the first one names it
        self._text = figures.count if whole else figures.significant
        self.series: tuple[Series, ...] = ()
        self.marks: tuple[Mark, ...] = ()
        self.limits: tuple[tuple[float, str], ...] = ()
        self._empty = ""
        self._dragged: float | None = None
        span.changed.connect(self.update)
        span.pointed.connect(self.update)

    def show_series(self, series: Sequence[Series], marks: Sequence[Mark] = ()) -> None:
        """Draw these."""
        self.series, self.marks = tuple(series), tuple(marks)
        self.update()

    def show_limits(self, limits: Sequence[tuple[float, str]]) -> None:
        """Draw dashed lines across, an SLO's say: value and name."""
        self.limits = tuple(limits)
        self.update()

    def show_empty(self, text: str) -> None:
        """What stands in the plot while there is no line."""
        self._empty = text
        self.update()

    def rows(self) -> Iterable[Sequence[object]]:
        """One row a moment, a column a series; empty where a series has no value."""
        yield ["time_s", *(series.name for series in self.series)]
        columns = [dict(zip(each.times.tolist(), each.values.tolist(), strict=True)) for each in self.series]
        for moment in sorted({time for column in columns for time in column}):
            values = [column.get(moment) for column in columns]
            yield [round(moment, 3), *("" if value is None or np.isnan(value) else value for value in values)]

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw bands, lines, axes, flags and the pointer."""
        with QPainter(self) as painter:
            plot = self.begin(painter)
            top = self._top()
            self._paint_bands(painter, plot)
            self._paint_axes(painter, plot, top)
            painter.setClipRect(plot.adjusted(0, -1, 1, 1))
            if any(len(series.times) for series in self.series):
                self._paint_lines(painter, plot, top)
                self._paint_limits(painter, plot, top)
            elif self._empty:
                self.paint_nothing(painter, plot, self._empty)
            self._paint_flags(painter, plot)
            self._paint_pointer(painter, plot)
            painter.setClipping(False)
            self._paint_legend(painter)
            self.paint_focus(painter)

    def _top(self) -> float:
        best = 0.0
        for series in self.series:
            inside = series.values[(series.times >= self.span.begin_s) & (series.times <= self.span.end_s)]
            inside = inside[~np.isnan(inside)]
            if inside.size:
                best = max(best, float(inside.max()))
        return nice_ceiling(best * 1.05)

    def _x(self, plot: QRect, at_s: Any) -> Any:  # a moment, or an array of them
        return plot.left() + plot.width() * (at_s - self.span.begin_s) / (self.span.end_s - self.span.begin_s)

    def _paint_bands(self, painter: QPainter, plot: QRect) -> None:
        """Every second stretch between two changes is tinted, so that before and after are told apart."""
        moments = [mark.at_s for mark in self.marks]
        tint = QColor(self.theme.accent)
        tint.setAlpha(26)
        for begin, end in zip(moments[::2], [*moments[1::2], self.span.end_s], strict=False):
            left, right = self._x(plot, begin), self._x(plot, end)
            box = QRectF(left, plot.top(), right - left, plot.height()).intersected(QRectF(plot))
            if box.width() > 0:
                painter.fillRect(box, tint)

    def _paint_axes(self, painter: QPainter, plot: QRect, top: float) -> None:
        places = [(plot.bottom() - plot.height() * value / top, _tick(value))
                  for value in ticks(0.0, top, self.y_tick_count(plot))]  # fmt: skip
        self.paint_y_axis(painter, plot, places)
        moments = time_ticks(self.span.begin_s, self.span.end_s, self.x_tick_count(plot))
        tenths = len(moments) > 1 and moments[1] - moments[0] < 1
        self.paint_x_axis(painter, plot, [(self._x(plot, at), clock_text(at, tenths=tenths)) for at in moments])

    def _paint_lines(self, painter: QPainter, plot: QRect, top: float) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale = plot.height() / top
        for series in sorted(self.series, key=lambda each: not each.pale):
            first, last = np.searchsorted(series.times, (self.span.begin_s, self.span.end_s))
            window = slice(max(0, int(first) - 1), int(last) + 1)
            times, values = thinned(series.times[window], series.values[window], plot.width())
            colour = self.colour(series.colour)
            colour.setAlpha(120 if series.pale else 255)
            painter.setPen(QPen(colour, 1.4))
            for run in runs(values):
                xs = self._x(plot, times[run])
                ys = plot.bottom() - values[run] * scale
                self._paint_run(painter, xs, ys)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _paint_run(self, painter: QPainter, xs: np.ndarray, ys: np.ndarray) -> None:
        points = [QPointF(x, y) for x, y in zip(xs.tolist(), ys.tolist(), strict=True)]
        if len(points) == 1:
            painter.setBrush(painter.pen().color())
            painter.drawEllipse(points[0], 1.5, 1.5)
        else:
            painter.drawPolyline(QPolygonF(points))

    def _paint_limits(self, painter: QPainter, plot: QRect, top: float) -> None:
        pen = QPen(QColor(self.theme.warning), 1, Qt.PenStyle.DashLine)
        for value, text in self.limits:
            if value <= top:
                y = round(plot.bottom() - plot.height() * value / top)
                painter.setPen(pen)
                painter.drawLine(plot.left(), y, plot.right(), y)
                room = plot.adjusted(4, 0, -4, 0)
                room.setTop(y - self.line_height() - 1)
                painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, text)

    def _paint_flags(self, painter: QPainter, plot: QRect) -> None:
        metrics = painter.fontMetrics()
        free_from = float(plot.left())
        for mark in self.marks:
            x = self._x(plot, mark.at_s)
            if not plot.left() <= x <= plot.right():
                continue
            painter.setPen(QPen(QColor(self.theme.accent), 1))
            painter.drawLine(round(x), plot.top(), round(x), plot.bottom())
            width = metrics.horizontalAdvance(mark.text) + 8
            if self.names_changes and x >= free_from and x + width <= plot.right():
                box = QRect(round(x), plot.top(), width, metrics.height() + 2)
                painter.fillRect(box, QColor(self.theme.accent_soft))
                painter.setPen(QColor(self.theme.text))
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, mark.text)
                free_from = x + width + 4

    def _paint_pointer(self, painter: QPainter, plot: QRect) -> None:
        at_s = self.span.pointer_s
        if at_s is not None:
            painter.fillRect(QRectF(self._x(plot, at_s), plot.top(), 1, plot.height()), QColor(self.theme.text_faint))

    def _paint_legend(self, painter: QPainter) -> None:
        """The caption, and each series with its value at the pointer, or its newest one."""
        title = f"{self.title}, {self.unit}" if self.unit else self.title
        x = self.paint_title(painter, title) + 14
        metrics = painter.fontMetrics()
        height = self.line_height() + 2
        for series in self.series:
            text = f"{series.name} {self._text(self.value_at(series, self.span.pointer_s))}"
            width = metrics.horizontalAdvance(text)
            if x + _SWATCH + 4 + width > self.width() - 4:
                break
            painter.fillRect(x, height // 2 - 1, _SWATCH, 3, self.colour(series.colour))
            painter.setPen(QColor(self.theme.text))
            painter.drawText(QRect(x + _SWATCH + 4, 0, width + 2, height), Qt.AlignmentFlag.AlignVCenter, text)
            x += _SWATCH + 4 + max(width, metrics.horizontalAdvance(f"{series.name} 88,888")) + 12

    @staticmethod
    def value_at(series: Series, at_s: float | None) -> float | None:
        """The newest value not after a moment (None: of all); None where there is none."""
        count = len(series.times) if at_s is None else int(np.searchsorted(series.times, at_s, side="right"))
        known = series.values[:count][~np.isnan(series.values[:count])]
        return float(known[-1]) if known.size else None

    # Pointer and keys

    def moment_at(self, x: float) -> float | None:
        """The moment at a place; None beside the plot."""
        plot = self.plot()
        if not plot.left() <= x <= plot.right():
            return None
        return self.span.begin_s + (self.span.end_s - self.span.begin_s) * (x - plot.left()) / max(1, plot.width())

    def mark_near(self, x: float) -> Mark | None:
        """The flag that is meant at this place."""
        plot = self.plot()
        near = [(abs(self._x(plot, mark.at_s) - x), mark) for mark in self.marks]
        found = min(near, key=lambda each: each[0], default=None)
        return found[1] if found is not None and found[0] <= _NEAR else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point, or scroll while a button is down."""
        at_s = self.moment_at(event.position().x())
        if self._dragged is not None and at_s is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self.span.move(self._dragged - at_s)
        self.span.point(self.moment_at(event.position().x()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to scroll."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._dragged = self.moment_at(event.position().x())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Scroll no more."""
        self._dragged = None

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Show all."""
        self.span.show_all()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer, or go through time sideways."""
        at_s = self.moment_at(event.position().x())
        delta = event.angleDelta()
        if delta.x():
            self.span.move(-(self.span.end_s - self.span.begin_s) * delta.x() / 1200)
        elif at_s is not None and delta.y():
            self.span.zoom(0.8 if delta.y() > 0 else 1.25, at_s)
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """Point at nothing."""
        self.span.point(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows go through time, plus and minus zoom, 0 shows all."""
        width = self.span.end_s - self.span.begin_s
        middle = self.span.begin_s + width / 2
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                self.span.move(width * (-0.15 if event.key() == Qt.Key.Key_Left else 0.15))
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.span.zoom(0.7, middle)
            case Qt.Key.Key_Minus:
                self.span.zoom(1.4, middle)
            case Qt.Key.Key_0:
                self.span.show_all()
            case _:
                super().keyPressEvent(event)
                return
        event.accept()

    def event(self, event: QEvent) -> bool:
        """A flag tells on hover what was changed."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            mark = self.mark_near(event.pos().x())
            if mark is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), mark.details, self)
            return True
        return bool(super().event(event))


def _tick(value: float) -> str:
    return figures.count(value) if value == round(value) else figures.significant(value, 2)
