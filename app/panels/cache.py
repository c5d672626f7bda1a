"""The KV cache panel: every block of the running engine, the requests that own them, and the steps that move them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMenu, QStackedLayout, QVBoxLayout, QWidget

from app.bridge.frame_pace import FramePace
from app.bridge.store import Selection
from app.panels.panel import Panel
from app.preferences import REDUCED_MOTION
from app.tables.requests import RequestsModel
from app.widgets.beside_frames import BesideFrames
from app.widgets.block_map_actions import block_map_actions
from app.widgets.block_map_empty import CacheEmpty
from app.widgets.block_map_figures import FigureRow
from app.widgets.block_map_group_choice import ALL
from app.widgets.block_map_inspector import InspectorLine
from app.widgets.block_map_legend import BlockLegend
from app.widgets.block_map_palette import ColourMode, request_colour
from app.widgets.block_map_stage import BlockMapStage
from app.widgets.block_map_toolbar import BlockMapToolbar
from app.widgets.block_map_words import block_parts, cache_figures, step_texts
from app.widgets.cache_details import CacheDetails
from app.widgets.cache_jumps import CacheJumps
from app.widgets.chosen_blocks import choice_text, chosen_blocks
from app.widgets.engine_choice import EngineChoice
from app.widgets.panel_splitter import PanelSplitter, stacked
from app.widgets.request_list import RequestList
from app.widgets.step_chart import StepChart
from engine.metrics.block_owners import BlockOwners
from engine.metrics.step_history import StepHistory

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PySide6.QtCore import QObject, QPoint
    from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent

    from app.panels.panel import PanelContext
    from app.theme.tokens import Theme
    from engine.domain.telemetry import CacheSnapshot, StepSample

_MODE_KEY = "cache/colour_mode"
_SPLIT_KEY = "cache/split"
_MARGIN = 16
_INSPECTOR_LINES = 18  # lines of text that a panel is high at least to have one under the map
_FIGURE_LINES = ((24, 1), (32, 2))  # in panels lower than so many lines of text, and how many lines of figures then


class CachePanel(Panel):
    """Draws the newest CacheSnapshot. Space (or `set_paused`) freezes the view while the data go on."""

    paused_changed = Signal(bool)

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        theme = context.themes.current
        self.paused = False
        self._owners = BlockOwners((), 1)
        pace = context.pace or FramePace(context.store, self)
        self._beside = BesideFrames(pace, self._write_words, self._write_table)
        self._pointed_step: StepSample | None = None
        self.history = StepHistory()
        self.figures = FigureRow(theme)
        self.toolbar = BlockMapToolbar()
        self.toolbar.add_choice(EngineChoice(context.store, context.commands))
        self.stage = BlockMapStage(theme)
        self.map = self.stage.map
        self.legend = BlockLegend(theme)
        self.inspector = InspectorLine()
        self.model = RequestsModel(lambda row: request_colour(row, self.context.themes.current), self)
        self.requests = RequestList(self.model)
        self.details = CacheDetails(self.requests, context.store, context.commands, theme, context.settings)
        self.jumps = CacheJumps(self.stage, self.details, context.store)
        self._alone: NDArray[np.int32] | None = None
        self.steps = StepChart(self.history, theme)
        self.step_line = InspectorLine()
        self.empty = CacheEmpty(context.store, context.commands)
        self._build()
        self._connect()
        self._use_mode(str(context.settings.value(_MODE_KEY, ColourMode.STATE.value)))
        self._show_snapshot(context.store.cache)

    def _build(self) -> None:
        upper = stacked(self.figures, self.toolbar, self.stage, self.legend, self.inspector)
        chart = stacked(self.step_line, self.steps)
        self.below = PanelSplitter(Qt.Orientation.Horizontal, ((self.details, 3), (chart, 2)))
        self.splitter = PanelSplitter(Qt.Orientation.Vertical, ((upper, 2), (self.below, 1)))
        self.live = QWidget()
        layout = QVBoxLayout(self.live)
        layout.setContentsMargins(_MARGIN, 4, _MARGIN, 6)
        layout.addWidget(self.splitter)
        self.stack = QStackedLayout(self)
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.live)
        self.stack.currentChanged.connect(lambda _index: self.updateGeometry())
        state = self.context.settings.value(_SPLIT_KEY)
        if isinstance(state, list) and len(state) == 2:
            self.splitter.restoreState(state[0])
            self.below.restoreState(state[1])

    def _connect(self) -> None:
        store = self.context.store
        store.cache_changed.connect(self._show_snapshot)
        store.selection_changed.connect(self._show_selection)
        self.context.themes.changed.connect(self._use_theme)
        self.stage.pointed.connect(self._point_at)
        self.stage.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.stage.customContextMenuRequested.connect(self._open_menu)
        self.details.pointed.connect(self._light_alone)
        self.requests.chosen.connect(self._choose_request)
        self.requests.abort_asked.connect(self.context.commands.abort)
        self.requests.priority_asked.connect(self.context.commands.set_priority)
        self.steps.pointed.connect(self._point_at_step)
        self.toolbar.mode_chosen.connect(self._use_mode)
        self.toolbar.pause_toggled.connect(self.set_paused)
        self.toolbar.zoom_asked.connect(self.stage.zoom)
        self.toolbar.fit_asked.connect(self.stage.fit)
        self.toolbar.groups.chosen.connect(self._show_groups)
        for widget in (self.requests, self.steps):
            widget.installEventFilter(self)
        self.addActions(block_map_actions(self.stage, self.history, self.jumps.show_in_table, self))
        self.lead_to(self.stage)

    def _show_snapshot(self, snapshot: CacheSnapshot | None) -> None:
        # A snapshot carries only the steps that are new, so they are kept even while nothing is drawn.
        added = self.history.add(snapshot.steps) if snapshot is not None else 0
        if snapshot is None:
            self.history.clear()
            self.steps.restart()
        if not self.isVisible():
            return
        if snapshot is None:
            self.stack.setCurrentWidget(self.empty)
            self.set_paused(False)
            return
        self.stack.setCurrentWidget(self.live)
        if added:
            self.steps.follow(added)
        if not self.paused:
            self._draw(snapshot)

    def _draw(self, snapshot: CacheSnapshot) -> None:
        if self._owners.requests is not snapshot.requests:
            self._owners = BlockOwners(snapshot.requests, snapshot.block_size, snapshot.groups)
            self._light_selection()
        self.toolbar.show_groups(snapshot.groups)
        self.stage.show_snapshot(snapshot, self._owners)
        self._beside.picture(snapshot.published_ns)

    def _write_words(self) -> None:
        snapshot, theme = self.stage.snapshot, self.context.themes.current
        if snapshot is None:
            return
        self.figures.show_figures(cache_figures(snapshot.counters, snapshot, theme))
        self.stage.write()
        if self.legend.isVisibleTo(self):
            self.legend.show_items(self.stage.legend(theme))
        self._write_block()
        self._write_step()

    def _write_table(self) -> None:
        snapshot = self.stage.snapshot
        if snapshot is not None:
            self.model.show_requests(snapshot.requests, snapshot.published_ns)
            self.details.show_snapshot(snapshot, self._owners)

    def _write_block(self) -> None:
        snapshot, block = self.stage.snapshot, self.stage.pointed_block
        if snapshot is None or block is None or block >= snapshot.num_blocks:
            self.inspector.show_text(choice_text(self.context.store.selection, self._owners))
        else:
            self.inspector.show_text(" · ".join(block_parts(block, snapshot, self._owners)))

    def _write_step(self) -> None:
        chosen = self.context.store.selection.step
        step = self._pointed_step or (self.history.find(chosen) if chosen is not None else None) or self.history.newest
        self.step_line.show_text(*(step_texts(step) if step is not None else ("",)))

    def _use_mode(self, name: str) -> None:
        mode = ColourMode(name) if name in set(ColourMode) else ColourMode.STATE
        self.toolbar.show_mode(mode)
        self.context.settings.setValue(_MODE_KEY, mode.value)
        self.stage.use_mode(mode)
        # By state of all groups the figures above are the legend, with swatches.
        self.legend.setVisible(mode is not ColourMode.STATE or self.toolbar.groups.choice != ALL)
        self._beside.write_all()

    def _use_theme(self, theme: Theme) -> None:
        for widget in (self.figures, self.stage, self.legend, self.steps, self.details):
            widget.use_theme(theme)
        self.model.recolour()
        self._beside.write_all()

    def set_paused(self, paused: bool) -> None:
        """Freeze the view, or return to the newest snapshot; data are collected all the same."""
        if paused == self.paused or (paused and self.context.store.cache is None):
            self.toolbar.show_paused(paused=self.paused)
            return
        self.paused = paused
        self.toolbar.show_paused(paused=paused)
        self.steps.freeze(frozen=paused)
        self.paused_changed.emit(paused)
        if not paused and self.context.store.cache is not None:
            self._draw(self.context.store.cache)

    def _point_at(self, _block: int | None) -> None:
        self._write_block()

    def _point_at_step(self, step: StepSample | None) -> None:
        self._pointed_step = step
        self._write_step()

    def _show_groups(self, choice: int) -> None:
        self.stage.show_groups(choice)
        self._use_mode(self.map.image.mode.value)

    def _choose_request(self, request_id: str | None) -> None:
        if request_id != self.context.store.selection.request_id:
            self.context.store.publish(Selection(request_id))

    def _show_selection(self, selection: Selection) -> None:
        if not self.isVisible():
            return
        self._light_selection()
        self.requests.select(selection.request_id)
        self._write_block()
        self._write_step()

    def _light_alone(self, blocks: NDArray[np.int32] | None) -> None:
        self._alone = blocks
        self._light_selection()

    def _light_selection(self) -> None:
        chosen = chosen_blocks(self.context.store.selection, self._owners)
        self.stage.light(chosen if self._alone is None else self._alone)

    def _open_menu(self, place: QPoint) -> None:
        menu = self.build_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.stage.mapToGlobal(place))

    def build_menu(self) -> QMenu:
        """The map's context menu."""
        menu = QMenu(self)
        menu.addActions(self.actions())
        return menu

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Space pauses in all parts but the buttons, where it presses."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space:
            self.keyPressEvent(event)
            return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What the map leaves to the panel: Space pauses, C takes the next colour mode, T goes to the block table."""
        if event.key() == Qt.Key.Key_Space:
            self.set_paused(not self.paused)
        elif event.key() == Qt.Key.Key_C and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self._use_mode(self.toolbar.next_mode(self.map.image.mode).value)
        elif event.key() == Qt.Key.Key_T and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.jumps.show_in_table()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while hidden."""
        super().showEvent(event)
        settings = self.context.settings
        self.stage.set_reduced_motion(reduced=str(settings.value(REDUCED_MOTION, "false")).lower() == "true")
        self._beside.forget()
        self._show_snapshot(self.context.store.cache)
        self._show_selection(self.context.store.selection)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a low panel the map comes before the last figures, and before the words under it."""
        super().resizeEvent(event)
        lines = self.height() / self.fontMetrics().height()
        self.figures.limit_lines(next((most for below, most in _FIGURE_LINES if lines < below), None))
        self.inspector.setVisible(lines >= _INSPECTOR_LINES)

    def minimumSizeHint(self) -> QSize:
        """What is seen counts: words need less room than the live view."""
        shown = self.stack.currentWidget()
        return super().minimumSizeHint() if shown is None else shown.minimumSizeHint()

    def hideEvent(self, event: QHideEvent) -> None:
        """Write no more, and remember how the panel is divided."""
        self._beside.stop()
        self.context.settings.setValue(_SPLIT_KEY, [self.splitter.saveState(), self.below.saveState()])
        super().hideEvent(event)
