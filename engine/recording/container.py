"""The file around a recording: a SQLite database with two plain tables (docs/recording-format.md)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

APPLICATION_ID = 0x4B564452  # "KVDR"
VERSION = 2  # 2: events by columns throughout
OLDEST = 1  # that is still read
SUFFIX = ".kvdeck"
UNFINISHED = ".part"
MAX_PART_BYTES = 1 << 28

TABLES = {
    "meta": "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "part": (
        "CREATE TABLE part (id INTEGER PRIMARY KEY, begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL,"
        " is_key INTEGER NOT NULL, running INTEGER NOT NULL, waiting INTEGER NOT NULL, usage REAL NOT NULL,"
        " preemptions INTEGER NOT NULL, limits_changed INTEGER NOT NULL, records BLOB NOT NULL)"
    ),
}


@dataclass(frozen=True, slots=True)
class About:
    """Who recorded and when. `created_unix_s` is the wall clock at `origin_ns`, the recorder's CLOCK_MONOTONIC.

    `finished` is False for a recording whose program ended before it was stopped.
    """

    program: str
    created_unix_s: float
    origin_ns: int
    finished: bool = False


@dataclass(frozen=True, slots=True)
class PartInfo:
    """One part without its records: the time that it spans, whether it can be read without those before it, and what
    happened in it: the most running and waiting requests, the highest KV-cache usage (0 to 1), preemptions, and
    changes of the live limits.
    """

    number: int
    begin_ns: int
    end_ns: int
    is_key: bool
    running: int
    waiting: int
    usage: float
    preemptions: int
    limits_changed: int


def create(path: Path) -> sqlite3.Connection:
    """A new, empty recording; where it cannot be made, nothing of it stays. Raises sqlite3.Error, FileExistsError."""
    path.touch(mode=0o600, exist_ok=False)
    database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        database.execute(f"PRAGMA user_version = {VERSION}")
        database.execute("PRAGMA synchronous = NORMAL")
        database.execute("BEGIN")
        for statement in TABLES.values():
            database.execute(statement)
        database.execute("COMMIT")
    except BaseException:
        database.close()
        remove(path)
        raise
    return database


def remove(path: Path) -> None:
    """Remove a closed recording with what SQLite may have left beside it; harmless when it is gone. Raises OSError."""
    path.unlink(missing_ok=True)
    path.with_name(path.name + "-journal").unlink(missing_ok=True)
