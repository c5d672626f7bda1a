"""Writes a recording part by part. What has been committed survives the program, a full disk and the power."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sqlite3
import zlib
from typing import TYPE_CHECKING

from engine.domain.errors import DiskFull, KVDeckError
from engine.recording import container
from engine.recording.records import Record, encode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.domain.lifecycle import LiveLimits
    from engine.domain.telemetry import Counters
    from engine.recording.container import About

_LEVEL = 7
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class PartSums:
    """What a part's row says of it, collected while its records come in."""

    def __init__(self) -> None:
        self.running = 0
        self.waiting = 0
        self.usage = 0.0
        self.preemptions = 0
        self.limits_changed = 0

    def count(self, counters: Counters, preemptions: int) -> None:
        """One picture, and how many preemptions there were since the one before."""
        self.running = max(self.running, counters.num_running)
        self.waiting = max(self.waiting, counters.num_waiting)
        self.usage = max(self.usage, counters.usage)
        self.preemptions += preemptions

    def count_limits(self, before: LiveLimits | None, after: LiveLimits) -> None:
        """The live limits were reported; a change counts."""
        if before is not None and (before.max_num_seqs, before.max_num_batched_tokens) != (
            after.max_num_seqs, after.max_num_batched_tokens,
        ):  # fmt: skip
            self.limits_changed += 1


class RecordingWriter:
    """One recording being written, beside its final name until `finish` gives it that name.

    Raises DiskFull where there is no room, KVDeckError where the folder cannot be written; what was committed before
    stays readable in both cases.
    """

    def __init__(self, path: Path, about: About) -> None:
        self.path = path
        self.num_parts = 0  # committed
        self.partial = path.with_name(path.name + container.UNFINISHED)
        with _told(self.partial):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = container.create(self.partial)
            try:
                self._put("program", about.program)
                self._put("created_unix_s", about.created_unix_s)
                self._put("origin_ns", about.origin_ns)
                self._put("writer_pid", os.getpid())
            except BaseException:
                self.discard()
                raise

    @property
    def size_bytes(self) -> int:
        """What the file takes up now."""
        try:
            return self.partial.stat().st_size
        except OSError:
            return 0

    def write(self, records: list[Record], sums: PartSums, *, is_key: bool) -> None:
        """Commit one part: these records, in the order of their times; `is_key` where they need none before them."""
        if not records:
            return
        packed = zlib.compress(encode(records), _LEVEL)
        with _told(self.partial):
            self._database.execute(
                "INSERT INTO part (begin_ns, end_ns, is_key, running, waiting, usage, preemptions, limits_changed,"
                " records) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (records[0].at_ns, records[-1].at_ns, is_key, sums.running, sums.waiting,
                 sums.usage, sums.preemptions, sums.limits_changed, packed),
            )  # fmt: skip
        self.num_parts += 1

    def finish(self) -> Path:
        """Close the file and give it its name; returns it. Nothing that was at that name is overwritten."""
        with contextlib.suppress(sqlite3.Error):  # a full disk: without this row the recording counts as cut off
            self._put("finished", True)
        self.close()
        return give_name(self.partial, self.path)

    def keep(self) -> Path:
        """Close a recording that broke off and give it its name; returns it."""
        self.close()
        return give_name(self.partial, self.path)

    def discard(self) -> None:
        """Close a recording in which nothing was committed, and remove its file. Raises OSError."""
        self.close()
        container.remove(self.partial)

    def close(self) -> None:
        """Close the file and leave it where it is."""
        with contextlib.suppress(sqlite3.Error):
            self._database.close()

    def _put(self, key: str, value: object) -> None:
        self._database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, json.dumps(value)))


def give_name(partial: Path, path: Path) -> Path:
    """Move a closed file to `path`, or beside it with a number where that is taken. Raises OSError."""
    for number in range(1, 1000):
        target = path if number == 1 else path.with_name(f"{path.stem} ({number}){path.suffix}")
        try:
            os.link(partial, target)  # unlike a rename, this never replaces what is there
        except FileExistsError:
            continue
        except OSError:  # a file system without hard links
            if target.exists():
                continue
            partial.rename(target)
            return target
        partial.unlink()
        return target
    raise FileExistsError(f"{path} and a thousand names like it are taken")


@contextlib.contextmanager
def _told(path: Path) -> Iterator[None]:
    """Turn the failures of the file system and of SQLite into ours."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        full = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE)
        if getattr(error, "sqlite_errorcode", None) in full or getattr(error, "errno", None) in _NO_ROOM:
            raise DiskFull(
                f"There is no room left to record in {path.parent}.",
                remedy="What was recorded until then is kept; free some space and record again.",
            ) from error
        reason = getattr(error, "strerror", None) or error
        raise KVDeckError(
            f"The recording {path.name} cannot be written: {reason}.", remedy="Choose another folder to record in."
        ) from error
