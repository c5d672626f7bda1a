"""Keeps Python's garbage collector from stalling the window.

A full collection looks at every object of the program: with the window's modules and widgets that is 75 ms on a slow
core, in which nothing is drawn. What was there when the window was filled stays until the end anyway, so it is set
aside. What comes later and grows old (16,000 requests of a timeline) would be looked at again and again while they
stream by, 20 ms each time; that is done when no picture has come for a while, or once in ten minutes. Young objects are
collected as ever, in less than a millisecond.
"""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from app.bridge.store import Store

_YOUNG = 2_000  # new objects: a picture of 512 requests has half of them
_MIDDLE = 10
_NEVER = 1_000_000
_LOOK_MS = 5_000
_REST_S = 4.0
_LONGEST_S = 600.0


def set_aside() -> None:
    """Do not look at what exists now any more. Takes no time; harmless when done again."""
    gc.freeze()


def take_back() -> None:
    """Look at everything again (the window's end: what it held shall be collected)."""
    gc.unfreeze()


class OldObjects(QObject):
    """From its construction to `release` old objects are collected when the window rests."""

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._before = gc.get_threshold()
        gc.set_threshold(_YOUNG, _MIDDLE, _NEVER)
        self._pictured_s = self._collected_s = time.monotonic()
        store.cache_changed.connect(self._note)
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        """Collect if there is anything to look at and the window rests, or has not rested for long."""
        now_s = time.monotonic()
        rests = now_s - self._pictured_s > _REST_S
        if gc.get_count()[2] and (rests or now_s - self._collected_s > _LONGEST_S):
            self._collected_s = now_s
            gc.collect()

    def release(self) -> None:
        """Leave the collector as it was."""
        self._timer.stop()
        gc.set_threshold(*self._before)

    def _note(self, _snapshot: object) -> None:
        self._pictured_s = time.monotonic()
