"""Ends the host and the engine when the process that started the host is gone, however it died."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import threading
from typing import TYPE_CHECKING

from engine.domain.lifecycle import EngineProcess
from engine.host.processes import engine_processes, is_alive, kill
from engine.page.liveness import start_ticks, wait_for_end

if TYPE_CHECKING:
    from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


class ParentWatch:
    """A thread that waits for the parent's death, then ends every engine process and this one within milliseconds.

    `clean_up` removes what must not stay behind (the page, the address file); it runs before the exit. The parent is
    known by pid and start time, so that a reused pid does not pass for it. The kernel's parent-death signal only wakes
    the same check: it also comes when the thread that started us ends, which means nothing.
    """

    def __init__(self, parent_pid: int, clean_up: Callable[[], None]) -> None:
        ticks = start_ticks(parent_pid)
        self._parent = EngineProcess(parent_pid, "parent", ticks if ticks is not None else -1)
        self._clean_up = clean_up

    def start(self) -> None:
        """Begin to watch. A parent that is already gone ends this process at once."""
        signal.signal(signal.SIGUSR2, lambda _number, _frame: self._check())
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGUSR2, 0, 0, 0)
        threading.Thread(target=self._watch, name="parent-watch", daemon=True).start()

    def _check(self) -> None:
        if not is_alive(self._parent):
            self._end()

    def _watch(self) -> None:
        wait_for_end(self._parent.pid, self._parent.start_ticks)
        self._end()

    def _end(self) -> None:
        kill(engine_processes())
        with contextlib.suppress(Exception):
            self._clean_up()
        # Engine processes that were starting just now: their own watcher also ends them, this is for haste.
        kill(engine_processes())
        os._exit(0)
