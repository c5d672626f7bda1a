"""The one frame clock: reads the telemetry page once a frame, and measures how evenly the window's loop runs."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from engine.domain.errors import PageInvalid
from engine.metrics.gaps import GapRecorder, GapSummary

if TYPE_CHECKING:
    from app.bridge.store import Store
    from engine.domain.telemetry import StepSample
    from engine.page.reader import PageReader

log = logging.getLogger(__name__)

_REOPEN_NS = 250_000_000
DEFAULT_RATE_HZ = 60.0


class FrameClock(QObject):
    """Ticks `rate_hz` times a second while started, and publishes the newest CacheSnapshot when there is a new one.

    A slow window skips frames; nothing queues. `ticked` carries the monotonic time of the frame in nanoseconds, for
    whatever is animated, after the snapshot has been published.
    """

    ticked = Signal(object)

    def __init__(self, store: Store, rate_hz: float = DEFAULT_RATE_HZ, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._gaps = GapRecorder()
        self._path: str | None = None
        self._reader: PageReader | None = None
        self._retry_at_ns = 0
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._frame)
        self.set_rate(rate_hz)

    @property
    def page_path(self) -> str | None:
        """The page that is being followed, whether it could be opened yet or not."""
        return self._path

    @property
    def gaps(self) -> GapSummary:
        """The times between frames since the start or the last `reset_gaps`; what was stopped is not counted."""
        return self._gaps.summary()

    def reset_gaps(self) -> None:
        """Begin a new measurement."""
        self._gaps.reset()

    def set_rate(self, rate_hz: float) -> None:
        """Change the frame rate, at once. Rates above what the screen shows are the caller's business to avoid."""
        self._timer.setInterval(max(1, round(1000 / rate_hz)))

    def start(self) -> None:
        """Begin to tick."""
        self._gaps.pause()
        self._timer.start()

    def stop(self) -> None:
        """Stop ticking (a hidden window, the end); the page stays open."""
        self._timer.stop()
        self._gaps.pause()

    def follow_page(self, path: str | None) -> None:
        """Read this page from now on; None closes the present one. A page that is not there yet is tried again."""
        if path == self._path:
            return
        self._close()
        self._path = path
        self._retry_at_ns = 0

    def read(self) -> None:
        """Look at the page now, not with the next frame."""
        if self._path is not None:
            self._read(time.monotonic_ns())

    def steps_since(self, step: int) -> tuple[StepSample, ...]:
        """Steps after `step` that the page's ring still holds, oldest first; empty without a page."""
        if self._reader is None:
            return ()
        try:
            return self._reader.steps_since(step)
        except PageInvalid:
            return ()  # the next frame sees the same fault and says so

    def _frame(self) -> None:
        now = time.monotonic_ns()
        self._gaps.tick(now)
        if self._path is not None:
            self._read(now)
        self.ticked.emit(now)

    def _read(self, now: int) -> None:
        if self._reader is None and not self._open(now):
            return
        assert self._reader is not None
        try:
            snapshot = self._reader.snapshot()
        except PageInvalid as error:
            log.warning("The telemetry page became unreadable: %s", error)
            self._close()
            self._retry_at_ns = now + _REOPEN_NS
            return
        except Exception:
            self.follow_page(None)  # a fault of ours is told once, not sixty times a second
            raise
        if snapshot is not None and snapshot is not self._store.cache:
            self._store.publish(snapshot)

    def _open(self, now: int) -> bool:
        if now < self._retry_at_ns or self._path is None:
            return False
        from engine.page.reader import PageReader  # late: EngineFeed has imported it in a thread by then

        try:
            self._reader = PageReader(Path(self._path))
        except PageInvalid as error:
            if self._retry_at_ns == 0:
                log.warning("The telemetry page cannot be read yet: %s", error)
            self._retry_at_ns = now + _REOPEN_NS
            return False
        return True

    def _close(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None
