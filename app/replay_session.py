"""Everything that makes a window replay: the recording in it, a second one beside it, and what both can become."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.replay_actions import ReplayActions
from app.replay_window import ReplayWindow

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from PySide6.QtCore import QSettings

    from app.bridge.commands import Commands
    from app.bridge.replay import Replay
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.main_window import MainWindow
    from app.second_replay import SecondReplay
    from app.theme.themes import Themes


class ReplaySession(QObject):
    """From the first moment of a window that replays to its last."""

    def __init__(
        self, window: MainWindow, store: Store, themes: Themes, settings: QSettings, tasks: Tasks, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._window, self._store, self._themes = window, store, themes
        self._settings, self._tasks = settings, tasks
        self._replays = ReplayWindow(window, store, themes, tasks, self)
        self._replay: Replay | None = None
        self.second: SecondReplay | None = None

    async def open(self, path: Path, fill: Callable[[Commands, Replay | None], Awaitable[None]]) -> Replay | None:
        """Show this recording and play it; None where it cannot be read, which the window then says."""
        replay = self._replay = await self._replays.open(path, fill)
        self._window.header.record.hide()
        if replay is not None:
            ReplayActions(self._window, self._store, self._tasks, replay, self.compare)
        return replay

    def compare(self, path: Path) -> None:
        """Show a second recording beside this one, in step with it; one that is there already makes room."""
        self._tasks.start(self.open_second(path), self.tr("Compare"))

    async def open_second(self, path: Path) -> None:
        """As `compare`, awaited."""
        from app.second_replay import SecondReplay

        if self._replay is None:
            return
        await self.close_second()
        second = self.second = SecondReplay(self._themes, self._settings, self)
        second.close_asked.connect(lambda: self._tasks.start(self.close_second(), self.tr("Compare")))
        await second.open(path, self._replay, self._window)

    async def close_second(self) -> None:
        """Close the second recording, if there is one."""
        second, self.second = self.second, None
        if second is not None:
            await second.close()
            second.window.deleteLater()
            second.deleteLater()

    async def stop(self) -> None:
        """Stop playing and reading."""
        await self.close_second()
        self._replays.stop()

    def close(self) -> None:
        """Close the file."""
        self._replays.close()
