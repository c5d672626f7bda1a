"""The question before left-over engine processes are ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.widgets.question import Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget


def ask_to_end(parent: QWidget, message: str, end: Callable[[], None]) -> None:
    """Ask, without waiting; `end` is called on yes."""
    tr = QCoreApplication.translate
    Question(
        parent,
        tr("ParametersPanel", "End left-over engine processes"),
        message,
        "",
        tr("ParametersPanel", "End them"),
        tr("ParametersPanel", "Leave them"),
        end,
    ).open()
