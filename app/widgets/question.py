"""A question before something that cannot be undone: what would happen, the way on, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.widgets.icon import IconLabel, PlainButton, Tint
from app.widgets.labels import role_label

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QShowEvent

_WIDTH = 480


class Question(QDialog):
    """`act` is called on yes. Enter and Esc leave everything as it is: whoever goes on, chooses to."""

    def __init__(
        self, parent: QWidget, title: str, text: str, more: str, yes: str, no: str, act: Callable[[], None]
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.yes, self.no = PlainButton(yes, "danger"), PlainButton(no, "primary")
        self.no.setDefault(True)
        self.yes.clicked.connect(self.accept)
        self.no.clicked.connect(self.reject)
        self.accepted.connect(act)
        self._arrange(text, more)
        self.no.setFocus()

    def _arrange(self, text: str, more: str) -> None:
        texts = QVBoxLayout()
        texts.setSpacing(10)
        texts.addWidget(role_label(text, "", wrap=True))
        if more:
            texts.addWidget(role_label(more, "muted", wrap=True))
        texts.addStretch(1)
        row = QHBoxLayout()
        row.setSpacing(16)
        row.addWidget(IconLabel("warning", 32, Tint.ERROR), alignment=Qt.AlignmentFlag.AlignTop)
        row.addLayout(texts, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.yes)
        buttons.addWidget(self.no)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 20, 16)
        column.setSpacing(20)
        column.addLayout(row)
        column.addLayout(buttons)
        self.setMinimumWidth(_WIDTH)

    def showEvent(self, event: QShowEvent) -> None:
        """Take the height that the wrapped text needs."""
        super().showEvent(event)
        layout = self.layout()
        if layout is not None:
            self.resize(self.width(), layout.totalHeightForWidth(self.width()))
