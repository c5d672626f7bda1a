"""Answers to the window's questions for files, as a user gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog, QWidget

if TYPE_CHECKING:
    from pathlib import Path


def answer(parent: QWidget, path: Path) -> QFileDialog:
    """Choose `path` in the one dialog that is open over `parent`, which has come without waiting; the dialog."""
    (dialog,) = (found for found in parent.findChildren(QFileDialog) if found.isVisible())
    assert dialog.isModal(), "one question at a time"
    dialog.fileSelected.emit(str(path))
    dialog.close()
    return dialog
