"""Pages that are not there, not whole, not ours or not finished, and writers that die."""

from __future__ import annotations

import errno
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.errors import DiskFull, PageInvalid
from engine.page.layout import HEADER_BYTES, MAGIC, Change, Field, PageGeometry, pack_header
from engine.page.reader import PageReader
from engine.page.stale import remove_stale_pages
from engine.page.writer import PageWriter
from tests.patience import PATIENCE_S

GEOMETRY = PageGeometry(500, 16, (16, 16), 6, ring_steps=16, table_entries=256)
SIZE = GEOMETRY.sections()[1]

# A writer that publishes pictures in which every block has the same value, and says when it has begun.
WRITER = """
import sys, time
from pathlib import Path
from engine.page.layout import Change, Field, PageGeometry
from engine.page.writer import PageWriter
path, mode = Path(sys.argv[1]), sys.argv[2]
writer = PageWriter(path, PageGeometry(20_000, 16, (16,), 4))
def publish(k, stop_halfway=False):
    writer.begin()
    writer.views.counters[Field.STEP] = k
    writer.views.states[:10_000] = k % 4
    if stop_halfway:
        print("halfway", flush=True)
        time.sleep(60)
    writer.views.states[10_000:] = k % 4
    writer.views.ref_counts[:] = k % 60_000
    writer.commit(Change.COUNTERS, Change.BLOCKS)
publish(1)
if mode == "halfway":
    sys.stdin.readline()
    publish(2, stop_halfway=True)
print("ready", flush=True)
k = 2
while True:
    publish(k)
    k += 1
    if mode == "calm":
        time.sleep(0.004)
"""


def start_writer(path: Path, mode: str) -> subprocess.Popen[str]:
    """A real process that writes a page."""
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def end(process: subprocess.Popen[str]) -> None:
    """Kill and reap it."""
    process.kill()
    process.communicate()


def wait_for_page(path: Path) -> PageReader:
    """The page appears under its name only when it is whole."""
    deadline = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return PageReader(path)


@pytest.mark.timed
@pytest.mark.parametrize("mode", ["calm", "frantic"])
def test_no_picture_is_ever_torn(tmp_path: Path, mode: str) -> None:
    process = start_writer(tmp_path / "a.page", mode)
    reader = wait_for_page(tmp_path / "a.page")
    try:
        pictures, times = 0, []
        until = time.monotonic() + 1.5
        # Against a writer that never pauses the first whole picture is a matter of luck: wait for it, and then look on.
        latest = until + 15
        while (now := time.monotonic()) < until or (pictures == 0 and now < latest):
            began = time.thread_time()
            snapshot = reader.snapshot()
            times.append(time.thread_time() - began)
            if snapshot is None or snapshot.counters.step == 0:
                continue
            pictures += 1
            step = snapshot.counters.step
            assert snapshot.states.min() == snapshot.states.max() == step % 4
            assert snapshot.ref_counts.min() == snapshot.ref_counts.max() == step % 60_000
        assert pictures > (50 if mode == "calm" else 0)
        assert statistics.median(times) < 0.001
    finally:
        reader.close()
        end(process)


@pytest.mark.timed
def test_a_writer_killed_in_the_middle_of_a_publication(tmp_path: Path) -> None:
    path = tmp_path / "a.page"
    process = start_writer(path, "halfway")
    try:
        reader = wait_for_page(path)
        good = None
        while good is None:
            good = reader.snapshot()
        assert reader.writer_alive
        assert reader.writer_pid == process.pid
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("go\n")
        process.stdin.flush()
        assert process.stdout.readline() == "halfway\n"
    finally:
        end(process)
    began = time.thread_time()
    assert [reader.snapshot() for _ in range(20)] == [None] * 20
    assert reader.steps_since(0) == ()
    assert time.thread_time() - began < 1
    assert not reader.writer_alive
    assert good.states[0] == 1  # what was handed out before stays as it was
    late = PageReader(path)
    assert late.snapshot() is None
    late.close()
    assert remove_stale_pages(tmp_path) == (path,)
    assert reader.removed
    reader.close()
    assert list(tmp_path.iterdir()) == []


