"""What becomes of an engine whose host is killed before the engine's processes can look after themselves."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from engine.page.liveness import is_alive, start_ticks

if TYPE_CHECKING:
    from pathlib import Path

_HOST = """
import os, subprocess, sys, time
from engine.host import guardian
os.environ["KVDECK_HOST_PID"] = str(os.getpid())
sleep = [sys.executable, "-c", "import time; time.sleep(60)"]
children = [subprocess.Popen(sleep), subprocess.Popen(sleep, start_new_session=True), subprocess.Popen(sleep, env={})]
tracker = subprocess.Popen([*sleep, "multiprocessing.resource_tracker"])
guard = guardian.start(sys.argv[1] + "/page-1-", sys.argv[2])
print(*(child.pid for child in (*children, tracker, guard)), flush=True)
time.sleep(60)
"""


def test_a_killed_hosts_processes_pages_and_folder_go(tmp_path: Path) -> None:
    """By the environment, by the session; Python's resource tracker is left to end by itself."""
    pages, scratch = tmp_path / "run", tmp_path / "kvdeck-engine-1-2-abcdef01"
    for folder in (pages, scratch):
        folder.mkdir()
    for name in ("page-1-aa", "page-1-aa-rank1", "page-12-bb"):
        (pages / name).touch()
    command = [sys.executable, "-c", _HOST, str(pages), str(scratch)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as host:
        assert host.stdout is not None
        *children, tracker, guard = ((int(pid), start_ticks(int(pid)) or 0) for pid in host.stdout.readline().split())
        host.kill()
        host.wait()
    while is_alive(*guard):  # it has seen to everything when it ends
        time.sleep(0.05)
    assert not any(is_alive(*child) for child in children)
    assert is_alive(*tracker)
    os.kill(tracker[0], 9)
    assert [page.name for page in pages.iterdir()] == ["page-12-bb"]
    assert not scratch.exists()
