"""The File menu: record, open a recording or compare two, the panels as pictures."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QProcess
from PySide6.QtWidgets import QMenu

from app.bridge.store import Notice
from app.options import SAMPLE
from app.widgets.file_question import ask_to_open, ask_to_save
from app.widgets.picture_file import save_picture
from engine.domain.errors import KVDeckError
from engine.domain.paths import data_dir

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtGui import QAction

    from app.bridge.recording_desk import RecordingDesk
    from app.bridge.store import RecordingState, Store
    from app.bridge.tasks import Tasks
    from app.main_window import MainWindow


def open_in_new_window(*paths: Path) -> bool:
    """Start a program of its own for a recording, or for two side by side: the engine of this one goes on."""
    started = QProcess.startDetached(sys.executable, ["-m", "app", "--replay", *map(str, paths)])
    return bool(started[0] if isinstance(started, tuple) else started)


class FileActions(QObject):
    """Fills the menu. Recording is off until `use_desk`."""

    def __init__(
        self,
        window: MainWindow,
        store: Store,
        tasks: Tasks,
        launch: Callable[..., bool] = open_in_new_window,
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
        menus.add(menus.file, self.tr("Compare two recordings…"), self._open_two)
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

    def open_recording(self, *paths: Path) -> None:
        """Show a recording in a window of its own, or two in two windows, in step."""
        if not self._launch(*paths):
            message = self.tr("A window for {file} could not be opened.").format(file=paths[0].name)
            files = " ".join(map(str, paths))
            self._store.publish(Notice("error", message, self.tr("Try: kvdeck --replay {file}").format(file=files)))

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
        self._ask_recording(self.tr("Open a recording"), self.open_recording)

    def _open_two(self) -> None:
        def go_on(first: Path) -> None:
            self._ask_recording(self.tr("The second recording"), partial(self.open_recording, first))

        self._ask_recording(self.tr("The first recording"), go_on)

    def _ask_recording(self, title: str, then: Callable[[Path], None]) -> None:
        folder = self._desk.folder if self._desk is not None else data_dir() / "recordings"
        filters = self.tr("Recordings") + " (*.kvdeck *.kvdeck.part)"
        ask_to_open(self._window, title, then, folder=str(folder), filters=filters)

    def _ask_picture(self, key: str) -> None:
        filters = "PNG (*.png);;SVG (*.svg)"
        name = f"{key or 'kvdeck'}.png"
        title = self.tr("Save as a picture")
        ask_to_save(self._window, title, name, filters, lambda path, _filter: self.save_picture(key, path))
