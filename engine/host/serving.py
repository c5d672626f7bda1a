"""Which engine is behind the address: how it takes the place, leaves it, rests, and comes back."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.checkpoints.find import name_of
from engine.domain.errors import Cancelled, EngineBusy
from engine.domain.lifecycle import Lifecycle, Phase, Stage
from engine.domain.sleepers import Keep, WarmSwitch
from engine.host.deaths import DeathWatch
from engine.host.live import limits_of
from engine.host.sleeping import CannotSleep, CannotWake

if TYPE_CHECKING:
    from engine.domain.lifecycle import EngineProcess, Failure, LiveLimits, LoadRequest, SwitchCheck
    from engine.domain.sleepers import Sleepers
    from engine.host.journal import Journal
    from engine.host.launch import Plan
    from engine.host.load import Load
    from engine.host.mount import Mount
    from engine.host.shelf import Shelf, Woken
    from engine.host.sleeping import Served
    from engine.host.state import HostState
    from engine.host.stats import StatsWindow

log = logging.getLogger(__name__)

_ABSENCE = {
    Phase.IDLE: "No model is loaded.",
    Phase.LOADING: "A model is being loaded.",
    Phase.UNLOADING: "The model is being unloaded.",
    Phase.ASLEEP: "The model is asleep.",
    Phase.FAILED: "No model is loaded: the last load failed.",
    Phase.CRASHED: "The engine has died.",
}
_OTHER_ANSWER = (
    "Since its sleep this engine answers the same prompt otherwise than before. Load it anew if its answers look wrong."
)


class Serving:
    """The half of the service that exchanges engines which are there already."""

    def __init__(self, state: HostState, mount: Mount, journal: Journal, stats: StatsWindow, shelf: Shelf) -> None:
        self._state = state
        self._mount = mount
        self._journal = journal
        self._stats = stats
        self._shelf = shelf
        self._served: Served | None = None
        self._request: LoadRequest | None = None
        self._notes: tuple[str, ...] = ()
        self._previous: str | None = None
        self._work: asyncio.Future[None] | None = None
        self._restarts_left = 0
        self._ready_since = 0.0
        self._ready_record = 0
        self._deaths = DeathWatch(self._on_death)
        shelf.gone = self._on_gone

    def _on_death(self, process: EngineProcess) -> None:
        raise NotImplementedError

    def _require_free(self) -> None:
        """Raise EngineBusy while another work is in progress."""
        raise NotImplementedError

    def _begin(
        self, request: LoadRequest, plan: Plan | None, notes: tuple[str, ...], *, waiting: Served | None = None
    ) -> None:
        """Begin to load, or to wake `waiting`."""
        raise NotImplementedError

    async def wake(self, checkpoint: str) -> Lifecycle:
        """Switch to the engine of `checkpoint` that waits, with the parameters that it was loaded with."""
        self._require_free()
        waiting = self._shelf.of(checkpoint)
        if waiting is None:
            raise EngineBusy(f"{name_of(checkpoint)} does not wait.", remedy="Load it.")
        return self._begin_waking(waiting)

    async def sleep(self) -> Lifecycle:
        """Put the engine that serves to rest, with none in its place."""
        self._require_free()
        served = self._served
        if served is None:
            raise EngineBusy("No engine is running.", remedy="Load a checkpoint first.")
        if served.rest is None:
            raise EngineBusy("This engine was loaded without sleep mode.", remedy="Load it with enable_sleep_mode on.")
        self._set(replace(self._state.lifecycle, phase=Phase.UNLOADING))
        self._work = asyncio.ensure_future(self._go_to_rest())
        return self._state.lifecycle

    async def end_waiting(self, checkpoint: str) -> Sleepers:
        """End one engine that waits, or all of them for ""; returns who waits then."""
        if self._state.phase is Phase.ASLEEP and checkpoint in ("", self._state.lifecycle.checkpoint):
            self._previous = self._state.lifecycle.checkpoint
            self._set_idle(None)
        await self._shelf.end(checkpoint)
        return self._shelf.tray

    def _begin_waking(self, waiting: Served) -> Lifecycle:
        assert waiting.facts.request is not None
        self._restarts_left = 1
        self._begin(waiting.facts.request, None, waiting.facts.notes, waiting=waiting)
        return self._state.lifecycle

    async def _go_to_rest(self) -> None:
        lifecycle = self._state.lifecycle
        served = await self._dismiss("The model is put to sleep.")
        assert served is not None
        try:
            await self._shelf.rest(served)
        except CannotSleep:
            self._set_idle(None)
        else:
            self._set(replace(lifecycle, phase=Phase.ASLEEP))

    def _on_gone(self, checkpoint: str) -> None:
        """A waiting engine has gone by itself; where it is the one that the user looks at, nothing is loaded now."""
        if self._state.phase is Phase.ASLEEP and self._state.lifecycle.checkpoint == checkpoint:
            self._previous = checkpoint
            self._set_idle(None)

    @property
    def _sleepable(self) -> bool:
        """Whether an engine that is loaded now should be able to sleep: vLLM wants to know it before the load."""
        return self._shelf.policy.keep is not Keep.OFF

    def _set(self, lifecycle: Lifecycle) -> None:
        self._mount.absence = _ABSENCE.get(lifecycle.phase, "")
        self._state.set_lifecycle(lifecycle)

    def _set_idle(self, check: SwitchCheck | None) -> None:
        load_id = self._state.lifecycle.load_id
        self._set(Lifecycle(Phase.IDLE, load_id=load_id, last_check=check, previous_checkpoint=self._previous))

    def _set_failed(self, load: Load, failure: Failure) -> None:
        state, stages = self._state.lifecycle, load.progress.stages
        self._set(replace(state, phase=Phase.FAILED, elapsed_s=load.elapsed_s, stages=stages, failure=failure))

    def _serve(self, served: Served, limits: LiveLimits, load: Load, failure: Failure | None = None) -> None:
        """`served` answers from now on."""
        self._served, self._request, self._notes = served, served.facts.request, served.facts.notes
        self._mount.attach(served.app)
        self._ready_since, self._ready_record = time.monotonic(), self._journal.last_sequence
        self._set(
            replace(
                self._state.lifecycle,
                phase=Phase.READY,
                checkpoint=served.facts.checkpoint,
                elapsed_s=load.elapsed_s,
                stages=load.progress.stages,
                facts=served.facts,
                failure=failure,
            )
        )
        self._state.set_limits(limits)
        self._deaths.start(served.run.processes, lambda: served.run.given_up)

    async def _dismiss(self, reason: str) -> Served | None:
        """Let the engine answer nobody any more; open requests end with `reason`. Returns it."""
        served, self._served = self._served, None
        if served is not None:
            served.used_s = self._mount.used_s or served.used_s
            self._deaths.stop()
            self._mount.detach()
            await self._mount.end_open(reason, grace_s=0.0)
        return served

    async def _leave(self, load: Load, waiting: Served | None) -> Served | None:
        """The present engine makes room for another: it rests where that is wanted and possible, else it ends.

        Returns it where it rests.
        """
        served = await self._dismiss(f"The model is being exchanged for {name_of(load.request.checkpoint)}.")
        if served is None:
            return None
        refusal = await self._shelf.refusal(served, load.request if waiting is None else None, waiting)
        if not refusal:
            if waiting is not None:
                await self._shelf.begin_to_take(waiting, served)
            try:
                await self._shelf.rest(served)
            except CannotSleep:
                return None  # ended and named
            self._set(replace(self._state.lifecycle, last_check=None))
            return served
        if self._sleepable:
            log.info("%s", refusal)
        self._set(replace(self._state.lifecycle, last_check=await served.run.stop()))
        return None

    async def _wake_and_serve(self, load: Load, waiting: Served, kept: Served | None) -> bool:
        """Serve with an engine that waits. False where it did not wake: then it is gone, and has to be loaded. `kept`
        is the one of before, where it rests: it comes back if the load is cancelled."""
        load.enter(Stage.WAKING)
        slept_s = load.elapsed_s
        try:
            woken, limits = await self._take(waiting)
        except CannotWake as error:
            log.warning("%s It is loaded anew.", error)
            self._set(replace(self._state.lifecycle, warm=False))
            load.enter(Stage.STARTING)
            return False
        if load.is_cancelled:
            if kept is not None:  # from now on nobody ends it because too many wait
                await self._shelf.begin_to_take(kept, waiting)
            await self._shelf.rest(waiting)
            raise Cancelled("The switch was cancelled.")
        _note(waiting, woken)
        self._stats.reset()
        load.progress.finish(load.elapsed_s)
        self._serve(waiting, limits, load)
        self._note_switch(waiting, woken, load.elapsed_s, slept_s)
        return True

    async def _bring_back(self, kept: Served | None, load: Load, failure: Failure | None = None) -> bool:
        """After a switch that did not arrive, the engine of before serves again, and says why in `failure`."""
        if kept is None or not self._shelf.holds(kept):
            return False
        try:
            woken, limits = await self._take(kept)
        except CannotWake as error:
            log.warning("%s", error)
            return False
        _note(kept, woken)
        self._stats.reset()
        self._serve(kept, limits, load, failure)
        return True

    async def _take(self, waiting: Served) -> tuple[Woken, LiveLimits]:
        """Take an engine off the shelf, ready to serve. Raises CannotWake after nothing is left of it."""
        woken = await self._shelf.take(waiting)
        try:
            return woken, await limits_of(waiting.run)
        except Exception as error:  # nobody watches over it in this moment
            await waiting.run.stop()
            name = name_of(waiting.facts.checkpoint)
            raise CannotWake(f"{name} woke, and ended then: {str(error) or type(error).__name__}") from error

    def _note_switch(self, served: Served, woken: Woken, seconds: float, slept_s: float) -> None:
        name = name_of(served.facts.checkpoint)
        log.info("Switched to %s in %.2f s", name, seconds)
        self._shelf.note_switch(
            WarmSwitch(
                served.facts.checkpoint,
                name,
                seconds,
                slept_s,
                woken.wake_s,
                woken.first_token_s,
                woken.same_answer,
                time.time(),
            )
        )


def _note(served: Served, woken: Woken) -> None:
    notes = tuple(each for each in served.facts.notes if each != _OTHER_ANSWER)
    if woken.same_answer is False:
        notes = (*notes, _OTHER_ANSWER)
    served.facts = replace(served.facts, notes=notes)
