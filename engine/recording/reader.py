"""Reads a recording, and says clearly what is wrong with one that cannot be read."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zlib
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from engine.domain.errors import RecordingInvalid
from engine.recording import container
from engine.recording.container import About, PartInfo
from engine.recording.records import Record, decode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_HEADER = b"SQLite format 3\0"
_COLUMNS = "id, begin_ns, end_ns, is_key, running, waiting, usage, preemptions, limits_changed"
_OTHER_FILE = "Choose a file that KVDeck recorded (its name ends in .kvdeck)."


class RecordingReader:
    """One recording, open for reading. Raises RecordingInvalid in whatever it does, and nothing else.

    `parts` are in the order of time; times are the recorder's CLOCK_MONOTONIC in nanoseconds.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = _open(path)
        try:
            with _told():
                self.about = self._read_about()
                self.parts = self._read_parts()
        except BaseException:
            self.close()
            raise

    @property
    def begin_ns(self) -> int:
        """When the first part begins."""
        return self.parts[0].begin_ns

    @property
    def end_ns(self) -> int:
        """When the last part ends."""
        return max(part.end_ns for part in self.parts)

    def records(self, part: PartInfo) -> tuple[Record, ...]:
        """The records of one part."""
        with _told():
            row = self._database.execute("SELECT records FROM part WHERE id = ?", (part.number,)).fetchone()
        if row is None or not isinstance(row[0], bytes):
            raise RecordingInvalid.damaged(f"part {part.number} is missing")
        try:
            unpacker = zlib.decompressobj()
            data = unpacker.decompress(row[0], container.MAX_PART_BYTES)
        except zlib.error as error:
            raise RecordingInvalid.damaged(f"part {part.number} cannot be unpacked ({error})") from error
        if not unpacker.eof:
            raise RecordingInvalid.damaged(f"part {part.number} is not whole")
        return decode(data)

    def close(self) -> None:
        """Close the file. Harmless when it is called twice."""
        with contextlib.suppress(sqlite3.Error):
            self._database.close()

    def _read_about(self) -> About:
        meta = dict(self._database.execute("SELECT key, value FROM meta").fetchall())
        try:
            values = {str(key): json.loads(value) for key, value in meta.items()}
            return About(
                str(values.get("program", "")), float(values["created_unix_s"]), int(values["origin_ns"]),
                bool(values.get("finished", False)),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise RecordingInvalid.damaged("it does not say when it was made") from error

    def _read_parts(self) -> tuple[PartInfo, ...]:
        rows = self._database.execute(f"SELECT {_COLUMNS} FROM part ORDER BY id").fetchall()  # noqa: S608 - our own
        if not rows:
            raise RecordingInvalid(
                f"The recording {self.path.name} is empty.", remedy="Nothing was recorded; record again."
            )
        parts = tuple(_part(row) for row in rows)
        ordered = all(before.begin_ns <= after.begin_ns for before, after in pairwise(parts))
        if not parts[0].is_key or not ordered or any(part.end_ns < part.begin_ns for part in parts):
            raise RecordingInvalid.damaged("its parts are not in the order of time")
        return parts


def _part(row: tuple[Any, ...]) -> PartInfo:
    number, begin, end, is_key, running, waiting, usage, preemptions, limits = row
    whole = (number, begin, end, is_key, running, waiting, preemptions, limits)
    if not all(isinstance(value, int) for value in whole) or not isinstance(usage, float):
        raise RecordingInvalid.damaged("the row of a part holds no numbers")
    return PartInfo(number, begin, end, bool(is_key), running, waiting, usage, preemptions, limits)


def _open(path: Path) -> sqlite3.Connection:
    _check_header(path)
    # A program that died while it wrote left a journal, which only a writer may take back.
    journal = path.with_name(path.name + "-journal")
    with _told():
        uri = f"{path.resolve().as_uri()}?mode={'rw' if journal.exists() else 'ro'}"
        database = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    try:
        with _told():
            _check_database(database, path)
    except BaseException:
        database.close()
        raise
    return database


def _check_header(path: Path) -> None:
    try:
        if not path.is_file():
            raise RecordingInvalid(f"There is no recording at {path}.", remedy=_OTHER_FILE)
        with path.open("rb") as file:
            header = file.read(len(_HEADER))
    except OSError as error:
        raise RecordingInvalid(
            f"The recording {path.name} cannot be opened: {error.strerror}.", remedy=_OTHER_FILE
        ) from error
    if header != _HEADER:
        raise RecordingInvalid(f"{path.name} is not a recording.", remedy=_OTHER_FILE)


def _check_database(database: sqlite3.Connection, path: Path) -> None:
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON"):
        database.execute(f"PRAGMA {pragma}")
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if application != container.APPLICATION_ID:
        raise RecordingInvalid(f"{path.name} is not a recording.", remedy=_OTHER_FILE)
    if not container.OLDEST <= version <= container.VERSION:
        raise RecordingInvalid(
            f"The recording {path.name} is of format version {version}, and this program reads {container.OLDEST} to "
            f"{container.VERSION}.",
            remedy="Use the version of KVDeck that recorded it, or a newer one.",
        )
    found = {row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if not found.issuperset(container.TABLES):
        raise RecordingInvalid.damaged("one of its tables is missing")


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Turn SQLite's failures into ours."""
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeDecodeError) as error:
        raise RecordingInvalid.damaged(f"SQLite says: {error}") from error


def parts_from(reader: RecordingReader, first: int = 0) -> Iterator[tuple[PartInfo, tuple[Record, ...]]]:
    """Every part from the `first`-th on, with its records."""
    for part in reader.parts[first:]:
        yield part, reader.records(part)
