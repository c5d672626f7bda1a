"""Records in a thread of its own: whoever publishes hands a value over and goes on at once."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.domain.errors import DiskFull, KVDeckError
from engine.domain.telemetry import CacheSnapshot, StepSample
from engine.recording.container import About
from engine.recording.session import RecordingSession
from engine.recording.writer import RecordingWriter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.domain.cache_events import CacheEvent
    from engine.recording.records import Value

log = logging.getLogger(__name__)

_PART_S = 1.0
_MOST_WAITING = 64  # pictures that may wait for the disk: each may hold a megabyte


@dataclass(frozen=True, slots=True)
class _Steps:
    """What is kept of a picture that finds the queue full."""

    steps: tuple[StepSample, ...]
    events: tuple[CacheEvent, ...]


class _Stop(Exception):
    """The recording is to end."""


class Recorder:
    """One recording. `start` makes the file and raises what prevents it; `stop` returns the finished file's path.
    Who may not block calls `prepare` elsewhere, and `ask_end`, and then `result` once it no longer runs.

    A fault in between (a full disk) ends the recording by itself; `error` has it, and what was written is kept. Where
    nothing had been written yet, the empty file is removed and `error` says so.
    """

    def __init__(self, path: Path, program: str, clock: Callable[[], int] = time.monotonic_ns) -> None:
        self._clock = clock
        self._path = path
        self._program = program
        self._queue: queue.SimpleQueue[tuple[int, Value | CacheSnapshot | _Steps | None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="kvdeck-recorder", daemon=True)
        self._writer: RecordingWriter | None = None
        self._began_ns = 0
        self._skipped = 0
        self._result: Path | None = None
        self.error: KVDeckError | None = None

    @property
    def elapsed_s(self) -> float:
        """How long it has been recording."""
        return (self._clock() - self._began_ns) / 1e9 if self._began_ns else 0.0

    @property
    def size_bytes(self) -> int:
        """What the file takes up so far."""
        return self._writer.size_bytes if self._writer is not None else 0

    @property
    def running(self) -> bool:
        """Whether it still records."""
        return self._thread.is_alive()

    def prepare(self) -> None:
        """Make the file; from now on values are taken. Blocks for the disk. Raises DiskFull, KVDeckError."""
        self._began_ns = self._clock()
        self._writer = RecordingWriter(self._path, About(self._program, time.time(), self._began_ns))

    def start(self) -> None:
        """Begin, after `prepare` or with it. Raises what that does."""
        if self._writer is None:
            self.prepare()
        self._thread.start()

    def take(self, value: Value | CacheSnapshot | None) -> None:
        """Record a value as of now; None says that no engine runs any more. Never blocks."""
        if isinstance(value, CacheSnapshot) and self._queue.qsize() >= _MOST_WAITING:
            self._skipped += 1
            self._queue.put((self._clock(), _Steps(value.steps, value.events)))
            return
        self._queue.put((self._clock(), value))

    def ask_end(self) -> None:
        """End the recording soon: `running` is False once the disk has it."""
        self._queue.put(None)

    def stop(self) -> Path:
        """End the recording and return its file. Blocks until the disk has it; raises what the recording died of."""
        self.ask_end()
        self._thread.join()
        return self.result()

    def result(self) -> Path:
        """The file of a recording that has ended; raises what it died of."""
        if self.error is not None:
            raise self.error
        assert self._result is not None
        return self._result

    def _run(self) -> None:
        writer = self._writer
        assert writer is not None
        session = RecordingSession(writer)
        try:
            with contextlib.suppress(_Stop):
                while True:
                    self._fill_part(session)
                    session.commit(self._clock())
            session.end(self._clock())
        except KVDeckError as error:
            self.error = error
        except Exception as error:
            log.exception("The recording broke off")
            self.error = KVDeckError(f"The recording broke off: {error}", remedy="The log has the details.")
        self._finish(writer)

    def _finish(self, writer: RecordingWriter) -> None:
        try:
            if self.error is not None and not writer.num_parts:
                writer.discard()
                self.error = _without_file(self.error)
            else:
                self._result = writer.finish() if self.error is None else writer.keep()
        except OSError as error:
            self.error = self.error or DiskFull(
                f"The recording cannot get its name {self._path.name}: {error.strerror or error}.",
                remedy=f"It is kept as {writer.partial.name}.",
            )

    def _fill_part(self, session: RecordingSession) -> None:
        """Take what comes for the time of one part. Raises _Stop at the end."""
        until = time.monotonic() + _PART_S
        while (left := until - time.monotonic()) > 0:
            try:
                item = self._queue.get(timeout=left)
            except queue.Empty:
                return
            if item is None:
                raise _Stop
            at_ns, value = item
            if isinstance(value, _Steps):
                session.take_steps(value.steps)
                session.take_events(value.events)
                continue
            if self._skipped:
                count, self._skipped = self._skipped, 0
                session.skipped(at_ns, count)
            session.take(at_ns, value)


def _without_file(error: KVDeckError) -> KVDeckError:
    """The same error of a recording that had nothing in it yet."""
    remedy = "Free some space and record again." if isinstance(error, DiskFull) else error.remedy
    nothing = "Nothing had been recorded yet, so the empty file was removed."
    return type(error)(error.message, remedy=f"{nothing} {remedy}", details=error.details)
