"""One message of a conversation: who said it, what, how it ended, its figures, and what can be done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.widgets.chat_body import MessageBody
from app.widgets.chat_editor import MessageEditor
from app.widgets.chat_ending import Ending
from app.widgets.chat_figures import AnswerFigures
from app.widgets.icon import IconButton
from app.widgets.labels import role_label
from engine.chat.transcript import Message, MessageState

if TYPE_CHECKING:
    from app.theme.themes import Themes

_COPIED_MS = 1500


class MessageCard(QFrame):
    """Draws one Message. Signals carry its id; the panel decides what they mean."""

    regenerate_asked = Signal(str)
    edited = Signal(str, str)
    version_asked = Signal(str, int)
    delete_asked = Signal(str)
    new_chat_asked = Signal()

    def __init__(self, message: Message, themes: Themes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chatUser" if message.role == "user" else "chatAnswer")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._message = message
        self._is_user = message.role == "user"
        self._who = role_label(self.tr("You") if self._is_user else (message.model or self.tr("Model")), "caption")
        self._body = MessageBody(themes, markdown=not self._is_user)
        self._wait = role_label(self.tr("waiting for the first token…"), "faint")
        self._ending = Ending()
        self._ending.again_asked.connect(lambda: self.regenerate_asked.emit(self._message.id))
        self._ending.new_chat_asked.connect(self.new_chat_asked)
        self._figures = AnswerFigures()
        self._editor: MessageEditor | None = None
        self._place = role_label("", "caption")
        self._versions = QWidget()
        self._actions = QWidget()
        self._buttons = self._make_buttons()
        self._arrange()
        self.show_message(message, 0, 1)

    @property
    def message(self) -> Message:
        """What is shown."""
        return self._message

    def show_message(self, message: Message, index: int, versions: int) -> None:
        """Show the newest state of the message, and which of its versions it is."""
        self._message = message
        streaming = message.state is MessageState.STREAMING
        self.show_growth(message)
        self._ending.show_ending(message)
        self._versions.setVisible(versions > 1)
        self._place.setText(f"{index + 1}/{versions}")
        self._buttons["previous"].setEnabled(index > 0)
        self._buttons["next"].setEnabled(index + 1 < versions)
        self._actions.setVisible(not streaming)
        role = self.tr("You") if self._is_user else self.tr("Answer")
        self.setAccessibleName(f"{role}: {message.content[:200]}")

    def show_growth(self, message: Message) -> None:
        """Show more of an answer that streams: text and figures, nothing else."""
        self._message = message
        self._body.show_text(message.content)
        self._body.setVisible(bool(message.content) and self._editor is None)
        self._wait.setVisible(message.state is MessageState.STREAMING and not message.content)
        figures = message.figures
        self._figures.setVisible(not self._is_user and (bool(message.content) or figures.prompt_tokens is not None))
        self._figures.show_figures(figures)

    def show_busy(self, busy: bool) -> None:
        """While an answer streams, nothing may start another one."""
        for key in ("edit", "regenerate", "delete"):
            self._buttons[key].setEnabled(not busy)
        self._ending.setEnabled(not busy)

    def begin_edit(self) -> None:
        """Put an editor in place of the text."""
        if self._editor is not None or not self._is_user:
            return
        self._editor = MessageEditor(self._message.content)
        self._editor.accepted.connect(self._finish_edit)
        self._editor.cancelled.connect(self._end_edit)
        self._column.insertWidget(self._column.indexOf(self._body), self._editor)
        self._body.hide()
        self._actions.hide()
        self._editor.take_focus()

    def _finish_edit(self, text: str) -> None:
        self._end_edit()
        self.edited.emit(self._message.id, text)

    def _end_edit(self) -> None:
        if self._editor is not None:
            self._editor.deleteLater()
            self._editor = None
        self._body.show()
        self._actions.show()

    def _make_buttons(self) -> dict[str, IconButton]:
        ident = self._message.id
        made = {
            "previous": ("chevron-left", self.tr("Earlier version"), lambda: self.version_asked.emit(ident, -1)),
            "next": ("chevron-right", self.tr("Later version"), lambda: self.version_asked.emit(ident, 1)),
            "copy": ("copy", self.tr("Copy the message"), self._copy),
            "edit": ("edit", self.tr("Edit and send again (this version is kept)"), self.begin_edit),
            "regenerate": (
                "reload",
                self.tr("Answer again (this version is kept)"),
                lambda: self.regenerate_asked.emit(ident),
            ),
            "delete": (
                "trash",
                self.tr("Delete this message and what follows"),
                lambda: self.delete_asked.emit(ident),
            ),
        }
        buttons = {}
        for key, (name, label, act) in made.items():
            buttons[key] = IconButton(name, label, size=14)
            buttons[key].clicked.connect(act)
        return buttons

    def _arrange(self) -> None:
        versions = QHBoxLayout(self._versions)
        versions.setContentsMargins(0, 0, 0, 0)
        versions.setSpacing(0)
        for widget in (self._buttons["previous"], self._place, self._buttons["next"]):
            versions.addWidget(widget)
        actions = QHBoxLayout(self._actions)
        actions.setContentsMargins(0, 0, 0, 0)
        actions.setSpacing(2)
        for key in ("copy", "edit" if self._is_user else "regenerate", "delete"):
            actions.addWidget(self._buttons[key])
        head = QHBoxLayout()
        head.setSpacing(4)
        self._who.setMinimumWidth(20)
        head.addWidget(self._who, 1)
        head.addWidget(self._versions)
        head.addWidget(self._actions)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 4, 8, 8)
        self._column.setSpacing(4)
        self._column.addLayout(head)
        for part in (self._wait, self._body, self._ending, self._figures):
            self._column.addWidget(part)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._message.content)
        self._buttons["copy"].show_icon("check")
        QTimer.singleShot(_COPIED_MS, self, lambda: self._buttons["copy"].show_icon("copy"))


class Divider(QWidget):
    """A quiet line with words: from here on another model answers."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label: QLabel = role_label(text, "caption")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 12, 4)
        row.setSpacing(8)
        for part in (_rule(), self.label, _rule()):
            row.addWidget(part, 0 if part is self.label else 1)


def _rule() -> QFrame:
    rule = QFrame()
    rule.setObjectName("chatRule")
    rule.setFixedHeight(1)
    return rule
