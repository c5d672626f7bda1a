"""Words and tables ten times a second, each part in a frame of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.bridge.frame_pace import FramePace

_EVERY_NS = 100_000_000  # nobody reads faster
_STREAM_NS = 500_000_000  # while pictures come one after the other it is written beside the frames, not in them


class BesideFrames:
    """Has `pace` call `parts` when pictures have come; all at once for the first after a while."""

    def __init__(self, pace: FramePace, *parts: Callable[[], None]) -> None:
        self._pace, self._parts = pace, parts
        self._at_ns = 0

    def forget(self) -> None:
        """The next picture is written at once."""
        self._at_ns = 0

    def stop(self) -> None:
        """What has not been written yet is left out."""
        for part in self._parts:
            self._pace.forget(part)

    def picture(self, published_ns: int) -> None:
        """A picture of this moment has been drawn."""
        since = abs(published_ns - self._at_ns)
        if since < _EVERY_NS:
            return
        self._at_ns = published_ns
        if since >= _STREAM_NS:
            self.write_all()
        else:
            for part in self._parts:
                self._pace.soon(part)

    def write_all(self) -> None:
        """All parts now."""
        self.stop()
        for part in self._parts:
            part()
