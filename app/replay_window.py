"""What makes a window show a recording: the replay in place of an engine, its bar, and commands that say no."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from engine.domain.errors import RecordingInvalid
from engine.domain.lifecycle import Failure, Lifecycle, Phase

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from app.bridge.commands import Commands
    from app.bridge.replay import Replay
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.main_window import MainWindow
    from app.theme.themes import Themes


class ReplayWindow(QObject):
    """Fills one window from one recording. A recording that cannot be read is told where the KV cache would be."""

    def __init__(
        self, window: MainWindow, store: Store, themes: Themes, tasks: Tasks, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._window = window
        self._store = store
        self._themes = themes
        self._tasks = tasks
        self._replay: Replay | None = None

    async def open(
        self, path: Path, fill: Callable[[Commands, Replay | None], Awaitable[None]]
    ) -> Replay | None:
        """Open the file, fill the panels and begin to play; None where the file cannot be read."""
        from app.bridge.replay import SPEEDS, Replay
        from app.bridge.replay_commands import ReplayCommands
        from app.widgets.scrubber_bar import ScrubberBar
        from engine.recording.reader import RecordingReader

        window, store = self._window, self._store
        window.setWindowTitle(self.tr("{file} – KVDeck").format(file=path.name))
        commands = ReplayCommands(store, self)
        try:
            reader = await asyncio.to_thread(RecordingReader, path)
        except RecordingInvalid as error:
            await fill(commands, None)
            failure = Failure(error.kind, error.message, error.remedy)
            store.publish(Lifecycle(Phase.OFFLINE, failure=failure))
            window.use(commands)
            return None
        replay = self._replay = Replay(store, reader, self)
        await fill(commands, replay)
        window.add_bottom_bar(ScrubberBar(store, replay, self._themes, SPEEDS))
        window.slots["timeline"].raise_()
        window.watch_visibility(replay.resume, replay.rest)
        replay.begin()
        self._tasks.start(replay.read_timeline(), self.tr("Timeline"))
        return replay

    def stop(self) -> None:
        """Stop playing and reading."""
        if self._replay is not None:
            self._replay.stop()

    def close(self) -> None:
        """Close the file."""
        if self._replay is not None:
            self._replay.close()
