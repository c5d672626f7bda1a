"""The replay's time line: how busy the engine was all along, what happened when, and where the replay stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.widgets.record_button import clock_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QWheelEvent

    from app.theme.tokens import Theme
    from engine.recording.container import PartInfo

_HEIGHT = 34
_MARK = 6


class ScrubberTrack(QWidget):
    """Emits `sought` with a moment in nanoseconds, and `toggled` on Space. Arrow keys go by a second, with Shift by a
    tenth, page keys by ten.
    """

    sought = Signal(object)  # nanoseconds do not fit into an int of Qt's
    toggled = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: Sequence[PartInfo] = ()
        self._begin = self._end = self._position = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Place in the recording"))

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.update()

    def show_parts(self, parts: Sequence[PartInfo]) -> None:
        """Draw this recording."""
        self._parts = parts
        self._begin, self._end = parts[0].begin_ns, max(part.end_ns for part in parts)
        self.update()

    def show_position(self, position_ns: int) -> None:
        """Where the replay stands."""
        if position_ns != self._position:
            self._position = position_ns
            seconds = (position_ns - self._begin) / 1e9
            self.setAccessibleDescription(self.tr("{seconds} s").format(seconds=round(seconds, 1)))
            self.update()

    def sizeHint(self) -> QSize:
        """A line with some height for the overview."""
        return QSize(400, _HEIGHT)

    def time_at(self, x: float) -> int:
        """The moment at this horizontal place, within the recording."""
        plot = self._plot()
        share = (x - plot.left()) / max(1, plot.width())
        return self._begin + int((self._end - self._begin) * min(1.0, max(0.0, share)))

    def x_of(self, at_ns: int) -> float:
        """The horizontal place of a moment. Time runs to the right in every language."""
        plot = self._plot()
        return plot.left() + plot.width() * (at_ns - self._begin) / max(1, self._end - self._begin)

    def _plot(self) -> QRect:
        return self.rect().adjusted(_MARK, 2, -_MARK, -2)

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the overview, the marks and the place."""
        with QPainter(self) as painter:
            plot = self._plot()
            painter.fillRect(plot, QColor(self._theme.raised))
            if self._parts:
                self._paint_activity(painter, plot)
                self._paint_marks(painter, plot)
            self._paint_position(painter, plot)

    def _paint_activity(self, painter: QPainter, plot: QRect) -> None:
        top = max(1, *(part.running + part.waiting for part in self._parts))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for colour, alpha, value in (
            (self._theme.prefill, 110, [part.running + part.waiting for part in self._parts]),
            (self._theme.decode, 190, [part.running for part in self._parts]),
        ):
            shade = QColor(colour)
            shade.setAlpha(alpha)
            painter.setBrush(shade)
            painter.drawPolygon(self._outline(plot, value, top))

    def _outline(self, plot: QRect, values: list[int], top: int) -> QPolygonF:
        floor = plot.bottom() + 1.0
        outline = QPolygonF([QPointF(self.x_of(self._begin), floor)])
        for part, value in zip(self._parts, values, strict=True):
            y = floor - (plot.height() - 4) * value / top
            outline.append(QPointF(self.x_of(part.begin_ns), y))
            outline.append(QPointF(self.x_of(part.end_ns), y))
        outline.append(QPointF(self.x_of(self._end), floor))
        return outline

    def _paint_marks(self, painter: QPainter, plot: QRect) -> None:
        for part in self._parts:
            x = self.x_of(part.begin_ns)
            if part.preemptions:
                painter.fillRect(QRectF(x - 1, plot.top(), 2, _MARK), QColor(self._theme.error))
            if part.limits_changed:
                painter.fillRect(QRectF(x - 1, plot.bottom() + 1 - plot.height(), 1.5, plot.height()),
                                 QColor(self._theme.warning))  # fmt: skip

    def _paint_position(self, painter: QPainter, plot: QRect) -> None:
        x = self.x_of(self._position)
        past = QColor(self._theme.accent)
        past.setAlpha(34)
        painter.fillRect(QRectF(plot.left(), plot.top(), max(0.0, x - plot.left()), plot.height()), past)
        painter.setPen(QPen(QColor(self._theme.surface), 4))
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
        painter.setPen(QPen(QColor(self._theme.accent), 2))
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
        painter.setBrush(QColor(self._theme.accent))
        painter.drawEllipse(QPointF(x, plot.top() + 3), 4, 4)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._theme.accent), 1))
            painter.drawRect(plot.adjusted(0, 0, -1, -1))

    # Pointer and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the place under the pointer."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.sought.emit(self.time_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the place along; say the time under the pointer."""
        at_ns = self.time_at(event.position().x())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.sought.emit(at_ns)
        QToolTip.showText(event.globalPosition().toPoint(), self._told(at_ns), self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A second a notch."""
        self.sought.emit(self._position + (-1 if event.angleDelta().y() < 0 else 1) * 1_000_000_000)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Seek by keyboard."""
        key, fine = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        by_s = {
            Qt.Key.Key_Left: -0.1 if fine else -1.0, Qt.Key.Key_Right: 0.1 if fine else 1.0,
            Qt.Key.Key_PageUp: 10.0, Qt.Key.Key_PageDown: -10.0,
        }.get(Qt.Key(key))  # fmt: skip
        if by_s is not None:
            self.sought.emit(self._position + int(by_s * 1e9))
        elif key == Qt.Key.Key_Home:
            self.sought.emit(self._begin)
        elif key == Qt.Key.Key_End:
            self.sought.emit(self._end)
        elif key == Qt.Key.Key_Space:
            self.toggled.emit()
        else:
            super().keyPressEvent(event)

    def _told(self, at_ns: int) -> str:
        text = clock_text((at_ns - self._begin) / 1e9, tenths=True)
        part = next((one for one in reversed(self._parts) if one.begin_ns <= at_ns), None)
        if part is None:
            return text
        text += " · " + self.tr("running {0}, waiting {1}").format(part.running, part.waiting)
        if part.preemptions:
            text += " · " + self.tr("preemptions: {0}").format(part.preemptions)
        return text + (" · " + self.tr("limits changed") if part.limits_changed else "")
