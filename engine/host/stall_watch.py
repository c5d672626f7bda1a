"""Says in the log what held the host's event loop up: by the time that anybody looks, the moment is gone."""

from __future__ import annotations

import logging
import sys
import threading
import time
import traceback

log = logging.getLogger(__name__)

_STALL_S = 3.0
_STACK_LINES = 12


class StallWatch:
    """A thread of its own looks whether the loop still moves, which says so by `moved`; cheap as long as it does.

    Make it in the thread of the loop. A loop that is held up by what keeps Python's lock for itself is told of when
    that lets go.
    """

    def __init__(self, stall_s: float = _STALL_S) -> None:
        self._stall_s = stall_s
        self._loop_thread = threading.get_ident()
        self._moved_s = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="stall watch", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._moved_s = time.monotonic()
        self._thread.start()

    def moved(self) -> None:
        """The loop goes round."""
        self._moved_s = time.monotonic()

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
        frame = sys._current_frames().get(self._loop_thread)  # noqa: SLF001 - the documented way to see a thread
        stack = "".join(traceback.format_stack(frame)[-_STACK_LINES:]) if frame is not None else "(it is gone)"
        log.warning("The host's event loop has stood still for %.1f s. Its thread is at:\n%s", stalled_s, stack)
