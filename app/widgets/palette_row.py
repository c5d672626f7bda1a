"""One row of the command palette."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.widgets.labels import role_label


class PaletteRow(QWidget):
    """Name, place and shortcut; pale where the command cannot be used now."""

    def __init__(self, text: str, place: str, shortcut: str, enabled: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(10)
        row.addWidget(role_label(text, ""))
        row.addWidget(role_label(place, "caption"))
        row.addStretch(1)
        if shortcut:
            row.addWidget(role_label(shortcut, "key"))
        self.setEnabled(enabled)
