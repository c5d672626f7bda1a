"""The File menu of a window that replays: steering it, a second recording, tables and animations."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from app.bridge.store import Notice
from app.widgets import figures
from app.widgets.file_question import ask_for_folder, ask_to_open
from engine.domain.errors import KVDeckError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.bridge.replay import Replay
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.main_window import MainWindow


class ReplayActions(QObject):
    """Adds the entries to the window's File menu. `compare` opens another recording beside this one (None: cannot)."""

    def __init__(
        self, window: MainWindow, store: Store, tasks: Tasks, replay: Replay,
        compare: Callable[[Path], None] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(window)
        self._window, self._store, self._tasks = window, store, tasks
        self._replay, self._compare = replay, compare
        menus, menu = window.menus, window.menus.file
        menu.addSeparator()
        if compare is not None:
            menus.add(menu, self.tr("Compare with another recording…"), self._ask_compare, "Ctrl+Shift+O")
        menus.add(menu, self.tr("Save as an animation…"), self.ask_animation, "Ctrl+Shift+A")
        tables = QMenu(self.tr("Export all tables"), window)
        menu.addMenu(tables)
        for suffix, text in (("csv", self.tr("as CSV…")), ("parquet", self.tr("as Parquet…"))):
            menus.add(tables, text, partial(self._ask_tables, suffix))
        menu.addSeparator()
        self._add_steering()

    def _add_steering(self) -> None:
        replay, menus = self._replay, self._window.menus
        for text, act, keys in (
            (self.tr("Play or pause"), replay.toggle, "Ctrl+Space"),
            (self.tr("The next picture"), partial(replay.step, 1), "Ctrl+Right"),
            (self.tr("The picture before"), partial(replay.step, -1), "Ctrl+Left"),
            (self.tr("A second on"), partial(replay.seek_by, 1.0), "Ctrl+Shift+Right"),
            (self.tr("A second back"), partial(replay.seek_by, -1.0), "Ctrl+Shift+Left"),
            (self.tr("To the beginning"), replay.to_begin, "Ctrl+Home"),
            (self.tr("Faster"), partial(replay.step_speed, 1), "Ctrl+Up"),
            (self.tr("Slower"), partial(replay.step_speed, -1), "Ctrl+Down"),
        ):
            menus.add(menus.file, text, act, keys)

    async def export_tables(self, folder: Path, suffix: str) -> None:
        """Write every table into `folder`; a notice says what was written. Raises KVDeckError."""
        from engine.recording.export import export_recording

        try:
            written = await asyncio.to_thread(export_recording, self._replay.path, folder, suffix, self._replay.goes_on)
        except OSError as error:
            message = self.tr("{folder} could not be written: {reason}.").format(folder=folder, reason=error.strerror)
            raise KVDeckError(message, remedy=self.tr("Choose another folder.")) from error
        told = ", ".join(f"{path.name} ({figures.count(rows)})" for path, rows in written)
        self._store.publish(Notice("info", self.tr("Exported, with rows: {files}").format(files=told), str(folder)))

    def ask_animation(self) -> None:
        """Ask what to show and where to, and make it."""
        from app.dialogs.animation import AnimationDialog

        AnimationDialog(self._window, self._store, self._tasks, self._replay).open()

    def _ask_compare(self) -> None:
        filters = self.tr("Recordings") + " (*.kvdeck *.kvdeck.part)"
        folder = str(self._replay.path.parent)
        compare = self._compare
        if compare is not None:
            ask_to_open(
                self._window, self.tr("Compare with another recording"), compare, folder=folder, filters=filters
            )

    def _ask_tables(self, suffix: str) -> None:
        def export(folder: Path) -> None:
            self._tasks.start(self.export_tables(folder, suffix), self.tr("Export"))

        ask_for_folder(self._window, self.tr("A folder for the tables"), export)
