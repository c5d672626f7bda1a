"""The composition root: the only place that constructs and wires. From the first frame to the last process."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.bridge.cache_alerts import CacheAlerts
from app.bridge.late_import import LateImport
from app.bridge.qt_types import make_types
from app.bridge.store import Notice, Store
from app.bridge.tasks import Tasks
from app.collector import Collector, set_aside, take_back
from app.exchange_actions import ExchangeActions
from app.fault_catcher import FaultCatcher
from app.feature_scan import skip_feature_scan
from app.file_actions import FileActions
from app.hub_actions import HubActions
from app.leftovers import Leftovers
from app.main_window import MainWindow
from app.panels.panel import PanelContext
from app.panels.registry import PANELS
from app.preferences import FRAME_RATE, KEEP, KEEP_GIB, KEEP_MOST, Preferences, settings_file
from app.process_age import process_age_s
from app.quiet_settings import QuietSettings
from app.start_report import write_start_report
from app.termination import Termination
from app.theme.appearance import Appearance
from app.theme.themes import Themes
from app.widgets.log_book import LogBook
from app.window_actions import WindowActions
from app.window_log import WindowLog
from engine.domain.errors import KVDeckError
from engine.domain.paths import config_dir, data_dir, log_dir

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QApplication

    from app.bridge.commands import Commands
    from app.bridge.fit_watch import FitWatch
    from app.bridge.lab import Lab
    from app.bridge.recording_desk import RecordingDesk
    from app.bridge.replay import Replay
    from app.engine_side import EngineSide
    from app.options import Options
    from app.replay_session import ReplaySession
    from app.tour.runner import Tour

log = logging.getLogger(__name__)

_LAST_CHECKPOINT = "session/checkpoint"
_EXIT_OK = 0


class Application(QObject):
    """One window, from its construction to its exit status (`run`, once)."""

    def __init__(self, qt: QApplication, options: Options) -> None:
        super().__init__()
        skip_feature_scan()
        qt.setQuitOnLastWindowClosed(False)  # `run` ends the program, once everything it began has ended
        self._options = options
        self.settings = QuietSettings(str(settings_file()))
        self.store = Store(self)
        self._collector = Collector(self.store, self)
        self.tasks = Tasks(self.store, self)
        self._log = WindowLog(self.store, log_dir(), self)
        self._faults = FaultCatcher(self.store, self)
        self.preferences = Preferences(self.settings, self)
        self.preferences.not_saved.connect(self._say_not_saved)
        self.themes = Themes(parent=self)
        self._appearance = Appearance(qt, self.themes, self.preferences, self)
        if options.theme is not None:
            self.themes.choose(options.theme)
        replays = options.replay is not None
        self.window = MainWindow(
            self.store,
            self.themes,
            self.settings,
            LogBook(self.store, self),
            PANELS,
            layout_name="replay" if replays else "",
            hidden=("models", "chat", "explain") if replays else (),
        )
        self._files = FileActions(self.window, self.store, self.tasks)
        self._actions = WindowActions(self.window, self.store, self.preferences, PANELS)
        self._leftovers = Leftovers(self.store, self)
        self._cache_alerts = CacheAlerts(self.store, self)
        self._termination = Termination(self)
        self._leaving = asyncio.Event()
        self._painted = asyncio.Event()
        self._visible_s = 0.0
        self._side: EngineSide | None = None
        self._desk: RecordingDesk | None = None
        self._hub: HubActions | None = None
        self._fit: FitWatch | None = None
        self._lab: Lab | None = None
        self._replay: ReplaySession | None = None
        self.charts = LateImport("app.widgets.timeline_view")
        self._tour: Tour | None = None
        self.window.painted.connect(self._note_paint)
        self.window.close_asked.connect(self._leaving.set)
        self._termination.asked.connect(self._leaving.set)

    async def run(self) -> int:
        """Show the window, fill it, and stay until the user leaves and the engine has ended; the exit status."""
        self._faults.watch_loop(asyncio.get_running_loop())
        self.window.show()
        try:
            await self._painted.wait()
            self.tasks.start(self._begin(), self.tr("Start"))
            await self._leaving.wait()
        finally:
            host_pid = self._side.engine.host_pid if self._side else None
            await self.end()
        return self._tour.conclude(self._leftovers.count(host_pid)) if self._tour else _EXIT_OK

    # From the first frame on

    def _note_paint(self, monotonic_s: float) -> None:
        self._visible_s = process_age_s()
        if self._options.report_start is not None:
            write_start_report(self._options.report_start, self._visible_s, monotonic_s)
        self._painted.set()

    async def _begin(self) -> None:
        if self._options.replay is not None:
            await self.open_replay(self._options.replay)
            await self._settle()
            if self._replay is not None and self._options.second is not None:
                await self._replay.open_second(self._options.second)
            return
        side = await self.fill_window()
        self.tasks.start(self._settle(), self.tr("Start"))
        side.library.start()
        side.hardware.start()
        if self._desk is not None:
            self.tasks.start(self._desk.recover(), self.tr("Recordings"))
        self.tasks.start(side.feed.connect_at_start(), self.tr("Engine host"))
        if self._options.tour:
            self._start_tour(side)

    async def _settle(self) -> None:
        await self.charts.done()
        set_aside()

    async def open_replay(self, path: Path) -> Replay | None:
        """Show a recording in place of an engine; None where it cannot be read, which the window then says."""
        await make_types()
        from app.replay_session import ReplaySession

        self._replay = ReplaySession(self.window, self.store, self.themes, self.settings, self.tasks, self)
        return await self._replay.open(path, self._fill_panels)

    async def fill_window(self) -> EngineSide:
        """Bring the engine's side and the panels, a piece a turn of the loop, so that the window answers meanwhile.

        Nothing is started or connected by it.
        """
        await make_types()  # before there are other threads
        from app.engine_side import make_engine_side  # late: it takes long to import

        side = self._side = await make_engine_side(
            self.window, self.store, self.settings, self.tasks, self.preferences, self._options, self
        )
        self._watch_fit()
        self.window.use(side.commands)
        self._actions.use(side.commands)
        await self._fill_panels(side.commands, None)
        self._follow_visibility(side)
        self._follow_preferences(side)
        self._remember_checkpoint()
        self._begin_recordings(side)
        self._hub = HubActions(self.window, self.store, self.tasks, side.commands.rescan)
        ExchangeActions(self.window, self.store, side.commands, self.tasks, config_dir() / "profiles")
        return side

    async def _fill_panels(self, commands: Commands, replay: Replay | None) -> None:
        from app.bridge.adapter_desk import AdapterDesk
        from app.bridge.ceilings_desk import CeilingsDesk
        from app.bridge.frame_pace import FramePace
        from app.bridge.lab import make_lab
        from app.panel_pointer import PanelPointer

        PanelPointer(self.window, self.store)
        engine = None if self._side is None else self._side.engine
        lab = self._lab = make_lab(self.store, self.tasks, engine, data_dir(), self)
        ceilings = CeilingsDesk(self.store, self.tasks, self) if replay is None else None
        side, pace = self._side, FramePace(self.store, self)
        adapters = None if side is None else AdapterDesk(
            self.store, self.tasks, side.engine, lambda: side.library.folders, self
        )  # fmt: skip
        context = PanelContext(
            self.store, commands, self.themes, self.settings, self.tasks, replay, lab, ceilings=ceilings, fit=self._fit,
            charts=self.charts, adapters=adapters, pace=pace,
        )  # fmt: skip
        if side is not None:
            side.clock.ticked.connect(pace.tick)
        for spec in PANELS:
            await asyncio.sleep(0)
            self.window.fill(spec, spec.factory(context))
        self.tasks.start(self.charts.done(), self.tr("Timeline"))

    def _watch_fit(self) -> None:
        from app.bridge.fit_watch import FitWatch

        self._fit = FitWatch(self.store, self.tasks, data_dir() / "fit-records.jsonl", self)
        self.tasks.start(self._fit.start(), self.tr("Fit estimate"))

    def _begin_recordings(self, side: EngineSide) -> None:
        from app.bridge.recording_desk import RecordingDesk

        folder, steps_since = data_dir() / "recordings", side.clock.steps_since
        ask = side.commands.read_for_recording
        desk = RecordingDesk(self.store, self.tasks, folder, "KVDeck", self, steps_since=steps_since, ask=ask)
        self._desk = desk
        self._files.use_desk(desk)

        def keep_reading() -> None:
            """A recording goes on while the window is minimized; the clock stops again after it."""
            if self.window.isMinimized():
                (side.clock.start if desk.recording else side.clock.stop)()

        self.store.recording_changed.connect(keep_reading)

    def _follow_visibility(self, side: EngineSide) -> None:
        def show() -> None:
            side.clock.start()
            side.hardware.show()

        def hide() -> None:
            if self._desk is None or not self._desk.recording:
                side.clock.stop()
            side.hardware.hide()

        self.window.watch_visibility(show, hide)

    def _follow_preferences(self, side: EngineSide) -> None:
        def follow(key: str) -> None:
            if key == FRAME_RATE:
                side.clock.set_rate(float(self.preferences.frame_rate))
            elif key in (KEEP, KEEP_MOST, KEEP_GIB):
                side.keep.tell_host()

        self.preferences.changed.connect(follow)

    def _say_not_saved(self, file: str) -> None:
        message = self.tr("The setting holds until KVDeck ends: {file} cannot be written.").format(file=file)
        remedy = self.tr("Free some disk space, or check the folder's permissions.")
        self.store.publish(Notice("warning", message, remedy))

    def _remember_checkpoint(self) -> None:
        """Offer the last session's model again, and note what this one loads."""
        last = self.settings.value(_LAST_CHECKPOINT)
        self.window.header.switcher.remember(last if isinstance(last, str) else None)

        def note() -> None:
            facts = self.store.lifecycle.facts
            if facts is not None:
                self.settings.setValue(_LAST_CHECKPOINT, facts.checkpoint)

        self.store.lifecycle_changed.connect(note)

    def _start_tour(self, side: EngineSide) -> None:
        from app.tour.runner import Tour
        from app.tour.scene import TourOptions

        asked = self._options
        for model in asked.tour_models:
            side.library.add_folder(str(model.resolve()))
        options = TourOptions(
            asked.tour_folder, asked.tour_variants, asked.tour_models, asked.tour_streams, asked.tour_keep,
            asked.tour_limit_s,
        )  # fmt: skip
        self._tour = Tour(self.window, self.store, side.clock, options)
        self._tour.note_visible(self._visible_s)
        self.tasks.start(self._tour.run(), self.tr("Tour"))

    # To the last process

    async def end(self) -> None:
        """End what was begun, in the reverse order, and close; what fails is logged and does not keep the window."""
        self.window.show_leaving()
        side = self._side
        if self._replay is not None:
            await self._replay.stop()
        if self._desk is not None:
            try:
                await self._desk.stop()
            except KVDeckError:
                log.exception("The recording was not ended in good order")
        if self._lab is not None:
            try:
                await self._lab.close()
            except Exception:
                log.exception("The lab was not closed in good order")
        if self._hub is not None:
            self._hub.close()
        if side is not None:
            side.clock.stop()
        for stop in (side.feed.stop, side.hardware.stop, side.library.stop) if side else ():
            await stop()
        await self.tasks.stop()
        if side is not None:
            try:
                await side.engine.close()
            except (KVDeckError, OSError):
                log.exception("The engine host was not ended in good order")
        self.window.allow_close()
        self.window.close()
        await self.tasks.stop()  # what a panel began meanwhile
        self._release()

    def _release(self) -> None:
        if self._replay is not None:
            self._replay.close()
        take_back()
        self._collector.release()
        self.settings.sync()
        self._termination.release()
        self._faults.release()
        self._log.close()
