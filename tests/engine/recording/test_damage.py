"""Recordings that are damaged, cut short, of another version, or whose program died: a clear error, or what is left."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.domain.errors import DiskFull, KVDeckError, RecordingInvalid
from engine.recording import container
from engine.recording.container import About
from engine.recording.export import timeline_of
from engine.recording.player import Player
from engine.recording.reader import RecordingReader
from engine.recording.recorder import Recorder
from engine.recording.records import Event, Frame, Key, Steps, decode, encode, value_of
from engine.recording.recover import recover
from engine.recording.writer import PartSums, RecordingWriter
from tests.engine.recording.making import LIFECYCLE, Made, hardware, make
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """A sound recording."""
    return make(tmp_path_factory.mktemp("sound"), seconds=3)


def read_all(path: Path) -> None:
    """Everything that a window does with a file."""
    reader = RecordingReader(path)
    try:
        player = Player(reader)
        player.seek(reader.begin_ns)
        player.advance(reader.end_ns)
        player.seek((reader.begin_ns + reader.end_ns) // 2)
        timeline_of(reader)
    finally:
        reader.close()


FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FUZZ
@given(data=st.data())
def test_any_damaged_byte_is_told_or_harmless(made: Made, tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(made.path.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "damaged.kvdeck"
    path.write_bytes(content)
    with contextlib.suppress(RecordingInvalid):
        read_all(path)


@FUZZ
@given(data=st.data())
def test_any_cut_is_told_or_harmless(made: Made, tmp_path: Path, data: st.DataObject) -> None:
    content = made.path.read_bytes()
    path = tmp_path / "cut.kvdeck"
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with contextlib.suppress(RecordingInvalid):
        read_all(path)


def _numbers() -> st.SearchStrategy[bytes]:
    known = [b"", b"\x01\x00", b"\x01\xff", b"\x01\x7f\x7f", b"\x08" + b"\xff" * 8]
    return st.binary(max_size=24) | st.sampled_from(known)


def _bent(record: msgspec.Struct, data: st.DataObject) -> msgspec.Struct:
    """The record with one of its columns, or one of a part's columns, replaced."""
    name = data.draw(st.sampled_from(record.__struct_fields__))
    old = getattr(record, name)
    new: object = old
    if isinstance(old, msgspec.Struct):
        new = _bent(old, data)
    elif isinstance(old, bytes):
        new = data.draw(_numbers())
    elif isinstance(old, int):
        new = data.draw(st.integers(-(1 << 63), (1 << 63) - 1))
    return msgspec.structs.replace(record, **{name: new})


@settings(FUZZ, max_examples=60)
@given(data=st.data())
def test_sound_packing_of_impossible_numbers_is_told(made: Made, tmp_path: Path, data: st.DataObject) -> None:
    """The damage that no checksum finds: everything unpacks, and nothing of it can be."""
    reader = RecordingReader(made.path)
    records = list(reader.records(reader.parts[0]))
    reader.close()
    place = data.draw(st.sampled_from([i for i, r in enumerate(records) if isinstance(r, (Frame, Key, Steps))]))
    records[place] = _bent(records[place], data)  # type: ignore[call-overload]
    path = tmp_path / f"bent-{time.monotonic_ns()}.kvdeck"
    writer = RecordingWriter(path, About("test", 1.0, records[0].at_ns))
    writer.write(records, PartSums(), is_key=True)
    writer.finish()
    with contextlib.suppress(RecordingInvalid):
        read_all(path)
    path.unlink()


@given(st.binary(max_size=200))
def test_any_bytes_decode_or_are_told(data: bytes) -> None:
    with contextlib.suppress(RecordingInvalid):
        decode(data)


def test_unknown_topics_and_fields_of_later_versions_are_left_out() -> None:
    later = Event(1, "weather", msgspec.Raw(msgspec.msgpack.encode({"rain": True})))
    (back,) = decode(encode([later]))
    assert isinstance(back, Event)
    assert value_of(back) is None
    value = {**msgspec.to_builtins(LIFECYCLE), "a_later_field": 1}
    assert value_of(Event(1, "lifecycle", msgspec.Raw(msgspec.msgpack.encode(value)))) == LIFECYCLE


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "is not a recording"), (b"hello", "is not a recording"), (b"SQLite format 3\0" + bytes(100), "SQLite says")],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "other.kvdeck"
    path.write_bytes(content)
    with pytest.raises(RecordingInvalid, match=says) as caught:
        RecordingReader(path)
    assert caught.value.remedy


