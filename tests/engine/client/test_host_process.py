"""A host that cannot be started, or ends on a disk that has no room for its last words."""

from __future__ import annotations

import asyncio
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from engine.client.host_process import HostOptions, HostProcess
from engine.domain.errors import DiskFull, HostUnreachable


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
    host._log_path = Path("/sys/no-log")  # not even root may make files there
    with pytest.raises(HostUnreachable) as found:
        asyncio.run(host.start())
    assert "no-log" in found.value.message
    assert found.value.remedy == "Make that place writable for you."
