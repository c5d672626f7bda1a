"""A load process from the outside: start it, hear it, pause, resume and stop it, and leave nothing of it behind."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from typing import TYPE_CHECKING

import msgspec

from engine.bench.messages import (
    Began,
    Command,
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
    from collections.abc import AsyncIterator
    from pathlib import Path

    from engine.bench.workload import Workload

log = logging.getLogger(__name__)

_LONGEST_LINE = 64 * 1024**2
_STDERR_KEPT = 16 * 1024
_STOP_GRACE_S = 6.0

_decoder = msgspec.json.Decoder(Progress | Tick | Finished | Began | Done | Failed)


class LoadProcess:
    """One load process for one run. `close` it always; a second run needs a second object.

    Key and workload go through its standard input, never through its arguments; when this program ends, so does it.
    """

    def __init__(self, target: Target, *, python: str = sys.executable) -> None:
        self._target = target
        self._python = python
        self._process: Process | None = None
        self._errors = b""
        self._reading: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """The process's pid, None before the start."""
        return None if self._process is None else self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.returncode is None

    async def start(self, workload: Workload, *, store: Path | None = None, run_id: str | None = None) -> None:
        """Start sending. With `store` and `run_id` the samples are written there as they come. Raises OSError."""
        self._process = await asyncio.create_subprocess_exec(
            self._python, "-m", "engine.bench.load",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE, start_new_session=True,  # Ctrl+C is its owner's to answer
        )  # fmt: skip
        self._reading = asyncio.create_task(self._read_errors(), name="load process's errors")
        await self._tell(Start(workload, self._target, None if store is None else str(store), run_id))

    async def messages(self) -> AsyncIterator[Message]:
        """Everything it says, to the end: the last one is Done or Failed, also where the process died."""
        process = self._require()
        assert process.stdout is not None
        while line := await process.stdout.readline():
            try:
                message = _decoder.decode(line)
            except msgspec.MsgspecError:
                log.warning("The load process said %r", line[:200])
                continue
            yield message
            if isinstance(message, Done | Failed):
                return
        code = await process.wait()
        if self._reading is not None:
            await self._reading
        tail = self._errors.decode("utf-8", "replace")
        yield Failed("load_died", f"The load process ended with {code}.", "Look at the details, and try again.", tail)

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

    async def _tell(self, command: Command) -> None:
        process = self._require()
        assert process.stdin is not None
        with contextlib.suppress(ConnectionError):  # it has just ended: `messages` says how
            process.stdin.write(msgspec.json.encode(command) + b"\n")
            await process.stdin.drain()

    async def _read_errors(self) -> None:
        process = self._require()
        assert process.stderr is not None
        while piece := await process.stderr.read(4096):
            self._errors = (self._errors + piece)[-_STDERR_KEPT:]

    def _require(self) -> Process:
        if self._process is None:
            raise RuntimeError("the load process was not started")
        return self._process
