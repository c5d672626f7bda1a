"""Replays a recording into the Store, in place of an engine, its page and the hardware."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.bridge.adapter_state import AdaptersState
from app.bridge.store import Notice, ReplayState
from engine.domain.adapter import EngineAdapters
from engine.domain.errors import RecordingInvalid
from engine.recording.export import steps_of, timeline_of
from engine.recording.player import Moment, Player
from engine.recording.reader import RecordingReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from app.bridge.store import Store
    from engine.domain.telemetry import StepSample
    from engine.metrics.timeline import Timeline
    from engine.recording.container import PartInfo

log = logging.getLogger(__name__)

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_TICK_MS = 33


class Replay(QObject):
    """Where the replay stands is in the Store (`replay`); damage that turns up on the way is a notice, and stops it.

    `timeline_read` says that `timeline` now covers the whole recording; reading it takes a while in the background.
    A replay that follows another one (`follow`) stands where that one stands, as far from its own beginning, and what
    it is asked to do the other one does. `moved` says that it stands elsewhere, or plays or rests.
    """

    timeline_read = Signal()
    moved = Signal()
    paired = Signal(object)  # a ReplayPair that it belongs to now, or None

    def __init__(self, store: Store, reader: RecordingReader, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._reader = reader
        self._player = Player(reader)
        self._speed = 1.0
        self._ticked_ns = 0
        self._leaving = threading.Event()
        self._resting = False
        self._leader: Replay | None = None
        self.timeline: Timeline | None = None
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)

    @property
    def parts(self) -> tuple[PartInfo, ...]:
        """The recording's parts, for an overview."""
        return self._reader.parts

    @property
    def begin_ns(self) -> int:
        """The recording's first moment."""
        return self._reader.begin_ns

    @property
    def end_ns(self) -> int:
        """The recording's last moment."""
        return self._reader.end_ns

    @property
    def position_ns(self) -> int:
        """Where it stands."""
        return self._player.position_ns

    @property
    def path(self) -> Path:
        """The recording's file."""
        return self._reader.path

    @property
    def playing(self) -> bool:
        """Whether it moves by itself, or with the one that it follows."""
        return self._leader.playing if self._leader is not None else self._timer.isActive()

    @property
    def speed(self) -> float:
        """Recorded seconds a second."""
        return self._leader.speed if self._leader is not None else self._speed

    def follow(self, leader: Replay | None) -> None:
        """Stand where this one stands from now on; None: go alone again."""
        if self._leader is not None:
            self._leader.moved.disconnect(self._keep_up)
            self._speed = self._leader.speed
        self._timer.stop()
        self._leader = leader
        if leader is not None:
            leader.moved.connect(self._keep_up)
            self._keep_up()
        else:
            self._show()

    def _keep_up(self) -> None:
        leader = self._leader
        if leader is not None:
            at_ns = self.begin_ns + leader.position_ns - leader.begin_ns
            self._move(lambda: self._player.seek(at_ns))

    def begin(self) -> None:
        """Show the first moment, and play."""
        self._move(lambda: self._player.seek(self._reader.begin_ns))
        self.play()

    async def read_timeline(self) -> None:
        """Read the whole recording once, so that the timeline shows all of it. Raises RecordingInvalid."""
        found = await asyncio.to_thread(self._read_timeline)
        if not self._leaving.is_set() and self.timeline is None:
            self.timeline = found
            self.timeline_read.emit()

    def goes_on(self, _share: float = 0.0) -> bool:
        """Whether what reads this recording in another thread may go on."""
        return not self._leaving.is_set()

    def steps(self) -> Iterator[StepSample]:
        """Every step of the recording, read anew; for any thread. Raises RecordingInvalid."""
        reader = RecordingReader(self._reader.path)
        try:
            yield from steps_of(reader)
        finally:
            reader.close()

    def _read_timeline(self) -> Timeline:
        reader = RecordingReader(self._reader.path)  # a connection of this thread's own
        try:
            return timeline_of(reader, self.goes_on)
        finally:
            reader.close()

    def play(self) -> None:
        """Go on from here; from the beginning where it has come to the end."""
        if self._leader is not None:
            self._leader.play()
            return
        if self._player.at_end:
            self.seek(self._reader.begin_ns)
        self._ticked_ns = time.monotonic_ns()
        self._timer.start()
        self._show()

    def pause(self) -> None:
        """Stay here."""
        if self._leader is not None:
            self._leader.pause()
            return
        self._timer.stop()
        self._show()

    def toggle(self) -> None:
        """Play or pause."""
        (self.pause if self.playing else self.play)()

    def set_speed(self, speed: float) -> None:
        """So many recorded seconds a second, one of SPEEDS."""
        if self._leader is not None:
            self._leader.set_speed(speed)
            return
        self._speed = min(SPEEDS, key=lambda one: abs(one - speed))
        self._show()

    def seek(self, at_ns: int) -> None:
        """Go to this moment."""
        if self._leader is not None:
            self._leader.seek(self._leader.begin_ns + at_ns - self.begin_ns)
            return
        self._move(lambda: self._player.seek(at_ns))

    def seek_by(self, seconds: float) -> None:
        """Go on or back by so much recorded time."""
        self.seek(self._player.position_ns + int(seconds * 1e9))

    def step_speed(self, direction: int) -> None:
        """The next faster (1) or slower (-1) of SPEEDS."""
        place = SPEEDS.index(self.speed) + direction
        self.set_speed(SPEEDS[min(max(place, 0), len(SPEEDS) - 1)])

    def to_begin(self) -> None:
        """Back to the first moment."""
        self.seek(self._reader.begin_ns)

    def rest(self) -> None:
        """Nobody looks: stand still until `resume`."""
        if self._leader is not None:
            return  # the other window may still be looked at
        self._resting = self.playing
        self._timer.stop()

    def resume(self) -> None:
        """Somebody looks again."""
        if self._resting:
            self._resting = False
            self.play()

    def step(self, direction: int) -> None:
        """Pause, and go to the next picture (1) or the one before (-1)."""
        if self._leader is not None:
            self._leader.step(direction)
            return
        self.pause()

        def move() -> Moment | None:
            forward = direction > 0
            at_ns = self._player.next_frame_ns() if forward else self._player.frame_before_ns()
            if at_ns is None:
                return None
            return self._player.advance(at_ns) if forward else self._player.seek(at_ns)

        self._move(move)

    def stop(self) -> None:
        """End the replay."""
        self._timer.stop()
        self._leaving.set()

    def close(self) -> None:
        """Close the file; nothing may read from it any more."""
        self._reader.close()

    def _tick(self) -> None:
        now = time.monotonic_ns()
        passed, self._ticked_ns = now - self._ticked_ns, now
        self._move(lambda: self._player.advance(self._player.position_ns + int(passed * self._speed)))
        if self._player.at_end:
            self.pause()

    def _move(self, move: Callable[[], Moment | None]) -> None:
        try:
            moment = move()
        except RecordingInvalid as error:
            log.warning("The replay stopped: %s", error)
            self._timer.stop()
            self._store.publish(Notice("error", error.message, error.remedy))
            moment = None
        if moment is not None:
            self._publish(moment)
        self._show()

    def _publish(self, moment: Moment) -> None:
        store = self._store
        if (moment.restarted or moment.gone) and (store.cache, store.limits, store.serving) != (None, None, None):
            store.clear_engine()
            store.publish(AdaptersState())
        for value in moment.values:
            store.publish(AdaptersState(value) if isinstance(value, EngineAdapters) else value)
        if moment.cache is not None:
            store.publish(moment.cache)

    def _show(self) -> None:
        about = self._reader.about
        self._store.publish(
            ReplayState(
                path=str(self._reader.path),
                begin_ns=self._reader.begin_ns,
                end_ns=self._reader.end_ns,
                position_ns=self._player.position_ns,
                playing=self.playing,
                speed=self.speed,
                created_unix_s=about.created_unix_s,
                finished=about.finished,
            )
        )
        self.moved.emit()
