"""The list of checkpoints, kept up to date: scanned in a thread, again when the folders change on disk."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.bridge.store import Notice
from app.bridge.vllm_question import VllmQuestion
from engine.domain.checkpoint import Library
from engine.domain.paths import cache_dir

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QSettings

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.checkpoints.scan import LibraryScanner
    from engine.checkpoints.watch import LibraryWatch as FolderWatch

_SETTLE_S = 1.0
_FOLDERS_KEY = "library/folders"


class LibraryWatch(QObject):
    """Publishes Library: at the start, on `rescan`, and when files of checkpoints come, go or change.

    The user's own folders are kept in the settings; where else to look (the starter's folder, the hub's cache) is
    `engine.checkpoints.places`' knowledge.
    """

    def __init__(self, store: Store, settings: QSettings, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._settings = settings
        self._tasks = tasks
        self._due = asyncio.Event()
        self._stopping = threading.Event()
        self._scanner: LibraryScanner | None = None
        self._folder_watch: FolderWatch | None = None
        self._watch_lock = threading.Lock()
        self._watched: tuple[str, ...] = ()
        self._question = VllmQuestion()
        self._task: asyncio.Task[None] | None = None
        self._asking: asyncio.Task[None] | None = None

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders that the user added, in the order of adding."""
        value = self._settings.value(_FOLDERS_KEY)
        if isinstance(value, str):  # an ini file gives a list of one back as a string
            return (value,) if value else ()
        return tuple(str(each) for each in value) if isinstance(value, list) else ()

    def start(self) -> None:
        """Scan now, and again at every change from then on."""
        if self._task is None or self._task.done():
            self._due.set()
            self._task = self._tasks.start(self._run(), self.tr("Look for models"))

    def rescan(self) -> None:
        """Look at all folders again, now."""
        self._due.set()
        self.start()

    def add_folder(self, path: str) -> None:
        """Look in one more folder, now and from now on."""
        folder = Path(path).expanduser()
        if not folder.is_dir():
            self._store.publish(
                Notice(
                    "warning",
                    self.tr("{path} is not a folder.").format(path=path),
                    self.tr("Choose the folder that holds the checkpoint, or one above it."),
                )
            )
            return
        if str(folder) not in self.folders:
            self._settings.setValue(_FOLDERS_KEY, [*self.folders, str(folder)])
        self.rescan()

    def remove_folder(self, path: str) -> None:
        """Look there no longer."""
        self._settings.setValue(_FOLDERS_KEY, [each for each in self.folders if each != path])
        self.rescan()

    async def stop(self) -> None:
        """Stop scanning and watching; returns once the threads have ended."""
        self._stopping.set()
        tasks = [task for task in (self._task, self._asking) if task is not None]
        self._task = self._asking = None
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(self._end_watch)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()

        def show(library: Library) -> None:  # called in the scan's thread
            loop.call_soon_threadsafe(self._store.publish, library)

        def scan_again() -> None:  # called in the watching thread
            loop.call_soon_threadsafe(self._due.set)

        watch_is_new = False
        while True:
            # What changed between a scan and the first moment of a new watch is seen by a second, cheap scan.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._due.wait(), _SETTLE_S if watch_is_new else None)
            self._due.clear()
            before = self._store.library
            checkpoints, searched = (before.checkpoints, before.searched) if before else ((), self.folders)
            self._store.publish(Library(checkpoints, searched, scanning=True))
            first = before is None
            library = await asyncio.to_thread(self._scan, self.folders, show if first else None)
            self._store.publish(library)
            watch_is_new = await asyncio.to_thread(self._watch, library.searched, scan_again)
            if self._asking is None:
                self._asking = self._tasks.start(self._ask_vllm(), self.tr("Ask vLLM what it supports"))

    async def _ask_vllm(self) -> None:
        """Judge every checkpoint again once vLLM has said what it supports, the first time after an installation."""
        if await self._question.ask_once():
            self._due.set()

    def _scan(self, folders: Sequence[str], progress: Callable[[Library], None] | None) -> Library:
        """In a thread: look at every place and judge what is there for this machine."""
        from engine.checkpoints.installed_vllm import InstalledVllm  # late: after the window is on screen
        from engine.checkpoints.machine import read_machine
        from engine.checkpoints.places import all_places
        from engine.checkpoints.scan import LibraryScanner, default_cache_file
        from engine.gpu.nvml import Nvml

        if self._scanner is None:
            self._scanner = LibraryScanner(default_cache_file(cache_dir()))
        nvml = Nvml()
        try:
            machine = read_machine(nvml, InstalledVllm(cache_dir()).known())
        finally:
            nvml.close()
        places = all_places([Path(folder) for folder in folders])
        return self._scanner.scan(places, machine, cancelled=self._stopping.is_set, progress=progress)

    def _watch(self, searched: tuple[str, ...], on_change: Callable[[], None]) -> bool:
        """In a thread: watch these folders from now on; False where they were watched already."""
        from engine.checkpoints.watch import LibraryWatch as FolderWatch

        logging.getLogger("watchfiles").setLevel(logging.WARNING)  # it tells of every file that is written
        with self._watch_lock:
            if searched == self._watched or self._stopping.is_set():
                return False
            if self._folder_watch is not None:
                self._folder_watch.stop()
            self._folder_watch = FolderWatch([Path(folder) for folder in searched], on_change)
            self._folder_watch.start()
            self._watched = searched
            return True

    def _end_watch(self) -> None:
        with self._watch_lock:
            watch, self._folder_watch, self._watched = self._folder_watch, None, ()
            if watch is not None:
                watch.stop()
