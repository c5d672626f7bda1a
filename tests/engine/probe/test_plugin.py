"""The lifeline: engine processes end with their host, in a real process tree."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from engine.page.layout import PageGeometry
from engine.page.writer import PageWriter
from engine.probe import plugin
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    import pytest

# The host starts an engine process, which starts a worker; each registers as vLLM would have it do. Without the modules
# that mend vLLM: they would import all of it, and the lifeline does not depend on them.
ENGINE = """
import os, subprocess, sys, time
sys.modules["engine.quantize.unpack"] = sys.modules["engine.probe.seed_rewind"] = None
from engine.probe import plugin
plugin.register()
if sys.argv[1] == "core":
    worker = subprocess.Popen([sys.executable, "-c", os.environ["ENGINE"], "worker"])
    from multiprocessing.shared_memory import SharedMemory
    kept = SharedMemory(create=True, size=4096)
    print(kept.name, flush=True)
print(os.getpid(), flush=True)
time.sleep(120)
"""
HOST = """
import os, subprocess, sys, time
os.environ["KVDECK_HOST_PID"] = str(os.getpid())
subprocess.Popen([sys.executable, "-c", os.environ["ENGINE"], "core"])
time.sleep(120)
"""


def _end(*pids: int) -> None:
    for pid in pids:
        if psutil.pid_exists(pid):
            psutil.Process(pid).kill()


def test_the_engine_ends_with_its_host(tmp_path: Path) -> None:
    page = PageWriter(tmp_path / "a.page", PageGeometry(10, 16, (16,), 4))
    environment = {**os.environ, "ENGINE": ENGINE, "KVDECK_PAGE": str(page.path)}
    host = subprocess.Popen([sys.executable, "-c", HOST], env=environment, stdout=subprocess.PIPE, text=True)
    pids: list[int] = []
    try:
        assert host.stdout is not None
        # The two say it at their own time: two pids, and the name of the shared memory that the first one made.
        lines = [host.stdout.readline().strip() for _ in range(3)]
        pids = [int(line) for line in lines if line.isdecimal()]
        (segment,) = [Path("/dev/shm", line) for line in lines if not line.isdecimal()]
        assert segment.exists()
        assert all(psutil.pid_exists(pid) for pid in pids)
        assert page.path.exists()
        host.kill()
        killed = time.monotonic()
        host.wait()
        while any(_runs(pid) for pid in pids):
            assert time.monotonic() - killed < PATIENCE_S, "an engine process outlived its host"
            time.sleep(0.01)
        assert not page.path.exists()
        assert not segment.exists()
    finally:
        _end(*pids)
        host.kill()
        host.wait()
        host.stdout.close()  # type: ignore[union-attr]
        page.close()


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_an_engine_that_starts_too_late_ends_at_once(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    environment = {**os.environ, "ENGINE": ENGINE, "KVDECK_HOST_PID": str(gone.pid)}
    late = subprocess.run([sys.executable, "-c", ENGINE, "core"], env=environment, timeout=PATIENCE_S, check=False)
    assert late.returncode == 70


def test_outside_kvdeck_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(sys.modules)
    for value in (None, "", "no number"):
        if value is None:
            monkeypatch.delenv("KVDECK_HOST_PID", raising=False)
        else:
            monkeypatch.setenv("KVDECK_HOST_PID", value)
        plugin.register()
    assert "engine.quantize.unpack" not in set(sys.modules) - before


def test_the_host_itself_is_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KVDECK_HOST_PID", str(os.getpid()))
    plugin._watch_host(os.getpid())
    assert all(thread.name != plugin.HostWatch.NAME for thread in threading.enumerate())
