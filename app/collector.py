"""Python's garbage is collected on the window's thread alone, and does not stall it.

Left to itself Python collects in whatever thread allocates just then. What a cycle held of Qt is then destroyed beside
the thread that it belongs to: a timer, a menu or an animation that the hardware sampler's thread collects takes the
window with it. So automatic collection is off from the program's first object of Qt to its end, and this object does it
in its stead, by the same counts.

A full collection looks at every object of the program: with the window's modules and widgets that is 75 ms on a slow
core, in which nothing is drawn. What was there when the window was filled stays until the end anyway, so it is set
aside. What comes later and grows old (16,000 requests of a timeline) would be looked at again and again while they
stream by, 20 ms each time; that is done when no picture has come for a while, or once in ten minutes. Young objects are
collected in less than a millisecond.
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
_SOON_MS = 20  # while pictures come: by the thousand a frame
_LATER_MS = 100
_OLD_S = 5.0
_REST_S = 4.0
_LONGEST_S = 600.0


def set_aside() -> None:
    """Do not look at what exists now any more. Takes no time; harmless when done again."""
    gc.freeze()


def take_back() -> None:
    """Look at everything again (the window's end: what it held shall be collected)."""
    gc.unfreeze()


class Collector(QObject):
    """From its construction on nothing is collected but on this thread, old objects only when the window rests.

    A thread that makes garbage while this one is busy keeps it until this one is not. After `release` no thread
    collects any more: those that end with the program would do it beside this one.
    """

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._filled = False
        self._pictured_s = self._collected_s = time.monotonic()
        store.cache_changed.connect(self._note)
        self._timer = QTimer(self, interval=_SOON_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        """Collect what has become enough: old objects if the window rests, or has not rested for long."""
        young, middle, old = gc.get_count()
        now_s = time.monotonic()
        rests = now_s - self._pictured_s > _REST_S
        waited_s = now_s - self._collected_s
        if old and waited_s > (_OLD_S if rests and self._is_filled() else _LONGEST_S):
            gc.collect()
            self._collected_s = time.monotonic()
        elif middle >= _MIDDLE:
            gc.collect(1)
        elif young >= _YOUNG:
            gc.collect(0)
        pace_ms = _LATER_MS if rests and young < _YOUNG else _SOON_MS
        if self._timer.interval() != pace_ms:
            self._timer.setInterval(pace_ms)

    def release(self) -> None:
        """Collect no more by itself."""
        self._timer.stop()

    def _is_filled(self) -> bool:
        """Whether what the window begins with is set aside. Asked until it is: Python counts one by one (15 ms)."""
        self._filled = self._filled or gc.get_freeze_count() > 0
        return self._filled

    def _note(self, _snapshot: object) -> None:
        self._pictured_s = time.monotonic()
