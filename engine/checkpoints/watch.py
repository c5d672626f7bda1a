"""Watches the places of the library, in a thread, and says when a new scan is worth it."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from watchfiles import watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from watchfiles import Change

log = logging.getLogger(__name__)

# A download writes thousands of times: changes are gathered this long, so that a scan follows at most once a while.
_GATHER_MS = 1600
_STEP_MS = 200
_POLL_MS = 5000
_JOIN_S = 5.0
_INTERESTING = (".json", ".safetensors", ".gguf", ".bin", ".pt", ".pth", ".jinja", ".incomplete")


class LibraryWatch:
    """Calls `on_change` from its own threads whenever something that the library shows may have changed.

    A folder that does not exist yet is awaited through the nearest one above it that does, and watched from then on.
    Where the system has no watches left, it looks every few seconds instead. Two calls may come close together:
    `on_change` only says that a scan is due.
    """

    def __init__(self, folders: Iterable[Path], on_change: Callable[[], None]) -> None:
        self._folders = tuple(Path(folder) for folder in folders)
        self._on_change = on_change
        self._stopping = threading.Event()
        self._round_over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to watch. Does nothing when it already does."""
        if self._thread is None:
            self._stopping.clear()
            self._thread = threading.Thread(target=self._run, name="library-watch", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the threads; no callback comes after this returns."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._stopping.set()
            self._round_over.set()
            thread.join(_JOIN_S)

    def _run(self) -> None:
        polling = False
        while not self._stopping.is_set():
            self._round_over = threading.Event()
            if self._stopping.is_set():  # stop() may have set the event of the round before
                return
            try:
                self._round(polling=polling)
            except OSError as error:
                if polling:
                    log.info("The library is no longer watched: %s", error)
                    return
                log.info("No more file watches (%s): looking every %d s instead", error, _POLL_MS // 1000)
                polling = True

    def _round(self, *, polling: bool) -> None:
        """Watch until stopped, or until an awaited folder has come (the next round then watches it too)."""
        present = tuple(folder for folder in self._folders if folder.is_dir())
        above = {parent for folder in self._folders if folder not in present and (parent := _nearest(folder))}
        waiting = None
        if above:
            waiting = threading.Thread(
                target=self._await, args=(tuple(above), polling), name="library-wait", daemon=True
            )
            waiting.start()
        try:
            if present:
                for _ in self._changes(present, recursive=True, polling=polling):
                    self._tell()
            else:
                self._round_over.wait()
        finally:
            self._round_over.set()
            if waiting is not None:
                waiting.join()

    def _await(self, above: tuple[Path, ...], polling: bool) -> None:
        missing = [folder for folder in self._folders if not folder.is_dir()]
        try:
            for _ in self._changes(above, recursive=False, polling=polling):
                if any(folder.is_dir() or _nearest(folder) not in above for folder in missing):
                    self._tell()
                    self._round_over.set()
                    return
        except OSError as error:
            log.info("A missing folder is not awaited: %s", error)

    def _tell(self) -> None:
        if not self._stopping.is_set():
            self._on_change()

    def _changes(self, folders: tuple[Path, ...], *, recursive: bool, polling: bool) -> Iterator[object]:
        return watch(
            *folders,
            watch_filter=_shows if recursive else None,
            debounce=_GATHER_MS,
            step=_STEP_MS,
            stop_event=self._round_over,
            rust_timeout=500,
            recursive=recursive,
            ignore_permission_denied=True,
            force_polling=polling or None,
            poll_delay_ms=_POLL_MS,
        )


def _shows(_: Change, path: str) -> bool:
    """Whether a change of this path can change the list: a model's file, or a folder that came or went."""
    name = path.rpartition("/")[2]
    return name.endswith(_INTERESTING) or "." not in name


def _nearest(folder: Path) -> Path | None:
    return next((parent for parent in folder.parents if parent.is_dir()), None)
