"""A heading within a menu: a line that cannot be chosen and can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidgetAction

from app.widgets.labels import role_label

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu


def add_heading(menu: QMenu, text: str) -> None:
    """Add it at the end. The style sheet draws a menu's own sections without their text, and actions that are off
    too pale for what is to be read.
    """
    label = role_label(text, "panelTitle")
    label.setContentsMargins(10, 6, 16, 2)
    heading = QWidgetAction(menu)
    heading.setText(text)
    heading.setDefaultWidget(label)
    heading.setEnabled(False)
    menu.addAction(heading)
