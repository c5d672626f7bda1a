"""A lab process from the outside: start a job, hear it, cancel it, and leave nothing of it behind."""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import TYPE_CHECKING, Any

import msgspec

from engine.bench.line_process import LineProcess
from engine.tuner.jobs import new_job_id
from engine.tuner.messages import Begin, Broken, Cancel, Ended, Message

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from pathlib import Path

    from engine.tuner.spec import Spec

log = logging.getLogger(__name__)

CANCELLED_EARLY = "cancelled_early"  # a kind of `Broken`: nothing is broken, nothing had begun
_CLOSE_GRACE_S = 20.0  # it has to end a load and put the setting back; a reload takes longer, and goes on without us

_decoder = msgspec.json.Decoder(Message)


class LabProcess(LineProcess[Message]):
    """One lab process for one job. `close` it always; a second job needs a second object.

    `store` is the runs file, `jobs` the folder of the jobs. Key and spec go through the process's standard input. When
    this program ends, the process puts back what was in force and ends, too; its job can then be resumed.
    """

    def __init__(self, url: str, token: str, *, store: Path, jobs: Path, python: str = sys.executable) -> None:
        super().__init__("lab process", "engine.tuner.program", _decoder, (Ended, Broken), python)
        self._url = url
        self._token = token
        self._store = store
        self._jobs = jobs
        self._left = False

    async def start(self, spec: Spec) -> str:
        """Begin a job and return its id. Raises OSError; what is wrong with the spec comes as Broken."""
        job_id = new_job_id()
        await self._begin(job_id, spec)
        return job_id

    async def resume(self, job_id: str) -> None:
        """Go on with a job that was cut short. Raises OSError."""
        await self._begin(job_id, None)

    async def cancel(self) -> None:
        """End early; `messages` then ends with what there is, once what was in force before is again."""
        await self._tell(Cancel())

    async def close(self) -> None:
        """Ask it to end and wait for it; harmless when it has ended.

        It first puts back what was in force. Where that takes longer than 20 s (a reload does), or this task is
        cancelled, it is left to finish that by itself: killing it would leave the engine as the trial had it.
        """
        process = self._process
        if process is None or self._left:
            return
        if process.stdin is not None:
            process.stdin.close()  # to the process this is "cancel"
        try:
            # What it still says is for whoever hears its messages; where nobody does, there is room for it (64 MiB).
            async with asyncio.timeout(_CLOSE_GRACE_S):
                await process.wait()
            if self._reading is not None:
                await self._reading
        except (TimeoutError, asyncio.CancelledError) as error:
            log.warning("The lab process (pid %d) still puts back what was in force, and ends then.", process.pid)
            self._let_go(process)
            if isinstance(error, asyncio.CancelledError):
                raise

    async def _begin(self, job_id: str, spec: Spec | None) -> None:
        await self._launch(Begin(self._url, self._token, str(self._store), str(self._jobs), job_id, spec))

    def _let_go(self, process: Process) -> None:
        """Leave the process to itself: asyncio would kill it together with its transport."""
        self._left = True
        if self._reading is not None:
            self._reading.cancel()
        transport: Any = process._transport  # type: ignore[attr-defined]  # noqa: SLF001 - there is no other way
        if transport._proc is not None:  # noqa: SLF001
            transport._proc.kill = _leave_alone  # noqa: SLF001
        transport.close()

    def _died(self, code: str, tail: str) -> Message:
        if code == "0":
            return Broken(CANCELLED_EARLY, "It was cancelled before anything was changed.", "Start it again.")
        log.warning("The lab process's last words: %s", tail)
        return Broken("lab_died", f"The lab process ended with {code}.", "Resume it, or look at the log.")


def _leave_alone() -> None:
    """In place of a kill."""
