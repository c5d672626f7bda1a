"""The line of a load: its stages, how long each took and took last time, and a button that cancels."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.theme.stylesheet import mixed
from app.widgets import figures
from app.widgets.icon import PlainButton
from app.widgets.labels import TabularLabel, role_label
from app.widgets.stage_names import stage_name
from engine.domain.lifecycle import Phase, Stage

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from app.bridge.store import Store
    from engine.domain.lifecycle import Lifecycle, StageTiming

_WARM = (Stage.TO_SLEEP, Stage.WAKING)
_COLD = tuple(stage for stage in Stage if stage not in (Stage.READY, *_WARM))
_MOMENT_S = 0.4  # a switch that takes no longer moves nothing in the window
_GAP = 8
_BAR = 3
_TICK_MS = 250


class StageTrack(QWidget):
    """A segment a stage: seven of a load, two of a warm switch. A bar is full when its stage has ended, and moves only
    when the engine reports."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._timings: dict[Stage, StageTiming] = {}
        self._elapsed_s = 0.0

    def show_stages(self, stages: tuple[StageTiming, ...], elapsed_s: float) -> None:
        """Draw these stages, `elapsed_s` after the start of the load."""
        self._timings = {timing.stage: timing for timing in stages}
        self._elapsed_s = elapsed_s
        self.setAccessibleName(self.describe())
        self.update()

    def describe(self) -> str:
        """The present stage in words."""
        running = [timing for timing in self._timings.values() if timing.ended_s is None]
        if not running:
            return ""
        return f"{stage_name(running[-1].stage)}: {self._time_text(running[-1])}"

    def sizeHint(self) -> QSize:
        """Two lines of text and a bar."""
        return QSize(560, round(QFontMetricsF(self.font()).height() * 2) + _BAR + 6)

    def minimumSizeHint(self) -> QSize:
        """As high as the hint, narrower."""
        return QSize(420, self.sizeHint().height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the segments from the leading edge on."""
        painter = QPainter(self)
        is_warm = bool(self._timings) and not any(stage in _COLD for stage in self._timings)
        shown = _WARM if is_warm else _COLD
        width = (self.width() - _GAP * (len(shown) - 1)) / len(shown)
        for index, stage in enumerate(shown):
            left = index * (width + _GAP)
            if self.layoutDirection() is Qt.LayoutDirection.RightToLeft:
                left = self.width() - left - width
            self._draw(painter, stage, QRectF(left, 0, width, self.height()))

    def _draw(self, painter: QPainter, stage: Stage, box: QRectF) -> None:
        palette = QApplication.palette()
        timing = self._timings.get(stage)
        is_present = timing is not None and timing.ended_s is None
        line = QFontMetricsF(self.font()).height()
        role = QPalette.ColorRole.PlaceholderText if timing is None else QPalette.ColorRole.WindowText
        align = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
        align = Qt.AlignmentFlag(self.style().visualAlignment(self.layoutDirection(), align))
        font = self.font()
        font.setBold(is_present)
        painter.setFont(font)
        painter.setPen(palette.color(role))
        metrics = QFontMetricsF(font)
        name = metrics.elidedText(stage_name(stage), Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(QRectF(box.left(), 0, box.width(), line), align, name)
        self._draw_bar(painter, timing, QRectF(box.left(), line + 2, box.width(), _BAR))
        painter.setFont(self.font())
        painter.setPen(palette.color(role))
        text = self._time_text(timing) if timing else ""
        painter.drawText(QRectF(box.left(), line + _BAR + 4, box.width(), line), align, text)

    def _draw_bar(self, painter: QPainter, timing: StageTiming | None, box: QRectF) -> None:
        palette = QApplication.palette()
        accent = palette.color(QPalette.ColorRole.Accent)
        painter.fillRect(box, palette.color(QPalette.ColorRole.Mid))
        if timing is None:
            return
        if timing.ended_s is not None:
            painter.fillRect(box, accent)
            return
        soft = mixed(palette.color(QPalette.ColorRole.Base).name(), accent.name(), 0.45)
        painter.fillRect(box, QColor(soft))
        if timing.progress is not None:
            width = box.width() * min(max(timing.progress, 0.0), 1.0)
            left = box.left() if self.layoutDirection() is Qt.LayoutDirection.LeftToRight else box.right() - width
            painter.fillRect(QRectF(left, box.top(), width, box.height()), accent)

    def _time_text(self, timing: StageTiming) -> str:
        end = self._elapsed_s if timing.ended_s is None else timing.ended_s
        taken = _seconds(max(0.0, end - timing.started_s))
        if timing.ended_s is None and timing.expected_s is not None:
            return self.tr("{taken} of {expected}").format(taken=taken, expected=_seconds(timing.expected_s))
        return taken


class StageLine(QWidget):
    """Visible while a model is loaded or unloaded. `cancelled` is a signal of its button."""

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stageLine")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._store = store
        self._received_s = time.monotonic()
        self._title = role_label(self.tr("Loading"), "")
        self._total = TabularLabel("00 min 00 s", "muted")
        self.track = StageTrack()
        self.cancel_button = PlainButton(self.tr("Cancel"))
        self.cancel_button.setObjectName("cancelLoad")
        self.cancel_button.setToolTip(self.tr("Stop this load and end its processes"))
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._arrange()
        self.hide()
        store.lifecycle_changed.connect(self._lifecycle_changed)
        self._lifecycle_changed(store.lifecycle)

    def _lifecycle_changed(self, lifecycle: Lifecycle) -> None:
        self._received_s = time.monotonic()
        is_loading = lifecycle.phase is Phase.LOADING
        if is_loading and lifecycle.warm and (lifecycle.elapsed_s or 0.0) < _MOMENT_S:
            return
        is_busy = is_loading or lifecycle.phase is Phase.UNLOADING
        self.setVisible(is_busy)
        self.track.setVisible(is_loading)
        self.cancel_button.setVisible(is_loading)
        self._title.setText(
            self.tr("Loading") if is_loading else self.tr("Ending the engine and giving its memory back")
        )
        if is_busy:
            self._timer.start()
            self._tick()
        else:
            self._timer.stop()

    def _tick(self) -> None:
        lifecycle = self._store.lifecycle
        if lifecycle.elapsed_s is None:
            self._total.show_text("")
            return
        elapsed_s = lifecycle.elapsed_s + time.monotonic() - self._received_s
        self._total.show_text(_seconds(elapsed_s))
        self.track.show_stages(lifecycle.stages, elapsed_s)

    def _arrange(self) -> None:
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self._title)
        words.addWidget(self._total)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(20)
        row.addLayout(words)
        row.addWidget(self.track, 1)
        row.addWidget(self.cancel_button, alignment=Qt.AlignmentFlag.AlignVCenter)


def _seconds(span_s: float) -> str:
    """A time span to a tenth of a second, also when it is short: the unit stays the same while it grows."""
    return f"{QLocale().toString(span_s, 'f', 1)}\u202fs" if span_s < 1 else figures.duration(span_s)
