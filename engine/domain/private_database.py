"""An SQLite file that is private to the user, checked when it is opened, and safe with several programs at once."""

from __future__ import annotations

import os
import sqlite3
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_CHECK_UP_TO_BYTES = 256 * 1024**2  # a full check reads the whole file; beyond this it would delay the window


def open_database(
    path: Path | None, migrations: Sequence[str], busy_ms: int, newer: Callable[[int], Exception]
) -> sqlite3.Connection:
    """Open or create the file (None: in memory) and bring it to the newest of `migrations`, numbered from 1.

    `busy_ms` is how long to wait for another program. Raises OSError; sqlite3.DatabaseError where the file is damaged;
    and what `newer` makes of the version of a file that a later program wrote, which is left as it is.
    """
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        _make_private(path)
    connection = sqlite3.connect(path or ":memory:", timeout=busy_ms / 1000, check_same_thread=False)
    try:
        _prepare(connection, path, migrations, busy_ms, newer)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_private(path: Path) -> None:
    """Without opening a file that is there: to close it would take away the locks that this process has on it by
    another connection, and the next program that ends would delete what was not written back yet.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        path.chmod(0o600)


def set_aside(path: Path) -> Path:
    """Move a damaged file out of the way, with what SQLite keeps beside it; returns where it is now. Raises OSError."""
    stem = f"{path.stem}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    kept, number = path.with_name(f"{stem}{path.suffix}"), 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{stem}-{number}{path.suffix}")
    path.rename(kept)
    for ending in ("-wal", "-shm"):
        extra = path.with_name(path.name + ending)
        if extra.exists():
            extra.rename(kept.with_name(kept.name + ending))
    return kept


def _prepare(
    connection: sqlite3.Connection,
    path: Path | None,
    migrations: Sequence[str],
    busy_ms: int,
    newer: Callable[[int], Exception],
) -> None:
    _version(connection, migrations, newer)  # before anything is written
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON", f"busy_timeout = {busy_ms}"):
        connection.execute(f"PRAGMA {pragma}")
    if path is not None and path.stat().st_size <= _CHECK_UP_TO_BYTES:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(str(found).splitlines()[-1])
    connection.execute("BEGIN IMMEDIATE")  # two programs that start together must not both migrate
    for number in range(_version(connection, migrations, newer), len(migrations)):
        for statement in migrations[number].split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number + 1}")
    connection.commit()


def _version(connection: sqlite3.Connection, migrations: Sequence[str], newer: Callable[[int], Exception]) -> int:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > len(migrations):
        raise newer(version)
    return version
