"""Words and tables ten times a second, each part in a moment of its own between two frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

_EVERY_NS = 100_000_000  # nobody reads faster
_STREAM_NS = 500_000_000  # while pictures come one after the other it is written beside the frames, not in them
_FIRST_MS = 9
_NEXT_MS = 25  # two frames that each have a part to draw instead of one with all of it


class BesideFrames(QObject):
    """Calls `parts` one after the other when pictures have come; all at once for the first after a while."""

    def __init__(self, *parts: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._parts = parts
        self._next = 0
        self._at_ns = 0
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._write)

    def forget(self) -> None:
        """The next picture is written at once."""
        self._at_ns = 0

    def stop(self) -> None:
        """What has not been written yet is left out."""
        self._timer.stop()

    def picture(self, published_ns: int) -> None:
        """A picture of this moment has been drawn."""
        since = abs(published_ns - self._at_ns)
        if since < _EVERY_NS:
            return
        self._at_ns = published_ns
        if since >= _STREAM_NS:
            self.write_all()
        elif not self._timer.isActive():
            self._next = 0
            self._timer.start(_FIRST_MS)

    def write_all(self) -> None:
        """All parts now."""
        self._timer.stop()
        for part in self._parts:
            part()

    def _write(self) -> None:
        self._parts[self._next]()
        self._next += 1
        if self._next < len(self._parts):
            self._timer.start(_NEXT_MS)
