"""A benchmark that is told to end, twice as `timeout` does, or is killed, leaves nothing of what it has started."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine.page.liveness import is_alive, start_ticks
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator

_PROJECT = Path(__file__).resolve().parents[3]

# As vLLM's: a server whose worker does not end when it is asked to, shared memory, and a file that nobody removes.
_SERVER = """
import json, multiprocessing.shared_memory as shared, os, signal, subprocess, sys, tempfile, time
worker = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", worker], stdout=subprocess.PIPE)
child.stdout.readline()
segment = shared.SharedMemory(create=True, size=64)
open(tempfile.gettempdir() + "/vllm_dist_1", "w").close()
with open(sys.argv[1] + ".new", "w") as file:
    json.dump([os.getpid(), child.pid, segment.name, tempfile.gettempdir()], file)
os.rename(sys.argv[1] + ".new", sys.argv[1])
time.sleep(600)
"""
_BENCHMARK = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from benchmarks.children import child, end_in_order, wait_until
end_in_order()
def start():
    with child([sys.executable, "-c", sys.argv[1], sys.argv[2]], Path(sys.argv[2] + ".log"), os.environ) as server:
        wait_until(lambda: False, 600, "a server that takes its time", server)
with ThreadPoolExecutor() as pool:  # as both sides are started at once
    pool.submit(start).result()
"""


@pytest.fixture
def benchmark_run(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """One that waits for its server."""
    environment = {**os.environ, "PYTHONPATH": str(_PROJECT), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-c", _BENCHMARK, _SERVER, str(tmp_path / "server")]
    with subprocess.Popen(command, env=environment) as run:
        yield run
        run.kill()


@pytest.mark.parametrize(("signals", "code"), [((signal.SIGTERM, signal.SIGTERM), 143), ((signal.SIGKILL,), -9)])
def test_nothing_is_left(
    benchmark_run: subprocess.Popen[bytes], tmp_path: Path, signals: tuple[int, ...], code: int
) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not (tmp_path / "server").exists():
        assert benchmark_run.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    server, worker, segment, folder = json.loads((tmp_path / "server").read_text())
    ours = [(pid, start_ticks(pid) or 0) for pid in (server, worker)]
    assert (Path(folder) / "vllm_dist_1").exists()
    for number in signals:
        benchmark_run.send_signal(number)
    assert benchmark_run.wait(PATIENCE_S) == code
    while any(is_alive(*each) for each in ours) or Path("/dev/shm", segment).exists() or Path(folder).exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
