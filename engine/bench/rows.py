"""Run records and samples as SQLite rows, and back."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any

import msgspec

from engine.bench.result import Annotation, EngineSetup, Figures, RunRecord, RunResult, RunState, Window
from engine.bench.sample import Outcome, Sample
from engine.bench.workload import Workload

if TYPE_CHECKING:
    from collections.abc import Sequence

RUN_COLUMNS = (
    "id, title, created, state, origin, grp, baseline, url, checkpoint, model, quantization, workload, setup, figures, "
    "windows, origin_ns, stopped, error, notes, tags, annotations"
)
SAVE_RUN = f"INSERT OR REPLACE INTO run ({RUN_COLUMNS}) VALUES ({', '.join('?' * 21)})"  # noqa: S608 - our own names
SAVE_SAMPLE = f"INSERT OR REPLACE INTO sample VALUES ({', '.join('?' * 20)})"  # noqa: S608 - question marks only


def run_row(record: RunRecord) -> tuple[Any, ...]:
    """In the order of RUN_COLUMNS."""
    result, setup = record.result, record.setup
    return (
        record.id, record.title, record.created_unix_s, record.state.value, record.origin, record.group,
        record.baseline, record.url, setup.checkpoint, setup.model, setup.quantization,
        _text(record.workload), _text(setup), None if result is None else _text(result.figures),
        None if result is None else pack_windows(result.windows),
        None if result is None else result.origin_monotonic_ns, None if result is None else result.stopped,
        record.error, record.notes, _text(record.tags), _text(record.annotations),
    )  # fmt: skip


def read_run(row: Sequence[Any]) -> RunRecord:
    """From a row in the order of RUN_COLUMNS; windows that were not asked for (NULL) are empty."""
    figures, windows = row[13], row[14]
    result = None
    if figures is not None:
        stretches = () if windows is None else unpack_windows(windows)
        result = RunResult(msgspec.json.decode(figures, type=Figures), stretches, row[15], bool(row[16]))
    return RunRecord(
        id=row[0],
        title=row[1],
        created_unix_s=row[2],
        state=RunState(row[3]),
        origin=row[4],
        group=row[5],
        baseline=bool(row[6]),
        url=row[7],
        workload=msgspec.json.decode(row[11], type=Workload),
        setup=msgspec.json.decode(row[12], type=EngineSetup),
        result=result,
        error=row[17],
        notes=row[18],
        tags=msgspec.json.decode(row[19], type=tuple[str, ...]),
        annotations=msgspec.json.decode(row[20], type=tuple[Annotation, ...]),
    )


def sample_row(run_id: str, sample: Sample) -> tuple[Any, ...]:
    """In the order of the table's columns."""
    return (
        run_id, sample.number, sample.request_id, sample.outcome.value, sample.due_s, sample.sent_s, sample.ended_s,
        sample.first_token_s, sample.last_token_s, sample.prompt_tokens, sample.output_tokens, sample.cached_tokens,
        sample.wanted_tokens, sample.queue_s, sample.prefill_s, sample.decode_s, sample.client, sample.turn,
        sample.reason, sample.gaps,
    )  # fmt: skip


def read_sample(row: Sequence[Any]) -> Sample:
    """From a row in the order of the table's columns, without the run's id."""
    return Sample(row[0], row[1], Outcome(row[2]), *row[3:])


def pack_windows(windows: tuple[Window, ...]) -> bytes:
    """Windows as compressed msgpack."""
    return zlib.compress(msgspec.msgpack.encode(windows))


def unpack_windows(packed: bytes) -> tuple[Window, ...]:
    """The inverse of `pack_windows`."""
    return msgspec.msgpack.decode(zlib.decompress(packed), type=tuple[Window, ...])


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
