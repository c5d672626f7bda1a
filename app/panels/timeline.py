"""The timeline panel: each request a lane, each step below it, and what static batching would have made of them."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from app.bridge.frame_pace import FramePace
from app.bridge.store import Look, Pointer, Selection
from app.panels.panel import Panel
from app.widgets.block_map_inspector import InspectorLine
from app.widgets.empty_state import EmptyState
from app.widgets.timeline_exports import TimelineExports
from app.widgets.timeline_goals import chosen_span, longest_step_span
from app.widgets.timeline_outliers import OutlierMenu, outlier_text
from app.widgets.timeline_toolbar import TimelineToolbar
from app.widgets.timeline_words import comparison_method, comparison_text, lane_text, lot_text
from engine.metrics.static_batching import BatchingComparison, compare
from engine.metrics.timeline import Lane, Timeline

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from app.bridge.late_import import LateImport
    from app.bridge.store import ReplayState
    from app.panels.panel import PanelContext
    from app.theme.tokens import Theme
    from app.widgets.timeline_plots import TimePlot
    from app.widgets.timeline_view import TimelineView
    from engine.domain.telemetry import CacheSnapshot
    from engine.metrics.outliers import Outlier

_MARGIN = 16
_DRAW_EVERY_S = 0.1
_DRAW_MANY_EVERY_S = 0.25  # with more lanes than these, which take long to draw and are a pixel high
_MANY_LANES = 96
_COMPARE_EVERY_S = 2.0


class TimelinePanel(Panel):
    """Collects every picture from the start; draws, and imports what draws, only once it is looked at.

    Where the window replays, it shows the whole recording as soon as that has been read, and a line where the replay
    stands; a double click goes there.
    """

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.timeline = Timeline()
        self.comparison: BatchingComparison | None = None
        self.view: TimelineView | None = None
        self.toolbar = TimelineToolbar(context.themes.current)
        self.line = InspectorLine()
        self.empty = EmptyState(
            "clock",
            self.tr("Requests over time"),
            self.tr("Each request will be a lane here, from the queue to the last token. Load a model and ask it."),
        )
        self.preparing = EmptyState("clock", self.tr("Preparing the charts…"), "")
        self._fetching = False
        self._pace = context.pace or FramePace(context.store, self)
        self._pointed, self._looking = "", False
        self._drawn_s = self._compared_s = 0.0
        self._live = QWidget()
        self._column = QVBoxLayout(self._live)
        self._column.setContentsMargins(_MARGIN, 4, _MARGIN, 4)
        self._column.setSpacing(4)
        self._column.addWidget(self.toolbar)
        self._column.addWidget(self.line)
        self.stack = QStackedLayout(self)
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self._live)
        self.stack.addWidget(self.preparing)
        replay = context.replay
        self.exports = TimelineExports(
            context.store, context.tasks, lambda: self.timeline,
            replay.steps if replay is not None else lambda: tuple(self.timeline.steps.samples()), self,
        )  # fmt: skip
        self._add_actions()
        self._connect()
        self._show_whole()

    def _connect(self) -> None:
        store = self.context.store
        store.cache_changed.connect(self._take)
        store.selection_changed.connect(self._show_selection)
        self.context.themes.changed.connect(self._use_theme)
        self.toolbar.ghosts_toggled.connect(lambda _on: self._show_ghosts())
        self.toolbar.fit_asked.connect(self.fit)
        self.toolbar.follow_asked.connect(self._follow)
        menu = OutlierMenu(lambda: self.timeline, self)
        menu.chosen.connect(self._show_outlier)
        self.toolbar.slowest.setMenu(menu)
        store.look_asked.connect(self._look)
        replay = self.context.replay
        if replay is not None:
            self.empty.show_state(
                "clock", self.tr("Reading the recording…"), self.tr("All of its requests and steps will be here.")
            )
            replay.timeline_read.connect(self._show_whole)
            store.replay_changed.connect(self._show_place)

    def _add_actions(self) -> None:
        for text, act, keys in (
            (self.tr("Show all that is kept"), self.fit, ""),
            (self.tr("Follow the newest step"), lambda: self._follow(True), ""),
            (self.tr("Static batches for comparison"), self.toolbar.ghosts.toggle, "S"),
            (self.tr("Go to what is chosen"), self._show_chosen, "G"),
            (self.tr("The slowest requests…"), self.toolbar.slowest.showMenu, "L"),
            (self.tr("Go to the longest step"), self._show_longest, ""),
            (self.tr("Export the steps as CSV…"), self.exports.ask_steps, ""),
            (self.tr("Export the requests as CSV…"), self.exports.ask_requests, ""),
        ):
            action = QAction(text, self)
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            if keys:
                action.setShortcut(QKeySequence(keys))
            action.triggered.connect(lambda _checked=False, act=act: act())
            self.addAction(action)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    # What is shown

    def _take(self, snapshot: CacheSnapshot | None) -> None:
        if self.context.replay is None:
            if snapshot is None:
                self.timeline.end_engine()
            else:
                self.timeline.take(snapshot)
        if self.view is None or not self.isVisible():
            self._draw()
        elif self._is_due():
            self._pace.soon(self._draw)  # the frame that brought the picture has the block map to draw

    def _draw(self, *, now: bool = False) -> None:
        """Draw what has come since, not more often than it can be read."""
        if not self.isVisible():
            return
        if self.timeline.span_ns is None:
            self.stack.setCurrentWidget(self.empty)
            return
        if not now and not self._is_due():
            return
        clock = self._drawn_s = time.monotonic()
        if not self._charts_are_there():
            self.stack.setCurrentWidget(self.preparing)
            return
        view = self._need_view()
        self.stack.setCurrentWidget(self._live)
        if self.context.replay is None or now:
            view.advance()
        if now or clock - self._compared_s >= _COMPARE_EVERY_S:
            self._compared_s = clock
            self._compare() if now else self._pace.soon(self._compare)
        self._write()

    def _is_due(self) -> bool:
        every_s = _DRAW_EVERY_S if self.timeline.num_slots <= _MANY_LANES else _DRAW_MANY_EVERY_S
        return time.monotonic() - self._drawn_s >= every_s

    def _compare(self) -> None:
        self.comparison = compare(self.timeline)
        self._show_ghosts()
        self._write()

    def _charts_are_there(self) -> bool:
        """Whether what draws is there; if not, it is imported and made, and the panel drawn when it has come."""
        charts, tasks = self.context.charts, self.context.tasks
        if self.view is not None or charts is None or not tasks.possible:
            return True
        if not self._fetching:
            self._fetching = True
            tasks.start(self._fetch_charts(charts), self.tr("Timeline"))
        return False

    async def _fetch_charts(self, charts: LateImport) -> None:
        await charts.done()
        from app.widgets.timeline_view import make_plot

        plots = []
        for index in range(4):
            plots.append(make_plot(index))
            await asyncio.sleep(0.01)  # the window draws in between
        self._need_view(tuple(plots))
        self._show_all()
        if self._looking:
            self._show_chosen()

    def _need_view(self, plots: tuple[TimePlot, ...] = ()) -> TimelineView:
        """The drawing part, made when it is first needed: pyqtgraph takes long to import. `plots` are its, if made."""
        if self.view is None:
            from app.widgets.timeline_view import TimelineView

            view = self.view = TimelineView(self.context.themes.current, plots=plots)
            view.pointed.connect(self._point)
            view.chosen.connect(self._choose)
            view.sought.connect(self._seek)
            view.following_changed.connect(lambda following: self.toolbar.show_following(following=following))
            self._column.addWidget(view, 1)
            self.lead_to(view)
            view.show_timeline(self.timeline)
            self._show_selection(self.context.store.selection)
        return self.view

    def _show_whole(self) -> None:
        """The recording has been read, perhaps before there was this panel: show all of it."""
        replay = self.context.replay
        if replay is None or replay.timeline is None:
            return
        self.timeline = replay.timeline
        self.comparison = None
        if self.view is not None:
            self.view.show_timeline(self.timeline)
        self._draw(now=True)
        self.fit()

    def _show_place(self, state: ReplayState) -> None:
        if self.view is not None and self.isVisible():
            self.view.show_place(state.position_ns)

    def _write(self) -> None:
        found = self.comparison
        if self._pointed or found is None:
            self.line.show_text(self._pointed or self.tr("Point at a lane or a step; a click chooses the request."))
            return
        self.line.show_text(comparison_text(found))
        self.line.setToolTip(f"{comparison_text(found)}\n{comparison_method(found)}")

    def _show_ghosts(self) -> None:
        if self.view is not None:
            found = self.comparison if self.toolbar.ghosts.isChecked() else None
            self.view.show_ghosts(found.lanes if found is not None else ())

    def _use_theme(self, theme: Theme) -> None:
        self.toolbar.use_theme(theme)
        if self.view is not None:
            self.view.use_theme(theme)

    # Pointing, choosing, going

    def _point(self, at_ns: int | None, lane: Lane | None) -> None:
        if at_ns is None:
            self._pointed = ""
        elif lane is not None:
            self._pointed = lane_text(lane, self.timeline.newest_ns)
        else:
            lot = self.timeline.steps.view(at_ns, at_ns, 4).at(at_ns)
            self._pointed = lot_text(lot) if lot is not None else ""
        self._write()

    def _choose(self, lane: Lane | None, step: int | None = None) -> None:
        blocks = tuple(lane.blocks.tolist()) if lane is not None and lane.blocks is not None else ()
        self.context.store.publish(Selection(lane.request_id if lane is not None else None, None, step, blocks))

    def _show_selection(self, selection: Selection) -> None:
        if self.view is not None:
            lane = self.timeline.lane_of(selection.request_id) if selection.request_id is not None else None
            self.view.choose([lane] if lane is not None else [])

    def _look(self, look: Look) -> None:
        if look.panel == "timeline":
            self._looking = True  # until what draws is there
            self._draw(now=True)
            self._show_chosen()

    def _seek(self, at_ns: int) -> None:
        if self.context.replay is not None:
            self.context.replay.seek(at_ns)
        else:
            self._follow(True)

    def _follow(self, follow: bool) -> None:  # a slot: Qt hands the state over by position
        if self.view is not None:
            self.view.follow(follow=follow)

    def fit(self) -> None:
        """Show all that is kept."""
        if self.view is not None:
            self.view.fit()

    def _show_chosen(self) -> None:
        """Where the chosen request was, or the chosen step."""
        chosen = self.context.store.selection
        lane = self.timeline.lane_of(chosen.request_id) if chosen.request_id is not None else None
        span = chosen_span(self.timeline, chosen, lane)
        if self.view is None or span is None:
            return
        self._looking = False
        if lane is not None:
            self._choose(lane, chosen.step)
        self.view.show_span(*span)

    def _show_outlier(self, found: Outlier) -> None:
        """A slow request: the time that it lost, its longest step meanwhile, and the blocks that it held."""
        self._choose(found.lane, found.step)
        if self.view is not None:
            self.view.show_span(found.begin_ns, found.end_ns)
        self._pointed = outlier_text(found, self.timeline)
        self._write()
        if self.context.replay is not None:
            self.context.replay.seek(found.begin_ns + (found.end_ns - found.begin_ns) // 2)
        self.context.store.publish(Pointer("cache"))

    def _show_longest(self) -> None:
        span = longest_step_span(self.timeline)
        if span is not None and self.view is not None:
            self.view.show_span(*span)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while hidden."""
        super().showEvent(event)
        self._show_all()

    def _show_all(self) -> None:
        self._draw(now=True)
        if self.context.replay is not None:
            self.fit()
            if self.context.store.replay is not None:
                self._show_place(self.context.store.replay)
