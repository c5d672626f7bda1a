"""Steps and requests as comma-separated text, from the live engine or from a recording."""

from __future__ import annotations

import csv
import os
from dataclasses import astuple, fields
from typing import TYPE_CHECKING

from engine.domain.telemetry import StepSample
from engine.metrics.timeline import Lane, Timeline
from engine.recording.picture import Picture, unpack_steps
from engine.recording.records import Frame, Gone, Key, Steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from engine.recording.reader import RecordingReader

STEP_COLUMNS = tuple(field.name for field in fields(StepSample))
REQUEST_COLUMNS = (
    "request_id", "arrival_ns", "first_token_ns", "end_ns", "num_prompt_tokens", "num_cached_tokens", "output_tokens",
    "num_preemptions", "recomputed_tokens",
)  # fmt: skip


def steps_of(reader: RecordingReader) -> Iterator[StepSample]:
    """Every step of a recording, oldest first. Raises RecordingInvalid."""
    for part in reader.parts:
        for record in reader.records(part):
            if isinstance(record, Steps):
                yield from unpack_steps(record)


def timeline_of(reader: RecordingReader, keep_on: Callable[[float], bool] = lambda _share: True) -> Timeline:
    """The timeline of a whole recording. `keep_on` is told how much is done (0 to 1), and ends it by False.

    Raises RecordingInvalid.
    """
    timeline = Timeline()
    picture: Picture | None = None
    for number, part in enumerate(reader.parts):
        for record in reader.records(part):
            match record:
                case Key():
                    picture = Picture(record)
                case Frame() if picture is not None:
                    picture.apply(record)
                    counters = picture.counters
                    assert counters is not None
                    timeline.take_rows(record.published_ns, counters.monotonic_ns, picture.requests)
                case Steps():
                    timeline.steps.add(unpack_steps(record))
                case Gone():
                    timeline.end_engine()
                    picture = None
        if not keep_on((number + 1) / len(reader.parts)):
            break
    return timeline


def write_steps(path: Path, steps: Iterable[StepSample]) -> int:
    """Write one line a step; returns how many. Raises OSError, and leaves no half of a file then."""
    return _write(path, STEP_COLUMNS, (astuple(step) for step in steps))


def write_requests(path: Path, lanes: Sequence[Lane]) -> int:
    """Write one line a request, empty where a value is not known; returns how many. Raises OSError."""
    return _write(path, REQUEST_COLUMNS, ([getattr(lane, column) for column in REQUEST_COLUMNS] for lane in lanes))


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> int:
    partial = path.with_name(f".{path.name}.{os.getpid()}.new")
    count = 0
    try:
        with partial.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            for row in rows:
                writer.writerow(row)
                count += 1
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return count
