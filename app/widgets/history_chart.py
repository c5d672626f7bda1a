"""The last minutes of a memory as stacked areas, with utilization as a line over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme.fonts import tabular
from app.widgets import figures
from app.widgets.history_curves import curves
from app.widgets.memory_bar_parts import part_colour
from engine.metrics.memory_history import PARTS

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent, QPaintEvent, QWheelEvent

    from app.theme.tokens import Theme
    from engine.metrics.memory_history import MemoryHistory, MemoryPoint

_SPANS_S = (60, 120, 300, 900)
_KEYS = [column.name.lower() for column in PARTS]
_PAD = 6


class HistoryChart(QWidget):
    """Draws a MemoryHistory up to its newest sample; the wheel changes the span, `pointed` carries a MemoryPoint."""

    pointed = Signal(object)

    def __init__(self, history: MemoryHistory, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._theme = theme
        self._span = _SPANS_S.index(300)
        self._pointer: QPointF | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Memory and utilization over the last minutes"))

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """As low as can be read; layouts give it what is left."""
        return QSize(320, 52)

    def minimumSizeHint(self) -> QSize:
        """The least that can be read."""
        return QSize(160, 44)

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw areas, line and axes."""
        with QPainter(self) as painter:
            painter.setFont(self._small_font())
            plot = self._plot_area()
            painter.fillRect(plot, QColor(self._theme.memory_free))
            newest = self._history.newest
            if newest is not None:
                begin = newest.monotonic_ns - self._span_ns
                self._paint_curves(painter, plot, begin)
            self._paint_axes(painter, plot, newest)
            self._paint_pointer(painter, plot)

    @property
    def _span_ns(self) -> int:
        return _SPANS_S[self._span] * 1_000_000_000

    def _small_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.82))
        return tabular(font)

    def _plot_area(self) -> QRect:
        metrics = QFontMetrics(self._small_font())
        side = metrics.horizontalAdvance("88.8\u202fGiB") + _PAD
        other = metrics.horizontalAdvance("100 %") + _PAD
        return self.rect().adjusted(side, metrics.height() // 2, -other, -metrics.height() - 2)

    def _x(self, plot: QRect, point: MemoryPoint, begin: int) -> float:
        return plot.left() + plot.width() * (point.monotonic_ns - begin) / self._span_ns

    def _paint_curves(self, painter: QPainter, plot: QRect, begin: int) -> None:
        for drawn in curves(self._history.table_since(begin), plot, begin, self._span_ns):
            painter.setPen(Qt.PenStyle.NoPen)
            for part, outline in drawn.areas:
                painter.setBrush(QColor(part_colour(_KEYS[part], self._theme)))
                painter.drawPolygon(outline)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            rim, line = QPen(QColor(self._theme.surface), 3.0), QPen(QColor(self._theme.text), 1.3)
            for pen in (rim, line):  # a rim keeps it apart from areas
                painter.setPen(pen)
                for each in drawn.lines:
                    painter.drawPolyline(each)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)

    def _paint_axes(self, painter: QPainter, plot: QRect, newest: MemoryPoint | None) -> None:
        metrics = painter.fontMetrics()
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # time runs to the right in every language
        painter.setPen(QColor(self._theme.line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(plot.adjusted(0, 0, -1, -1))
        painter.setPen(QColor(self._theme.text_faint))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        half = metrics.height() // 2
        total = newest.split.total_bytes if newest is not None else None
        for y, memory, load in ((plot.top(), figures.gib(total), "100\u202f%"), (plot.bottom(), "0", "0")):
            painter.drawText(QRect(0, y - half, plot.left() - _PAD, metrics.height()), right, memory)
            painter.drawText(QRect(plot.right() + _PAD, y - half, self.width(), metrics.height()), left, load)
        base = QRect(plot.left(), plot.bottom() + 2, plot.width(), metrics.height())
        begin, end = self.tr("{0} min ago").format(_SPANS_S[self._span] // 60), self.tr("now")
        legend = self.tr("areas: memory · line: utilization")
        painter.drawText(base, left, begin)
        painter.drawText(base, right, end)
        between = plot.width() - 2 * max(map(metrics.horizontalAdvance, (begin, end))) - 4 * _PAD
        if metrics.horizontalAdvance(legend) <= between:
            painter.drawText(base, Qt.AlignmentFlag.AlignCenter, legend)

    def _paint_pointer(self, painter: QPainter, plot: QRect) -> None:
        point = self.point_at(self._pointer) if self._pointer is not None else None
        newest = self._history.newest
        if point is None or newest is None:
            return
        x = round(self._x(plot, point, newest.monotonic_ns - self._span_ns))
        painter.fillRect(QRectF(x, plot.top(), 1, plot.height()), QColor(self._theme.text))

    # Pointer

    def point_at(self, place: QPointF) -> MemoryPoint | None:
        """The sample nearest to this place of the plot."""
        plot, newest = self._plot_area(), self._history.newest
        if newest is None or not plot.contains(place.toPoint()):
            return None
        begin = newest.monotonic_ns - self._span_ns
        return self._history.nearest(begin + int(self._span_ns * (place.x() - plot.left()) / max(1, plot.width())))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at a sample."""
        self._pointer = event.position()
        self.pointed.emit(self.point_at(event.position()))
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at any more."""
        self._pointer = None
        self.pointed.emit(None)
        self.update()
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change the span with Ctrl held; else let the panel scroll."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        self._span = max(0, min(len(_SPANS_S) - 1, self._span + (-1 if event.angleDelta().y() > 0 else 1)))
        self.update()
        event.accept()
