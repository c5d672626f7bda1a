"""Collects what is left of processes that the host has adopted: the last trace of a worker that nobody saw."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import time
from typing import TYPE_CHECKING

from engine.host.processes import children_of
from engine.page import liveness

if TYPE_CHECKING:
    from collections.abc import Callable

_EVERY_S = 10.0
_PATIENCE_S = 30.0


class AdoptedReaper:
    """An engine's grandchildren fall to the host when their parent dies. One that ends before it was in any list (a
    worker that was just starting, Python's resource tracker, a compiler) would stay a zombie as long as the host lives.

    The system does not tell an adopted child from one of the host's own, whose status belongs to whoever started it.
    multiprocessing's are known. Everybody else here waits for the child and collects it at once, so what has been a
    zombie for half a minute has nobody who asks for it.
    """

    def __init__(self, patience_s: float = _PATIENCE_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience_s = patience_s
        self._clock = clock
        self._since: dict[tuple[int, int], float] = {}
        self._task: asyncio.Future[None] | None = None

    def start(self) -> None:
        """Look now and then, on the running loop."""
        self._task = asyncio.ensure_future(self._look())

    def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()

    def _is_any(self) -> bool:
        """Whether any child has ended and was not collected: one question to the system, where a sweep reads of every
        process there is."""
        try:
            return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return False

    def sweep(self) -> tuple[int, ...]:
        """Collect those that nobody else has for long enough; returns their pids. Takes milliseconds."""
        now, own = self._clock(), {child.pid for child in multiprocessing.active_children()}
        zombies = {
            (pid, int(fields[19]))
            for pid in children_of(os.getpid())
            if pid not in own and (fields := liveness.stat_fields(pid)) and fields[0] == "Z"
        }
        self._since = {each: self._since.get(each, now) for each in zombies}
        due = [pid for (pid, _), since in self._since.items() if now - since >= self._patience_s]
        for pid in due:
            with contextlib.suppress(ChildProcessError):  # its owner came after all
                os.waitpid(pid, os.WNOHANG)
        return tuple(due)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(_EVERY_S)
            if self._is_any():
                await asyncio.to_thread(self.sweep)
