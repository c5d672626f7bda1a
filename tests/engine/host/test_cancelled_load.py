"""A load that is cancelled while its engine starts: what was made in the last moment goes, too."""

from __future__ import annotations

import asyncio
import secrets
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.errors import Cancelled
from engine.domain.lifecycle import EngineProcess, LoadRequest
from engine.gpu.nvml import Nvml
from engine.host.family import Family
from engine.host.load import Load
from engine.host.memory import MemoryMeter
from engine.host.processes import is_alive, shared_segments
from engine.host.stats import StatsWindow
from engine.page.liveness import start_ticks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_HOLDS = """
import sys
from multiprocessing import resource_tracker, shared_memory
sys.stdin.readline()
it = shared_memory.SharedMemory(sys.argv[1], create=True, size=64)
resource_tracker.unregister(it._name, "shared_memory")  # as where the tracker is the host's, and outlives the engine
print(flush=True)
sys.stdin.readline()
"""


class OneProcess(Family):
    """The tests have other children."""

    def __init__(self, process: EngineProcess) -> None:
        super().__init__()
        self._process = process

    def present(self) -> tuple[EngineProcess, ...]:
        return (self._process,) if is_alive(self._process) else ()


@pytest.fixture
def engine() -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A process that makes shared memory when it is told to, and the path of that."""
    segment = Path("/dev/shm/psm_" + secrets.token_hex(4))
    command = [sys.executable, "-c", _HOLDS, segment.name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        yield child, segment
        child.kill()
    segment.unlink(missing_ok=True)


async def test_shared_memory_that_nobody_has_seen_yet_is_removed(
    engine: tuple[subprocess.Popen[bytes], Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KVDECK_HOME", str(tmp_path))
    monkeypatch.setattr("engine.host.load._LOOK_EVERY_S", 60.0)  # it looks once, before there is any
    looked = threading.Event()

    def look(processes: Iterable[EngineProcess]) -> frozenset[str]:
        found = shared_segments(processes)
        looked.set()
        return found

    monkeypatch.setattr("engine.host.load.shared_segments", look)
    child, segment = engine
    family = OneProcess(EngineProcess(child.pid, "EngineCore", start_ticks(child.pid) or 0))

    def start(*_arguments: object) -> object:
        child.wait()  # as vLLM's call does
        raise RuntimeError("the engine is gone")

    vllm: Any = SimpleNamespace(stat_logger_base=object), SimpleNamespace(start=start)
    more: dict[str, Any] = {"plan": SimpleNamespace(), "notes": (), "meter": MemoryMeter(Nvml()), "family": family}
    more |= {"stats": StatsWindow(), "expected": {}, "first_record": 0, "on_change": lambda: None}
    load = Load(LoadRequest("/m/x"), **more)
    there: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    there.set_result(vllm)
    running = asyncio.ensure_future(load.run(there))
    await asyncio.to_thread(looked.wait)
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(b"\n")
    child.stdin.flush()
    await asyncio.to_thread(child.stdout.readline)
    assert segment.exists()
    load.cancel()
    with pytest.raises(Cancelled):
        await running
    assert not segment.exists()
