"""The time that several charts show together, and the moment that is pointed at in all of them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

_SHORTEST_S = 0.5


class ChartSpan(QObject):
    """Seconds since the run's beginning. It shows all until the user zooms or scrolls; `show_all` brings that back."""

    changed = Signal()
    pointed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.begin_s, self.end_s = 0.0, 1.0
        self.shows_all = True
        self.pointer_s: float | None = None
        self._newest_s = 1.0

    @property
    def newest_s(self) -> float:
        """How long the run is."""
        return self._newest_s

    def reach(self, newest_s: float) -> None:
        """The run is this long now (at least)."""
        self._newest_s = max(1.0, newest_s)
        if self.shows_all:
            self._set(0.0, self._newest_s)

    def show_all(self) -> None:
        """Show the whole run, and what comes."""
        self.shows_all = True
        self._set(0.0, self._newest_s)

    def zoom(self, factor: float, around_s: float) -> None:
        """Make the span `factor` times as long; the moment `around_s` stays where it is."""
        width = max(_SHORTEST_S, (self.end_s - self.begin_s) * factor)
        if width >= self._newest_s:
            self.show_all()
            return
        share = (around_s - self.begin_s) / (self.end_s - self.begin_s)
        self._place(around_s - share * width, width)

    def move(self, by_s: float) -> None:
        """Go through time."""
        if not self.shows_all:
            self._place(self.begin_s + by_s, self.end_s - self.begin_s)

    def point(self, at_s: float | None) -> None:
        """Point at a moment, or at none."""
        if at_s != self.pointer_s:
            self.pointer_s = at_s
            self.pointed.emit()

    def _place(self, begin_s: float, width_s: float) -> None:
        self.shows_all = False
        begin_s = min(max(0.0, begin_s), max(0.0, self._newest_s - width_s))
        self._set(begin_s, begin_s + width_s)

    def _set(self, begin_s: float, end_s: float) -> None:
        if (begin_s, end_s) != (self.begin_s, self.end_s):
            self.begin_s, self.end_s = begin_s, end_s
            self.changed.emit()
