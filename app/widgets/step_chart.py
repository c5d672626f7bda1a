"""The step chart: what each scheduler step did with its token budget, its batch size and how long it took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme.fonts import tabular
from app.widgets import figures
from app.widgets.focus_ring import paint_focus_ring
from app.widgets.step_chart_lanes import (
    GUTTER_PAD,
    paint_axis,
    paint_budget,
    paint_line,
    paint_tokens,
    stacked_lanes,
    title_beside,
)
from app.widgets.step_chart_scale import SettledScale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QWheelEvent

    from app.theme.tokens import Theme
    from engine.domain.telemetry import StepSample
    from engine.metrics.step_history import StepHistory

_WIDTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24)


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
        return QSize(180, 72)

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the lanes."""
        with QPainter(self) as painter:
            self._paint(painter)
            paint_focus_ring(painter, self, self._theme.accent)

    def _paint(self, painter: QPainter) -> None:
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
        title = painter.fontMetrics().height()
        lanes = stacked_lanes(plot, title, self._ends(steps), _WIDTHS[self._zoom])
        budget = self.tr("budget {0}").format(figures.count(steps[-1].max_num_batched_tokens))
        paint_axis(painter, lanes[0], title_beside(painter, lanes[0], self.tr("tokens a step"), budget), self._theme)
        paint_tokens(painter, lanes[0], steps, self._theme)
        paint_budget(painter, lanes[0], steps, budget, self._theme)
        if len(lanes) > 1:
            paint_axis(painter, lanes[1], self.tr("step time, ms"), self._theme)
            paint_line(painter, lanes[1], steps, _milliseconds, self._theme.memory_rest)
        if len(lanes) > 2:
            paint_axis(painter, lanes[2], self.tr("batch size"), self._theme)
            paint_line(painter, lanes[2], steps, lambda step: float(step.num_running), self._theme.decode)
        self._paint_pointer(painter, plot, steps)

    def _ends(self, steps: Sequence[StepSample]) -> tuple[float, float, float]:
        return (
            self._tokens.settle(max(step.prefill_tokens + step.decode_tokens for step in steps)),
            self._time.settle(max(map(_milliseconds, steps))),
            self._batch.settle(max(step.num_running for step in steps)),
        )

    def _small_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.82))
        return tabular(font)

    def _plot_area(self) -> QRect:
        metrics = QFontMetrics(self._small_font())
        gutter = metrics.horizontalAdvance(figures.count(80000)) + GUTTER_PAD
        return self.rect().adjusted(gutter, 0, -1, -metrics.height() // 2)

    def _visible(self, plot: QRect) -> list[StepSample]:
        return self._history.view(max(1, plot.width() // _WIDTHS[self._zoom]), self._back)

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
