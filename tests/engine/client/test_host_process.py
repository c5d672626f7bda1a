"""A host that cannot be started, or ends on a disk that has no room for its last words."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import psutil
import pytest

from engine.client.host_process import HostOptions, HostProcess, _end_all, _engines_of, _left_after
from engine.domain.errors import DiskFull, HostUnreachable
from tests.patience import PATIENCE_S


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KVDECK_HOME", str(tmp_path))


def test_a_full_disk_is_told_where_the_host_could_not(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")  # noqa: PYI024 - as shutil's own
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage(100, 100, 0))
    host = HostProcess(HostOptions(port=0, python="/bin/false"))
    with pytest.raises(DiskFull, match="no room left in") as found:
        asyncio.run(host.start())
    assert "Free some disk space" in found.value.remedy


def test_a_place_that_cannot_be_written_is_no_broken_installation() -> None:
    host = HostProcess(HostOptions(port=0, python=sys.executable))
    host._log_path = Path("/sys/host.log")  # not even root may make files there
    with pytest.raises(HostUnreachable) as found:
        asyncio.run(host.start())
    assert "/sys/host.log" in found.value.message
    assert found.value.remedy == "Make that place writable for you."


def test_a_second_window_leaves_the_first_ones_log_alone() -> None:
    first, second = HostProcess(HostOptions(port=0)), HostProcess(HostOptions(port=0))
    with first._open_log() as log:
        log.write(b"loaded")
        log.flush()
        second._open_log().close()
        assert second._log_tail() == ""
        assert first._log_tail() == "loaded"
    first._open_log().close()
    assert first._log_path.name == "host.log"
    assert first._log_tail() == "", "a new host begins a new log"


def test_a_start_that_is_given_up_leaves_no_process() -> None:
    async def give_up(after_s: float) -> int | None:
        host = HostProcess(HostOptions(port=0, python=sys.executable))
        starting = asyncio.ensure_future(host.start())
        await asyncio.sleep(after_s)  # 0: its thread may not even have begun
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert not host.running
        return host.pid

    pids = [asyncio.run(give_up(after_s)) for after_s in (0.0, 0.05)]
    assert all(pids), "it was there, and is not any more"


def test_a_host_without_an_engine_is_not_waited_for() -> None:
    """It may be in the middle of importing vLLM for a minute; its guard is no engine."""

    async def look() -> None:
        host = HostProcess(HostOptions(port=0, python=sys.executable))
        address = await host.start()
        started = psutil.Process(address.pid).children(recursive=True)
        assert ["guardian.py" in " ".join(child.cmdline()) for child in started] == [True]
        assert _engines_of(address.pid) == []
        await host.stop(grace_s=1e9)  # it was not told to end
        assert not host.running
        assert psutil.wait_procs(started, timeout=PATIENCE_S)[1] == []

    asyncio.run(look())


def test_a_process_that_nobody_collects_has_ended() -> None:
    child = subprocess.Popen([sys.executable, "-c", "pass"])
    process = psutil.Process(child.pid)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert process.status() == psutil.STATUS_ZOMBIE
    assert _left_after(1e9, [process]) == []
    child.wait()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        living = psutil.Process(other.pid)
        assert _left_after(0.0, [living]) == [living]
        _end_all([living])
        assert other.wait() == -signal.SIGKILL
