"""A child process that is told things in JSON lines and says things in JSON lines."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncGenerator

log = logging.getLogger(__name__)

_LONGEST_LINE = 64 * 1024**2
_STDERR_KEPT = 16 * 1024

_Message = TypeVar("_Message")


class LineProcess(Generic[_Message]):
    """One process for one job: a second job needs a second object.

    What it is told goes through its standard input, never through its arguments. `name` is what logs call it, `module`
    what it runs, `decoder` reads its lines, `last` are the messages after which it says nothing more.
    """

    def __init__(
        self, name: str, module: str, decoder: msgspec.json.Decoder[_Message], last: tuple[type, ...], python: str
    ) -> None:
        self._name = name
        self._module = module
        self._decoder = decoder
        self._last = last
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

    async def _launch(self, first: object) -> None:
        """Start it and tell it the first thing. Raises OSError."""
        self._process = await asyncio.create_subprocess_exec(
            self._python, "-m", self._module,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            limit=_LONGEST_LINE, start_new_session=True,  # Ctrl+C is its owner's to answer
        )  # fmt: skip
        self._reading = asyncio.create_task(self._read_errors(), name=f"{self._name}'s errors")
        await self._tell(first)

    async def messages(self) -> AsyncGenerator[_Message, None]:
        """Everything it says, to the end: the last one is one of `last`, also where the process died."""
        process = self._require()
        assert process.stdout is not None
        while line := await process.stdout.readline():
            try:
                message = self._decoder.decode(line)
            except msgspec.MsgspecError:
                log.warning("The %s said %r", self._name, line[:200])
                continue
            yield message
            if isinstance(message, self._last):
                return
        code = await process.wait()
        if self._reading is not None:
            await self._reading
        told = signal.Signals(-code).name if code < 0 else str(code)
        yield self._died(told, self._errors.decode("utf-8", "replace"))

    def _died(self, code: str, tail: str) -> _Message:
        """What stands for a last message that never came; `code` is the exit code or the signal's name, `tail` the end
        of the standard error."""
        raise NotImplementedError

    async def _tell(self, what: object) -> None:
        process = self._require()
        assert process.stdin is not None
        with contextlib.suppress(ConnectionError):  # it has just ended: what it said last says how
            process.stdin.write(msgspec.json.encode(what) + b"\n")
            await process.stdin.drain()

    async def _read_errors(self) -> None:
        process = self._require()
        assert process.stderr is not None
        while piece := await process.stderr.read(4096):
            self._errors = (self._errors + piece)[-_STDERR_KEPT:]

    def _require(self) -> Process:
        if self._process is None:
            raise RuntimeError(f"the {self._name} was not started")
        return self._process
