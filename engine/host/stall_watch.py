"""Says in the log what held the host's event loop up: by the time that anybody looks, the moment is gone."""

from __future__ import annotations

import logging
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

log = logging.getLogger(__name__)

_STALL_S = 3.0
_STACK_LINES = 12
_OTHERS_SHOWN = 30


class StallWatch:
    """A thread of its own looks whether the loop still moves, which says so by `moved`; cheap as long as it does.

    Make it in the thread of the loop. A loop that is held up by what keeps Python's lock for itself is told of when
    that lets go. Processor time tells a loop that works from one that waits, the other threads whom for. While `serves`
    answers no, nobody waits for the loop: vLLM is imported, or a new engine's start-up objects are looked through.
    """

    def __init__(self, stall_s: float = _STALL_S, serves: Callable[[], bool] = lambda: True) -> None:
        self._stall_s = stall_s
        self._serves = serves
        self._loop_thread = threading.get_ident()
        self._clock = time.pthread_getcpuclockid(self._loop_thread)
        self._moved_s, self._ran_s = time.monotonic(), 0.0
        self._told = False
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="stall watch", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._moved_s, self._ran_s = time.monotonic(), time.thread_time()
        self._thread.start()

    def moved(self) -> None:
        """The loop goes round. Call it in its thread."""
        now = time.monotonic()
        if self._told:
            self._told = False
            log.info("The host's event loop goes on after %.1f s", now - self._moved_s)
        self._moved_s, self._ran_s = now, time.thread_time()

    def stop(self) -> None:
        """Look no more, and wait for the thread."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        told_s: float | None = None
        while not self._ended.wait(self._stall_s / 4):
            moved_s = self._moved_s
            if time.monotonic() - moved_s > self._stall_s and moved_s != told_s:
                told_s = moved_s
                self._tell(time.monotonic() - moved_s)

    def _tell(self, stalled_s: float) -> None:
        self._told = True
        ran_s = time.clock_gettime(self._clock) - self._ran_s
        frames = sys._current_frames()  # noqa: SLF001 - the documented way to see a thread
        frame = frames.pop(self._loop_thread, None)
        stack = "".join(traceback.format_stack(frame)[-_STACK_LINES:]) if frame is not None else "(it is gone)"
        log.log(
            logging.WARNING if self._serves() else logging.INFO,
            "The host's event loop has stood still for %.1f s, %.1f of them on a core. Its thread is at:\n%s"
            "Other threads: %s",
            stalled_s,
            ran_s,
            stack,
            "; ".join(self._others(frames)),
        )

    @staticmethod
    def _others(frames: dict[int, FrameType]) -> list[str]:
        """Where the other threads are, in a few words each."""
        names = {thread.ident: thread.name for thread in threading.enumerate()}
        here = threading.get_ident()
        return [
            f"{names.get(ident, ident)} in {frame.f_code.co_qualname} "
            f"({Path(frame.f_code.co_filename).name}:{frame.f_lineno})"
            for ident, frame in frames.items()
            if ident != here
        ][:_OTHERS_SHOWN]
