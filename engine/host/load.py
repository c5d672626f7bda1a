"""One load: from a request to an engine that has generated a token, or to nothing left of it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.domain.errors import Cancelled
from engine.domain.lifecycle import Stage
from engine.host import vllm_metrics
from engine.host.deaths import EngineProcessDied, StartupDeaths
from engine.host.engine_run import EngineRun, clean_up
from engine.host.facts import engine_facts
from engine.host.launch import page_path
from engine.host.processes import OutOfMemoryWatch, kill, shared_segments
from engine.host.progress import LoadProgress
from engine.host.sleeping import Served
from engine.host.stats import stat_logger_class

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from engine.domain.lifecycle import EngineProcess, LoadRequest
    from engine.host.family import Family
    from engine.host.launch import Launcher, Plan
    from engine.host.memory import MemoryMeter
    from engine.host.stats import StatsWindow
    from engine.host.vllm_names import VllmNames

log = logging.getLogger(__name__)

_KILL_EVERY_S = 0.05
_LOOK_EVERY_S = 0.25
_LAST_WORDS_S = 0.3  # what a dying process printed is still on its way through the pipe


class Load:
    """One load in progress. `run` is awaited once; `cancel` may come at any time.

    `on_loss` is called when a process of the engine was killed, before what is left of it is cleaned up: a GPU's memory
    takes seconds to come back. `run` raises the same error afterwards.
    """

    def __init__(
        self,
        request: LoadRequest,
        *,
        plan: Plan | None,
        notes: tuple[str, ...],
        meter: MemoryMeter,
        family: Family,
        stats: StatsWindow,
        expected: Mapping[Stage, float],
        first_record: int,
        on_change: Callable[[], None],
        first: Stage = Stage.STARTING,
        sleepable: bool = False,
    ) -> None:
        self.request = request
        self.plan = plan
        self.notes = notes
        self._meter = meter
        self._family = family
        self.progress = LoadProgress(expected, first)
        self.began = time.monotonic()
        self.first_record = first_record
        self._oom = OutOfMemoryWatch()
        self._stats = stats
        self._on_change = on_change
        self._sleepable = sleepable
        self._cancelled = asyncio.Event()
        self._page = page_path()
        self._segments: set[str] = set()
        self._seen: dict[int, EngineProcess] = {}
        self._deaths = StartupDeaths()
        self._lost: EngineProcessDied | None = None
        self.on_loss: Callable[[EngineProcessDied], None] | None = None

    @property
    def elapsed_s(self) -> float:
        """Seconds since the load began."""
        return time.monotonic() - self.began

    @property
    def oom_killed(self) -> bool:
        """Whether the system has killed a process for want of memory since the load began."""
        return self._oom.struck

    @property
    def is_cancelled(self) -> bool:
        """Whether the user wants it no more."""
        return self._cancelled.is_set()

    @property
    def is_lost(self) -> bool:
        """Whether a process of it has died, and it only tidies up."""
        return self._lost is not None

    def cancel(self) -> None:
        """Stop: `run` raises Cancelled once nothing is left."""
        self._cancelled.set()

    def feed(self, line: str, monotonic_s: float) -> None:
        """A line of the log came."""
        self._deaths.hear(line)
        if self.progress.feed(line, monotonic_s - self.began):
            self._on_change()

    def enter(self, stage: Stage) -> None:
        """The host itself goes on to `stage`."""
        self.progress.enter(stage, self.elapsed_s)
        self._on_change()

    async def run(self, vllm: Awaitable[tuple[VllmNames, Launcher]]) -> Served:
        """Carry the load out. Raises Cancelled, or what went wrong after everything was cleaned up."""
        try:
            return await self._run(vllm)
        finally:
            self._deaths.stop()

    async def _run(self, vllm: Awaitable[tuple[VllmNames, Launcher]]) -> Served:
        names, launcher = await self._unless_ended(vllm)
        if self.plan is None:
            self.plan = await self._unless_ended(asyncio.to_thread(self._plan, launcher))
        client = await self._start(names, launcher, self.plan)
        run = EngineRun(self.plan, client, self._page, names, self._meter, self._family)
        run.add_scratch(self.progress.scratch_files)
        self._deaths.add(run.processes)
        try:
            self.enter(Stage.FIRST_TOKEN)
            app = await self._unless_ended(run.build_app())
            reference = await self._unless_ended(run.first_token(app))
        except BaseException as error:
            why = await self._cause(error)
            await run.stop()
            if why is not error:
                raise why from error
            raise
        self._stats.reset()
        self.progress.finish(self.elapsed_s)
        facts = engine_facts(self.plan, names, run.processes, self._page, self.progress.memory, self.notes)
        return Served(run, app, facts, reference, vllm_metrics.registered())

    def _plan(self, launcher: Launcher) -> Plan:
        return launcher.plan(self.request, sleepable=self._sleepable)

    async def _unless_ended(self, work: Awaitable[Any]) -> Any:
        """`work`'s result. Raises Cancelled as soon as the user wants that, and EngineProcessDied as soon as the engine
        is lost, whatever becomes of `work`."""
        task = asyncio.ensure_future(work)
        await self._wait_for(task)
        if not task.done():
            # A thread cannot be stopped; what it ends with is nobody's concern any more.
            task.add_done_callback(lambda done: done.cancelled() or done.exception())
            task.cancel()
            if self.is_cancelled:
                raise Cancelled("The load was cancelled.")
            raise self._lose()
        return task.result()

    async def _wait_for(self, work: asyncio.Future[Any]) -> None:
        """Return when `work` is done, the user wants it no more, or the engine is lost."""
        others = [asyncio.ensure_future(each) for each in (self._cancelled.wait(), self._deaths.wait_over())]
        try:
            await asyncio.wait({work, *others}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in others:
                each.cancel()

    async def _start(self, names: VllmNames, launcher: Launcher, plan: Plan) -> Any:
        """Start the engine in a thread of its own, killing its processes when the load is cancelled or one has died."""
        logger = stat_logger_class(names.stat_logger_base, self._stats)
        executor = ThreadPoolExecutor(1, thread_name_prefix="engine-start")
        future = asyncio.get_running_loop().run_in_executor(executor, launcher.start, plan, self._page, logger)
        looking = asyncio.ensure_future(self._look())
        try:
            await self._wait_for(future)
            if not future.done() and not self.is_cancelled:
                self._lose()
            while not future.done():
                # vLLM's call returns with an error as soon as its child is gone; it may still be about to start it.
                kill(await asyncio.to_thread(self._seen_at_last))
                await asyncio.wait({future}, timeout=_KILL_EVERY_S)
            client = future.result()
        except BaseException as error:
            why = await self._cause(error)
            await self._leave_nothing()
            if why is not error:
                raise why from error
            raise
        finally:
            looking.cancel()
            executor.shutdown(wait=False)
        return client

    async def _look(self) -> None:
        """See again and again who belongs to the engine, beside the loop: it reads of every process there is."""
        while True:
            processes = await asyncio.to_thread(self._family.present)
            self._seen |= {process.pid: process for process in processes}
            self._deaths.add(processes)
            self._segments |= await asyncio.to_thread(shared_segments, processes)
            await asyncio.sleep(_LOOK_EVERY_S)

    def _seen_at_last(self) -> tuple[EngineProcess, ...]:
        """Who is to be killed, with the shared memory that they have made since somebody looked."""
        processes = self._family.present()
        self._segments |= shared_segments(processes)
        return processes

    async def _cause(self, error: BaseException) -> BaseException:
        """Why it ended, by all that is known a moment after `error`."""
        if not self.is_cancelled and self._lost is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._deaths.wait_over(), _LAST_WORDS_S)
        if self.is_cancelled:
            return error if isinstance(error, Cancelled) else Cancelled("The load was cancelled.")
        if self._deaths.is_over:
            return self._lose()
        return error

    def _lose(self) -> EngineProcessDied:
        """The engine is lost: tell it, once."""
        if self._lost is None:
            assert self._deaths.death is not None
            self._lost = EngineProcessDied(self._deaths.death)
            if self.on_loss is not None:
                self.on_loss(self._lost)
        return self._lost

    async def _leave_nothing(self) -> None:
        files = [self._page, *(Path(path) for path in self.progress.scratch_files)]
        left = await asyncio.to_thread(clean_up, self._family.present, self._segments, files, self._seen.values())
        if left:
            log.error("Processes that would not end: %s", ", ".join(f"{each.name} {each.pid}" for each in left))
