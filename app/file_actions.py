"""The File menu: record, open a recording, the panels as pictures; and in a window that replays, its controls."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QProcess
from PySide6.QtWidgets import QFileDialog, QMenu

from app.bridge.store import Notice
from app.options import SAMPLE
from app.widgets.picture_file import save_picture
from engine.domain.errors import KVDeckError
from engine.domain.paths import data_dir

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QAction

    from app.bridge.recording_desk import RecordingDesk
    from app.bridge.replay import Replay
    from app.bridge.store import RecordingState, Store
    from app.bridge.tasks import Tasks
    from app.main_window import MainWindow


def open_in_new_window(path: Path) -> bool:
    """Start a window of its own for a recording: the engine of this one goes on, and two can be compared."""
    started = QProcess.startDetached(sys.executable, ["-m", "app", "--replay", str(path)])
    return bool(started[0] if isinstance(started, tuple) else started)


class FileActions(QObject):
    """Fills the menu. Recording is off until `use_desk`; `use_replay` adds what steers a replay."""

    def __init__(
        self,
        window: MainWindow,
        store: Store,
        tasks: Tasks,
        launch: Callable[[Path], bool] = open_in_new_window,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._store = store
        self._tasks = tasks
        self._launch = launch
        self._desk: RecordingDesk | None = None
        menus = window.menus
        self.record: QAction = menus.add(menus.file, self.tr("Record"), self._toggle, "Ctrl+R")
        self.record.setEnabled(False)
        menus.file.addSeparator()
        menus.add(menus.file, self.tr("Open a recording…"), self._open, "Ctrl+O")
        menus.add(menus.file, self.tr("Open the sample recording"), partial(self.open_recording, SAMPLE))
        menus.file.addSeparator()
        self.pictures = QMenu(self.tr("Save as a picture"), window)
        menus.file.addMenu(self.pictures)
        menus.add(self.pictures, self.tr("The whole window…"), partial(self._ask_picture, ""))
        for key, slot in window.slots.items():
            menus.add(self.pictures, self.tr("{panel}…").format(panel=slot.accessibleName()),
                      partial(self._ask_picture, key))  # fmt: skip
        window.header.record.asked.connect(self._toggle)
        store.recording_changed.connect(self._show_recording)

    def use_desk(self, desk: RecordingDesk) -> None:
        """From now on there is something to record."""
        self._desk = desk
        self.record.setEnabled(True)
        self._window.header.record.use()

    def use_replay(self, replay: Replay | None) -> None:
        """This window replays: there is nothing to record, and the replay wants keys."""
        self._window.header.record.hide()
        if replay is None:
            return
        menus = self._window.menus
        menu = menus.file
        menu.addSeparator()
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
            menus.add(menu, text, act, keys)

    def open_recording(self, path: Path) -> None:
        """Show a recording in a window of its own."""
        if not self._launch(path):
            message = self.tr("A window for {file} could not be opened.").format(file=path.name)
            self._store.publish(Notice("error", message, self.tr("Try: kvdeck --replay {file}").format(file=path)))

    def save_picture(self, key: str, path: Path) -> None:
        """Write a panel ("" is the whole window) to `path`, as PNG or SVG by its suffix."""
        slot = self._window.slots.get(key)
        try:
            save_picture((slot.panel or slot) if slot is not None else self._window, path)
        except KVDeckError as error:
            self._store.publish(Notice("error", error.message, error.remedy))
            return
        self._store.publish(Notice("info", self.tr("Saved {file}").format(file=path.name), str(path)))

    def _toggle(self) -> None:
        if self._desk is not None:
            self._desk.toggle()

    def _show_recording(self, state: RecordingState) -> None:
        self.record.setText(self.tr("Stop recording") if state.path is not None else self.tr("Record"))

    def _open(self) -> None:
        folder = self._desk.folder if self._desk is not None else data_dir() / "recordings"
        filters = self.tr("Recordings") + " (*.kvdeck *.kvdeck.part)"
        found, _ = QFileDialog.getOpenFileName(self._window, self.tr("Open a recording"), str(folder), filters)
        if found:
            self.open_recording(Path(found))

    def _ask_picture(self, key: str) -> None:
        filters = "PNG (*.png);;SVG (*.svg)"
        name = f"{key or 'kvdeck'}.png"
        found, chosen = QFileDialog.getSaveFileName(self._window, self.tr("Save as a picture"), name, filters)
        if found:
            path = Path(found)
            self.save_picture(key, path if path.suffix else path.with_suffix(".svg" if "svg" in chosen else ".png"))
