"""The menu entry that finds models on the hub, and what stands behind it once it was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.bridge.hub_desk import HubDesk
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.dialogs.hub import HubDialog
    from app.main_window import MainWindow

ACTION = "findOnHub"


class HubActions(QObject):
    """Nothing of the hub is imported, and no program started, before the entry is chosen."""

    def __init__(self, window: MainWindow, store: Store, tasks: Tasks, rescan: Callable[[], None]) -> None:
        super().__init__(window)
        self._window, self._store, self._tasks, self._rescan = window, store, tasks, rescan
        self._desk: HubDesk | None = None
        self._dialog: HubDialog | None = None
        menus = window.menus
        first = menus.model.actions()[0] if menus.model.actions() else None
        self.action = menus.add(menus.model, self.tr("Find models on the hub…"), self.open, "Ctrl+Shift+F")
        self.action.setObjectName(ACTION)
        if first is not None:
            menus.model.insertAction(first, self.action)
            menus.model.insertSeparator(first)

    @property
    def desk(self) -> HubDesk:
        """The one desk; made when it is first asked for."""
        if self._desk is None:
            from app.bridge.hub_desk import HubDesk

            self._desk = HubDesk(self._store, self._tasks, self._rescan, self)
        return self._desk

    def open(self) -> None:
        """Show the dialog, or bring it to the front."""
        if self._dialog is None:
            from app.dialogs.hub import HubDialog

            self._dialog = HubDialog(self.desk, self._store, self._window)
        self._dialog.show()
        self._dialog.raise_()
        self._dialog.activateWindow()

    def close(self) -> None:
        """End the hub's program, if one runs."""
        if self._desk is not None:
            self._desk.close()
