"""Tables into files, from the live engine or from a recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.metrics.timeline import Lane, Timeline
from engine.recording.picture import Picture, unpack_steps
from engine.recording.reader import RecordingReader
from engine.recording.records import Frame, Gone, Key, Steps
from engine.recording.table_file import write_table
from engine.recording.tables import (
    events_of,
    events_table,
    requests_table,
    samples_table,
    stalls_table,
    steps_of,
    steps_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from engine.domain.telemetry import StepSample

__all__ = ["export_recording", "steps_of", "timeline_of", "write_requests", "write_steps"]


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
    """Write one row a step, as CSV or Parquet by the suffix; returns how many. Raises OSError, KVDeckError."""
    return write_table(path, steps_table(steps))


def write_requests(path: Path, lanes: Sequence[Lane]) -> int:
    """Write one row a request, empty where a value is not known; returns how many. Raises OSError, KVDeckError."""
    return write_table(path, requests_table(lanes))


def export_recording(
    path: Path, folder: Path, suffix: str, keep_on: Callable[[float], bool] = lambda _share: True
) -> list[tuple[Path, int]]:
    """Write every table of a recording into `folder`, named for what it holds; returns the files with their rows.

    `suffix` is one of `FORMATS`. `keep_on` is told how much is done (0 to 1), and ends it by False.
    Raises OSError, RecordingInvalid, and KVDeckError where Parquet cannot be written.
    """
    reader = RecordingReader(path)
    written: list[tuple[Path, int]] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        timeline = timeline_of(reader, lambda share: keep_on(share / 2))
        lanes = (*timeline.finished, *timeline.live)
        tables = (
            requests_table(lanes), steps_table(steps_of(reader)), events_table(events_of(reader)),
            stalls_table(reader), samples_table(reader),
        )  # fmt: skip
        for number, table in enumerate(tables):
            if not keep_on(0.5 + number / len(tables) / 2):
                break
            target = folder / f"{table.name}.{suffix}"
            written.append((target, write_table(target, table)))
    finally:
        reader.close()
    return written
