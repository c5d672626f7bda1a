"""What can be done with one checkpoint, as a menu."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from app.widgets.model_chip import ChipState
from engine.domain.errors import ParameterInvalid
from engine.domain.lifecycle import Phase
from engine.parameters.command_line import export_command

if TYPE_CHECKING:
    from app.bridge.commands import Commands
    from app.bridge.store import Store
    from app.widgets.model_chip import VariantChip


class ModelMenu(QMenu):
    """Load, wake, end; where it lies, and how vLLM alone would serve it."""

    def __init__(self, chip: VariantChip, store: Store, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._commands = store, commands
        self._checkpoint = chip.variant.checkpoint
        path = self._checkpoint.path
        load = self.addAction(self.tr("Load"), lambda: commands.load(path))
        load.setEnabled(not chip.variant.refusal)
        if chip.is_warm:
            self.addAction(self.tr("Wake"), lambda: commands.wake(path))
            self.addAction(self.tr("End"), lambda: commands.end_sleeper(path))
        elif chip.state is ChipState.RUNNING and store.lifecycle.phase is Phase.READY:
            self.addAction(self.tr("Put to sleep"), commands.put_to_sleep)
        self.addSeparator()
        self.addAction(self.tr("Open folder"), lambda: open_folder(path))
        self.addAction(self.tr("Copy path"), lambda: QGuiApplication.clipboard().setText(path))
        self.addAction(self.tr("Copy as vllm serve command"), self._copy_command)

    def _copy_command(self) -> None:
        path, name = self._checkpoint.path, self._checkpoint.name
        device = self._store.device or "cpu"
        try:
            command = export_command(path, self._store.edits.values, device, served_model_name=name)
        except ParameterInvalid:
            command = export_command(path, {}, device, served_model_name=name)
        QGuiApplication.clipboard().setText(command)


def open_folder(path: str) -> None:
    """Show it in the desktop's file manager."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(path))
