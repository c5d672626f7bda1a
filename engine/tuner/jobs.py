"""Jobs on disk: one file of JSON lines each, written line by line, so that a job that was cut short can be resumed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from engine.domain.errors import DiskFull, KVDeckError
from engine.domain.lifecycle import LoadRequest
from engine.domain.paths import data_dir
from engine.tuner.messages import Job, JobState
from engine.tuner.outcome import Pair, Result, Row, Trial
from engine.tuner.spec import Setting, Spec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class JobUnreadable(KVDeckError):
    """A job's file is not there, or cannot be read."""

    kind = "job_unreadable"


class JobBusy(KVDeckError):
    """Another process works on this job."""

    kind = "job_busy"


class Opening(msgspec.Struct, frozen=True, tag_field="line", tag="opening"):
    """The first line."""

    created_unix_s: float
    spec: Spec


class Found(msgspec.Struct, frozen=True, kw_only=True, tag_field="line", tag="found"):
    """What was in force before, and has to be again: the live values, and the load (None: nothing was loaded)."""

    live: Setting = {}
    request: LoadRequest | None = None


class TrialLine(msgspec.Struct, frozen=True, tag_field="line", tag="trial"):
    """A trial that is over, or has one more run; the last line of a number counts."""

    trial: Trial


class PairLine(msgspec.Struct, frozen=True, tag_field="line", tag="pair"):
    """A pair of an A/B that is done."""

    pair: Pair


class RowLine(msgspec.Struct, frozen=True, tag_field="line", tag="row"):
    """A line of an experiment's table that is done."""

    row: Row


class Closing(msgspec.Struct, frozen=True, tag_field="line", tag="closing"):
    """The last line."""

    state: JobState
    result: Result


Line = Opening | Found | TrialLine | PairLine | RowLine | Closing

_decoder = msgspec.json.Decoder(Line)


@dataclass(frozen=True, slots=True)
class Past:
    """What a job's file tells: where to go on. `before` is None until it is known what was in force."""

    created_unix_s: float
    spec: Spec
    before: Found | None
    trials: tuple[Trial, ...]
    pairs: tuple[Pair, ...]
    rows: tuple[Row, ...]
    closing: Closing | None


def new_job_id() -> str:
    """A short id that no other job has, in the order of time."""
    return f"{time.strftime('%y%m%d-%H%M%S')}-{secrets.token_hex(3)}"


def default_folder() -> Path:
    """Where this user's jobs are."""
    return data_dir() / "lab"