def test_a_zombie_is_dead(tmp_path: Path) -> None:
    process = start_writer(tmp_path / "a.page", "calm")
    reader = wait_for_page(tmp_path / "a.page")
    os.kill(process.pid, signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, and not yet reaped
    assert not reader.writer_alive
    reader.close()
    end(process)


def test_stale_pages_are_told_from_live_ones_and_from_other_files(tmp_path: Path) -> None:
    process = start_writer(tmp_path / "dead.page", "calm")
    wait_for_page(tmp_path / "dead.page").close()
    end(process)
    live = PageWriter(tmp_path / "live.page", GEOMETRY)
    reused = tmp_path / "reused-pid.page"
    reused.write_bytes(pack_header(GEOMETRY, os.getpid(), 1).ljust(SIZE, b"\0"))
    (tmp_path / f".half.page.{process.pid}.new").write_bytes(b"")
    (tmp_path / f".half.page.{os.getpid()}.new").write_bytes(b"")
    (tmp_path / "host.json").write_text("{}")
    (tmp_path / "folder").mkdir()
    removed = {path.name for path in remove_stale_pages(tmp_path)}
    assert removed == {"dead.page", "reused-pid.page", f".half.page.{process.pid}.new"}
    assert live.path.exists()
    live.close()
    assert remove_stale_pages(tmp_path / "nowhere") == ()


def test_no_page(tmp_path: Path) -> None:
    with pytest.raises(PageInvalid, match="There is no telemetry page") as caught:
        PageReader(tmp_path / "a.page")
    assert "Load a model" in caught.value.remedy


def test_a_page_of_another_version(tmp_path: Path) -> None:
    data = bytearray(pack_header(GEOMETRY, 1, 1).ljust(SIZE, b"\0"))
    data[8:12] = (7).to_bytes(4, "little")
    (tmp_path / "a.page").write_bytes(data)
    with pytest.raises(PageInvalid, match="version 7, and this program reads version 2") as caught:
        PageReader(tmp_path / "a.page")
    assert "same version" in caught.value.remedy


def test_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder.page").mkdir()
    (tmp_path / "link.page").symlink_to(tmp_path / "elsewhere")
    for name in ("folder.page", "link.page"):
        with pytest.raises(PageInvalid):
            PageReader(tmp_path / name)


@settings(max_examples=150, deadline=None)
@given(length=st.integers(0, SIZE - 1))
def test_a_page_cut_short(length: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.page"
        path.write_bytes(pack_header(GEOMETRY, 1, 1).ljust(SIZE, b"\0")[:length])
        with pytest.raises(PageInvalid, match="is cut short"):
            PageReader(path)


@settings(max_examples=300, deadline=None)
@given(position=st.integers(0, 1300), value=st.integers(0, 255))
def test_a_damaged_header(position: int, value: int) -> None:
    data = bytearray(pack_header(GEOMETRY, 1, 1).ljust(SIZE, b"\0"))
    damaged = data[position] != value and position < len(pack_header(GEOMETRY, 1, 1))
    data[position] = value
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.page"
        path.write_bytes(data)
        if damaged:
            with pytest.raises(PageInvalid):
                PageReader(path)
        else:
            PageReader(path).close()


@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=2 * HEADER_BYTES))
def test_garbage(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.page"
        for content in (data, MAGIC + data):
            path.write_bytes(content)
            with pytest.raises(PageInvalid):
                PageReader(path)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_garbage_in_the_sections_ends_nothing(seed: int) -> None:
    """A whole header over random content, as a fault of memory or disk would leave it."""
    noise = np.random.default_rng(seed).integers(0, 256, SIZE - HEADER_BYTES, np.uint8)
    header = bytearray(pack_header(GEOMETRY, 1, 1).ljust(HEADER_BYTES, b"\0"))
    header[2048] = 2
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.page"
        path.write_bytes(bytes(header) + noise.tobytes())
        reader = PageReader(path)
        snapshot = reader.snapshot()
        assert snapshot is None or len(snapshot.states) == GEOMETRY.num_blocks
        assert len(reader.steps_since(0)) <= GEOMETRY.ring_steps
        reader.close()


def test_a_page_cut_short_while_it_is_open(tmp_path: Path) -> None:
    writer = PageWriter(tmp_path / "a.page", GEOMETRY)
    writer.begin()
    writer.commit(*Change)
    reader = PageReader(tmp_path / "a.page")
    assert reader.snapshot() is not None
    os.truncate(tmp_path / "a.page", 100)
    for call in (reader.snapshot, lambda: reader.steps_since(0)):
        with pytest.raises(PageInvalid, match="cut short: 100 of"):
            call()
    reader.close()
    writer.close()


def test_a_removed_page_stays_readable(tmp_path: Path) -> None:
    writer = PageWriter(tmp_path / "a.page", GEOMETRY)
    reader = PageReader(tmp_path / "a.page")
    assert reader.snapshot() is None  # nothing has been published yet
    writer.begin()
    writer.views.counters[Field.STEP] = 9
    writer.commit(*Change)
    (tmp_path / "a.page").unlink()
    assert reader.removed
    snapshot = reader.snapshot()
    assert snapshot is not None
    assert snapshot.counters.step == 9
    reader.close()
    reader.close()
    writer.close()
    writer_again = PageWriter(tmp_path / "a.page", GEOMETRY)
    writer_again.close()


def test_no_room_for_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(DiskFull, match="telemetry page needs") as caught:
        PageWriter(tmp_path / "a.page", GEOMETRY)
    assert "Free some space" in caught.value.remedy
    assert list(tmp_path.iterdir()) == []
