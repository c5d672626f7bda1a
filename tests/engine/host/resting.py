"""Engines that can rest, without vLLM: a real process each, and of vLLM's client what resting needs.

`test_shelf` holds the client's methods against those of vLLM's own AsyncLLM.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import asdict, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from engine.domain.lifecycle import EngineFacts, EngineProcess, LiveLimits, LoadRequest, SwitchCheck
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


class SleepingClient(RestingClient):
    """What the shelf asks of vLLM's client on a GPU. `said` are the calls as they begin and end; falling asleep takes
    until `may_sleep`. `falls_asleep` and `has_woken` tell that it is at it, and that some of it is back."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        super().__init__(process)
        self.asleep: set[str] = set()
        self.said: list[str] = []
        self.may_sleep = asyncio.Event()
        self.may_sleep.set()
        self.falls_asleep, self.has_woken = asyncio.Event(), asyncio.Event()

    async def sleep(self, level: int = 1, mode: str = "abort") -> None:
        """Everything is on its way to main memory."""
        assert (level, mode) == (1, "abort")
        self.said.append("falls asleep")
        self.falls_asleep.set()
        await self.may_sleep.wait()
        await self._answer()
        self.asleep = {"weights", "kv_cache"}
        self.said.append("sleeps")

    async def wake_up(self, tags: list[str] | None = None) -> None:
        """All of it comes back, or what these tags name."""
        self.said.append(f"wakes {'all' if tags is None else ' '.join(tags)}")
        await self._answer()
        assert tags is None or set(tags) <= self.asleep  # vLLM says a warning, and does nothing
        self.asleep -= self.asleep if tags is None else set(tags)
        self.has_woken.set()

    async def reset_prefix_cache(self) -> bool:
        """Nothing is known any more."""
        assert not self.asleep
        return True

    async def is_sleeping(self) -> bool:
        """As long as anything is away."""
        return bool(self.asleep)


class RestingRun:
    """What the shelf asks of an EngineRun."""

    client: RestingClient

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
        self.broken = False  # it dies of the next call

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

    async def call(self, name: str) -> dict[str, Any]:
        """A utility in the EngineCore: the limits in force."""
        if self.broken:
            self.process.send_signal(signal.SIGKILL)
            raise ConnectionError(f"the engine died of {name}")
        return asdict(LiveLimits(0, 8, 8, 64, 64))

    async def death_of(self, process: EngineProcess) -> Death:
        """How it ended."""
        return death_of(process)

    async def stop(self, grace_s: float | None = None, *, last: bool = False) -> SwitchCheck:  # noqa: ARG002 - it has nothing to save
        """End it for good."""
        self.process.send_signal(signal.SIGKILL)
        await asyncio.to_thread(self.process.communicate)
        return SwitchCheck((), 100, 0, page_removed=True)


class SleepingRun(RestingRun):
    """The same on a GPU, loaded with sleep mode."""

    client: SleepingClient

    def __init__(self) -> None:
        super().__init__()
        self.plan.device = "cuda"
        self.plan.config.model_config = SimpleNamespace(enable_sleep_mode=True)
        self.client = SleepingClient(self.process)


def sleeping_engine(name: str, gpu: str, weights_bytes: int) -> Served:
    """A new engine of this checkpoint on a GPU."""
    served = resting_engine(name, SleepingRun())
    served.facts = replace(served.facts, gpu_uuids=(gpu,), weights_bytes=weights_bytes)
    return served


def resting_engine(name: str, made: RestingRun | None = None) -> Served:
    """A new engine of this checkpoint."""
    run: Any = made or RestingRun()
    facts = EngineFacts(
        *("0", name, name, "cpu", "float32", None, 256, 16, 8, 4, 64, False, "", run.processes, {}),
        request=LoadRequest(name),
    )

    async def app(*_request: object) -> None:
        raise AssertionError("nobody asks it through HTTP")

    return Served(run, app, facts, (7,))
