"""A second recording in a window of its own beside the first, in step with it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from app.bridge.replay_pair import ReplayPair
from app.bridge.store import Notice, Store
from app.bridge.tasks import Tasks
from app.main_window import MainWindow
from app.panels.panel import PanelContext
from app.panels.registry import PANELS
from app.replay_actions import ReplayActions
from app.replay_window import ReplayWindow
from app.widgets.log_book import LogBook

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtCore import QSettings

    from app.bridge.commands import Commands
    from app.bridge.replay import Replay
    from app.theme.themes import Themes

_PANELS = tuple(spec for spec in PANELS if spec.key in ("parameters", "cache", "gpu", "timeline"))


class SecondReplay(QObject):
    """One window with its own store. `close_asked` says that its user wants it closed: `close` does it."""

    close_asked = Signal()

    def __init__(self, themes: Themes, settings: QSettings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._themes, self._settings = themes, settings
        self.store = Store(self)
        self.tasks = Tasks(self.store, self)
        self.window = MainWindow(
            self.store, themes, settings, LogBook(self.store, self), _PANELS, layout_name="second_replay",
            hidden=("parameters",),
        )  # fmt: skip
        self._replays = ReplayWindow(self.window, self.store, themes, self.tasks, self)
        self.pair: ReplayPair | None = None
        self.window.close_asked.connect(self.close_asked)

    async def open(self, path: Path, first: Replay, beside: MainWindow) -> Replay | None:
        """Show the recording beside the first one's window, in step; None where it cannot be read (the window says)."""
        place_side_by_side(beside, self.window)
        self.window.show()
        self.window.header.record.hide()
        replay = await self._replays.open(path, self._fill)
        if replay is not None:
            ReplayActions(self.window, self.store, self.tasks, replay)
            self.pair = ReplayPair(first, replay, self)
            self.pair.set_in_step(on=True)
        else:
            self.store.publish(Notice("error", self.tr("{file} cannot be shown.").format(file=path.name)))
        return replay

    async def close(self) -> None:
        """End it: the first recording goes on alone."""
        if self.pair is not None:
            self.pair.end()
            self.pair = None
        self._replays.stop()
        self.window.allow_close()
        self.window.close()
        await self.tasks.stop()
        self._replays.close()

    async def _fill(self, commands: Commands, replay: Replay | None) -> None:
        context = PanelContext(self.store, commands, self._themes, self._settings, self.tasks, replay)
        for spec in _PANELS:
            await asyncio.sleep(0)
            self.window.fill(spec, spec.factory(context))


def place_side_by_side(left: MainWindow, right: MainWindow) -> None:
    """A half of the screen for each, where it has room for two windows; else the second a little aside."""
    screen = left.screen() or QGuiApplication.primaryScreen()
    free = screen.availableGeometry()
    half = free.width() // 2
    if half >= left.minimumWidth() and not left.isFullScreen():
        left.showNormal()
        left.setGeometry(free.x(), free.y(), half, free.height())
        right.setGeometry(free.x() + half, free.y(), half, free.height())
    else:
        right.resize(left.size())
        right.move(left.x() + 40, left.y() + 40)
