"""What a recording exports: steps, requests, events, stalls, and samples of the machine, as tables."""

from __future__ import annotations

from dataclasses import astuple, fields
from typing import TYPE_CHECKING

from engine.domain.cache_events import Admitted, AllocationFailed, Evicted, NeverFits, Preempted
from engine.domain.gpu import HardwareSample
from engine.domain.telemetry import StepSample
from engine.metrics.stalls import StallWatch
from engine.recording.happenings import unpack_events
from engine.recording.picture import Picture, unpack_steps
from engine.recording.records import Event, Frame, Gone, Happened, Key, Steps, value_of
from engine.recording.table_file import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from engine.domain.cache_events import CacheEvent
    from engine.metrics.stalls import Stall
    from engine.metrics.timeline import Lane
    from engine.recording.reader import RecordingReader
    from engine.recording.records import Record

STEP_COLUMNS = {field.name: int for field in fields(StepSample)}
REQUEST_COLUMNS: dict[str, type] = {
    "request_id": str, "arrival_ns": int, "first_token_ns": int, "end_ns": int, "num_prompt_tokens": int,
    "num_cached_tokens": int, "output_tokens": int, "num_preemptions": int, "recomputed_tokens": int,
}  # fmt: skip
EVENT_COLUMNS: dict[str, type] = {
    "sequence": int, "step": int, "monotonic_ns": int, "event": str, "request_id": str, "tokens": int, "blocks": int,
    "block_id": int, "age_steps": int, "position": int, "free_blocks": int, "running": bool, "prompt_tokens": int,
    "needed_blocks": int, "pool_blocks": int, "cached_tokens": int, "resumed": bool,
}  # fmt: skip
STALL_COLUMNS: dict[str, type] = {
    "step": int, "monotonic_ns": int, "duration_ns": int, "cause": str, "request_ids": str, "median_ns": int,
    "tokens": int, "median_tokens": int, "waiting": int, "steps": int, "longest_ns": int,
}  # fmt: skip
SAMPLE_COLUMNS: dict[str, type] = {
    "monotonic_ns": int, "device": str, "total_bytes": int, "used_bytes": int, "ours_bytes": int, "utilization": float,
    "power_w": float, "temperature_c": int, "sm_clock_mhz": int, "memory_clock_mhz": int,
}  # fmt: skip
_EVENT_NAMES = {
    Preempted: "preempted", Evicted: "evicted", AllocationFailed: "allocation_failed", NeverFits: "never_fits",
    Admitted: "admitted",
}  # fmt: skip


def steps_table(steps: Iterable[StepSample]) -> Table:
    """One row a step."""
    return Table("steps", STEP_COLUMNS, (astuple(step) for step in steps))


def requests_table(lanes: Iterable[Lane]) -> Table:
    """One row a request."""
    return Table(
        "requests", REQUEST_COLUMNS, ([getattr(lane, column) for column in REQUEST_COLUMNS] for lane in lanes)
    )


def events_table(events: Iterable[CacheEvent]) -> Table:
    """One row an event; columns that its kind does not have are empty."""
    return Table("events", EVENT_COLUMNS, (_event_row(event) for event in events))


def _event_row(event: CacheEvent) -> list[object]:
    own = {"event": _EVENT_NAMES[type(event)]}
    return [own.get(column, getattr(event, column, None)) for column in EVENT_COLUMNS]


def events_of(reader: RecordingReader) -> Iterator[CacheEvent]:
    """Every event of a recording in the order of its part. Raises RecordingInvalid."""
    for part in reader.parts:
        told = (unpack_events(record) for record in reader.records(part) if isinstance(record, Happened))
        yield from sorted((event for events in told for event in events), key=lambda one: one.sequence)


def steps_of(reader: RecordingReader) -> Iterator[StepSample]:
    """Every step of a recording, oldest first. Raises RecordingInvalid."""
    for part in reader.parts:
        for record in reader.records(part):
            if isinstance(record, Steps):
                yield from unpack_steps(record)


def stalls_table(reader: RecordingReader) -> Table:
    """One row a stall, worked out as the window does. Reading it raises RecordingInvalid."""
    return Table("stalls", STALL_COLUMNS, _stall_rows(reader))


def _stall_rows(reader: RecordingReader) -> Iterator[list[object]]:
    follow, before = _Follow(), None
    for part in reader.parts:
        for record in reader.records(part):
            for stall in follow.take(record):
                if before is not None and before.monotonic_ns != stall.monotonic_ns:
                    yield _stall_row(before)
                before = stall  # until another one begins, it may still grow
    if before is not None:
        yield _stall_row(before)


def _stall_row(stall: Stall) -> list[object]:
    row = [getattr(stall, column) for column in STALL_COLUMNS]
    row[3], row[4] = stall.cause.value, " ".join(stall.request_ids)
    return row


class _Follow:
    """Goes through records as a window would, for the stalls in them."""

    def __init__(self) -> None:
        self._watch = StallWatch()
        self._picture: Picture | None = None
        self._steps: list[StepSample] = []
        self._events: list[CacheEvent] = []

    def take(self, record: Record) -> Sequence[Stall]:
        match record:
            case Key():
                self._picture = Picture(record)
            case Steps():
                self._steps += unpack_steps(record)
            case Happened():
                self._events += unpack_events(record)
            case Gone():
                self._watch, self._picture = StallWatch(), None
                self._steps.clear()
                self._events.clear()
            case Frame() if self._picture is not None:
                self._picture.apply(record)
                picture = self._picture.snapshot(self._steps, self._events)
                self._steps.clear()
                self._events.clear()
                return self._watch.take(picture) if picture is not None else ()
        return ()


def samples_table(reader: RecordingReader) -> Table:
    """One row for the host and one for each GPU a sample. Reading it raises RecordingInvalid."""
    return Table("samples", SAMPLE_COLUMNS, _sample_rows(reader))


def _sample_rows(reader: RecordingReader) -> Iterator[list[object]]:
    told = 0
    for part in reader.parts:
        for record in reader.records(part):
            value = value_of(record) if isinstance(record, Event) else None
            if not isinstance(value, HardwareSample) or value.host.monotonic_ns <= told:
                continue  # a part that can be read alone begins with the newest sample once more
            host = value.host
            told = host.monotonic_ns
            used, cores = host.total_bytes - host.available_bytes, host.cpu_utilization
            load = sum(cores) / len(cores) if cores else None
            yield [told, "host", host.total_bytes, used, host.engine_bytes, load, None, None, None, None]
            for gpu in value.gpus:
                yield [
                    gpu.monotonic_ns, f"gpu{gpu.index}", gpu.total_bytes, gpu.used_bytes, gpu.ours_bytes,
                    gpu.utilization, gpu.power_w, gpu.temperature_c, gpu.sm_clock_mhz, gpu.memory_clock_mhz,
                ]  # fmt: skip
