"""Engines that can rest, without vLLM: a real process each, and of vLLM's client what resting needs.

`test_shelf` holds the client's methods against those of vLLM's own AsyncLLM.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from engine.domain.lifecycle import EngineFacts, EngineProcess, LoadRequest, SwitchCheck
from engine.host.processes import death_of, is_alive
from engine.host.sleeping import Served
from engine.page.liveness import start_ticks

if TYPE_CHECKING:
    from engine.host.asgi import App
    from engine.host.processes import Death


class RestingClient:
    """What the shelf asks of vLLM's client on a CPU. A process that is stopped answers nothing, as an engine that
    hangs does."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._paused = False

    async def pause_generation(self, *, mode: str = "abort", clear_cache: bool = True) -> None:
        """Nothing is answered any more."""
        assert (mode, clear_cache) == ("abort", False)
        await self._answer()
        self._paused = True

    async def resume_generation(self) -> None:
        """Serve again."""
        await self._answer()
        self._paused = False

    async def is_sleeping(self) -> bool:
        """On a CPU vLLM says so of one that is paused."""
        return self._paused

    async def _answer(self) -> None:
        """Wait for the process to say a line, without holding up the loop."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()
        descriptor = self._process.stdout.fileno()
        said = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(descriptor, said.set)
        try:
            await said.wait()
            if not os.read(descriptor, 1):
                raise ConnectionError("the engine is gone")
        finally:
            loop.remove_reader(descriptor)


class RestingRun:
    """What the shelf asks of an EngineRun."""

    def __init__(self) -> None:
        code = "import sys\nfor _ in sys.stdin: print(end='.', flush=True)"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        ticks = start_ticks(self.process.pid)
        assert ticks is not None
        self.processes = (EngineProcess(self.process.pid, "EngineCore", ticks),)
        self.plan = SimpleNamespace(device="cpu", config=SimpleNamespace(parallel_config=SimpleNamespace(world_size=1)))
        self.client = RestingClient(self.process)

    @property
    def runs(self) -> bool:
        """Whether its process does."""
        return is_alive(self.processes[0])

    def signal(self, number: int) -> None:
        """Send its process a signal."""
        self.process.send_signal(number)

    async def first_token(self, _app: App) -> tuple[int, ...]:
        """The token that it always says."""
        return (7,)

    async def death_of(self, process: EngineProcess) -> Death:
        """How it ended."""
        return death_of(process)

    async def stop(self, grace_s: float | None = None) -> SwitchCheck:  # noqa: ARG002 - it has nothing to save
        """End it for good."""
        self.process.send_signal(signal.SIGKILL)
        await asyncio.to_thread(self.process.communicate)
        return SwitchCheck((), 100, 0, page_removed=True)


def resting_engine(name: str) -> Served:
    """A new engine of this checkpoint."""
    run: Any = RestingRun()
    facts = EngineFacts(
        *("0", name, name, "cpu", "float32", None, 256, 16, 8, 4, 64, False, "", run.processes, {}),
        request=LoadRequest(name),
    )

    async def app(*_request: object) -> None:
        raise AssertionError("nobody asks it through HTTP")

    return Served(run, app, facts, (7,))
