"""One engine on the shelf: what is known of it, whether somebody has it in hand, and its death as it happens."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, TypeVar

from engine.checkpoints.find import name_of
from engine.domain.sleepers import Sleeper
from engine.host.deaths import DeathWatch
from engine.host.processes import death_of

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from engine.domain.lifecycle import EngineProcess
    from engine.host.processes import Death
    from engine.host.sleeping import Served

_LAST_WORDS_S = 0.2
_T = TypeVar("_T")


class Place:
    """`busy` while the engine falls asleep, wakes or ends; `on_death` is told when it dies otherwise.

    `waking` from the moment on that it is to take the place of the one that serves. `weights` is done when those are
    back, where they come before the rest.
    """

    def __init__(self, served: Served, now: float, on_death: Callable[[Place, Death], None]) -> None:
        self.served = served
        self.sleeper = _sleeper(served, now)
        self.busy = True
        self.waking = False
        self.weights: asyncio.Future[None] | None = None
        self._on_death = on_death
        self._watch = DeathWatch(self._died)
        self._death: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def watch(self, processes: Iterable[EngineProcess]) -> None:
        """Notice the death of any of these from now on."""
        self._watch.start(processes)

    def stop_watching(self) -> None:
        """Deaths from now on are expected."""
        self._watch.stop()

    async def unless_dead(self, work: Coroutine[Any, Any, _T], kind: type[Exception]) -> _T:
        """`work`'s result; raises `kind` as soon as a process of the engine has ended."""
        task = asyncio.ensure_future(work)
        either: set[asyncio.Future[Any]] = {task, self._death}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if task.done() and task.exception() is not None:
                await asyncio.wait({self._death}, timeout=_LAST_WORDS_S)  # a death explains more than what followed it
            if self._death.done():
                raise kind(self._death.result())
            return task.result()
        finally:
            task.cancel()

    def _died(self, process: EngineProcess) -> None:
        death = self._watch.death or death_of(process)  # the watch may know how, also where it has been collected
        if not self._death.done():
            self._death.set_result(f"{death.sentence}.")
        if not self.busy:  # else somebody waits for an answer of it, and hears of this
            self._on_death(self, death)


def _sleeper(served: Served, now: float) -> Sleeper:
    facts = served.facts
    assert facts.request is not None
    assert served.rest is not None
    return Sleeper(
        checkpoint=facts.checkpoint,
        name=name_of(facts.checkpoint),
        rest=served.rest,
        since_unix_s=now,
        used_unix_s=now - (time.monotonic() - served.used_s),
        request=facts.request,
        processes=served.run.processes,
        slept_in_s=0.0,
        quantization=facts.quantization,
    )
