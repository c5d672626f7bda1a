"""The step chart: what each scheduler step did with its token budget, its batch size and how long it took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QLocale, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme.fonts import tabular
from app.widgets.step_chart_scale import SettledScale

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QWheelEvent

    from app.theme.tokens import Theme
    from engine.domain.telemetry import StepSample
    from engine.metrics.step_history import StepHistory

_WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24)
_GUTTER_PAD = 6
_LANE_GAP = 6
_LANES = (0.5, 0.25, 0.25)


@dataclass(frozen=True, slots=True)
class _Lane:
    """One of the chart's lanes: its plot area in pixels and the value at its upper end."""

    area: QRect
    end: float

    def y(self, value: float) -> float:
        return self.area.bottom() + 1 - self.area.height() * min(1.0, value / self.end)


class StepChart(QWidget):
    """Draws a StepHistory, newest step at the right edge; wheel zooms, drag goes back, double click returns.

    `pointed` carries the StepSample under the pointer, or None.
    """

    pointed = Signal(object)

    def __init__(self, history: StepHistory, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._theme = theme
        self._zoom = _WIDTHS.index(4)
        self._back = 0
        self._frozen_at: int | None = None
        self._pointer: QPointF | None = None
        self._drag_x: float | None = None
        self._tokens, self._batch, self._time = SettledScale(), SettledScale(), SettledScale()
        self._locale = QLocale()
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Chart of scheduler steps"))

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.update()

    def restart(self) -> None:
        """The history has begun anew (another engine): the old axes and place in it mean nothing."""
        self._back = 0
        for scale in (self._tokens, self._batch, self._time):
            scale.reset()
        self.update()

    def follow(self, added: int) -> None:
        """The history has grown by `added` steps; a view that was scrolled back or frozen stays where it is."""
        if self._back > 0 or self._frozen_at is not None:
            self._back = min(self._back + added, max(0, len(self._history) - 1))
        if self._frozen_at is None:
            self.update()

    def freeze(self, *, frozen: bool) -> None:
        """Hold the view while the history goes on, or return to the newest step."""
        self._frozen_at = self._back if frozen else None
        if not frozen:
            self._back = 0
        self.update()

    @property
    def back(self) -> int:
        """How many steps the right edge is behind the newest."""
        return self._back

    def sizeHint(self) -> QSize:
        """Some hundred steps."""
        return QSize(420, 180)

    def minimumSizeHint(self) -> QSize:
        """The least that can be read."""
        return QSize(180, 96)

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the lanes."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self._theme.surface))
        small = self._small_font()
        painter.setFont(small)
        plot = self._plot_area()
        steps = self._visible(plot)
        if not steps:
            painter.setPen(QColor(self._theme.text_faint))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap,
                             self.tr("Each scheduler step will be a bar here."))
            return
        tokens, batch, time = self._lanes(plot, steps)
        self._paint_axes(painter, ((tokens, self.tr("tokens a step")), (batch, self.tr("batch size")),
                                   (time, self.tr("step time, ms"))))
        self._paint_tokens(painter, tokens, steps)
        self._paint_budget(painter, tokens, steps)
        self._paint_line(painter, batch, steps, lambda step: float(step.num_running), self._theme.decode)
        self._paint_line(painter, time, steps, _milliseconds, self._theme.memory_rest)
        self._paint_pointer(painter, plot, steps)

    def _small_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.82))
        return tabular(font)

    def _plot_area(self) -> QRect:
        metrics = QFontMetrics(self._small_font())
        gutter = metrics.horizontalAdvance(self._locale.toString(80000)) + _GUTTER_PAD
        return self.rect().adjusted(gutter, 0, -1, -metrics.height() // 2)

    def _visible(self, plot: QRect) -> list[StepSample]:
        return self._history.view(max(1, plot.width() // _WIDTHS[self._zoom]), self._back)

    def _lanes(self, plot: QRect, steps: Sequence[StepSample]) -> tuple[_Lane, _Lane, _Lane]:
        ends = (
            self._tokens.settle(max(step.prefill_tokens + step.decode_tokens for step in steps)),
            self._batch.settle(max(step.num_running for step in steps)),
            self._time.settle(max(map(_milliseconds, steps))),
        )
        title = QFontMetrics(self._small_font()).height()
        usable = plot.height() - 2 * _LANE_GAP
        lanes, y = [], plot.top()
        for share, end in zip(_LANES, ends, strict=True):
            height = int(usable * share)
            lanes.append(_Lane(QRect(plot.left(), y + title, plot.width(), max(4, height - title)), end))
            y += height + _LANE_GAP
        return lanes[0], lanes[1], lanes[2]

    def _paint_axes(self, painter: QPainter, lanes: Sequence[tuple[_Lane, str]]) -> None:
        metrics = painter.fontMetrics()
        for lane, title in lanes:
            area = lane.area
            painter.fillRect(QRect(area.left(), area.bottom() + 1, area.width(), 1), QColor(self._theme.line))
            painter.fillRect(QRect(area.left(), area.top(), area.width(), 1), QColor(self._theme.raised))
            painter.setPen(QColor(self._theme.text_muted))
            painter.drawText(area.left(), area.top() - metrics.descent() - 1, title)
            painter.setPen(QColor(self._theme.text_faint))
            gutter = QRect(0, area.top() - metrics.height() // 2, area.left() - _GUTTER_PAD, metrics.height())
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
            painter.drawText(gutter, right, self._number(lane.end))
            if area.height() > 2 * metrics.height():
                painter.drawText(gutter.translated(0, area.height()), right, self._number(0))

    def _number(self, value: float) -> str:
        digits = 0 if value >= 10 or value == int(value) else 1 if value >= 1 else 2
        return self._locale.toString(float(value), "f", digits)

    def _bars(self, lane: _Lane, steps: Sequence[StepSample]) -> list[float]:
        width = _WIDTHS[self._zoom]
        return [lane.area.right() + 1 - width * (len(steps) - place) for place in range(len(steps))]

    def _paint_tokens(self, painter: QPainter, lane: _Lane, steps: Sequence[StepSample]) -> None:
        width = _WIDTHS[self._zoom]
        thick = width - 1 if width > 2 else width
        floor = lane.area.bottom() + 1
        decode, prefill = [], []
        for x, step in zip(self._bars(lane, steps), steps, strict=True):
            low, high = lane.y(step.decode_tokens), lane.y(step.decode_tokens + step.prefill_tokens)
            if step.decode_tokens:
                decode.append(QRectF(x, min(low, floor - 1), thick, max(1.0, floor - low)))
            if step.prefill_tokens:
                prefill.append(QRectF(x, high, thick, max(1.0, low - high)))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.decode))
        painter.drawRects(decode)
        painter.setBrush(QColor(self._theme.prefill))
        painter.drawRects(prefill)

    def _paint_budget(self, painter: QPainter, lane: _Lane, steps: Sequence[StepSample]) -> None:
        newest = steps[-1].max_num_batched_tokens
        text = self.tr("budget {0}").format(self._locale.toString(newest))
        metrics = painter.fontMetrics()
        area = lane.area
        if newest > lane.end:
            text += " ↑"
        painter.setPen(QColor(self._theme.warning))
        painter.drawText(area.right() - metrics.horizontalAdvance(text), area.top() - metrics.descent() - 1, text)
        line = QPolygonF()
        width = _WIDTHS[self._zoom]
        for x, step in zip(self._bars(lane, steps), steps, strict=True):
            if step.max_num_batched_tokens <= lane.end:
                y = lane.y(step.max_num_batched_tokens)
                line.append(QPointF(x, y))
                line.append(QPointF(x + width, y))
        painter.setPen(QPen(QColor(self._theme.warning), 1, Qt.PenStyle.DashLine))
        painter.drawPolyline(line)

    def _paint_line(self, painter: QPainter, lane: _Lane, steps: Sequence[StepSample],
                    value: Callable[[StepSample], float], colour: str) -> None:
        line = QPolygonF()
        width = _WIDTHS[self._zoom]
        for x, step in zip(self._bars(lane, steps), steps, strict=True):
            y = lane.y(value(step))
            line.append(QPointF(x, y))
            line.append(QPointF(x + width, y))
        painter.setPen(QPen(QColor(colour), 1))
        painter.drawPolyline(line)

    def _paint_pointer(self, painter: QPainter, plot: QRect, steps: Sequence[StepSample]) -> None:
        place = self._place_of(self._pointer, plot, len(steps))
        if place is None:
            return
        width = _WIDTHS[self._zoom]
        x = plot.right() + 1 - width * (len(steps) - place)
        shade = QColor(self._theme.text)
        shade.setAlpha(46)
        painter.fillRect(QRect(x, plot.top(), max(1, width - (width > 2)), plot.height()), shade)

    # Pointer

    def _place_of(self, pointer: QPointF | None, plot: QRect, count: int) -> int | None:
        if pointer is None or not plot.contains(pointer.toPoint()):
            return None
        place = count - 1 - int((plot.right() - pointer.x()) // _WIDTHS[self._zoom])
        return place if 0 <= place < count else None

    def step_at(self, pointer: QPointF) -> StepSample | None:
        """The step drawn at this place of the widget."""
        plot = self._plot_area()
        steps = self._visible(plot)
        place = self._place_of(pointer, plot, len(steps))
        return steps[place] if place is not None else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Point at a step, or drag through the past."""
        self._pointer = event.position()
        if self._drag_x is not None:
            moved = int((event.position().x() - self._drag_x) / _WIDTHS[self._zoom])
            if moved:
                self._go_back(moved)
                self._drag_x += moved * _WIDTHS[self._zoom]
        self.pointed.emit(self.step_at(event.position()))
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a drag."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._drag_x = event.position().x()

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """End a drag."""
        self._drag_x = None

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        """Return to the newest step."""
        self._back = 0
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at any more."""
        self._pointer = None
        self.pointed.emit(None)
        self.update()
        super().leaveEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom; sideways goes through the past."""
        delta = event.angleDelta()
        if delta.x() and not delta.y():
            self._go_back(round(delta.x() / 24))
        elif delta.y():
            self._zoom = max(0, min(len(_WIDTHS) - 1, self._zoom + (1 if delta.y() > 0 else -1)))
        self.update()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right go through the past, plus and minus zoom, End returns."""
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._go_back(8 if key == Qt.Key.Key_Left else -8)
        elif key == Qt.Key.Key_End:
            self._back = 0
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self._zoom = max(0, min(len(_WIDTHS) - 1, self._zoom + (-1 if key == Qt.Key.Key_Minus else 1)))
        else:
            super().keyPressEvent(event)
            return
        self.update()

    def _go_back(self, steps: int) -> None:
        self._back = max(0, min(self._back + steps, len(self._history) - 1))


def _milliseconds(step: StepSample) -> float:
    return step.duration_ns / 1e6
