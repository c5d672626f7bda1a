"""What becomes of an engine whose host is killed before the engine's processes can look after themselves."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from engine.host import guardian
from engine.host.journal import Journal
from engine.host.server import HostServer
from engine.page.liveness import is_alive, start_ticks, stat_fields
from engine.page.scratch import SCRATCH
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    import pytest

_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}

_HOST = """
import json, os, subprocess, sys, time
from engine.host import guardian
os.environ["KVDECK_HOST_PID"] = str(os.getpid())
sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
holds = "from multiprocessing import resource_tracker, shared_memory; " \
    "it = shared_memory.SharedMemory(sys.argv[1], create=True, size=64); " \
    "resource_tracker.unregister(it._name, 'shared_memory'); print(flush=True); time.sleep(600)"
holder = subprocess.Popen([sys.executable, "-c", "import sys, time; " + holds, sys.argv[3]], stdout=subprocess.PIPE)
holder.stdout.readline()
children = [holder, *(subprocess.Popen(sleep, **how) for how in ({}, {"start_new_session": True}, {"env": {}}))]
tracker = subprocess.Popen([*sleep, "multiprocessing.resource_tracker"])
with open(sys.argv[4], "w") as file:
    json.dump({"pid": os.getpid()}, file)
guard = guardian.start(sys.argv[1] + "/page-1-", sys.argv[2], address=sys.argv[4])
print(*(child.pid for child in (*children, tracker, guard)), flush=True)
time.sleep(600)
"""


def test_a_killed_hosts_processes_pages_and_folder_go(tmp_path: Path) -> None:
    """By the environment, by the session; Python's resource tracker is left to end by itself."""
    pages, scratch = tmp_path / "run", tmp_path / "kvdeck-engine-1-2-abcdef01"
    for folder in (pages, scratch):
        folder.mkdir()
    for name in ("page-1-aa", "page-1-aa-rank1", "page-12-bb"):
        (pages / name).touch()
    segment = Path("/dev/shm/psm_" + secrets.token_hex(4))  # as vLLM's: unknown to Python's resource tracker
    address = tmp_path / "address.json"
    command = [sys.executable, "-c", _HOST, str(pages), str(scratch), segment.name, str(address)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as host:
        assert host.stdout is not None
        *children, tracker, guard = ((int(pid), start_ticks(int(pid)) or 0) for pid in host.stdout.readline().split())
        assert segment.exists()
        assert address.exists()
        host.kill()
        host.wait()
    while is_alive(*guard):  # it has seen to everything when it ends
        time.sleep(0.05)
    assert not any(is_alive(*child) for child in children)
    assert is_alive(*tracker)
    os.kill(tracker[0], 9)
    assert [page.name for page in pages.iterdir()] == ["page-12-bb"]
    assert not scratch.exists()
    assert not segment.exists()
    assert not address.exists()


_STARTER = """
import subprocess, sys, time
from engine.host import guardian
leader = subprocess.Popen([sys.executable, "-c", "import subprocess, sys; subprocess.run(['sleep', '60'])"],
    start_new_session=True)
mine = subprocess.Popen(["sleep", "600"])
guard = guardian.start("", "", leader.pid)
print(leader.pid, mine.pid, guard.pid, flush=True)
time.sleep(600)
"""


def test_of_a_session_that_was_given_all_end_and_nobody_else(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    command = [sys.executable, "-c", _STARTER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=_ENVIRONMENT) as starter:
        assert starter.stdout is not None
        leader, mine, guard = ((int(pid), start_ticks(int(pid)) or 0) for pid in starter.stdout.readline().split())
        starter.kill()
        starter.wait()
    while is_alive(*guard):
        time.sleep(0.05)
    assert not is_alive(*leader)
    assert is_alive(*mine)
    os.kill(mine[0], 9)
    assert (tmp_path / "file").exists()


_HANGING = """
import os, signal, subprocess, sys, time
from engine.host import guardian
window = subprocess.Popen(["sleep", "600"])
guard = guardian.start("", "", 0, parent=window.pid)
print(window.pid, guard.pid, flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
"""


def test_a_host_that_hangs_when_its_window_is_gone_is_killed() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", _HANGING], stdout=subprocess.PIPE, text=True, env=_ENVIRONMENT
    ) as host:
        assert host.stdout is not None
        window, guard = (int(pid) for pid in host.stdout.readline().split())
        while stat_fields(host.pid)[0] != "T":  # type: ignore[index]
            time.sleep(0.01)
        os.kill(window, 9)
        assert host.wait(PATIENCE_S) == -9
    ticks = start_ticks(guard)
    while ticks is not None and is_alive(guard, ticks):
        time.sleep(0.05)


def test_an_address_that_another_host_has_written_since_stays(tmp_path: Path) -> None:
    address = tmp_path / "address.json"
    address.write_text('{"pid": 2}')
    guardian.remove("", "", str(address), 1)
    assert address.exists()
    guardian.remove("", "", str(address), 2)
    assert not address.exists()


def test_the_later_of_two_hosts_with_one_address_file_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The earlier one ends in order, and takes away what is its own alone."""
    monkeypatch.setenv("KVDECK_HOME", str(tmp_path))
    monkeypatch.delenv(SCRATCH, raising=False)
    address = tmp_path / "address.json"
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = HostServer("127.0.0.1", [listening], "key", address, Journal())
        for pid, stays in ((os.getpid() + 1, True), (os.getpid(), False)):
            address.write_text(json.dumps({"pid": pid}))
            server.remove_files()
            assert address.exists() is stays
