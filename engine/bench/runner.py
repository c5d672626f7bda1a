"""One run from beginning to end: the record, the load process, what the engine said meanwhile, the end."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from typing import TYPE_CHECKING, Any

import msgspec

from engine.bench.database import RunsUnavailable
from engine.bench.messages import Began, Done, Failed
from engine.bench.process import LoadProcess
from engine.bench.result import Annotation, EngineSetup, RunRecord, RunState
from engine.domain.errors import DiskFull, KVDeckError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from engine.bench.messages import Message, Target
    from engine.bench.result import RunResult
    from engine.bench.store import RunStore
    from engine.bench.workload import Workload
    from engine.domain.lifecycle import ParameterValue


_STOP_S = 5.0
_AGAIN_S = 2.0
_LAST_TIMES = 5


class RunFailed(KVDeckError):
    """A load could not be sent at all."""

    kind = "run_failed"


def new_run_id() -> str:
    """A short id that no other run has, in the order of time."""
    return f"{time.strftime('%y%m%d-%H%M%S')}-{secrets.token_hex(3)}"


class Runner:
    """Runs one load at a time. `store` (open) keeps records and samples; None keeps nothing.

    `pause`, `resume`, `stop` and `annotate` act on the present run, from other tasks of the same loop.
    """

    def __init__(self, store: RunStore | None = None) -> None:
        self._store = store
        self._process: LoadProcess | None = None
        self._record: RunRecord | None = None
        self._began: Began | None = None
        self._annotations: list[Annotation] = []
        self._stop_asked = False

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self._process is not None

    @property
    def run_id(self) -> str | None:
        """The present run's id."""
        return None if self._record is None else self._record.id

    async def run(
        self,
        target: Target,
        workload: Workload,
        *,
        setup: EngineSetup | None = None,
        title: str = "",
        origin: str = "run",
        group: str = "",
        tags: Iterable[str] = (),
        on_message: Callable[[Message], None] | None = None,
    ) -> RunRecord:
        """Send the load and return its record with the result (state FINISHED or STOPPED).

        Raises RunFailed where it could not be sent; the record is kept with state FAILED then. Cancelling this task
        stops the load and keeps what there is as STOPPED.
        """
        if self._process is not None:
            raise RunFailed("Another load runs already.", remedy="Stop it first.")
        self._stop_asked = False
        record = RunRecord(
            id=new_run_id(),
            title=title or workload.name or "Load",
            created_unix_s=time.time(),
            workload=workload,
            setup=setup or EngineSetup(),
            url=target.url,
            origin=origin,
            group=group,
            tags=tuple(tags),
        )
        await self._keep(record)
        self._record, self._began, self._annotations = record, None, []
        self._process = LoadProcess(target)
        try:
            return await self._carry_out(self._process, record, on_message)
        finally:
            process, self._process, self._record = self._process, None, None
            await _to_the_end(process.close())

    async def pause(self) -> None:
        """Send nothing new for now; harmless when nothing runs."""
        if self._process is not None and self._process.running:
            await self._process.pause()

    async def resume(self) -> None:
        """Go on sending; harmless when nothing runs."""
        if self._process is not None and self._process.running:
            await self._process.resume()

    async def stop(self) -> None:
        """Abort the present run, also one that has not begun to send; `run` returns with what there is."""
        self._stop_asked = True
        if self._process is not None and self._process.running:
            await self._process.stop()

    async def annotate(self, text: str, values: dict[str, ParameterValue] | None = None) -> Annotation | None:
        """Note that something was changed now; None when no run's clock goes."""
        if self._began is None or self._record is None:
            return None
        at_s = (time.monotonic_ns() - self._began.origin_monotonic_ns) / 1e9
        note = Annotation(at_s, text, values or {})
        self._annotations.append(note)
        if self._store is not None:
            await asyncio.to_thread(self._store.annotate, self._record.id, note)
        return note

    async def _carry_out(
        self, process: LoadProcess, record: RunRecord, on_message: Callable[[Message], None] | None
    ) -> RunRecord:
        path = None if self._store is None else self._store.path
        try:
            await process.start(record.workload, store=path, run_id=None if path is None else record.id)
        except OSError as error:
            await self._finish(record, RunState.FAILED, None, str(error))
            raise RunFailed(f"The load process cannot be started: {error}.", remedy="See the log.") from error
        if self._stop_asked:  # before there was anybody to tell
            await process.stop()
        hearing = asyncio.create_task(self._hear(process, on_message), name="messages of the load")
        try:
            last = await asyncio.shield(hearing)
        except asyncio.CancelledError:
            await _to_the_end(self._cut_short(process, record, hearing))
            raise
        return await self._end(record, last)

    async def _hear(self, process: LoadProcess, on_message: Callable[[Message], None] | None) -> Message:
        """Pass every message on; the last one."""
        last: Message = Failed("load_died", "The load process said nothing.")
        async for message in process.messages():
            last = message
            if isinstance(message, Began):
                self._began = message
            if on_message is not None:
                on_message(message)
        return last

    async def _cut_short(self, process: LoadProcess, record: RunRecord, hearing: asyncio.Task[Message]) -> None:
        """Stop a load whose owner was cancelled, and keep what there is."""
        await process.stop()
        await asyncio.wait({hearing}, timeout=_STOP_S)
        if not hearing.done():
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)
        failed = hearing.cancelled() or hearing.exception() is not None
        last = None if failed else hearing.result()
        await self._finish(record, RunState.STOPPED, last.result if isinstance(last, Done) else None, "")

    async def _end(self, record: RunRecord, last: Message) -> RunRecord:
        if not isinstance(last, Done):
            assert isinstance(last, Failed)
            await self._finish(record, RunState.FAILED, None, last.message)
            raise RunFailed(last.message, remedy=last.remedy, details=last.details)
        state = RunState.STOPPED if last.result.stopped else RunState.FINISHED
        await self._finish(record, state, last.result, "")
        if self._store is not None:
            return await asyncio.to_thread(self._store.run, record.id)
        return msgspec.structs.replace(record, state=state, result=last.result, annotations=tuple(self._annotations))

    async def _keep(self, record: RunRecord) -> None:
        if self._store is not None:
            await asyncio.to_thread(self._store.save, record)

    async def _finish(self, record: RunRecord, state: RunState, result: RunResult | None, error: str) -> None:
        """Write how it ended; a file that is held or full for a moment must not cost the figures."""
        if self._store is None:
            return
        for _ in range(_LAST_TIMES - 1):
            try:
                await asyncio.to_thread(self._store.finish, record.id, state, result, error)
            except (RunsUnavailable, DiskFull):
                await asyncio.sleep(_AGAIN_S)
            else:
                return
        await asyncio.to_thread(self._store.finish, record.id, state, result, error)


async def _to_the_end(work: Coroutine[Any, Any, None]) -> None:
    """Wait for `work` even while this task is being cancelled."""
    task = asyncio.create_task(work)
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(task)
    task.result()
