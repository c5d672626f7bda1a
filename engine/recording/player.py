"""Plays a recording back: what the window would have been told between two moments of it."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.domain.errors import RecordingInvalid
from engine.recording.happenings import unpack_events
from engine.recording.picture import Picture, unpack_steps
from engine.recording.records import (
    ENGINE_TOPICS,
    Event,
    Frame,
    Gone,
    Happened,
    Key,
    Mark,
    Steps,
    Value,
    topic_of,
    value_of,
)

if TYPE_CHECKING:
    from engine.domain.cache_events import CacheEvent
    from engine.domain.telemetry import CacheSnapshot, StepSample
    from engine.recording.reader import RecordingReader
    from engine.recording.records import Record

_PAST_STEPS = 4096  # as many as the telemetry page keeps for a reader that opens it
_PAST_EVENTS = 8192  # and so many events
_PARTS_KEPT = 64  # about a hundred kilobytes each under heavy traffic


@dataclass(frozen=True, slots=True)
class Moment:
    """What changed on the way to `at_ns`: the newest value of each topic that changed, and the picture.

    `restarted` says that what was shown before does not lead here (a jump back, another engine): forget it first.
    `cache` is None where the picture did not change, or where there is none (`gone`).
    """

    at_ns: int
    values: tuple[Value, ...]
    cache: CacheSnapshot | None
    gone: bool
    restarted: bool


class Player:
    """A place in a recording. `seek` and `advance` move it; both raise RecordingInvalid where the file is damaged."""

    def __init__(self, reader: RecordingReader) -> None:
        self._reader = reader
        self._begins = [part.begin_ns for part in reader.parts]
        self._parts: OrderedDict[int, tuple[Record, ...]] = OrderedDict()
        self._next = (0, 0)  # the part, and the record in it, that come next
        self._picture: Picture | None = None
        self._steps: list[StepSample] = []  # not told yet
        self._events: list[CacheEvent] = []
        self.position_ns = reader.begin_ns

    @property
    def at_end(self) -> bool:
        """Whether nothing comes any more."""
        return self.position_ns >= self._reader.end_ns

    def seek(self, at_ns: int) -> Moment:
        """Go to a moment, from wherever this is; a short way ahead this is the same as `advance`."""
        at_ns = self._within(at_ns)
        parts = self._reader.parts
        part = max(0, bisect_right(self._begins, at_ns) - 1)
        while part > 0 and not parts[part].is_key:
            part -= 1
        if self._next != (0, 0) and at_ns >= self.position_ns and part <= self._next[0]:
            return self._run(at_ns)
        self._next, self._picture = (part, 0), None
        self._steps, self._events = self._past(part)
        moment = self._run(at_ns)
        return Moment(at_ns, moment.values, moment.cache, moment.gone, restarted=True)

    def advance(self, to_ns: int) -> Moment:
        """Go on to a later moment; what lies between is summed up, but no step is left out."""
        return self._run(self._within(max(to_ns, self.position_ns)))

    def next_frame_ns(self) -> int | None:
        """When the next picture comes; None where none does."""
        part, place = self._next
        while part < len(self._reader.parts):
            for record in self._records(part)[place:]:
                if isinstance(record, Frame) and record.at_ns > self.position_ns:
                    return record.at_ns
            part, place = part + 1, 0
        return None

    def frame_before_ns(self) -> int | None:
        """When the picture before the present one came; None where there is none."""
        part = min(self._next[0], len(self._reader.parts) - 1)
        found: list[int] = []
        while part >= 0:
            times = [r.at_ns for r in self._records(part) if isinstance(r, Frame) and r.at_ns < self.position_ns]
            found = sorted({*times, *found})
            if found:
                return found[-1]
            part -= 1
        return None

    def _within(self, at_ns: int) -> int:
        return min(max(at_ns, self._reader.begin_ns), self._reader.end_ns)

    def _run(self, to_ns: int) -> Moment:
        values: dict[str, Value] = {}
        changed = restarted = gone = False
        for record in self._until(to_ns):
            match record:
                case Key():
                    self._picture = Picture(record)
                case Frame():
                    self._draw(record)
                    changed, gone = True, False
                case Event():
                    value = value_of(record)
                    if value is not None:
                        values[topic_of(value)] = value
                case Gone():
                    self._forget(values)
                    changed, gone, restarted = False, True, True
                case Steps() | Happened():
                    self._note(record)
                case Mark():
                    pass
        self.position_ns = to_ns
        cache = None
        if changed and self._picture is not None:
            self._events.sort(key=lambda one: one.sequence)
            cache = self._picture.snapshot(self._steps, self._events)
            self._steps.clear()
            self._events.clear()
        return Moment(to_ns, tuple(values.values()), cache, gone, restarted)

    def _draw(self, frame: Frame) -> None:
        if self._picture is None:
            raise RecordingInvalid.damaged("a frame comes before its key")
        self._picture.apply(frame)

    def _note(self, record: Steps | Happened) -> None:
        if isinstance(record, Steps):
            self._steps += unpack_steps(record)
        else:
            self._events += unpack_events(record)

    def _forget(self, values: dict[str, Value]) -> None:
        """No engine runs any more."""
        self._steps.clear()
        self._events.clear()
        self._picture = None
        for topic in ENGINE_TOPICS:
            values.pop(topic, None)

    def _until(self, to_ns: int) -> list[Record]:
        """The records up to this moment, which are then behind."""
        found: list[Record] = []
        part, place = self._next
        while part < len(self._reader.parts):
            records = self._records(part)
            while place < len(records) and records[place].at_ns <= to_ns:
                found.append(records[place])
                place += 1
            if place < len(records):
                break
            part, place = part + 1, 0
        self._next = (part, place)
        return found

    def _past(self, part: int) -> tuple[list[StepSample], list[CacheEvent]]:
        """The last steps before a part, of the same engine, and the events beside them."""
        found: list[StepSample] = []
        events: list[CacheEvent] = []
        while part > 0 and len(found) < _PAST_STEPS:
            part -= 1
            for record in reversed(self._records(part)):
                if isinstance(record, Gone):
                    return found, events
                if isinstance(record, Happened) and len(events) < _PAST_EVENTS:
                    events[:0] = unpack_events(record)
                if isinstance(record, Steps):
                    steps = unpack_steps(record)
                    if found and steps and steps[-1].step >= found[0].step:
                        return found, events
                    found[:0] = steps
        return found, events

    def _records(self, part: int) -> tuple[Record, ...]:
        known = self._parts.get(part)
        if known is None:
            known = self._parts[part] = self._reader.records(self._reader.parts[part])
            while len(self._parts) > _PARTS_KEPT:
                self._parts.popitem(last=False)
        return known
