"""Runs loads against the engine and keeps them: one run at a time, in a process of its own, told through the Store."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.bridge.lab_state import MOST_SAMPLES, EnginePoint, LabRun
from app.bridge.store import Notice
from engine.bench.book import MOST_WINDOWS, bounded
from engine.bench.messages import Began, Done, Failed, Finished, Progress, Target, Tick
from engine.bench.result import Annotation
from engine.bench.runner import Runner
from engine.domain.errors import EngineBusy, KVDeckError
from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.bench.messages import Message
    from engine.bench.result import EngineSetup
    from engine.bench.sample import Sample
    from engine.bench.store import RunStore
    from engine.bench.workload import Workload
    from engine.domain.lifecycle import HostStatus, Lifecycle, LiveChange, LiveLimits

_CLOSE_S = 8.0


class LabDesk(QObject):
    """Starts, pauses and stops runs; how they go is in the Store (`lab_run`), and what is kept in `runs`.

    Live parameters that change meanwhile become annotations of the run, with who changed them.
    """

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        runs: RunStore,
        status: Callable[[], Awaitable[HostStatus]] | None,
        parent: QObject | None = None,
    ) -> None:
        """`status` asks the engine's host for all that it knows of itself; None where there is no engine."""
        super().__init__(parent)
        self._store = store
        self._tasks = tasks
        self._status = status
        self._opened = False
        self._work: asyncio.Task[Any] | None = None
        self._noted = 0
        self.runs = runs
        self.runner = Runner(runs)
        store.lifecycle_changed.connect(self._on_lifecycle)
        store.limits_changed.connect(self._on_limits)

    @property
    def going(self) -> bool:
        """Whether a run goes on."""
        run = self._store.lab_run
        return run is not None and run.going

    async def open(self) -> None:
        """Open the file of runs, once. Raises RunsUnavailable."""
        if not self._opened:
            await asyncio.to_thread(self.runs.open)
            self._opened = True
            if self.runs.notice:
                self._store.publish(Notice("warning", self.runs.notice))

    # What the panel asks for

    def start(self, workload: Workload, title: str = "") -> None:
        """Begin to send this load to the engine that is ready."""
        self._work = self._tasks.start(self._run(workload, title), self.tr("Load"))

    def pause(self) -> None:
        """Send nothing new; what runs goes on."""
        self._begin(self.runner.pause(), self.tr("Pause"))

    def resume(self) -> None:
        """Go on sending."""
        self._begin(self.runner.resume(), self.tr("Go on"))

    def stop(self, message: str = "") -> None:
        """End the run and keep what there is; `message` says why, where it was not the user."""
        run = self._store.lab_run
        if run is not None and run.going and not run.stopping:
            self._store.publish(dataclasses.replace(run, stopping=True, message=message or run.message))
            self._begin(self.runner.stop(), self.tr("Stop"))

    async def samples(self, run_id: str) -> tuple[Sample, ...]:
        """A run's requests with the gaps between their tokens, of a long run a part of them. Raises KVDeckError."""
        await self.open()
        return await asyncio.to_thread(self.runs.samples, run_id, most=MOST_SAMPLES)

    async def close(self) -> None:
        """End the run in good order, then the file."""
        work = self._work
        if work is not None and not work.done():
            self.stop(self.tr("The window was closed."))
            _, late = await asyncio.wait({work}, timeout=_CLOSE_S)
            for task in late:
                task.cancel()
                await asyncio.wait({task})
        if self._opened:
            self._opened = False
            await asyncio.to_thread(self.runs.close)

    def _begin(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        self._tasks.start(work, name)

    # One run

    async def _run(self, workload: Workload, title: str) -> None:
        if self.going:
            raise EngineBusy(self.tr("A load is being sent already."), remedy=self.tr("Stop it first."))
        target = self._target()
        limits = self._store.limits
        self._noted = limits.changes[-1].sequence if limits is not None and limits.changes else 0
        self._store.publish(LabRun(title or workload.name, workload, "starting"))
        try:
            await self.open()
            setup = await self._setup(target)
            run = self._store.lab_run
            if run is not None and run.stopping:  # before there was anything to stop
                self._end("stopped")
                return
            record = await self.runner.run(target, workload, setup=setup, title=title, on_message=self._take)
        except KVDeckError as error:
            self._end("failed", message=error.message, remedy=error.remedy, details=error.details)
        except asyncio.CancelledError:
            self._end("stopped")
            raise
        except BaseException as error:
            self._end("failed", message=str(error))
            raise
        else:
            self._end(record.state.value, result=record.result, run_id=record.id)

    def _target(self) -> Target:
        address, lifecycle = self._store.address, self._store.lifecycle
        if lifecycle.phase is not Phase.READY or address is None or lifecycle.facts is None:
            raise EngineBusy(self.tr("No model is loaded."), remedy=self.tr("Load one, then start again."))
        return Target(address.url, address.token, lifecycle.facts.served_model_name)

    async def _setup(self, target: Target) -> EngineSetup:
        from engine.bench.setup import setup_of

        status = None if self._status is None else await self._status()
        return await asyncio.to_thread(setup_of, status, target.url)

    def _end(self, state: str, **changes: Any) -> None:
        run = self._store.lab_run
        if run is None:
            return
        kept = {name: value for name, value in changes.items() if value}
        if run.message:  # why we ended it says more than how it ended
            kept.pop("message", None)
        run = dataclasses.replace(run, state=state, stopping=False, **kept)
        if run.result is not None and run.result.windows:
            run = dataclasses.replace(run, windows=run.result.windows)
        self._store.publish(run)

    # What comes meanwhile

    def _take(self, message: Message) -> None:
        run = self._store.lab_run
        if run is None:
            return
        if isinstance(message, Finished):
            samples = run.samples + message.samples
            over = max(0, len(samples) - MOST_SAMPLES)
            left_out = run.left_out + over
            self._store.publish(dataclasses.replace(run, samples=samples[over:], left_out=left_out))
        elif isinstance(message, Began):
            self._store.publish(
                dataclasses.replace(
                    run, state="running", origin_ns=message.origin_monotonic_ns, run_id=self.runner.run_id
                )
            )
        elif isinstance(message, Progress):
            self._store.publish(dataclasses.replace(run, progress=message))
        elif isinstance(message, Tick):
            windows = bounded((*run.windows, message.window))
            engine = run.engine + self._look(message)
            if len(engine) > MOST_WINDOWS:
                engine = engine[::2]
            self._store.publish(dataclasses.replace(run, windows=windows, engine=engine))
        elif isinstance(message, Done):
            self._store.publish(dataclasses.replace(run, result=message.result))
        elif isinstance(message, Failed):
            self._store.publish(dataclasses.replace(run, details=message.details))

    def _look(self, tick: Tick) -> tuple[EnginePoint, ...]:
        serving = self._store.serving
        if serving is None:
            return ()
        at_s = tick.window.start_s + tick.window.seconds
        return (
            EnginePoint(at_s, serving.running, serving.waiting, serving.kv_cache_usage, serving.preempted_total),
        )

    def _on_limits(self, limits: LiveLimits | None) -> None:
        run = self._store.lab_run
        if limits is None or run is None or not run.going or run.origin_ns is None:
            return
        fresh = [change for change in limits.changes if change.sequence > self._noted]
        for change in fresh:
            self._noted = change.sequence
            self._begin(self._annotate(change, run), self.tr("Annotation"))

    async def _annotate(self, change: LiveChange, run: LabRun) -> None:
        assert run.origin_ns is not None
        note = Annotation(
            (change.monotonic_ns - run.origin_ns) / 1e9, f"{change.name} {change.before} → {change.after}",
            {"name": change.name, "before": change.before, "after": change.after, "by": change.by,
             "preempted": change.preempted},
        )  # fmt: skip
        present = self._store.lab_run
        if present is not None:
            self._store.publish(dataclasses.replace(present, changes=(*present.changes, note)))
        if run.run_id is not None:
            await asyncio.to_thread(self.runs.annotate, run.run_id, note)

    def _on_lifecycle(self, lifecycle: Lifecycle) -> None:
        """An engine that goes takes the run with it: what was measured until then is kept, and said so."""
        if self.going and self.runner.running and lifecycle.phase is not Phase.READY:
            if lifecycle.phase in (Phase.CRASHED, Phase.OFFLINE):
                self.stop(self.tr("The engine died while the load was sent. What was measured until then is kept."))
            else:
                self.stop(self.tr("The model was unloaded while the load was sent. What was measured is kept."))