def test_missing_folders_other_databases_and_later_versions(tmp_path: Path, made: Made) -> None:
    for path in (tmp_path / "missing.kvdeck", tmp_path):
        with pytest.raises(RecordingInvalid, match="There is no recording"):
            RecordingReader(path)
    database = sqlite3.connect(tmp_path / "chat.db")
    database.execute("CREATE TABLE chat (id)")
    database.close()
    with pytest.raises(RecordingInvalid, match="is not a recording"):
        RecordingReader(tmp_path / "chat.db")
    later = tmp_path / "later.kvdeck"
    later.write_bytes(made.path.read_bytes())
    database = sqlite3.connect(later)
    database.execute("PRAGMA user_version = 7")
    database.close()
    with pytest.raises(RecordingInvalid, match="version 7"):
        RecordingReader(later)


def test_a_full_disk_keeps_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create = container.create

    def small(path: Path) -> sqlite3.Connection:
        database = create(path)
        database.execute("PRAGMA max_page_count = 24")  # what a full disk answers, from SQLite itself
        return database

    monkeypatch.setattr(container, "create", small)
    writer = RecordingWriter(tmp_path / "full.kvdeck", About("test", 1.0, 1))
    written = 0

    def fill() -> None:
        nonlocal written
        while written < 1000:
            noise = Event(written + 1, "weather", msgspec.Raw(os.urandom(3000)))
            writer.write([noise], PartSums(), is_key=True)
            written += 1

    with pytest.raises(DiskFull, match="no room left") as caught:
        fill()
    assert "kept" in caught.value.remedy
    path = writer.keep()
    reader = RecordingReader(path)
    assert len(reader.parts) == written > 3
    assert not reader.about.finished
    reader.close()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    recorder = Recorder(tmp_path / "file" / "x.kvdeck", "test")
    with pytest.raises(KVDeckError, match="cannot be written"):
        recorder.start()


KILLED = """
import os, sys, time
from pathlib import Path
from engine.recording.recorder import Recorder
from tests.engine.recording.making import LIFECYCLE, hardware
recorder = Recorder(Path(sys.argv[1]), "killed")
recorder.start()
recorder.take(LIFECYCLE)
while True:
    recorder.take(hardware(time.monotonic_ns()))
    print(recorder.size_bytes, flush=True)
    time.sleep(0.02)
"""


def test_a_killed_program_leaves_all_but_the_last_second(tmp_path: Path) -> None:
    path = tmp_path / "killed.kvdeck"
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    first = int(child.stdout.readline())
    began = time.monotonic()
    sizes = {first}
    while len(sizes) < 3 and time.monotonic() - began < PATIENCE_S:  # two commits have grown it
        sizes.add(int(child.stdout.readline()))
        ended_ns = time.monotonic_ns()
    assert recover(tmp_path) == []  # its writer still runs
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert recover(tmp_path) == [path]
    assert [each.name for each in tmp_path.iterdir()] == ["killed.kvdeck"]
    reader = RecordingReader(path)
    assert not reader.about.finished
    assert ended_ns - reader.end_ns < 3e9
    assert LIFECYCLE in Player(reader).seek(reader.end_ns).values
    reader.close()


def test_a_recorder_from_start_to_end(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "a.kvdeck", "test")
    recorder.start()
    recorder.take(LIFECYCLE)
    sample = hardware(time.monotonic_ns())
    recorder.take(sample)
    recorder.take(None)
    assert recorder.elapsed_s >= 0
    path = recorder.stop()
    assert path == tmp_path / "a.kvdeck"
    assert path.stat().st_mode & 0o777 == 0o600
    reader = RecordingReader(path)
    moment = Player(reader).seek(reader.end_ns)
    assert moment.gone
    assert {type(value).__name__ for value in moment.values} == {"Lifecycle", "HardwareSample"}
    reader.close()
    other = Recorder(path, "test")  # never over an earlier one
    other.start()
    other.take(LIFECYCLE)
    assert other.stop() == tmp_path / "a (2).kvdeck"
