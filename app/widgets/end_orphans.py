"""The question before left-over engine processes are ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QMessageBox

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget


def ask_to_end(parent: QWidget, message: str, end: Callable[[], None]) -> None:
    """Ask, without waiting; `end` is called on yes."""
    tr = QCoreApplication.translate
    box = QMessageBox(parent)
    box.setIcon(QMessageBox.Icon.Warning)
    box.setWindowTitle(tr("ParametersPanel", "End left-over engine processes"))
    box.setText(message)
    yes = box.addButton(tr("ParametersPanel", "End them"), QMessageBox.ButtonRole.DestructiveRole)
    box.setEscapeButton(box.addButton(tr("ParametersPanel", "Leave them"), QMessageBox.ButtonRole.RejectRole))
    yes.clicked.connect(end)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.open()
