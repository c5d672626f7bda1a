"""What every job works with."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.domain.errors import KVDeckError
from engine.tuner.jobs import Found
from engine.tuner.messages import Measuring, Update
from engine.tuner.restore import found_in, put_back
from engine.tuner.saying import saying

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Literal

    from engine.bench.messages import Message as LoadMessage
    from engine.bench.store import RunStore
    from engine.client.engine import EngineClient
    from engine.tuner.jobs import JobFile
    from engine.tuner.messages import Message
    from engine.tuner.saying import Saying


class JobBroken(KVDeckError):
    """A job that cannot go on. `restored` says whether what was in force before is again."""

    kind = "job_broken"

    def __init__(self, cause: KVDeckError, *, restored: bool) -> None:
        super().__init__(cause.message, remedy=cause.remedy)
        self.cause = cause
        self.restored = restored


@dataclass(slots=True)
class JobContext:
    """The engine, the runs, the job's file, and who is told. `by` names the job in the engine's notes of changes."""

    engine: EngineClient
    store: RunStore
    file: JobFile
    job_id: str
    by: str
    say: Callable[[Message], None]
    began: float = field(default_factory=time.monotonic)
    before: Found = field(default_factory=Found)

    @property
    def elapsed_s(self) -> float:
        """Seconds since the job began (or was resumed)."""
        return time.monotonic() - self.began

    def hear(self, run_id: str, message: LoadMessage) -> None:
        """What the load says, passed on."""
        self.say(Measuring(run_id, message))

    def update(
        self,
        step: Literal["preparing", "loading", "applying", "measuring", "confirming", "scoring", "restoring"],
        said: Saying,
        *,
        done: int,
        total: int | None = None,
        left_s: float | None = None,
        best: tuple[int, float] | None = None,
    ) -> None:
        """Say where the job stands."""
        self.say(
            Update(
                step=step,
                saying=said,
                done=done,
                total=total,
                elapsed_s=self.elapsed_s,
                share=None if not total else min(1.0, done / total),
                left_s=left_s,
                best=None if best is None else best[0],
                best_score=None if best is None else best[1],
            )
        )

    async def remember_before(self) -> None:
        """Note what is there before anything changes; a resumed job knows it from its file."""
        past = self.file.past.before
        if past is not None:
            self.before = past
            return
        self.before = found_in(await self.engine.status())
        await asyncio.to_thread(self.file.add, self.before)

    async def carry_out(self, work: Coroutine[object, object, None], *, done: Callable[[], int]) -> tuple[bool, bool]:
        """Do the work, then put back what was there, whatever happened: (cancelled, restored).

        Cancelling this task ends the work early; it then still comes back in good order. Raises JobBroken.
        """
        cancelled = False
        failure: Exception | None = None
        try:
            await work
        except asyncio.CancelledError:
            cancelled = True
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
        except Exception as error:  # noqa: BLE001 - raised again below, once what was there is there again
            failure = error
        self.update("restoring", saying("restoring"), done=done())
        restored = await _to_the_end(put_back(self.engine, self.before, self.by))
        if isinstance(failure, KVDeckError):
            raise JobBroken(failure, restored=restored)
        if failure is not None:
            raise failure
        return cancelled, restored


async def _to_the_end(work: Coroutine[object, object, bool]) -> bool:
    """Wait for `work` even while this task is being cancelled again."""
    task = asyncio.ensure_future(work)
    while not task.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.shield(task)
    return task.result()
