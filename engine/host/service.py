"""The life of the engine: the state machine behind the control routes."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.domain.errors import Cancelled, EngineBusy
from engine.domain.lifecycle import Lifecycle, Phase, Stage
from engine.host.fault_findings import Situation
from engine.host.faults import failure_of_death, failure_of_load
from engine.host.live import limits_of
from engine.host.load import Load
from engine.host.load_failures import LoadFailures
from engine.host.preflight import LoadRefused
from engine.host.processes import death_of
from engine.host.serving import Serving

if TYPE_CHECKING:
    from engine.domain.lifecycle import EngineProcess, Failure, LoadRequest, SwitchCheck
    from engine.host.adapters import AdapterCommands
    from engine.host.engine_run import EngineRun
    from engine.host.family import Family
    from engine.host.journal import Journal
    from engine.host.launch import Plan
    from engine.host.load_times import LoadTimes
    from engine.host.memory import MemoryMeter
    from engine.host.mount import Mount
    from engine.host.preflight import Preflight
    from engine.host.processes import Death
    from engine.host.rest_meter import RestMeter
    from engine.host.shelf import Shelf
    from engine.host.sleeping import Served
    from engine.host.state import HostState
    from engine.host.stats import StatsWindow
    from engine.host.vllm_import import VllmImport

log = logging.getLogger(__name__)

_STABLE_S = 600.0  # an engine that has served so long may be restarted by itself once more
_LAST_WORDS_S = 1.0  # open requests get this long to hear from vLLM itself that the engine died
_LAST_GRACE_S = 0.2  # of an engine whose host ends


class EngineService(Serving):
    """Loads, switches, unloads and watches the one engine. Use it on the host's loop only."""

    def __init__(
        self,
        state: HostState,
        vllm: VllmImport,
        preflight: Preflight,
        meter: MemoryMeter,
        journal: Journal,
        mount: Mount,
        stats: StatsWindow,
        times: LoadTimes,
        family: Family,
        shelf: Shelf,
        rest_meter: RestMeter,
        adapters: AdapterCommands,
    ) -> None:
        super().__init__(state, mount, journal, stats, shelf)
        self._vllm = vllm
        self._preflight = preflight
        self._meter = meter
        self._times = times
        self._family = family
        self._rest_meter = rest_meter
        self._adapters = adapters
        self._failures = LoadFailures(vllm, preflight, journal, shelf)
        self._load: Load | None = None
        self._closing = False
        self._deciding = False

    @property
    def running(self) -> EngineRun | None:
        """The engine that answers requests, if one does."""
        return self._served.run if self._served is not None else None

    def feed_line(self, line: str, monotonic_s: float) -> None:
        """A line of the log, for the stages of a load in progress."""
        if self._load is not None:
            self._load.feed(line, monotonic_s)

    def tell_elapsed(self) -> None:
        """Announce how long the load in progress has taken."""
        if self._load is not None and self._state.phase is Phase.LOADING:
            self._show_progress()

    async def load(self, request: LoadRequest) -> Lifecycle:
        """Begin to load, or to switch. What can be known beforehand is raised, and then nothing has changed."""
        await self._tidied()
        self._require_free()
        waiting = self._shelf.find(request)
        if waiting is not None:
            return self._begin_waking(waiting)
        self._deciding = True
        try:
            notes = await asyncio.to_thread(self._preflight.check, request)
            # With an engine running it is worth seconds to hear vLLM's own objections before ending it.
            plan = await self._plan_beside(request) if self._served is not None else None
        finally:
            self._deciding = False
        self._require_free()
        self._restarts_left = 1
        self._begin(request, plan, notes)
        return self._state.lifecycle

    async def wake(self, checkpoint: str) -> Lifecycle:
        """Switch to an engine that waits."""
        await self._tidied()
        return await super().wake(checkpoint)

    async def sleep(self) -> Lifecycle:
        """Put the engine that serves to rest, with none in its place."""
        await self._tidied()
        return await super().sleep()

    async def restart(self) -> Lifecycle:
        """Load again what was loaded last, with the same parameters."""
        if self._request is None:
            raise EngineBusy("Nothing has been loaded yet.", remedy="Choose a checkpoint first.")
        return await self.load(self._request)

    async def cancel(self) -> Lifecycle:
        """Stop the load in progress; harmless when there is none."""
        if self._load is not None:
            self._load.cancel()
        return self._state.lifecycle

    async def unload(self) -> Lifecycle:
        """End the engine, or the load in progress; takes away the failure of one that is gone."""
        await self._tidied()
        if self._load is not None:
            return await self.cancel()
        if self._served is not None or self._state.phase is Phase.ASLEEP:
            self._require_free()
            self._set(replace(self._state.lifecycle, phase=Phase.UNLOADING))
            self._work = asyncio.ensure_future(self._unload())
        elif self._state.phase in (Phase.FAILED, Phase.CRASHED):
            self._set_idle(self._state.lifecycle.last_check)
        return self._state.lifecycle

    async def close(self) -> None:
        """End everything: the load in progress, the engine, its processes and files."""
        self._closing = True
        if self._load is not None:
            self._load.cancel()
        while self._work is not None and not self._work.done():
            await asyncio.wait({self._work})
        if self._served is not None:
            self._set(replace(self._state.lifecycle, phase=Phase.UNLOADING))
        check, _ = await asyncio.gather(self._end_run("The host is shutting down.", last=True), self._shelf.close())
        self._set_idle(check if check is not None else self._state.lifecycle.last_check)

    def _require_free(self) -> None:
        if self._closing:
            raise EngineBusy("The host is shutting down.", remedy="Start it again.")
        if self._deciding or self._load is not None or self._state.phase is Phase.UNLOADING:
            what = "unloaded" if self._state.phase is Phase.UNLOADING else "loaded"
            raise EngineBusy(f"A model is being {what}.", remedy="Wait until that is done, or cancel it.")

    async def _tidied(self) -> None:
        """Return when a load is over that users see ended already: nothing is left of an engine that has died, or one
        that serves has been measured."""
        has_ended = self._load is not None and (self._load.is_lost or self._state.phase is Phase.READY)
        if has_ended and self._work is not None:
            await asyncio.wait({self._work})

    async def _plan_beside(self, request: LoadRequest) -> Plan:
        first_record = self._journal.last_sequence
        _, launcher = await self._vllm.wait()
        try:
            return await asyncio.to_thread(launcher.plan, request, sleepable=self._sleepable)
        except Exception as error:
            records = self._journal.after(first_record)
            raise LoadRefused(
                failure_of_load(error, records, Situation(request.parameters, launcher.device))
            ) from error

    def _begin(
        self,
        request: LoadRequest,
        plan: Plan | None,
        notes: tuple[str, ...],
        *,
        crash: Failure | None = None,
        waiting: Served | None = None,
    ) -> None:
        if self._state.lifecycle.facts is not None:
            self._previous = self._state.lifecycle.facts.checkpoint
        self._request, self._notes = request, notes
        load = Load(
            request,
            plan=plan,
            notes=notes,
            meter=self._meter,
            family=self._family,
            stats=self._stats,
            expected=self._times.of(request.checkpoint) if waiting is None else {},
            first_record=self._journal.last_sequence,
            on_change=self._show_progress,
            first=Stage.STARTING if waiting is None else Stage.TO_SLEEP,
            sleepable=self._sleepable,
        )
        self._load = load
        self._set(
            Lifecycle(
                phase=Phase.LOADING,
                checkpoint=request.checkpoint,
                load_id=self._state.lifecycle.load_id + 1,
                elapsed_s=0.0,
                stages=load.progress.stages,
                failure=crash,
                last_check=self._state.lifecycle.last_check,
                previous_checkpoint=self._previous,
                expected_s=load.progress.expected_s,
                warm=waiting is not None,
            )
        )
        self._work = asyncio.ensure_future(self._carry_out(load, after=self._work, waiting=waiting))

    async def _carry_out(self, load: Load, after: asyncio.Future[None] | None, waiting: Served | None) -> None:
        if after is not None and not after.done():
            await asyncio.wait({after})
        kept: Served | None = None
        try:
            kept = await self._leave(load, waiting)
            if kept is None:  # else that one comes back, and this is told then
                load.on_loss = lambda error: self._set_failed(load, self._failures.of(load, error, self._previous))
            if waiting is None or not await self._wake_and_serve(load, waiting, kept):
                await self._load_and_serve(load)
        except Cancelled:
            if not await self._bring_back(kept, load):
                self._set_idle(self._state.lifecycle.last_check)
        except Exception as error:  # noqa: BLE001 - logged and published, whatever vLLM raises
            if self._state.phase is not Phase.FAILED:  # it was told before it was cleaned up
                failure = self._failures.of(load, error, self._previous)
                if not await self._bring_back(kept, load, failure):
                    self._set_failed(load, failure)
        finally:
            self._load = None

    async def _load_and_serve(self, load: Load) -> None:
        await self._shelf.replace(load.request.checkpoint)
        before = await self._shelf.gpu_before()
        served = await load.run(self._vllm.wait())
        served.gpu_before = before
        try:
            limits = await limits_of(served.run)
            await self._adapters.bring_back(served.run)
        except BaseException:
            await served.run.stop()
            raise
        self._serve(served, limits, load)
        await self._rest_meter.serving(served)
        await asyncio.to_thread(self._times.remember, load.request.checkpoint, load.progress.durations())

    def _show_progress(self) -> None:
        load = self._load
        if load is not None and self._state.phase is Phase.LOADING:
            self._set(replace(self._state.lifecycle, elapsed_s=load.elapsed_s, stages=load.progress.stages))

    async def _end_run(self, reason: str, *, last: bool = False) -> SwitchCheck | None:
        served = await self._dismiss(reason)
        return None if served is None else await served.run.stop(_LAST_GRACE_S if last else None, last=last)

    async def _unload(self) -> None:
        facts = self._state.lifecycle.facts
        self._previous = facts.checkpoint if facts is not None else self._previous
        if facts is not None:
            self._adapters.forget(facts.checkpoint)
        if self._served is None and facts is not None:
            await self._shelf.end(facts.checkpoint)
        self._set_idle(await self._end_run("The model was unloaded."))

    def _on_death(self, process: EngineProcess) -> None:
        # At once: a worker's status is gone as soon as the EngineCore, whose child it is, has collected it.
        death = self._deaths.death or death_of(process)
        self._mount.detach()
        self._work = asyncio.ensure_future(self._after_death(process, death))

    async def _after_death(self, process: EngineProcess, death: Death) -> None:
        served, self._served = self._served, None
        if served is None:
            return
        run = served.run
        if death.signal_name is None and death.exit_code is None:
            death = await run.death_of(process)
        records = self._journal.after(self._ready_record)
        situation = Situation(run.plan.values, run.plan.device)
        failure = failure_of_death(death, records, situation, oom_killed=run.oom_killed)
        log.error("%s", failure.message)
        state = self._state.lifecycle
        self._previous = run.plan.request.checkpoint
        self._set(replace(state, phase=Phase.CRASHED, failure=failure, facts=None, last_check=None))
        await self._mount.end_open(failure.message, grace_s=_LAST_WORDS_S)
        check = await run.stop()
        if self._state.phase is not Phase.CRASHED:
            return  # the user was quicker and loads something already
        self._set(replace(self._state.lifecycle, last_check=check))
        if time.monotonic() - self._ready_since > _STABLE_S:
            self._restarts_left = 1
        if self._restarts_left > 0 and self._request is not None and not self._closing:
            self._restarts_left -= 1
            log.info("Restarting the engine")
            note = f"Restarted by itself: {failure.message}"
            kept = tuple(each for each in self._notes if not each.startswith("Restarted by itself"))
            self._begin(self._request, None, (*kept, note), crash=failure)
