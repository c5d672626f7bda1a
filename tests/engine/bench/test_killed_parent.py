"""The helper programs of a window that is killed end with it: also one whose server keeps it waiting."""

from __future__ import annotations

import os
import socket
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
_SENDS = """
import asyncio, sys
from engine.bench.messages import Target
from engine.bench.process import LoadProcess
from engine.bench.workload import Workload
async def main():
    process = LoadProcess(Target(sys.argv[1], "key", "model"))
    await process.start(Workload(requests=4))
    print(process.pid, flush=True)
    async for _ in process.messages():
        pass
asyncio.run(main())
"""
_ASKS = """
import os, sys
from app.bridge import vllm_question
vllm_question._PROGRAM = vllm_question._PROGRAM.replace(
    "from engine.checkpoints", "import subprocess; subprocess.run(['sleep', '600'])\\nfrom engine.checkpoints")
process = vllm_question._start()
print(process.pid, flush=True)
process.wait()
"""
_SERVES = """
import asyncio, sys
from engine.tuner.baseline import BaselineProcess
async def main():
    process = BaselineProcess(sys.argv[2])
    starting = asyncio.ensure_future(process.__aenter__())
    while process._process is None:
        await asyncio.sleep(0.01)
    print(process._process.pid, process._folder.name, flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.fixture
def silent_server() -> Iterator[str]:
    """The address of one that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


@pytest.mark.parametrize("program", [_SENDS, _ASKS, _SERVES], ids=["load", "question", "baseline"])
def test_a_program_ends_with_the_one_that_started_it(program: str, silent_server: str, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    environment = {**os.environ, "PYTHONPATH": str(_PROJECT), "KVDECK_HOME": str(tmp_path)}
    command = [sys.executable, "-c", program, silent_server, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
        assert parent.stdout is not None
        first, *folders = parent.stdout.readline().split()
        pid = int(first)
        known = {pid: start_ticks(pid) or 0}
        deadline = time.monotonic() + PATIENCE_S
        while program == _ASKS and len(known) < 2:
            known |= {each: start_ticks(each) or 0 for each in _session(pid)}
            assert time.monotonic() < deadline
            time.sleep(0.02)
        time.sleep(0.5)  # it waits for its server by now, or does not listen yet: it has to end in any case
        parent.kill()
    deadline = time.monotonic() + PATIENCE_S
    while any(is_alive(*each) for each in known.items()) or any(Path(folder).exists() for folder in folders):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _session(leader: int) -> list[int]:
    """The processes of this session."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            try:
                if os.getsid(int(each.name)) == leader:
                    found.append(int(each.name))
            except ProcessLookupError:
                continue
    return found
