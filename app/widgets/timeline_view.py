"""The timeline: requests as lanes over time, and under them what each scheduler step did. Imports pyqtgraph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics

from app.theme.fonts import tabular
from app.widgets import figures
from app.widgets.timeline_items import LanesItem, StepBars, stairs, step_tokens
from app.widgets.timeline_plots import TimePlot
from engine.metrics.step_levels import Column
from engine.metrics.timeline import Timeline

if TYPE_CHECKING:
    from PySide6.QtCore import QPointF
    from PySide6.QtGui import QKeyEvent, QResizeEvent
    from PySide6.QtWidgets import QWidget

    from app.theme.tokens import Theme
    from engine.metrics.static_batching import StaticLane
    from engine.metrics.timeline import Lane

_FOLLOWED_S = 20.0
_SHORTEST_S = 0.002
_FEWEST_SLOTS = 6
_UNLIMITED = 16_777_215  # Qt's own
_LOWEST, _LOW, _MIDDLE = 130, 210, 300  # pixels below which charts are left out


def make_plot(index: int) -> TimePlot:
    """One of the view's four plots, from above. Each takes some 20 ms: whoever must not stall makes them one by one."""
    return TimePlot(with_time=False, tall=index == 0)


class TimelineView(pg.GraphicsLayoutWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """Draws a Timeline. It follows the newest step until the user scrolls or zooms (`follow` brings that back).

    `pointed` carries the moment (nanoseconds) and the lane under the pointer, or None twice; `chosen` a lane, or None
    for a click beside all; `sought` a moment that was double-clicked; `following_changed` whether it follows.
    """

    pointed = Signal(object, object)
    chosen = Signal(object)
    sought = Signal(object)
    following_changed = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None, plots: tuple[TimePlot, ...] = ()) -> None:
        super().__init__(parent)
        self._theme = theme
        self._timeline = Timeline()
        self._origin = 0
        self._drawing = False
        self._place_ns: int | None = None
        self.following = True
        self.lanes, self.tokens, self.batch, self.time = plots or map(make_plot, range(4))
        self.bars, self.steps = LanesItem(theme), StepBars(theme)
        self.budget, self.running, self.waiting, self.duration = (pg.PlotCurveItem(connect="finite") for _ in range(4))
        self._build()
        self.use_theme(theme)
        self.scene().sigMouseMoved.connect(self._point)
        self.scene().sigMouseClicked.connect(self._click)
        self.setAccessibleName(self.tr("Timeline of requests and steps"))

    @property
    def plots(self) -> tuple[TimePlot, ...]:
        """All plots, from above."""
        return self.lanes, self.tokens, self.batch, self.time

    def _build(self) -> None:
        self.ci.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # time runs to the right in every language
        self.ci.layout.setSpacing(2)
        for row, plot in enumerate(self.plots):
            plot.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
            self.addItem(plot, row=row, col=0)
            self.ci.layout.setRowStretchFactor(row, 5 if row == 0 else 2)
            if row:
                plot.setXLink(self.lanes)
                plot.box.setLimits(yMin=0)
        self.lanes.box.invertY(True)
        self.lanes.box.setLimits(yMin=0, yMax=_FEWEST_SLOTS)
        self.lanes.addItem(self.bars)
        self.tokens.addItem(self.steps)
        for plot, curves in ((self.tokens, (self.budget,)), (self.batch, (self.waiting, self.running)),
                             (self.time, (self.duration,))):  # fmt: skip
            for curve in curves:
                plot.addItem(curve)
        self.lanes.box.sigXRangeChanged.connect(lambda *_: self.refresh())
        for plot in self.plots:
            plot.box.sigRangeChangedManually.connect(lambda *_: self.follow(follow=False))
            plot.box.disableAutoRange()

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.setBackground(QColor(theme.surface))
        font = tabular(QFont(self.font()))
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.8))
        half = QFontMetrics(font).height() // 2 + 1  # of the topmost number, which stands on the edge of its plot
        self.ci.layout.setContentsMargins(0, half, 6, 2)
        for plot in self.plots:
            plot.use_theme(theme, font)
        for item in (self.bars, self.steps):
            item.use_theme(theme)
        self.budget.setPen(pg.mkPen(QColor(theme.warning), width=1, style=Qt.PenStyle.DashLine))
        self.running.setPen(pg.mkPen(QColor(theme.decode), width=1.5))
        self.waiting.setPen(pg.mkPen(QColor(theme.prefill), width=1))
        self.duration.setPen(pg.mkPen(QColor(theme.memory_rest), width=1))
        self.refresh()

    # What is shown

    def show_timeline(self, timeline: Timeline) -> None:
        """Draw this timeline from now on."""
        self._timeline = timeline
        span = timeline.span_ns
        self._origin = span[0] if span is not None else 0
        self.refresh()

    def advance(self) -> None:
        """The timeline has grown."""
        span = self._timeline.span_ns
        if span is None:
            return
        if not self._origin:
            self._origin = span[0]
        if self.following:
            end = (span[1] - self._origin) / 1e9
            self._drawing = True  # once, below, and not for the new range already
            try:
                self._set_range(end - max(1.0, min(_FOLLOWED_S, end + 0.5)), end)
            finally:
                self._drawing = False
        self.refresh()

    def show_place(self, at_ns: int | None) -> None:
        """Where a replay stands. Costs nothing until the line would move by a pixel."""
        width, _ = self.lanes.box.viewPixelSize()
        known = self._place_ns
        if at_ns is not None and known is not None and abs(at_ns - known) / 1e9 < width:
            return
        self._place_ns = at_ns
        seconds = None if at_ns is None else (at_ns - self._origin) / 1e9
        for plot in self.plots:
            plot.show_line(plot.place, seconds)

    def choose(self, lanes: list[Lane]) -> None:
        """Frame these lanes' request."""
        self.bars.choose(frozenset(lane.serial for lane in lanes))

    def show_ghosts(self, lanes: tuple[StaticLane, ...]) -> None:
        """Draw where static batches would have had these; empty: no longer."""
        found = ((one, self._timeline.lane(one.serial)) for one in lanes)
        self.bars.show_ghosts({one.serial: (one, lane.slot) for one, lane in found if lane is not None})

    def follow(self, *, follow: bool) -> None:
        """Follow the newest step, or stay."""
        if follow != self.following:
            self.following = follow
            self.following_changed.emit(follow)
        if follow:
            self.advance()

    def fit(self) -> None:
        """Show all that is kept."""
        span = self._timeline.span_ns
        if span is None:
            return
        self.follow(follow=False)
        self.lanes.box.height_chosen = False
        self._set_range((span[0] - self._origin) / 1e9, (span[1] - self._origin) / 1e9)

    def show_span(self, begin_ns: int, end_ns: int) -> None:
        """Show this time, with a little around it."""
        self.follow(follow=False)
        begin, end = (begin_ns - self._origin) / 1e9, (end_ns - self._origin) / 1e9
        room = max(0.05, (end - begin) * 0.08)
        self._set_range(begin - room, end + room)

    def _set_range(self, begin: float, end: float) -> None:
        self.lanes.box.setXRange(begin, max(end, begin + _SHORTEST_S), padding=0)

    def refresh(self) -> None:
        """Draw what is in view."""
        if self._drawing:
            return
        self._drawing = True
        try:
            self._refresh()
        finally:
            self._drawing = False

    def _refresh(self) -> None:
        (first, last), _ = self.lanes.box.viewRange()
        begin, end = self._origin + int(first * 1e9), self._origin + int(last * 1e9)
        self.bars.show_spans(self._timeline.spans(begin, end), self._origin, self._timeline.num_slots)
        slots = max(_FEWEST_SLOTS, self._timeline.num_slots)
        self.lanes.box.setLimits(yMax=slots)
        if not self.lanes.box.height_chosen:
            self.lanes.box.setYRange(0, slots, padding=0)
        lots = self._timeline.steps.view(begin, end, max(64, int(self.width() * 1.5)))
        self.steps.show_lots(lots, self._origin)
        budgets = lots.column(Column.MAX_NUM_BATCHED_TOKENS)
        self.budget.setData(*stairs(lots, budgets, self._origin))
        running, waiting = lots.column(Column.RUNNING), lots.column(Column.WAITING)
        self.running.setData(*stairs(lots, running, self._origin))
        self.waiting.setData(*stairs(lots, waiting, self._origin))
        milliseconds = lots.column(Column.LONGEST_NS) / 1e6
        self.duration.setData(*stairs(lots, milliseconds, self._origin))
        tops = (step_tokens(lots), np.concatenate((running, waiting)), milliseconds)
        for plot, values in zip(self.plots[1:], tops, strict=True):
            plot.box.setYRange(0, max(1.0, float(values.max()) * 1.6 if values.size else 1.0), padding=0)
        self._write_captions(budgets.tolist(), exact=lots.exact)

    def _write_captions(self, budgets: list[int], *, exact: bool) -> None:
        budget = figures.count(budgets[-1]) if budgets else figures.UNKNOWN
        tokens = self.tr("tokens a step, budget {0}").format(budget)
        self.tokens.caption.setText(tokens if exact else self.tr("{0} (mean of lots)").format(tokens))
        self.batch.caption.setText(self.tr("running, waiting"))
        self.time.caption.setText(self.tr("step time, ms") if exact else self.tr("longest step, ms"))

    # Pointer and keys

    def lane_at(self, at_ns: int, slot: int) -> Lane | None:
        """The lane at a moment on a line."""
        spans = self._timeline.spans(at_ns, at_ns)
        found = np.flatnonzero(spans.slot == slot)
        return self._timeline.lane(int(spans.lane[found[-1]])) if found.size else None

    def _place(self, scene: QPointF) -> tuple[int, Lane | None] | None:
        """Moment and lane at a place of the scene; None beside the plots."""
        for plot in self.plots:
            if plot.isVisible() and plot.box.sceneBoundingRect().contains(scene):
                point = plot.box.mapSceneToView(scene)
                at_ns = self._origin + int(point.x() * 1e9)
                return at_ns, self.lane_at(at_ns, int(point.y())) if plot is self.lanes else None
        return None

    def _point(self, scene: QPointF) -> None:
        place = self._place(scene)
        seconds = None if place is None else (place[0] - self._origin) / 1e9
        for plot in self.plots:
            plot.show_line(plot.pointer, seconds)
        self.pointed.emit(*(place or (None, None)))

    def _click(self, event: Any) -> None:
        place = self._place(event.scenePos())
        if place is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self.setFocus()
        if event.double():
            self.sought.emit(place[0])
        else:
            self.chosen.emit(place[1])

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at any more."""
        for plot in self.plots:
            plot.show_line(plot.pointer, None)
        self.pointed.emit(None, None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right go through time, plus and minus zoom, 0 shows all, End follows."""
        (begin, end), _ = self.lanes.box.viewRange()
        width = end - begin
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right:
                by = width * (-0.15 if event.key() == Qt.Key.Key_Left else 0.15)
                self.follow(follow=False)
                self._set_range(begin + by, end + by)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal | Qt.Key.Key_Minus:
                room = width * (0.25 if event.key() == Qt.Key.Key_Minus else -0.2)
                self.follow(follow=False)
                self._set_range(begin - room, end + room)
            case Qt.Key.Key_0:
                self.fit()
            case Qt.Key.Key_End:
                self.follow(follow=True)
            case _:
                super().keyPressEvent(event)
                return
        event.accept()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave charts out where there is no room to read them; the lowest one has the time."""
        super().resizeEvent(event)
        if not hasattr(self, "time"):
            return
        height = self.height()
        for row, (plot, least) in enumerate(((self.tokens, _LOWEST), (self.batch, _LOW), (self.time, _MIDDLE)), 1):
            fits = height >= least
            plot.setVisible(fits)
            plot.setMaximumHeight(_UNLIMITED if fits else 0)
            self.ci.layout.setRowStretchFactor(row, 2 if fits else 0)
            self.ci.layout.setRowMinimumHeight(row, 0)
            self.ci.layout.setRowMaximumHeight(row, _UNLIMITED if fits else 0)
            self.ci.layout.setRowSpacing(row - 1, 2 if fits else 0)
        lowest = next(plot for plot in reversed(self.plots) if plot is self.lanes or plot.maximumHeight() > 0)
        for plot in self.plots:
            plot.show_time(shown=plot is lowest)
