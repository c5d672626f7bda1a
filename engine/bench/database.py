"""The runs file itself: private, checked when it is opened, one schema, several processes at once."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from engine.domain.errors import DiskFull, KVDeckError
from engine.domain.private_database import open_database, set_aside

if TYPE_CHECKING:
    from pathlib import Path

_BUSY_MS = 10_000


class RunsUnavailable(KVDeckError):
    """The runs file cannot be read or written."""

    kind = "runs_unavailable"


MIGRATIONS = (
    """
    CREATE TABLE run (
        id TEXT PRIMARY KEY, title TEXT NOT NULL, created REAL NOT NULL, state TEXT NOT NULL, origin TEXT NOT NULL,
        grp TEXT NOT NULL, baseline INTEGER NOT NULL, url TEXT NOT NULL, checkpoint TEXT, model TEXT, quantization TEXT,
        workload TEXT NOT NULL, setup TEXT NOT NULL, figures TEXT, windows BLOB, origin_ns INTEGER, stopped INTEGER,
        error TEXT NOT NULL, notes TEXT NOT NULL, tags TEXT NOT NULL, annotations TEXT NOT NULL, deleted REAL
    );
    CREATE INDEX run_created ON run (created);
    CREATE INDEX run_grp ON run (grp);
    CREATE TABLE sample (
        run_id TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE, number INTEGER NOT NULL, request_id TEXT NOT NULL,
        outcome TEXT NOT NULL, due REAL NOT NULL, sent REAL NOT NULL, ended REAL NOT NULL, first_token REAL,
        last_token REAL, prompt_tokens INTEGER, output_tokens INTEGER, cached_tokens INTEGER, wanted_tokens INTEGER,
        queue REAL, prefill REAL, decode REAL, client INTEGER NOT NULL, turn INTEGER NOT NULL, reason TEXT NOT NULL,
        gaps BLOB NOT NULL, PRIMARY KEY (run_id, number)
    ) WITHOUT ROWID
    """,
    "ALTER TABLE run ADD COLUMN owner INTEGER",  # the pid of the program whose run it is, while it runs
)


def connect(path: Path | None) -> tuple[sqlite3.Connection, str | None]:
    """Open or create the file, and what the user must know of it (a damaged one is set aside, never deleted).

    Raises RunsUnavailable, also for a file of a newer KVDeck, which is left alone.
    """
    try:
        return _connect(path), None
    except (sqlite3.OperationalError, OSError) as error:
        raise unavailable(path, error) from error
    except sqlite3.DatabaseError as error:
        if path is None:
            raise
        kept = set_aside(path)
        told = f"The file of benchmark runs was damaged ({error}); it is kept as {kept.name}, and a new one was begun."
        return _connect(path), told


def _connect(path: Path | None) -> sqlite3.Connection:
    def newer(version: int) -> RunsUnavailable:
        return RunsUnavailable(
            f"The runs in {path} are of a newer KVDeck (format {version}, this one knows {len(MIGRATIONS)}).",
            remedy="Update KVDeck; until then runs are not kept.",
        )

    return open_database(path, MIGRATIONS, _BUSY_MS, newer)


def unavailable(path: Path | None, error: sqlite3.Error | OSError) -> KVDeckError:
    """What went wrong with the file, in words."""
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
        return DiskFull(f"There is no room to keep runs in {path}.", remedy="Free some disk space.")
    return RunsUnavailable(
        f"Benchmark runs cannot be read or written in {path}: {error}.",
        remedy="Check the folder's permissions and the disk.",
    )
