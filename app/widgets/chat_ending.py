"""How an answer ended, where it did not simply end: stopped, cut off, or failed with cause, remedy and a way on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.widgets.icon import PlainButton
from app.widgets.labels import role_label, show_role
from app.wording.engine import worded
from engine.chat.transcript import MessageState
from engine.domain.errors import ContextTooLong

if TYPE_CHECKING:
    from engine.chat.transcript import Message


class Ending(QWidget):
    """Hidden for an answer that is whole or still grows."""

    again_asked = Signal()
    new_chat_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cause = role_label("", "warning", wrap=True)
        self._remedy = role_label("", "muted", wrap=True)
        self._again = PlainButton(self.tr("Answer again"), "link")
        self._again.clicked.connect(self.again_asked)
        self._new = PlainButton(self.tr("New chat"), "link")
        self._new.clicked.connect(self.new_chat_asked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        for label in (self._cause, self._remedy):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            column.addWidget(label)
        for button in (self._again, self._new):
            column.addWidget(button, alignment=Qt.AlignmentFlag.AlignLeading)

    @staticmethod
    def has_words(message: Message) -> bool:
        """Whether there is anything to say about how this message ended."""
        ended_early = message.state in (MessageState.STOPPED, MessageState.INTERRUPTED)
        return message.error is not None or ended_early or message.finish_reason == "length"

    def show_ending(self, message: Message) -> None:
        """Say how this message ended."""
        cause, remedy, role = self._words(message)
        self._cause.setText(cause)
        show_role(self._cause, role)
        self._remedy.setText(remedy)
        self._remedy.setVisible(bool(remedy))
        too_long = message.error is not None and message.error.kind == ContextTooLong.kind
        self._new.setVisible(too_long)
        self._again.setVisible(message.error is not None and not too_long)
        self.setVisible(bool(cause))

    def _words(self, message: Message) -> tuple[str, str, str]:
        if message.error is not None:
            kept = self.tr("What had been written is kept.") if message.content else ""
            return worded(message.error.message), f"{worded(message.error.remedy)} {kept}".strip(), "error"
        if message.state is MessageState.STOPPED:
            return self.tr("Stopped."), "", "faint"
        if message.state is MessageState.INTERRUPTED:
            return self.tr("The window was closed before this answer ended."), "", "faint"
        if message.finish_reason == "length":
            cause = self.tr("Cut off: the answer reached max_tokens or the end of the context.")
            return cause, "", "warning"
        return "", "", "faint"
