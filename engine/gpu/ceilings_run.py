"""Measures a device's ceilings for a window: a program of its own, since it needs torch, followed from here."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from typing import TYPE_CHECKING, Any

from engine.domain.child_program import ChildProgram, Ending, hand_over
from engine.domain.errors import EngineBusy, KVDeckError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_KILL_AFTER_S = 5.0
_AGAIN = "Measure again."


class MeasureFailed(KVDeckError):
    """The measurement ended without a result."""

    kind = "measure_failed"


class CeilingsRun:
    """One measurement at a time; `python` is the interpreter of the environment that has torch."""

    def __init__(self, python: str = sys.executable) -> None:
        self._python = python
        self._program: ChildProgram | None = None
        self._cancelled = False

    @property
    def running(self) -> bool:
        """Whether a measurement is running."""
        return self._program is not None

    async def run(self, device: str, *, disturbed: bool = False) -> AsyncIterator[tuple[float, str]]:
        """Measure "cpu" or the GPU of this UUID; yields progress (0 to 1) and what is being measured.

        The result is then in the CeilingsFolder. A cancelled one ends without a word, as closing the iterator does.
        Raises EngineBusy while another runs, MeasureFailed with the program's own words.
        """
        if self._program is not None:
            raise EngineBusy("The limits are being measured already.", remedy="Wait for it, or cancel it.")
        lines: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._cancelled = False
        self._start(device, lines, asyncio.get_running_loop(), disturbed=disturbed)
        fault: dict[str, Any] = {}
        ended = False
        try:
            while (line := await lines.get()) is not None:
                if line["event"] == "progress":
                    yield float(line["progress"]), str(line["step"])
                elif line["event"] in ("error", "ended"):
                    fault = fault or line
            ended = True
        finally:
            self.cancel()
            while not ended:
                ended = await lines.get() is None
            self._program = None
        if fault and not self._cancelled:
            raise MeasureFailed(str(fault["message"]), remedy=str(fault["remedy"]))

    def cancel(self) -> None:
        """Stop a running measurement and return at once; what was measured before stays."""
        if self._program is not None and self._program.terminate(_KILL_AFTER_S):
            self._cancelled = True

    def _start(
        self,
        device: str,
        lines: asyncio.Queue[dict[str, Any] | None],
        loop: asyncio.AbstractEventLoop,
        *,
        disturbed: bool,
    ) -> None:
        def take(text: bytes) -> None:
            with contextlib.suppress(ValueError):  # a library's own print is none of ours
                line = json.loads(text)
                if isinstance(line, dict) and "event" in line:
                    hand_over(loop, lines.put_nowait, line)

        def end(ending: Ending) -> None:
            if ending.code:
                words = {"event": "ended", "message": ending.cause("The measurement"), "remedy": _AGAIN}
                hand_over(loop, lines.put_nowait, words)
            hand_over(loop, lines.put_nowait, None)

        arguments = ["engine.ceilings", "--json", "--parent-pid", str(os.getpid()), "--device", device]
        arguments += ["--disturbed"] if disturbed else []
        self._program = ChildProgram("ceilings", arguments, take, end, python=self._python)
        self._program.follow()
