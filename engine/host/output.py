"""What this process and its children print: file descriptors 1 and 2, line by line, into the journal.

The cause of a failed load is only in the output of vLLM's child processes, which inherit the descriptors. So they are
replaced before vLLM is imported.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_CHUNK = 65536
_PIPE_SAFE = 4096  # a pipe that polls writable takes this much without blocking
_IDLE_S = 0.2
_LINE_END = re.compile(r"[\r\n]+")
_LATE_PREFIX = re.compile(r"(?<=.)(?=\((?:EngineCore|Worker|VllmWorker|APIServer)[\w-]* pid=\d+\) )")
_LONGEST_LINE = 65536


class OutputCapture:
    """Reads everything written to stdout and stderr in a thread, and passes it on to where they led before."""

    def __init__(self, write_line: Callable[[str], None]) -> None:
        self._write_line = write_line
        self._saved: tuple[int, int] | None = None
        self._read_end = -1
        self._stop_read, self._stop_write = -1, -1
        self._thread: threading.Thread | None = None
        self._rest = ""

    def start(self) -> None:
        """Replace the descriptors. Call before anything that prints or starts processes."""
        sys.stdout.flush()
        sys.stderr.flush()
        self._saved = (os.dup(1), os.dup(2))
        self._read_end, write_end = os.pipe()
        self._stop_read, self._stop_write = os.pipe()
        os.dup2(write_end, 1)
        os.dup2(write_end, 2)
        os.close(write_end)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(AttributeError):
                stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        self._thread = threading.Thread(target=self._read, name="output-capture", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Give the descriptors back and drain what is left. Harmless when called twice."""
        if self._saved is None or self._thread is None:
            return
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(self._saved[0], 1)
        os.dup2(self._saved[1], 2)
        os.write(self._stop_write, b"x")
        self._thread.join(timeout=2.0)
        for descriptor in (*self._saved, self._stop_write, self._stop_read, self._read_end):
            os.close(descriptor)
        self._saved = None

    def _read(self) -> None:
        stopping = False
        while True:
            wait = 0.0 if stopping else (_IDLE_S if self._rest else None)
            ready, _, _ = select.select([self._read_end, self._stop_read], [], [], wait)
            if self._read_end in ready:
                data = os.read(self._read_end, _CHUNK)
                if not data:
                    break
                self._pass_on(data)
                self._split(data)
                continue
            if stopping:
                break
            stopping = self._stop_read in ready
            # A progress bar ends its line only with its next redraw: show what stands there.
            self._flush()
        self._flush()

    def _split(self, data: bytes) -> None:
        text = self._rest + data.decode("utf-8", errors="replace")
        *lines, self._rest = _LINE_END.split(text)
        for line in lines:
            self._emit(line)
        if len(self._rest) > _LONGEST_LINE:
            self._flush()

    def _flush(self) -> None:
        line, self._rest = self._rest, ""
        self._emit(line)

    def _emit(self, line: str) -> None:
        # An unfinished progress bar and another process's line can share one physical line.
        for part in _LATE_PREFIX.split(line):
            if part:
                self._write_line(part)

    def _pass_on(self, data: bytes) -> None:
        """Copy to the original stderr, but never wait for a reader there: the engine would stand still."""
        if self._saved is None:
            return
        target = self._saved[1]
        with contextlib.suppress(OSError):
            for start in range(0, len(data), _PIPE_SAFE):
                if not select.select([], [target], [], 0)[1]:
                    return
                os.write(target, data[start : start + _PIPE_SAFE])
