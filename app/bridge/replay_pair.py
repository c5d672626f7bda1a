"""Two replays in step: one scrubber, as far from each one's beginning."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from app.bridge.replay import Replay


class ReplayPair(QObject):
    """Keeps two replays in step while `in_step`; the longer recording leads. `changed` carries whether they are."""

    changed = Signal(bool)

    def __init__(self, first: Replay, second: Replay, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._replays = (first, second)
        self._leader, self._follower = sorted(self._replays, key=_length_ns, reverse=True)
        self.in_step = False
        for replay in self._replays:
            replay.paired.emit(self)

    def set_in_step(self, *, on: bool) -> None:
        """Tie them together, where the first stands, or let each go its own way."""
        if on == self.in_step:
            return
        self.in_step = on
        if on:
            first = self._replays[0]
            self._leader.seek(self._leader.begin_ns + first.position_ns - first.begin_ns)
        self._follower.follow(self._leader if on else None)
        self.changed.emit(on)

    def end(self) -> None:
        """There is one replay alone again."""
        self.set_in_step(on=False)
        for replay in self._replays:
            replay.paired.emit(None)


def _length_ns(replay: Replay) -> int:
    return replay.end_ns - replay.begin_ns