class JobFile:
    """One job that this process works on: appends lines, and holds a lock that tells others so.

    Blocks on the disk, for moments. `open_job` makes one.
    """

    def __init__(self, path: Path, descriptor: int, past: Past) -> None:
        self._path = path
        self._descriptor = descriptor
        self.past = past

    def add(self, line: Line) -> None:
        """Append one line; it is on the disk when this returns. Raises DiskFull."""
        content, before = msgspec.json.encode(line) + b"\n", os.fstat(self._descriptor).st_size
        try:
            written = 0
            while written < len(content):  # a disk that is nearly full takes a part, without a word
                written += os.write(self._descriptor, content[written:])
            os.fsync(self._descriptor)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, before)  # or the next line would follow half of this one
            raise DiskFull(f"The lab's job {self._path} cannot be written: {error}.", remedy="Free some disk space.") \
                from error  # fmt: skip

    def discard(self) -> None:
        """Remove the file of a job that could not even begin."""
        self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let go of the lock."""
        os.close(self._descriptor)


class JobStore:
    """All jobs of this user, one file each in `folder`. Every method blocks on the disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def open_job(self, job_id: str, spec: Spec | None) -> JobFile:
        """Begin a job (`spec` given) or go on with one (None). Raises JobUnreadable, JobBusy, DiskFull."""
        path = self._path(job_id)
        if spec is None and not path.is_file():
            raise JobUnreadable(f"There is no job {job_id}.", remedy="Start a new one.")
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_RDWR | os.O_APPEND | (os.O_CREAT | os.O_EXCL if spec is not None else 0)
            descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise JobUnreadable(f"The job {path} cannot be opened: {error}.", remedy="Check the folder.") from error
        try:
            _lock(descriptor, job_id)
            if spec is not None:
                opening = Opening(time.time(), spec)
                file = JobFile(path, descriptor, Past(opening.created_unix_s, spec, None, (), (), (), None))
                file.add(opening)
                return file
            _cut_torn_line(descriptor)
            # Through this descriptor: closing another one of the same file would let go of the lock.
            data = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
            return JobFile(path, descriptor, _past(path, data))
        except BaseException:
            os.close(descriptor)
            raise

    def jobs(self) -> tuple[Job, ...]:
        """Every job that can be read, newest first."""
        found = []
        for path in sorted(self._folder.glob("*.jsonl"), reverse=True):
            with contextlib.suppress(JobUnreadable):
                found.append(self._job(path))
        return tuple(found)

    def job(self, job_id: str) -> Job:
        """One job. Raises JobUnreadable."""
        return self._job(self._path(job_id))

    def delete(self, job_id: str) -> None:
        """Remove a job nobody works on. Raises JobBusy."""
        path = self._path(job_id)
        if _holder(path) is not None:
            raise JobBusy(f"The job {job_id} still runs.", remedy="Cancel it first.")
        path.unlink(missing_ok=True)

    def _job(self, path: Path) -> Job:
        try:
            past = _past(path, path.read_bytes())
        except FileNotFoundError as error:
            raise JobUnreadable(f"There is no job {path.stem}.", remedy="Choose one from the list.") from error
        except OSError as error:
            raise JobUnreadable(f"The job {path} cannot be read: {error}.", remedy="Start a new one.") from error
        return Job(
            id=path.stem,
            created_unix_s=past.created_unix_s,
            spec=past.spec,
            state=JobState.UNFINISHED if past.closing is None else past.closing.state,
            result=None if past.closing is None else past.closing.result,
            done=len(past.trials) + len(past.pairs) + len(past.rows),
            running_pid=_holder(path),
        )

    def _path(self, job_id: str) -> Path:
        if not job_id or not all(letter.isalnum() or letter in "-_" for letter in job_id):
            raise JobUnreadable(f"{job_id!r} is no job's name.", remedy="Choose one from the list.")
        return self._folder / f"{job_id}.jsonl"


def _lock(descriptor: int, job_id: str) -> None:
    try:
        # A record lock, not flock: it tells others the holder's pid, and goes with the process however that ends.
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise JobBusy(f"Another process works on job {job_id}.", remedy="Wait for it, or cancel it there.") from error


def _holder(path: Path) -> int | None:
    """The pid of the process that works on this file."""
    import struct

    layout = "hhqqi"
    question = struct.pack(layout, fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    try:
        with path.open("rb+") as file:
            answer = struct.unpack(layout, fcntl.fcntl(file, fcntl.F_GETLK, question)[: struct.calcsize(layout)])
    except OSError:
        return None
    return None if answer[0] == fcntl.F_UNLCK else int(answer[4])


def _cut_torn_line(descriptor: int) -> None:
    """A crash may have left half a line; what is appended must not run into it."""
    size = os.fstat(descriptor).st_size
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        whole = os.pread(descriptor, size, 0).rfind(b"\n") + 1
        os.ftruncate(descriptor, whole)


def _past(path: Path, data: bytes) -> Past:
    lines = list(_lines(data))
    if not lines or not isinstance(lines[0], Opening):
        raise JobUnreadable(f"The job {path} is damaged.", remedy="Start a new one.")
    trials: dict[int, Trial] = {}
    for line in lines:
        if isinstance(line, TrialLine):
            trials[line.trial.number] = line.trial
    return Past(
        created_unix_s=lines[0].created_unix_s,
        spec=lines[0].spec,
        before=next((line for line in lines if isinstance(line, Found)), None),
        trials=tuple(trials.values()),
        pairs=tuple(line.pair for line in lines if isinstance(line, PairLine)),
        rows=tuple(line.row for line in lines if isinstance(line, RowLine)),
        closing=next((line for line in reversed(lines) if isinstance(line, Closing)), None),
    )


def _lines(data: bytes) -> Iterator[Line]:
    for raw in data.splitlines():
        try:
            yield _decoder.decode(raw)
        except msgspec.MsgspecError:
            return  # written half when it was cut: what follows cannot be trusted
