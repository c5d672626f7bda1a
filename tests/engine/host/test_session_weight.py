"""The weight of the host's session against the kernel's own account of it."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from engine.client.host_process import HostOptions, HostProcess
from engine.domain.lifecycle import Phase
from engine.host.session_weight import SessionWeight
from tests.patience import PATIENCE_S

_AUTOGROUP = Path("/proc/self/autogroup")
_IN_A_SESSION = """
import asyncio, os, subprocess, sys
from engine.domain.lifecycle import Phase
from engine.host.session_weight import SessionWeight
from tests.patience import PATIENCE_S

async def main():
    weight = SessionWeight()
    async def after(phase, wanted):
        weight.follow(phase)
        async with asyncio.timeout(PATIENCE_S):
            while weight.present != wanted:
                await asyncio.sleep(0.02)
        child = subprocess.run(["cat", "/proc/self/autogroup"], capture_output=True, text=True, check=True).stdout
        print(phase, child.split()[-1])
    for phase in (Phase.IDLE, Phase.LOADING, Phase.READY, Phase.CRASHED, Phase.READY):
        await after(phase, 0 if phase is Phase.READY else 5)

asyncio.run(main())
"""


def _may_be_changed() -> bool:
    try:
        _AUTOGROUP.write_text(_AUTOGROUP.read_text().split()[-1])  # as it is
    except BlockingIOError:  # too soon after somebody else's change
        return True
    except (OSError, IndexError):  # no session groups, or a container that keeps them to itself
        return False
    return True


_needs_autogroup = pytest.mark.skipif(not _may_be_changed(), reason="session groups cannot be changed here")


@_needs_autogroup
def test_a_load_makes_way_and_a_ready_engine_does_not() -> None:
    found = subprocess.run(
        [sys.executable, "-c", _IN_A_SESSION], capture_output=True, text=True, check=True, start_new_session=True
    )
    assert found.stdout.split("\n")[:-1] == ["idle 5", "loading 5", "ready 0", "crashed 5", "ready 0"]


def test_a_session_that_others_are_in_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "autogroup"
    file.write_text("/autogroup-1 nice 0\n")
    monkeypatch.setattr(os, "getsid", lambda _pid: os.getppid())
    SessionWeight(file).follow(Phase.LOADING)
    assert file.read_text() == "/autogroup-1 nice 0\n"


async def test_a_change_that_comes_too_soon_is_made_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, written = tmp_path / "autogroup", asyncio.Event()
    file.write_text("/autogroup-1 nice 10\n")
    monkeypatch.setattr(os, "getsid", lambda _pid: os.getpid())
    put, refusals = Path.write_text, [errno.EAGAIN, errno.EAGAIN]

    def write_text(path: Path, text: str, **options: Any) -> int:
        if refusals:
            raise OSError(refusals.pop(), "too soon")
        written.set()
        return put(path, text, **options)

    monkeypatch.setattr(Path, "write_text", write_text)
    weight = SessionWeight(file)
    weight.follow(Phase.READY)
    async with asyncio.timeout(PATIENCE_S):
        await written.wait()
    assert file.read_text() == "0"
    weight.close()


async def test_where_it_may_not_be_changed_that_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "autogroup"
    file.write_text("/autogroup-1 nice 3\n")
    monkeypatch.setattr(os, "getsid", lambda _pid: os.getpid())

    def write_text(_path: Path, _text: str, **_options: Any) -> int:
        raise PermissionError(errno.EPERM, "not yours")

    monkeypatch.setattr(Path, "write_text", write_text)
    weight = SessionWeight(file)
    for phase in (Phase.LOADING, Phase.READY, Phase.LOADING):
        weight.follow(phase)
    assert [record.message for record in caplog.records if "weight" in record.message] == [
        "The weight of the engine's session stays at 3: [Errno 1] not yours"
    ]


@_needs_autogroup
async def test_the_windows_host_makes_way_from_its_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KVDECK_HOME", str(tmp_path))
    (tmp_path / "logs").mkdir()
    host = HostProcess(HostOptions(port=0))
    address = await host.start()
    try:
        await asyncio.to_thread(_wait_for_nice, address.pid, 5)
    finally:
        await host.stop(grace_s=1)


def _wait_for_nice(pid: int, wanted: int) -> None:
    group, deadline = Path(f"/proc/{pid}/autogroup"), time.monotonic() + PATIENCE_S
    while int(group.read_text().split()[-1]) != wanted:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert group.read_text().split()[0] != _AUTOGROUP.read_text().split()[0]  # not the window's own
