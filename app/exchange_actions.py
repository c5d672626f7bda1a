"""The menu entries for parameters elsewhere: import, export, profiles, differences."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt

if TYPE_CHECKING:
    from pathlib import Path

    from app.bridge.commands import Commands
    from app.bridge.profile_desk import ProfileDesk
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.main_window import MainWindow


class ExchangeActions(QObject):
    """Adds the entries to the Model menu; the parameters panel offers the same ones, found by their object names."""

    def __init__(self, window: MainWindow, store: Store, commands: Commands, tasks: Tasks, folder: Path) -> None:
        super().__init__(window)
        self._window, self._store, self._commands, self._tasks, self._folder = window, store, commands, tasks, folder
        self._desk: ProfileDesk | None = None
        menus = window.menus
        sub = menus.model.addMenu(self.tr("Parameters"))
        for page, text, keys in (
            ("import", self.tr("Import a command or file…"), "Ctrl+Shift+V"),
            ("export", self.tr("Export as command, YAML or docker…"), None),
            ("profiles", self.tr("Profiles of this model…"), None),
            ("differences", self.tr("Compare edits with what runs…"), None),
        ):
            menus.add(sub, text, partial(self.open, page), keys).setObjectName(f"exchange-{page}")

    def open(self, page: str) -> None:
        """Show the dialog on that page."""
        from app.bridge.profile_desk import ProfileDesk
        from app.dialogs.exchange import ExchangeDialog

        if self._desk is None:
            self._desk = ProfileDesk(self._store, self._commands, self._tasks, self._folder, self)
        dialog = ExchangeDialog(self._desk, self._store, page, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.show()
