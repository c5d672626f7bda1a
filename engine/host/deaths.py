"""Notices within milliseconds that a process of the engine has died, or that the engine has given up."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from typing import TYPE_CHECKING

from engine.host.processes import death_of, is_alive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine.domain.lifecycle import EngineProcess
    from engine.host.processes import Death

_POLL_S = 0.1
# What vLLM calls its processes, and what they are before they have that name; compilers and the like come and go.
_PARTS = ("EngineCore", "Worker", "engine process")
_OWN_WORDS_S = 0.2  # a killed process says nothing; one that ends by itself has vLLM say why, which takes seconds
_OWN_WORDS_IF_UNKNOWN_S = 1.5


class DeathWatch:
    """Calls `on_death` once, with the first of the watched processes that ends, on the loop that started it."""

    def __init__(self, on_death: Callable[[EngineProcess], None]) -> None:
        self._on_death = on_death
        self._descriptors: dict[int, EngineProcess] = {}
        self._poll: asyncio.Task[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self, processes: Iterable[EngineProcess], given_up: Callable[[], bool] | None = None) -> None:
        """Watch these processes; one that has ended already is reported at once.

        `given_up` is asked a few times a second: an EngineCore that fails by an exception says so, and then waits for
        its workers for seconds before it ends. It is reported as the first of the processes.
        """
        self._loop = asyncio.get_running_loop()
        unwatchable: list[EngineProcess] = []
        watched = tuple(processes)
        for process in watched:
            try:
                descriptor = os.pidfd_open(process.pid)
            except (OSError, AttributeError):
                unwatchable.append(process)  # gone already, or a kernel without pidfd
                continue
            self._descriptors[descriptor] = process
            self._loop.add_reader(descriptor, self._ended, process)
        if unwatchable or given_up is not None:
            self._poll = asyncio.ensure_future(self._poll_for(tuple(unwatchable), watched, given_up or _never))

    def stop(self) -> None:
        """Watch no longer; deaths from now on are expected."""
        if self._loop is not None:
            for descriptor in self._descriptors:
                self._loop.remove_reader(descriptor)
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        self._descriptors.clear()
        if self._poll is not None:
            self._poll.cancel()
            self._poll = None

    def _ended(self, process: EngineProcess) -> None:
        self.stop()
        self._on_death(process)

    async def _poll_for(
        self, unwatchable: tuple[EngineProcess, ...], watched: tuple[EngineProcess, ...], given_up: Callable[[], bool]
    ) -> None:
        while all(is_alive(process) for process in unwatchable):
            if watched and given_up():
                break
            await asyncio.sleep(_POLL_S)
        self._poll = None
        dead = tuple(process for process in watched if not is_alive(process))  # why it gave up, perhaps
        self._ended((dead or watched)[0])


class EngineProcessDied(Exception):
    """A process of the engine died while it started, and vLLM had not told by then. `death` says which, and how."""

    def __init__(self, death: Death) -> None:
        super().__init__(f"{death.sentence}.")
        self.death = death


class StartupDeaths:
    """Whether a part of an engine that starts was killed. vLLM waits for it for seconds before it tells."""

    def __init__(self) -> None:
        self._parts: dict[int, EngineProcess] = {}
        self._since_s = 0.0
        self.death: Death | None = None

    def add(self, present: Iterable[EngineProcess]) -> None:
        """These run now."""
        self._parts |= {process.pid: process for process in present if process.name.startswith(_PARTS)}

    def is_over(self) -> bool:
        """Whether one of them has died, and vLLM has had the time to say more than that. Cheap; ask often."""
        if self.death is None:
            gone = next((process for process in self._parts.values() if not is_alive(process)), None)
            if gone is None:
                return False
            self.death, self._since_s = death_of(gone), time.monotonic()
        if self.death.exit_code is not None:
            return False
        patience = _OWN_WORDS_S if self.death.signal_name is not None else _OWN_WORDS_IF_UNKNOWN_S
        return time.monotonic() - self._since_s >= patience


def _never() -> bool:
    return False
