"""`python -m tests.soak.full_disk FOLDER` on a really full file system: what cannot be written says so, and nothing
that was written is lost. Ends with 0 where all of it held."""

from __future__ import annotations

import logging
import os
import sqlite3
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QSettings

from app.bridge.store import Store
from app.preferences import TEXT_SIZE, Preferences
from app.window_log import WindowLog
from engine.bench.store import RunStore
from engine.bench.workload import Workload
from engine.chat.store import ChatStore
from engine.chat.transcript import Message, new_conversation, new_id
from engine.domain.errors import DiskFull, KVDeckError
from engine.page.layout import PageGeometry
from engine.page.writer import PageWriter
from engine.parameters.profile_store import ProfileStore
from engine.recording.recorder import Recorder
from engine.tuner.jobs import Found, JobStore, new_job_id
from engine.tuner.spec import Axis, SweepSpec
from tests.engine.bench.making import record
from tests.engine.recording.making import hardware

if TYPE_CHECKING:
    from collections.abc import Callable

_MANY = 10_000
_SPEC = SweepSpec(workload=Workload(requests=4), axes=(Axis("max_num_seqs", (1, 2)),))


def until_full(name: str, write: Callable[[int], object]) -> KVDeckError:
    """Write until it is refused; the refusal, which has to be one of ours with a remedy."""
    for number in range(_MANY):
        try:
            write(number)
        except KVDeckError as error:
            return error
    raise AssertionError(f"{name}: it never was full")


def fill(path: Path, spare: int = 0) -> None:
    """Take all the room that there is, but for `spare` bytes."""
    with path.open("wb", buffering=0) as file:
        for piece in (1 << 16, 1 << 12, 1 << 8, 1):
            try:
                while True:
                    file.write(b"\0" * piece)
            except OSError:
                continue
        if spare:
            file.truncate(file.tell() - spare)


class Files:
    """Everything that KVDeck writes while it runs, in one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.chats, self.runs = ChatStore(folder / "chats.sqlite"), RunStore(folder / "runs.sqlite")
        self.profiles = ProfileStore(folder / "profiles")
        self.jobs = JobStore(folder / "jobs")
        self.preferences = Preferences(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat))
        self.unsaved: list[str] = []
        self.preferences.not_saved.connect(self.unsaved.append)
        self.chat = new_conversation()
        self.first = self.message("first")
        self.chats.open()
        self.chats.save_conversation(self.chat)
        self.chats.save_messages([self.first])
        self.runs.open()
        self.runs.save(record("first"))
        self.profiles.save("/m", {"max_num_seqs": 3})
        self.preferences.set(TEXT_SIZE, 1.15)
        self.job = new_job_id()
        self.jobs.open_job(self.job, _SPEC).close()

    def message(self, content: str) -> Message:
        """One more message of the only chat."""
        return Message(new_id(), self.chat.id, None, "user", content, 1.0)

    def refuse(self) -> None:
        """Everything is full: each says so."""
        big = "x" * 4000
        for name, error in (
            ("chats", until_full("chats", lambda _: self.chats.save_messages([self.message(big)]))),
            ("runs", until_full("runs", lambda n: self.runs.save(record(f"r{n}", notes=big)))),
            ("profile", until_full("profile", lambda n: self.profiles.save("/m", {"max_num_seqs": n + 4}))),
            ("job", until_full("job", self.write_job)),
            ("page", until_full("page", self.write_page)),
        ):
            assert isinstance(error, DiskFull), f"{name}: {error!r}"
            assert error.remedy, f"{name}: {error!r}"
        self.preferences.set(TEXT_SIZE, 1.3)
        assert self.unsaved, "the window was not told that its setting is not kept"
        error = self.record()
        assert isinstance(error, DiskFull), f"recording: {error!r}"

    def write_job(self, _number: int) -> None:
        """One line more of the lab's job."""
        file = self.jobs.open_job(self.job, None)
        try:
            file.add(Found(live={"max_num_seqs": 8}))
        finally:
            file.close()

    def write_page(self, number: int) -> None:
        """A telemetry page, which stays."""
        PageWriter(self.folder / f"page-{number}", PageGeometry(2000, 16, (16,), 4))

    def record(self) -> KVDeckError | None:
        """A recording of much more than there is room for; what it ended with."""
        recorder = Recorder(self.folder / "a.kvdeck", "test")
        try:
            recorder.start()
        except KVDeckError as error:
            return error
        for number in range(2000):
            recorder.take(replace(hardware(number), driver_note=os.urandom(2000).hex()))
        try:
            recorder.stop()
        except KVDeckError as error:
            return error
        return recorder.error

    def check(self) -> None:
        """What was written before is whole."""
        assert self.first in tuple(self.chats.transcript(self.chat.id).all())
        assert "first" in {run.id for run in self.runs.runs()}
        assert self.profiles.load("/m").values["max_num_seqs"] >= 3
        assert self.jobs.job(self.job).id == self.job
        for name in ("chats.sqlite", "runs.sqlite"):
            connection = sqlite3.connect(self.folder / name)
            assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok", name
            connection.close()


def main(folder: Path) -> int:
    """Fill, ask for everything, make room, ask again."""
    application = QCoreApplication([])
    window_log = WindowLog(Store(), folder)
    logging.raiseExceptions = False  # as the installed program's launcher has it: nothing reads its stderr
    files = Files(folder)
    for spare in (0, 700, 3000):
        fill(folder / "filler", spare)
        for _ in range(100):
            logging.getLogger("app").warning("a line of the log, %s", "y" * 200)
        files.refuse()
        for page in folder.glob("page-*"):
            page.unlink()
        (folder / "filler").unlink()
        files.check()
        files.chats.save_messages([files.message("there is room again")])
        files.runs.save(record(f"after-{spare}"))
        files.profiles.save("/m", {"max_num_seqs": 3})
        files.write_job(0)
        files.unsaved.clear()
        files.preferences.set(TEXT_SIZE, 1.15)
        assert not files.unsaved
    files.check()
    files.chats.close()
    files.runs.close()
    window_log.close()
    del application
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
