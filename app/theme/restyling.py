"""A changed theme put onto the widgets: at once onto those that are seen, in turns of the event loop onto the rest."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtWidgets import QApplication

_TURN_S = 0.008  # half a frame


class Restyling(QObject):
    """Lets the application's style look at each widget once, parents first.

    `QApplication.setStyleSheet` would do so once for each widget and ancestor of it: some ten times, for seconds.
    """

    def __init__(self, application: QApplication, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._application = application
        self._rest: deque[QWidget] = deque()
        self._turns = QTimer(self, interval=0)
        self._turns.timeout.connect(self._turn)

    @property
    def is_done(self) -> bool:
        """Whether no widget waits any more."""
        return not self._rest

    def begin(self, windows: Iterable[QWidget]) -> None:
        """Restyle what is seen of these windows now, and have the rest of them follow."""
        widgets = [part for window in windows for part in (window, *window.findChildren(QWidget))]
        seen = {part for part in widgets if part.isVisible() and not part.visibleRegion().isEmpty()}
        for part in widgets:
            if part in seen:
                self._restyle(part)
        others = [part for part in widgets if part not in seen]
        self._rest = deque(sorted(others, key=lambda part: not part.isVisible()))  # what is scrolled away comes first
        if self._rest:
            self._turns.start()

    def finish(self) -> None:
        """Restyle all that still waits."""
        while self._rest:
            self._next()
        self._turns.stop()

    def forget(self) -> None:
        """Let nothing follow any more: all of it is about to be styled anew."""
        self._rest.clear()
        self._turns.stop()

    def _turn(self) -> None:
        until = time.monotonic() + _TURN_S
        while self._rest and time.monotonic() < until:
            self._next()
        if not self._rest:
            self._turns.stop()

    def _next(self) -> None:
        part = self._rest.popleft()
        if shiboken6.isValid(part):  # it may have been closed meanwhile
            self._restyle(part)

    def _restyle(self, part: QWidget) -> None:
        part.style().polish(part)
        self._application.sendEvent(part, QEvent(QEvent.Type.StyleChange))
