"""Gives a page of the middle the room of the docks beside and below it, for as long as it is in front."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QMainWindow

    from app.widgets.panel_slot import PanelDock


class WindowRoom(QObject):
    """Hides docks when a page comes to the front, and shows those again when it goes.

    What the user opens meanwhile stays as it is; `in_the_way` answers which docks a page takes the room of.
    """

    def __init__(self, window: QMainWindow, in_the_way: Callable[[], list[PanelDock]]) -> None:
        super().__init__(window)
        self._window = window
        self._in_the_way = in_the_way
        self._put_away: list[PanelDock] = []
        self._in_front: list[PanelDock] = []

    def page_changed(self, is_first: bool) -> None:  # a slot: Qt hands the state over by position
        """The first page wants its docks, each other one wants their room."""
        if is_first:
            self.bring_back()
        elif not self._put_away:
            docks = [dock for dock in self._in_the_way() if not dock.isFloating() and not dock.isHidden()]
            self._in_front = [dock for dock in docks if not dock.visibleRegion().isEmpty()]
            self._put_away = docks
            for dock in docks:
                dock.hide()

    def bring_back(self) -> None:
        """Show what was put away."""
        docks, self._put_away = self._put_away, []
        in_front, self._in_front = self._in_front, []
        for dock in docks:
            dock.show()
        for dock in in_front:  # of docks under tabs, the one that was in front
            dock.raise_()
