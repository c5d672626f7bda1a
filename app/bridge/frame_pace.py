"""Spreads what is drawn a few times a second over frames, so that none has all of it to draw."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.bridge.store import Store

_PATIENCE_NS = 150_000_000  # what has waited so long is done in a frame with a picture, too
_ALONE_MS = 40  # where no frames come


class FramePace(QObject):
    """Runs one of the jobs that it was given after each frame that had no new picture of the cache to draw.

    A job that starts just before a frame is due keeps that frame waiting; one that starts right after it has the
    time until the next.
    """

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs: deque[tuple[int, Callable[[], None]]] = deque()
        self._has_picture = False
        self._alone = QTimer(self, singleShot=True, interval=_ALONE_MS)
        self._alone.timeout.connect(self._run)
        self._after = QTimer(self, singleShot=True, interval=0)
        self._after.timeout.connect(self._run)
        store.cache_changed.connect(self._note_picture)

    def soon(self, job: Callable[[], None]) -> None:
        """Run `job` soon, once: asked again before it has run it stays where it is."""
        if all(waiting != job for _, waiting in self._jobs):
            self._jobs.append((time.monotonic_ns(), job))
        if not self._alone.isActive():
            self._alone.start()

    def forget(self, job: Callable[[], None]) -> None:
        """Do not run it."""
        self._jobs = deque(entry for entry in self._jobs if entry[1] != job)

    def tick(self, now_ns: int) -> None:
        """A frame has begun, and its picture has been taken; what it changed is painted next."""
        has_picture, self._has_picture = self._has_picture, False
        if self._jobs and (not has_picture or now_ns - self._jobs[0][0] > _PATIENCE_NS):
            self._alone.stop()
            self._after.start()  # a timer fires after what was posted: after the painting

    def _note_picture(self, _snapshot: object) -> None:
        self._has_picture = True

    def _run(self) -> None:
        if not self._jobs:
            return
        _, job = self._jobs.popleft()
        if self._jobs:
            self._alone.start()
        job()
