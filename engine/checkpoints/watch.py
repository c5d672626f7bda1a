"""Watches the places of the library, in a thread, and says when a new scan is worth it."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from watchfiles import watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from watchfiles import Change

log = logging.getLogger(__name__)

# A download writes thousands of times: changes are gathered this long, so that a scan follows at most once a while.
_GATHER_MS = 1600
_STEP_MS = 200
_POLL_MS = 5000
_JOIN_S = 5.0
_INTERESTING = (".json", ".safetensors", ".gguf", ".bin", ".pt", ".pth", ".jinja", ".incomplete")


class LibraryWatch:
    """Calls `on_change` from its own thread whenever something that the library shows may have changed.

    Folders that do not exist yet are watched through the nearest one above them that does. Where the system has no
    watches left, it looks every few seconds instead.
    """

    def __init__(self, folders: Iterable[Path], on_change: Callable[[], None]) -> None:
        self._folders = tuple(Path(folder) for folder in folders)
        self._on_change = on_change
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to watch. Does nothing when it already does."""
        if self._thread is None:
            self._stop.clear()
            self._thread = threading.Thread(target=self._run, name="library-watch", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """End the thread; no callback comes after this returns."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._stop.set()
            thread.join(_JOIN_S)

    def _run(self) -> None:
        try:
            self._watch(polling=False)
        except OSError as error:
            log.info("No more file watches (%s): looking every %d s instead", error, _POLL_MS // 1000)
            try:
                self._watch(polling=True)
            except OSError as second:
                log.info("The library is no longer watched: %s", second)

    def _watch(self, *, polling: bool) -> None:
        deep = [folder for folder in self._folders if folder.is_dir()]
        absent = [folder for folder in self._folders if not folder.is_dir()]
        shallow = {parent for folder in absent if (parent := _nearest(folder)) is not None}
        threads = [
            threading.Thread(target=self._follow, args=(tuple(shallow), False, polling), daemon=True)
            for _ in ((),)
            if shallow
        ]
        for thread in threads:
            thread.start()
        if deep:
            self._follow(tuple(deep), True, polling)
        for thread in threads:
            thread.join()

    def _follow(self, folders: tuple[Path, ...], recursive: bool, polling: bool) -> None:
        changes = watch(
            *folders,
            watch_filter=_shows if recursive else None,
            debounce=_GATHER_MS,
            step=_STEP_MS,
            stop_event=self._stop,
            rust_timeout=500,
            yield_on_timeout=False,
            recursive=recursive,
            ignore_permission_denied=True,
            force_polling=polling or None,
            poll_delay_ms=_POLL_MS,
        )
        for _ in changes:
            if not self._stop.is_set():
                self._on_change()


def _shows(_: Change, path: str) -> bool:
    """Whether a change of this path can change the list: a model's file, or a folder that came or went."""
    name = path.rpartition("/")[2]
    return name.endswith(_INTERESTING) or "." not in name


def _nearest(folder: Path) -> Path | None:
    return next((parent for parent in folder.parents if parent.is_dir()), None)
