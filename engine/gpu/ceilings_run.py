"""Measures a device's ceilings for a window: a program of its own, since it needs torch, followed from here."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.domain.errors import EngineBusy, KVDeckError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_PROJECT = Path(__file__).resolve().parents[2]
_KILL_AFTER_S = 5.0
_AGAIN = "Measure again."


class MeasureFailed(KVDeckError):
    """The measurement ended without a result."""

    kind = "measure_failed"


class CeilingsRun:
    """One measurement at a time; `python` is the interpreter of the environment that has torch."""

    def __init__(self, python: str = sys.executable) -> None:
        self._python = python
        self._process: subprocess.Popen[str] | None = None
        self._cancelled = False

    @property
    def running(self) -> bool:
        """Whether a measurement is running."""
        return self._process is not None

    async def run(self, device: str, *, disturbed: bool = False) -> AsyncIterator[tuple[float, str]]:
        """Measure "cpu" or the GPU of this UUID; yields progress (0 to 1) and what is being measured.

        The result is then in the CeilingsFolder. A cancelled one ends without a word, as closing the iterator does.
        Raises EngineBusy while another runs, MeasureFailed with the program's own words.
        """
        if self._process is not None:
            raise EngineBusy("The limits are being measured already.", remedy="Wait for it, or cancel it.")
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._cancelled = False
        process = self._process = self._start(device, disturbed=disturbed)
        threading.Thread(target=_follow, args=(process, loop, lines), name="ceilings", daemon=True).start()
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
            self._process = None
        if fault and not self._cancelled:
            raise MeasureFailed(str(fault["message"]), remedy=str(fault["remedy"]))

    def cancel(self) -> None:
        """Stop a running measurement and return at once; what was measured before stays."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        self._cancelled = True
        process.terminate()
        threading.Thread(target=_kill_in_time, args=(process,), name="ceilings-kill", daemon=True).start()

    def _start(self, device: str, *, disturbed: bool) -> subprocess.Popen[str]:
        command = [self._python, "-m", "engine.ceilings", "--json", "--parent-pid", str(os.getpid())]
        command += ["--device", device] + (["--disturbed"] if disturbed else [])
        path = os.pathsep.join(part for part in (str(_PROJECT), os.environ.get("PYTHONPATH")) if part)
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=os.environ | {"PYTHONPATH": path},
            start_new_session=True,
        )


def _follow(
    process: subprocess.Popen[str], loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[dict[str, Any] | None]
) -> None:
    """Hand over the lines as they come; None after the last. torch writes little to stderr: it is read last."""

    def hand_over(line: dict[str, Any] | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody listens any more
            loop.call_soon_threadsafe(lines.put_nowait, line)

    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout as output, process.stderr as errors:
        for text in output:
            with contextlib.suppress(ValueError):  # a library's own print is none of ours
                line = json.loads(text)
                if isinstance(line, dict) and "event" in line:
                    hand_over(line)
        last = [line.strip() for line in errors if line.strip()][-1:]
    code = process.wait()
    if code:
        hand_over({"event": "ended", "message": _cause(code, last), "remedy": _AGAIN})
    hand_over(None)


def _cause(code: int, last: list[str]) -> str:
    if last and last[0].startswith("ModuleNotFoundError"):
        return f"Measuring needs a Python package that is not installed: {last[0].partition(':')[2].strip()}."
    if code < 0:
        return f"The measurement was ended by signal {-code}, perhaps because memory ran out."
    return f"The measurement ended with code {code}{': ' + last[0] if last else ''}."


def _kill_in_time(process: subprocess.Popen[str]) -> None:
    try:
        process.wait(_KILL_AFTER_S)
    except subprocess.TimeoutExpired:
        process.kill()
