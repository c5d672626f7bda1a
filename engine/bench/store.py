"""Runs on disk: one SQLite file in the data folder, for the window, the terminal and the load processes at once."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import psutil

from engine.bench import rows
from engine.bench.database import RunsUnavailable, connect, unavailable
from engine.bench.result import Annotation, RunResult, RunState
from engine.bench.tally import figures_of
from engine.domain.errors import KVDeckError
from engine.domain.paths import data_dir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from engine.bench.result import RunRecord
    from engine.bench.sample import Sample

_UNDO_S = 3600.0
_LIST_COLUMNS = rows.RUN_COLUMNS.replace("windows", "NULL")  # an hour has 3,600 of them: only where they are drawn


class RunGone(KVDeckError):
    """The run is no longer there."""

    kind = "run_gone"


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs to list; None and empty mean any. `text` is looked for in titles, notes, tags, checkpoints, models."""

    text: str = ""
    tags: tuple[str, ...] = ()
    origin: str | None = None
    group: str | None = None
    checkpoint: str | None = None
    state: RunState | None = None
    baseline: bool | None = None
    limit: int = 500


def default_path() -> Path:
    """Where this user's runs are."""
    return data_dir() / "runs.sqlite"


class RunStore:
    """All runs of this user. Every method blocks on the disk: call them in a thread. Thread-safe.

    `notice` says in a sentence what the user must know about the file, else None. `path` None keeps them in memory.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.notice: str | None = None
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def open(self) -> None:
        """Open or create the file; what was deleted an hour ago or longer goes for good. Raises RunsUnavailable."""
        with self._lock:
            if self._connection is not None:
                return
            self._connection, self.notice = connect(self.path)
            with self._connection:
                self._connection.execute("DELETE FROM run WHERE deleted < ?", (time.time() - _UNDO_S,))
        self._end_orphans()

    def close(self) -> None:
        """Close the file; harmless when it is closed."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def runs(self, wanted: RunFilter | None = None) -> tuple[RunRecord, ...]:
        """The runs that match, newest first, without their windows (`run` has them)."""
        where, values = _conditions(wanted or RunFilter())
        query = f"SELECT {_LIST_COLUMNS} FROM run WHERE {where} ORDER BY created DESC, id LIMIT ?"  # noqa: S608
        with self._use() as connection:
            found = connection.execute(query, (*values, (wanted or RunFilter()).limit)).fetchall()
        return tuple(rows.read_run(row) for row in found)

    def run(self, run_id: str) -> RunRecord:
        """One run with its windows. Raises RunGone."""
        query = f"SELECT {rows.RUN_COLUMNS} FROM run WHERE id = ? AND deleted IS NULL"  # noqa: S608 - our own names
        with self._use() as connection:
            row = connection.execute(query, (run_id,)).fetchone()
        if row is None:
            raise RunGone(f"There is no run {run_id}.", remedy="It was deleted; choose another one.")
        return rows.read_run(row)

    def count_samples(self, run_id: str) -> int:
        """How many samples of a run are kept."""
        with self._use() as connection:
            return int(connection.execute("SELECT count(*) FROM sample WHERE run_id = ?", (run_id,)).fetchone()[0])

    def samples(self, run_id: str, *, gaps: bool = True, most: int | None = None) -> tuple[Sample, ...]:
        """A run's samples in the order of sending; `gaps` False leaves the gaps out, which are most of the bytes.

        Of a run with more than `most` every second, third, ... is taken, over the whole run.
        """
        every = 1 if most is None else max(1, -(-self.count_samples(run_id) // most))
        columns = (
            "number, request_id, outcome, due, sent, ended, first_token, last_token, prompt_tokens, output_tokens, "
            "cached_tokens, wanted_tokens, queue, prefill, decode, client, turn, reason"
        )
        last = "gaps" if gaps else "x''"
        query = f"SELECT {columns}, {last} FROM sample WHERE run_id = ? AND number % ? = 0 ORDER BY number"  # noqa: S608 - our own
        with self._use() as connection:
            return tuple(rows.read_sample(row) for row in connection.execute(query, (run_id, every)))

    def tags(self) -> tuple[str, ...]:
        """Every tag in use, in order."""
        with self._use() as connection:
            found = connection.execute("SELECT tags FROM run WHERE deleted IS NULL").fetchall()
        return tuple(sorted({tag for (text,) in found for tag in msgspec.json.decode(text, type=tuple[str, ...])}))

    def save(self, record: RunRecord) -> None:
        """Write a new run, or one that is there in its new form; its samples stay."""
        values = rows.run_row(record)
        names = rows.RUN_COLUMNS.split(", ")
        changes = ", ".join(f"{name} = excluded.{name}" for name in names[1:])
        query = rows.SAVE_RUN.replace("INSERT OR REPLACE", "INSERT") + f" ON CONFLICT (id) DO UPDATE SET {changes}"
        with self._use() as connection:
            connection.execute(query, values)
            owner = os.getpid() if record.state is RunState.RUNNING else None
            connection.execute("UPDATE run SET owner = ? WHERE id = ?", (owner, record.id))

    def add_samples(self, run_id: str, samples: Iterable[Sample]) -> None:
        """Write samples of a run, in one transaction. Raises RunGone where the run was deleted meanwhile."""
        values = [rows.sample_row(run_id, sample) for sample in samples]
        with self._use() as connection:
            connection.executemany(rows.SAVE_SAMPLE, values)

    def finish(self, run_id: str, state: RunState, result: RunResult | None, error: str = "") -> None:
        """Write how a run ended; whatever else was written meanwhile (notes, annotations) stays."""
        figures = windows = origin = stopped = None
        if result is not None:
            figures = msgspec.json.encode(result.figures).decode()
            windows = rows.pack_windows(result.windows)
            origin, stopped = result.origin_monotonic_ns, result.stopped
        self._update(
            run_id,
            state=state.value, figures=figures, windows=windows, origin_ns=origin, stopped=stopped, error=error,
        )  # fmt: skip

    def annotate(self, run_id: str, annotation: Annotation) -> None:
        """Add one annotation to a run. Raises RunGone."""
        with self._use() as connection:
            row = connection.execute("SELECT annotations FROM run WHERE id = ?", (run_id,)).fetchone()
            if row is None:
                raise RunGone(f"There is no run {run_id}.", remedy="It was deleted.")
            known = msgspec.json.decode(row[0], type=tuple[Annotation, ...])
            text = msgspec.json.encode((*known, annotation)).decode()
            connection.execute("UPDATE run SET annotations = ? WHERE id = ?", (text, run_id))

    def set_title(self, run_id: str, title: str) -> None:
        """Rename a run."""
        self._update(run_id, title=title)

    def set_notes(self, run_id: str, notes: str) -> None:
        """Replace a run's notes."""
        self._update(run_id, notes=notes)

    def set_tags(self, run_id: str, tags: Iterable[str]) -> None:
        """Replace a run's tags."""
        wanted = sorted({tag.strip() for tag in tags if tag.strip()})
        self._update(run_id, tags=msgspec.json.encode(wanted).decode())

    def set_baseline(self, run_id: str, baseline: bool) -> None:
        """Mark a run as a baseline, or no longer."""
        self._update(run_id, baseline=baseline)

    def delete(self, run_ids: Iterable[str]) -> None:
        """Hide runs; `restore` brings them back, an hour later an `open` deletes them for good."""
        with self._use() as connection:
            now = time.time()
            connection.executemany("UPDATE run SET deleted = ? WHERE id = ?", [(now, run_id) for run_id in run_ids])

    def restore(self, run_ids: Iterable[str]) -> None:
        """Undo `delete`."""
        with self._use() as connection:
            connection.executemany("UPDATE run SET deleted = NULL WHERE id = ?", [(run_id,) for run_id in run_ids])

    def version(self) -> int:
        """A number that changes when another process has written."""
        with self._use() as connection:
            return int(connection.execute("PRAGMA data_version").fetchone()[0])

    def _end_orphans(self) -> None:
        """Runs whose program is gone have stopped; what samples there are make their figures."""
        with self._use() as connection:
            query = "SELECT id, owner FROM run WHERE state = ? AND deleted IS NULL"
            running = connection.execute(query, (RunState.RUNNING.value,)).fetchall()
        for run_id, owner in running:
            if owner is None or not psutil.pid_exists(owner):
                figures = figures_of(self.samples(run_id), self.run(run_id).workload.slos)
                result = RunResult(figures, stopped=True) if figures.sent else None
                self.finish(run_id, RunState.STOPPED, result, "The program ended while the load ran.")

    def _update(self, run_id: str, **values: Any) -> None:
        changes = ", ".join(f"{name} = ?" for name in values)
        with self._use() as connection:
            done = connection.execute(f"UPDATE run SET {changes} WHERE id = ?", (*values.values(), run_id))  # noqa: S608
            if not done.rowcount:
                raise RunGone(f"There is no run {run_id}.", remedy="It was deleted.")

    @contextmanager
    def _use(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._connection is None:
                raise RunsUnavailable("The file of benchmark runs is not open.", remedy="Start KVDeck again.")
            try:
                with self._connection:
                    yield self._connection
            except sqlite3.IntegrityError as error:
                raise RunGone("The run was deleted while it went on.", remedy="Start it again.") from error
            except sqlite3.Error as error:
                raise unavailable(self.path, error) from error


def _conditions(wanted: RunFilter) -> tuple[str, list[Any]]:
    """The WHERE of a filter and its values."""
    parts, values = ["deleted IS NULL"], list[Any]()
    exact = {
        "origin": wanted.origin, "grp": wanted.group, "checkpoint": wanted.checkpoint, "state": wanted.state,
        "baseline": wanted.baseline,
    }  # fmt: skip
    for name, value in exact.items():
        if value is not None:
            parts.append(f"{name} = ?")
            values.append(str(value) if name == "state" else value)
    for word in wanted.text.split():
        parts.append("instr(lower(title || ' ' || notes || ' ' || tags || ' ' || ifnull(checkpoint, '') || ' ' || "
                     "ifnull(model, '') || ' ' || ifnull(quantization, '')), lower(?))")  # fmt: skip
        values.append(word)
    for tag in wanted.tags:
        parts.append("EXISTS (SELECT 1 FROM json_each(run.tags) WHERE value = ?)")
        values.append(tag)
    return " AND ".join(parts), values
