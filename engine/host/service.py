"""The life of the engine: the state machine behind the control routes."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.checkpoints.find import name_of
from engine.domain.errors import Cancelled, EngineBusy
from engine.domain.lifecycle import Lifecycle, Phase, RemedyAction
from engine.host.deaths import DeathWatch
from engine.host.fault_findings import Situation
from engine.host.faults import failure_of_death, failure_of_load
from engine.host.live import limits_of
from engine.host.load import Load
from engine.host.preflight import LoadRefused
from engine.host.processes import death_of

if TYPE_CHECKING:
    from engine.domain.lifecycle import EngineProcess, Failure, LoadRequest, SwitchCheck
    from engine.host.engine_run import EngineRun
    from engine.host.journal import Journal
    from engine.host.launch import Plan
    from engine.host.load_times import LoadTimes
    from engine.host.memory import MemoryMeter
    from engine.host.mount import Mount
    from engine.host.preflight import Preflight
    from engine.host.processes import Death
    from engine.host.state import HostState
    from engine.host.stats import StatsWindow
    from engine.host.vllm_import import VllmImport

log = logging.getLogger(__name__)

_STABLE_S = 600.0  # an engine that has served so long may be restarted by itself once more
_LAST_WORDS_S = 1.0  # open requests get this long to hear from vLLM itself that the engine died
_ABSENCE = {
    Phase.IDLE: "No model is loaded.",
    Phase.LOADING: "A model is being loaded.",
    Phase.UNLOADING: "The model is being unloaded.",
    Phase.FAILED: "No model is loaded: the last load failed.",
    Phase.CRASHED: "The engine has died.",
}


class EngineService:
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
    ) -> None:
        self._state = state
        self._vllm = vllm
        self._preflight = preflight
        self._meter = meter
        self._journal = journal
        self._mount = mount
        self._stats = stats
        self._times = times
        self._run: EngineRun | None = None
        self._load: Load | None = None
        self._request: LoadRequest | None = None
        self._notes: tuple[str, ...] = ()
        self._previous: str | None = None
        self._closing = False
        self._deciding = False
        self._restarts_left = 0
        self._ready_since = 0.0
        self._ready_record = 0
        self._deaths = DeathWatch(self._on_death)
        self._work: asyncio.Future[None] | None = None

    @property
    def running(self) -> EngineRun | None:
        """The engine that answers requests, if one does."""
        return self._run

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
        self._require_free()
        self._deciding = True
        try:
            notes = await asyncio.to_thread(self._preflight.check, request)
            # With an engine running it is worth seconds to hear vLLM's own objections before ending it.
            plan = await self._plan_beside(request) if self._run is not None else None
        finally:
            self._deciding = False
        self._require_free()
        self._restarts_left = 1
        self._begin(request, plan, notes)
        return self._state.lifecycle

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
        if self._load is not None:
            return await self.cancel()
        if self._run is not None:
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
        if self._run is not None:
            self._set(replace(self._state.lifecycle, phase=Phase.UNLOADING))
            self._set_idle(await self._end_run("The host is shutting down."))

    def _require_free(self) -> None:
        if self._closing:
            raise EngineBusy("The host is shutting down.", remedy="Start it again.")
        if self._deciding or self._load is not None or self._state.phase is Phase.UNLOADING:
            what = "unloaded" if self._state.phase is Phase.UNLOADING else "loaded"
            raise EngineBusy(f"A model is being {what}.", remedy="Wait until that is done, or cancel it.")

    async def _plan_beside(self, request: LoadRequest) -> Plan:
        first_record = self._journal.last_sequence
        _, launcher = await self._vllm.wait()
        try:
            return await asyncio.to_thread(launcher.plan, request)
        except Exception as error:
            records = self._journal.after(first_record)
            raise LoadRefused(
                failure_of_load(error, records, Situation(request.parameters, launcher.device))
            ) from error

    def _begin(
        self, request: LoadRequest, plan: Plan | None, notes: tuple[str, ...], crash: Failure | None = None
    ) -> None:
        if self._state.lifecycle.facts is not None:
            self._previous = self._state.lifecycle.facts.checkpoint
        self._request, self._notes = request, notes
        load = Load(
            request,
            plan=plan,
            notes=notes,
            meter=self._meter,
            stats=self._stats,
            expected=self._times.of(request.checkpoint),
            first_record=self._journal.last_sequence,
            on_change=self._show_progress,
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
            )
        )
        self._work = asyncio.ensure_future(self._carry_out(load, after=self._work))

    async def _carry_out(self, load: Load, after: asyncio.Future[None] | None) -> None:
        if after is not None and not after.done():
            await asyncio.wait({after})
        try:
            check = await self._end_run(f"The model is being exchanged for {name_of(load.request.checkpoint)}.")
            if check is not None:
                self._set(replace(self._state.lifecycle, last_check=check))
            await self._load_and_serve(load)
        except Cancelled:
            self._set_idle(self._state.lifecycle.last_check)
        except Exception as error:  # noqa: BLE001 - logged and published by _fail, whatever vLLM raises
            self._fail(load, error)
        finally:
            self._load = None

    async def _load_and_serve(self, load: Load) -> None:
        run, app, facts = await load.run(self._vllm.wait())
        try:
            limits = await limits_of(run)
        except BaseException:
            await run.stop()
            raise
        self._run = run
        self._mount.attach(app)
        self._ready_since, self._ready_record = time.monotonic(), self._journal.last_sequence
        state = self._state.lifecycle
        stages = load.progress.stages
        self._set(replace(state, phase=Phase.READY, elapsed_s=load.elapsed_s, stages=stages, facts=facts, failure=None))
        self._state.set_limits(limits)
        self._load = None
        self._deaths.start(run.processes)
        await asyncio.to_thread(self._times.remember, load.request.checkpoint, load.progress.durations())

    def _fail(self, load: Load, error: Exception) -> None:
        log.warning("Loading %s failed: %s", load.request.checkpoint, error)
        values = load.plan.values if load.plan else load.request.parameters
        device_bytes = self._preflight.device_bytes() if self._vllm.device == "cuda" else None
        situation = Situation(values, self._vllm.device, load.progress.stage, device_bytes)
        records = self._journal.after(load.first_record)
        failure = failure_of_load(error, records, situation, oom_killed=load.oom_killed)
        if self._previous is not None and self._previous != load.request.checkpoint:
            back = RemedyAction(f"Load {name_of(self._previous)} again", checkpoint=self._previous)
            failure = replace(failure, actions=(*failure.actions, back))
        state, stages = self._state.lifecycle, load.progress.stages
        self._set(replace(state, phase=Phase.FAILED, elapsed_s=load.elapsed_s, stages=stages, failure=failure))

    def _show_progress(self) -> None:
        load = self._load
        if load is not None and self._state.phase is Phase.LOADING:
            self._set(replace(self._state.lifecycle, elapsed_s=load.elapsed_s, stages=load.progress.stages))

    def _set(self, lifecycle: Lifecycle) -> None:
        self._mount.absence = _ABSENCE.get(lifecycle.phase, "")
        self._state.set_lifecycle(lifecycle)

    def _set_idle(self, check: SwitchCheck | None) -> None:
        load_id = self._state.lifecycle.load_id
        self._set(Lifecycle(Phase.IDLE, load_id=load_id, last_check=check, previous_checkpoint=self._previous))

    async def _end_run(self, reason: str) -> SwitchCheck | None:
        run, self._run = self._run, None
        if run is None:
            return None
        self._deaths.stop()
        self._mount.detach()
        await self._mount.end_open(reason, grace_s=0.0)
        return await run.stop()

    async def _unload(self) -> None:
        facts = self._state.lifecycle.facts
        self._previous = facts.checkpoint if facts is not None else self._previous
        self._set_idle(await self._end_run("The model was unloaded."))

    def _on_death(self, process: EngineProcess) -> None:
        # At once: a worker's status is gone as soon as the EngineCore, whose child it is, has collected it.
        death = death_of(process)
        self._mount.detach()
        self._work = asyncio.ensure_future(self._after_death(process, death))

    async def _after_death(self, process: EngineProcess, death: Death) -> None:
        run, self._run = self._run, None
        if run is None:
            return
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
