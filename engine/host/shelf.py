"""The engines that wait: put to rest, measured, woken, ended; the least recently used goes first."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.checkpoints.find import name_of
from engine.domain.sleepers import (
    PATIENCE_S,
    EndedSleeper,
    Gone,
    Keep,
    KeepPolicy,
    Rest,
    Sleepers,
    WarmSwitch,
)
from engine.host import room
from engine.host.shelf_place import Place
from engine.host.sleeping import CannotSleep, CannotWake, prove, put_to_rest, take_over, wake, wake_weights

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from engine.domain.lifecycle import LoadRequest, SwitchCheck
    from engine.host.family import Family
    from engine.host.processes import Death
    from engine.host.rest_meter import RestMeter
    from engine.host.sleeping import Served

log = logging.getLogger(__name__)

_SLOWEST_BYTES_S = 5e8  # pinning memory is slow, and a weight's bytes are copied once
_KEPT_ENDED = 20
_GRACE_S = 0.2  # it serves nobody, and has nothing to save


@dataclass(frozen=True, slots=True)
class Woken:
    """How a waking went."""

    wake_s: float
    first_token_s: float
    same_answer: bool | None


class Shelf:
    """Use it on the host's loop only. `announce` is told the tray whenever it changes, `gone` of each engine that
    went without being asked to."""

    def __init__(
        self,
        family: Family,
        meter: RestMeter,
        announce: Callable[[Sleepers], None],
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._family = family
        self._meter = meter
        self._announce = announce
        self._patience_s = patience_s
        self._policy = KeepPolicy()
        self._places: dict[str, Place] = {}
        self._ended: deque[EndedSleeper] = deque(maxlen=_KEPT_ENDED)
        self._last: WarmSwitch | None = None
        self._tasks: set[asyncio.Future[None]] = set()
        self.gone: Callable[[str], None] = lambda _checkpoint: None

    @property
    def policy(self) -> KeepPolicy:
        """What the user wants kept."""
        return self._policy

    @property
    def tray(self) -> Sleepers:
        """Everything about the engines that wait, the one used last first."""
        places = sorted(self._places.values(), key=lambda place: -place.served.used_s)
        waiting = [place.sleeper for place in places]
        held = sum(each.ram_bytes or 0 for each in waiting)
        most, most_bytes = room.limits(self._policy, held, room.free_bytes())
        return Sleepers(tuple(waiting), self._policy, most, most_bytes, tuple(self._ended), self._last)

    def find(self, request: LoadRequest) -> Served | None:
        """The waiting engine that was loaded with exactly this request."""
        place = self._places.get(request.checkpoint)
        return place.served if place is not None and place.sleeper.request == request and not place.busy else None

    def of(self, checkpoint: str) -> Served | None:
        """The waiting engine of this checkpoint."""
        place = self._places.get(checkpoint)
        return place.served if place is not None and not place.busy else None

    def holds(self, served: Served) -> bool:
        """Whether this very engine can be taken."""
        place = self._places.get(served.facts.checkpoint)
        return place is not None and place.served is served and (place.waking or not place.busy)

    def set_policy(self, policy: KeepPolicy) -> Sleepers:
        """From now on this is wanted; engines over the limit go."""
        self._policy = policy
        self._start(self._enforce())
        self.tell()
        return self.tray

    def tell(self) -> None:
        """Announce the tray."""
        self._announce(self.tray)

    def note_switch(self, switch: WarmSwitch) -> None:
        """A switch to a waiting engine has arrived."""
        self._last = switch
        self.tell()

    async def gpu_before(self) -> tuple[int, frozenset[int]] | None:
        """What is used on all GPUs before a load, and the ids of those that rest then; None on the CPU."""
        used = await self._meter.gpu_used()
        return None if used is None else (used, frozenset(id(place.served) for place in self._places.values()))

    # --- Going to rest -------------------------------------------------------------------------------------------

    async def refusal(self, outgoing: Served, incoming: LoadRequest | None, waking: Served | None = None) -> str:
        """Why this engine is not kept, in a sentence; "" where it is. With Keep.ON others go to make room for it, but
        not `waking`, which is to take its place."""
        keep = self._policy.keep
        name = name_of(outgoing.facts.checkpoint)
        if keep is Keep.OFF or (incoming is not None and incoming.checkpoint == outgoing.facts.checkpoint):
            return "It is not to be kept."
        if outgoing.rest is None:
            return f"{name} was loaded without sleep mode, and cannot be kept."
        if self.tray.most < 1:
            return "The limit is no engine at all."
        missing = self._missing(outgoing, incoming)
        while missing > 0 and keep is Keep.ON and (place := self._least_recent(waking)) is not None:
            await self._end(place, Gone.MEMORY, f"{place.sleeper.name} was ended: its memory was needed.")
            missing = self._missing(outgoing, incoming)
        if missing > 0:
            return f"{name} is not kept: {missing / (1 << 30):.1f} GiB of main memory are lacking for it."
        return ""

    def _missing(self, outgoing: Served, incoming: LoadRequest | None) -> int:
        """Main memory that is lacking. A limit that the user has set is believed instead of what the system says is
        free: some machines are given more memory as they use it."""
        free, limit = room.free_bytes(), self._policy.most_bytes
        if limit is not None:
            held = sum(place.sleeper.ram_bytes or 0 for place in self._places.values())
            free = max(free, limit - held)
        return room.missing_bytes(outgoing, incoming, free)

    async def rest(self, served: Served) -> float:
        """Put an engine that serves no more to rest, and watch over it; returns the seconds that it took.

        Raises CannotSleep after it was ended and named.
        """
        await self._meter.before_rest(served)
        checkpoint, name, began = served.facts.checkpoint, name_of(served.facts.checkpoint), time.time()
        place = Place(served, began, self._died)
        processes = self._family.of(served.run)
        self._family.set_apart(served.run, processes)
        self._places[checkpoint] = place
        place.watch(processes)
        patience = self._patience_s + room.weights_of(served) / _SLOWEST_BYTES_S
        try:
            slept_s = await place.unless_dead(put_to_rest(served, patience), CannotSleep)
        except CannotSleep as error:
            await self._end(place, Gone.NO_SLEEP, f"{name} could not be put to sleep: {error}")
            raise
        others = self._others(place)
        if all(each.weights is None for each in others):  # else the GPUs hold those, too; it is known from before
            await self._meter.after_rest(served, frozenset(id(each.served) for each in others))
        place.busy = False
        place.sleeper = replace(place.sleeper, slept_in_s=slept_s, processes=processes)
        log.info("%s %s after %.2f s", name, "is asleep" if served.rest is Rest.ASLEEP else "is kept", slept_s)
        self.tell()
        self._start(self._settle())
        return slept_s

    async def _settle(self) -> None:
        """Measure what a new sleeper holds, then keep the limits."""
        await self.measure()
        await self._enforce()

    async def measure(self) -> Sleepers:
        """Measure anew what each sleeper holds."""
        for place in tuple(self._places.values()):
            if not place.busy:
                served = place.served
                ram, vram = await self._meter.resting(served, self._family.of(served.run))
                place.sleeper = replace(place.sleeper, ram_bytes=ram, vram_bytes=vram, freed_bytes=served.freed)
        self.tell()
        return self.tray

    # --- Waking --------------------------------------------------------------------------------------------------

    async def begin_to_take(self, served: Served, outgoing: Served) -> None:
        """An engine will be taken as soon as `outgoing` has gone to rest: it brings its weights back beside that one
        already, where the GPUs have room for both. `take` has to follow, and is told what went wrong.

        Not beside a first rest: that is slow anyway, and what it gives back is measured.
        """
        place = self._places.get(served.facts.checkpoint)
        if place is None or place.served is not served or place.busy:
            return
        place.busy = place.waking = True
        if outgoing.has_rested and served.rest is Rest.ASLEEP and await self._meter.has_room(served):
            weights = place.unless_dead(wake_weights(served, self._patience_s), CannotWake)
            place.weights = asyncio.ensure_future(weights)
            place.weights.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def take(self, served: Served) -> Woken:
        """Wake an engine, let it prove itself, and take it off the shelf: it is the present one now.

        Raises CannotWake after it was ended and named; nothing is left of it then.
        """
        place = self._place_of(served)
        place.busy = place.waking = True
        began = time.monotonic()
        try:
            if place.weights is not None:
                await place.weights
            left = wake(served, self._patience_s, weights_there=place.weights is not None)
            await place.unless_dead(left, CannotWake)
            wake_s = time.monotonic() - began
            proof = prove(served, self._patience_s)
            first_s, same = await place.unless_dead(proof, CannotWake)
        except CannotWake as error:
            message = f"{place.sleeper.name} did not wake: {error}"
            await self._end(place, Gone.NO_WAKE, message)
            raise CannotWake(message) from error
        self._remove(place)
        self._family.rejoin(served.run)
        take_over(served)
        served.has_rested, served.used_s = True, time.monotonic()
        if same is False:
            log.warning("%s answers its first prompt otherwise than before its sleep", place.sleeper.name)
        self.tell()
        return Woken(wake_s, first_s, same)

    # --- Ending --------------------------------------------------------------------------------------------------

    async def end(self, checkpoint: str) -> None:
        """End one waiting engine, or all of them for ""; harmless where there is none."""
        wanted = [place for path, place in self._places.items() if checkpoint in ("", path) and not place.busy]
        await asyncio.gather(
            *(self._end(place, Gone.ASKED, f"{place.sleeper.name} was ended as asked.") for place in wanted)
        )

    async def replace(self, checkpoint: str) -> None:
        """The same checkpoint is loaded anew: the engine that waits with other parameters goes."""
        place = self._places.get(checkpoint)
        if place is not None and not place.busy:
            await self._end(place, Gone.REPLACED, f"{place.sleeper.name} was ended: it is loaded anew.")

    async def close(self) -> None:
        """End everything, whatever state it is in."""
        places = tuple(self._places.values())
        await asyncio.gather(*(self._end(place, Gone.ASKED, "The host is shutting down.") for place in places))
        await asyncio.gather(*self._tasks, return_exceptions=True)  # one may be ending another engine

    async def _enforce(self) -> None:
        """Let the least recently used go until the limits are kept."""
        while True:
            tray = self.tray
            # One that takes the place of the engine that has just come to rest waits no more.
            staying = [place.sleeper for place in self._places.values() if not place.waking]
            held = sum(each.ram_bytes or 0 for each in staying)
            most_bytes = held if tray.most_bytes is None else tray.most_bytes
            over_count, over_bytes = len(staying) > tray.most, held > most_bytes
            place = self._least_recent()
            if place is None or not (over_count or over_bytes):
                return
            limit = f"{tray.most} at once" if over_count else f"{most_bytes / (1 << 30):.1f} GiB together"
            await self._end(
                place, Gone.LIMIT, f"{place.sleeper.name} was ended: at most {limit} may wait, and it was used least."
            )

    def _least_recent(self, but: Served | None = None) -> Place | None:
        free = [place for place in self._places.values() if not place.busy and place.served is not but]
        return min(free, key=lambda place: place.served.used_s, default=None)

    async def _end(self, place: Place, why: Gone, message: str) -> None:
        if self._places.get(place.sleeper.checkpoint) is not place:
            return  # somebody else is at it
        place.busy = True
        self._remove(place)
        self.tell()  # it can be had no more, however long its end takes
        check: SwitchCheck = await place.served.run.stop(grace_s=_GRACE_S)
        before, after = check.memory_before_bytes, check.memory_after_bytes
        returned = before - after if before is not None and after is not None else None
        path, name, left = place.sleeper.checkpoint, place.sleeper.name, len(check.processes_left)
        self._ended.append(EndedSleeper(path, name, why, message, time.time(), left, returned))
        (log.info if why in (Gone.ASKED, Gone.REPLACED, Gone.LIMIT, Gone.MEMORY) else log.error)("%s", message)
        self.tell()
        if why is not Gone.ASKED:
            self.gone(path)

    def _remove(self, place: Place) -> None:
        place.stop_watching()
        if place.weights is not None:
            place.weights.cancel()
        self._places.pop(place.sleeper.checkpoint, None)

    def _died(self, place: Place, death: Death) -> None:
        place.busy = True
        self._start(self._end_dead(place, death))

    async def _end_dead(self, place: Place, death: Death) -> None:
        if death.signal_name is None and death.exit_code is None:  # vLLM's own monitor was quicker, and knows it
            death = await place.served.run.death_of(death.process)
        await self._end(place, Gone.DIED, f"{place.sleeper.name} died while it waited: {death.sentence}.")

    def _others(self, place: Place) -> list[Place]:
        return [each for each in self._places.values() if each is not place]

    def _place_of(self, served: Served) -> Place:
        place = self._places.get(served.facts.checkpoint)
        if place is None or place.served is not served:
            raise CannotWake(f"{name_of(served.facts.checkpoint)} is gone.")
        return place

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Future[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("Looking after the waiting engines failed", exc_info=error)
