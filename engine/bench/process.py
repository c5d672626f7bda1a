"""A load process from the outside: start it, hear it, pause, resume and stop it, and leave nothing of it behind."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from typing import TYPE_CHECKING

import msgspec

from engine.bench.line_process import LineProcess
from engine.bench.messages import (
    Began,
    Done,
    Failed,
    Finished,
    Message,
    Pause,
    Progress,
    Resume,
    Start,
    Stop,
    Target,
    Tick,
)

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from pathlib import Path

    from engine.bench.workload import Workload

log = logging.getLogger(__name__)

_STOP_GRACE_S = 6.0

_decoder = msgspec.json.Decoder(Progress | Tick | Finished | Began | Done | Failed)


class LoadProcess(LineProcess[Message]):
    """One load process for one run. `close` it always; a second run needs a second object.

    Key and workload go through its standard input, never through its arguments; when this program ends, so does it.
    """

    def __init__(self, target: Target, *, python: str = sys.executable) -> None:
        super().__init__("load process", "engine.bench.load", _decoder, (Done, Failed), python)
        self._target = target

    async def start(self, workload: Workload, *, store: Path | None = None, run_id: str | None = None) -> None:
        """Start sending. With `store` and `run_id` the samples are written there as they come. Raises OSError."""
        await self._launch(Start(workload, self._target, None if store is None else str(store), run_id))

    async def pause(self) -> None:
        """Send nothing new for now."""
        await self._tell(Pause())

    async def resume(self) -> None:
        """Go on sending."""
        await self._tell(Resume())

    async def stop(self) -> None:
        """Abort what runs; `messages` then ends with what there is."""
        await self._tell(Stop())

    async def close(self) -> None:
        """End the process, in good order where it can be, and wait for it; harmless when it has ended."""
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()  # to the process this is "stop"
        try:
            async with asyncio.timeout(_STOP_GRACE_S):
                await self._drain(process)
        except TimeoutError:
            log.warning("The load process (pid %d) did not end by itself and is killed.", process.pid)
        finally:
            with contextlib.suppress(ProcessLookupError):
                if process.returncode is None:
                    process.kill()
            await process.wait()
            if self._reading is not None:
                await self._reading

    @staticmethod
    async def _drain(process: Process) -> None:
        """Wait for its end; what it still says has to be read, or it would wait for us."""
        assert process.stdout is not None
        while await process.stdout.read(65536):
            pass
        await process.wait()

    def _died(self, code: str, tail: str) -> Message:
        return Failed("load_died", f"The load process ended with {code}.", "Look at the details, and try again.", tail)
