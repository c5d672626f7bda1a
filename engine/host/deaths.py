"""Notices within milliseconds that a process of the engine has died, or that the engine has given up."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.host.endings import Endings
from engine.host.processes import FROM_OUTSIDE, death_of, is_alive, is_part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from engine.domain.lifecycle import EngineProcess
    from engine.host.processes import Death

_POLL_S = 0.1
# What a part that ends says of it comes through a pipe; and the EngineCore of a worker that failed sums it up.
_LAST_LINES_S = 0.2
_IF_UNKNOWN_S = 0.4
_IF_BY_ITSELF_S = 2.0
_OWN_WORDS = re.compile(r"(EngineCore|Worker)(?:Proc)? failed to start")


class DeathWatch:
    """Calls `on_death` once, with the first of the watched processes that ends, on the loop that started it."""

    def __init__(self, on_death: Callable[[EngineProcess], None]) -> None:
        self._on_death = on_death
        self._endings = Endings(self._died)
        self._poll: asyncio.Task[None] | None = None
        self.death: Death | None = None

    def start(self, processes: Iterable[EngineProcess], given_up: Callable[[], bool] | None = None) -> None:
        """Watch these processes; one that has ended already is reported at once. Only the engine's parts count, where
        there are any: what they run for a moment ends as it should.

        `given_up` is asked a few times a second: an EngineCore that fails by an exception says so, and then waits for
        its workers for seconds before it ends. It is reported as the first of the processes.
        """
        self.death = None
        everybody = tuple(processes)
        watched = tuple(each for each in everybody if is_part(each)) or everybody
        unwatchable = tuple(process for process in watched if not self._endings.watch(process))
        if unwatchable or given_up is not None:
            self._poll = asyncio.ensure_future(self._poll_for(unwatchable, watched, given_up or _never))

    def stop(self) -> None:
        """Watch no longer; deaths from now on are expected."""
        self._endings.stop()
        if self._poll is not None:
            self._poll.cancel()
            self._poll = None

    def _died(self, death: Death) -> None:
        self.stop()
        self.death = death
        self._on_death(death.process)

    async def _poll_for(
        self, unwatchable: tuple[EngineProcess, ...], watched: tuple[EngineProcess, ...], given_up: Callable[[], bool]
    ) -> None:
        while all(is_alive(process) for process in unwatchable):
            if watched and given_up():
                break
            await asyncio.sleep(_POLL_S)
        self._poll = None
        dead = tuple(process for process in watched if not is_alive(process))  # why it gave up, perhaps
        self._died(death_of((dead or watched)[0]))


class EngineProcessDied(Exception):
    """A process of the engine died while it started, and vLLM had not told by then. `death` says which, and how."""

    def __init__(self, death: Death) -> None:
        super().__init__(f"{death.sentence}.")
        self.death = death


class StartupDeaths:
    """Whether a part of an engine that starts has ended. vLLM waits for it for seconds before it tells.

    The first that ends counts, since vLLM ends the others then. One that was killed says nothing; one that ended by
    itself has vLLM say why, and it may have the time for that. Use it on the loop.
    """

    def __init__(self) -> None:
        self._endings = Endings(self._note)
        self._parts: dict[tuple[int, int], EngineProcess] = {}
        self._unwatchable: set[tuple[int, int]] = set()
        self._failed: set[str] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._over = asyncio.Event()
        self.death: Death | None = None

    def add(self, present: Iterable[EngineProcess]) -> None:
        """These run now. A name of before is forgotten: vLLM gives them theirs after a while."""
        for process in filter(is_part, present):
            key = (process.pid, process.start_ticks)
            known = key in self._parts
            self._parts[key] = process
            if not known and not self._endings.watch(process):
                self._unwatchable.add(key)
        for key in tuple(self._unwatchable):
            if not is_alive(self._parts[key]):
                self._unwatchable.discard(key)
                self._note(death_of(self._parts[key]))

    def hear(self, line: str) -> None:
        """A line of the log came: a part that fails by itself says so."""
        found = _OWN_WORDS.search(line)
        if found is not None:
            self._failed.add(found[1])

    @property
    def is_over(self) -> bool:
        """Whether one of them has died, and vLLM has had the time to say more than that."""
        return self._over.is_set()

    async def wait_over(self) -> None:
        """Return as soon as `is_over`."""
        await self._over.wait()

    def stop(self) -> None:
        """Watch no longer; deaths from now on are expected. What was noticed stays."""
        self._endings.stop()
        self._unwatchable.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _note(self, death: Death) -> None:
        process = self._parts.get((death.process.pid, death.process.start_ticks), death.process)
        # A worker that has failed ends in order, and its EngineCore says why. An EngineCore does so when it is told to
        # end: nobody is left then, and what vLLM has asked it meanwhile is never answered.
        in_order = death.exit_code == 0 and not process.name.startswith("EngineCore")
        if self.death is not None or in_order:
            return
        self.death = replace(death, process=process)
        self._wait(0.0 if death.signal_name in FROM_OUTSIDE else self._patience_s(self.death))

    def _patience_s(self, death: Death) -> float:
        if death.signal_name == "SIGTERM" and not death.process.name.startswith("EngineCore"):
            return _IF_BY_ITSELF_S  # so an EngineCore that has failed ends its workers, before it says why
        if death.signal_name is not None or death.exit_code == 0:
            return _LAST_LINES_S
        return _IF_UNKNOWN_S if death.exit_code is None else _IF_BY_ITSELF_S

    def _wait(self, seconds: float) -> None:
        if seconds > 0:
            self._timer = asyncio.get_running_loop().call_later(seconds, self._has_waited)
        else:
            self._over.set()

    def _has_waited(self) -> None:
        assert self.death is not None
        unknown = self.death.signal_name is None and self.death.exit_code is None
        if unknown and self.death.process.name.startswith(tuple(self._failed)):
            self._failed.clear()  # it was not killed: it has said that it failed
            self._wait(_IF_BY_ITSELF_S)
        else:
            self._over.set()


def _never() -> bool:
    return False
