"""What the host tells regularly: serving figures, the seconds of a load, and the log as it is written."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.host.stall_watch import StallWatch
from engine.host.step_watch import StepWatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.domain.lifecycle import LogRecord
    from engine.host.events import EventHub
    from engine.host.service import EngineService
    from engine.host.stats import StatsWindow

_EVERY_S = 0.5
_BACKLOG = 10_000

log = logging.getLogger(__name__)


class LogBridge:
    """Carries lines and records from the thread that reads the output to the loop, many at a time."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, line: Callable[[str, float], None], record: Callable[[LogRecord], None]
    ) -> None:
        self._loop = loop
        self._line = line
        self._record = record
        self._waiting: deque[tuple[str, float] | LogRecord] = deque(maxlen=_BACKLOG)
        self._lock = threading.Lock()
        self._scheduled = False

    def put_line(self, text: str) -> None:
        """A line, from any thread."""
        self._put((text, time.monotonic()))

    def put_record(self, record: LogRecord) -> None:
        """A record, from any thread."""
        self._put(record)

    def _put(self, item: tuple[str, float] | LogRecord) -> None:
        with self._lock:
            self._waiting.append(item)
            if self._scheduled:
                return
            self._scheduled = True
        try:
            self._loop.call_soon_threadsafe(self._drain)
        except RuntimeError:
            return  # the loop has closed: nobody listens any more

    def _drain(self) -> None:
        with self._lock:
            items = list(self._waiting)
            self._waiting.clear()
            self._scheduled = False
        for item in items:
            if isinstance(item, tuple):
                self._line(*item)
            else:
                self._record(item)


class Pulse:
    """Twice a second: the serving figures of a running engine, the elapsed time of a load. Says nothing to nobody."""

    def __init__(self, service: EngineService, stats: StatsWindow, events: EventHub) -> None:
        self._service = service
        self._stats = stats
        self._events = events
        self._task: asyncio.Future[None] | None = None
        self._owed = StepWatch()
        self._stalls = StallWatch(serves=lambda: service.running is not None)

    def start(self) -> None:
        """Begin to tell. Call it in the thread of the loop."""
        self._stalls.start()
        self._task = asyncio.ensure_future(self._beat())

    def stop(self) -> None:
        """Tell no more."""
        self._stalls.stop()
        if self._task is not None:
            self._task.cancel()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(_EVERY_S)
            self._stalls.moved()
            try:
                self.beat()
            except Exception:  # one figure that cannot be told must not silence the host for good
                log.exception("The serving figures could not be told")

    def beat(self) -> None:
        """Tell once."""
        run = self._service.running
        owed_s = self._owed.look(0 if run is None else run.unfinished, self._stats.steps)
        if run is not None:
            if run.unfinished == 0:
                self._stats.settle()
            if self._events.is_heard:
                self._events.publish("serving", replace(self._stats.now(), step_owed_s=owed_s))
        self._service.tell_elapsed()
