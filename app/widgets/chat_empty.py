"""What an empty chat shows: that one may ask, and a few questions to begin with."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.widgets.icon import IconLabel, PlainButton, Tint
from app.widgets.labels import role_label
from app.widgets.upright_scroll import UprightScroll


class ChatEmpty(UprightScroll):
    """An invitation, which scrolls in a low window. `question_chosen` carries one of the example questions."""

    question_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        body = QWidget()
        body.setObjectName("scrollBody")
        super().__init__(body, parent)
        self.setAccessibleName(self.tr("Talk to the model"))
        column = QVBoxLayout(body)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(6)
        column.addStretch(2)
        column.addWidget(IconLabel("chat", 32, Tint.FAINT), alignment=Qt.AlignmentFlag.AlignHCenter)
        title = role_label(self.tr("Talk to the model"), "heading", wrap=True)
        text = role_label(
            self.tr("Every answer shows what it cost, and its blocks appear in the KV cache as it is written."),
            "muted",
            wrap=True,
        )
        for label in (title, text):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(label)
        column.addSpacing(10)
        for question in self._questions():
            button = PlainButton(question)
            button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            button.clicked.connect(lambda _checked=False, question=question: self.question_chosen.emit(question))
            column.addWidget(button, alignment=Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)

    def _questions(self) -> tuple[str, ...]:
        return (
            self.tr("What is a KV cache?"),
            self.tr("Why is the sky blue?"),
            self.tr("Write a haiku about memory"),
            self.tr("Sort a list in Python"),
        )
