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
    from collections.abc import Callable

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
        self._wait: QLabel | None = None
        self._ending: Ending | None = None
        self._figures: AnswerFigures | None = None
        self._editor: MessageEditor | None = None
        self._versions: VersionSwitch | None = None
        self._actions = QWidget()
        self._buttons = self._make_buttons()
        self._arrange()

    @property
    def message(self) -> Message:
        """What is shown."""
        return self._message

    @property
    def ending(self) -> Ending | None:
        """How it ended, in words; None where there is nothing to say."""
        return self._ending

    @property
    def versions(self) -> VersionSwitch | None:
        """The switch between versions; None while there is one only."""
        return self._versions

    def show_message(self, message: Message, index: int, versions: int) -> None:
        """Show the newest state of the message, and which of its versions it is."""
        self.show_growth(message)
        self._show_ending(message)
        self._show_versions(index, versions)
        self._actions.setVisible(message.state is not MessageState.STREAMING and self._editor is None)
        role = self.tr("You") if self._is_user else self.tr("Answer")
        self.setAccessibleName(f"{role}: {message.content[:200]}")

    def show_growth(self, message: Message) -> None:
        """Show more of an answer that streams: text and figures, nothing else."""
        self._message = message
        self._body.show_text(message.content)
        self._body.setVisible(bool(message.content) and self._editor is None)
        self._show_wait(message.state is MessageState.STREAMING and not message.content)
        if not self._is_user and (message.content or message.figures.prompt_tokens is not None):
            if self._figures is None:
                self._figures = AnswerFigures()
                self._column.addWidget(self._figures)
            self._figures.show_figures(message.figures)

    def show_busy(self, busy: bool) -> None:
        """While an answer streams, nothing may start another one."""
        for key in ("edit", "regenerate", "delete"):
            if key in self._buttons:
                self._buttons[key].setEnabled(not busy)
        if self._ending is not None:
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

    # Parts that most messages never need are made when they are needed: a long chat has many messages

    def _show_wait(self, waiting: bool) -> None:
        if waiting and self._wait is None:
            self._wait = role_label(self.tr("waiting for the first token…"), "faint")
            self._column.insertWidget(self._column.indexOf(self._body), self._wait)
        if self._wait is not None:
            self._wait.setVisible(waiting)

    def _show_ending(self, message: Message) -> None:
        if self._ending is None:
            if not Ending.has_words(message):
                return
            self._ending = Ending()
            self._ending.again_asked.connect(lambda: self.regenerate_asked.emit(self._message.id))
            self._ending.new_chat_asked.connect(self.new_chat_asked)
            self._column.insertWidget(self._column.indexOf(self._body) + 1, self._ending)
        self._ending.show_ending(message)

    def _show_versions(self, index: int, versions: int) -> None:
        if self._versions is None:
            if versions < 2:
                return
            self._versions = VersionSwitch()
            self._versions.stepped.connect(lambda step: self.version_asked.emit(self._message.id, step))
            self._head.insertWidget(1, self._versions)
        self._versions.show_place(index, versions)

    def _make_buttons(self) -> dict[str, IconButton]:
        ident = self._message.id
        made: list[tuple[str, str, str, Callable[[], None]]] = [
            ("copy", "copy", self.tr("Copy the message"), self._copy),
        ]
        if self._is_user:
            made.append(("edit", "edit", self.tr("Edit and send again (this version is kept)"), self.begin_edit))
        else:
            label = self.tr("Answer again (this version is kept)")
            made.append(("regenerate", "reload", label, lambda: self.regenerate_asked.emit(ident)))
        label = self.tr("Delete this message and what follows")
        made.append(("delete", "trash", label, lambda: self.delete_asked.emit(ident)))
        buttons = {}
        for key, name, label, act in made:
            buttons[key] = IconButton(name, label, size=14)
            buttons[key].clicked.connect(lambda _checked=False, act=act: act())
        return buttons

    def _arrange(self) -> None:
        actions = QHBoxLayout(self._actions)
        actions.setContentsMargins(0, 0, 0, 0)
        actions.setSpacing(2)
        for button in self._buttons.values():
            actions.addWidget(button)
        self._head = QHBoxLayout()
        self._head.setSpacing(4)
        self._who.setMinimumWidth(20)
        self._head.addWidget(self._who, 1)
        self._head.addWidget(self._actions)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 4, 8, 8)
        self._column.setSpacing(4)
        self._column.addLayout(self._head)
        self._column.addWidget(self._body)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._message.content)
        self._buttons["copy"].show_icon("check")
        QTimer.singleShot(_COPIED_MS, self, lambda: self._buttons["copy"].show_icon("copy"))


class VersionSwitch(QWidget):
    """< 2/3 >: which version is shown, and the way to its neighbours. `stepped` carries -1 or 1."""

    stepped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.previous = IconButton("chevron-left", self.tr("Earlier version"), size=14)
        self.next = IconButton("chevron-right", self.tr("Later version"), size=14)
        self.place = role_label("", "caption")
        self.previous.clicked.connect(lambda: self.stepped.emit(-1))
        self.next.clicked.connect(lambda: self.stepped.emit(1))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        for part in (self.previous, self.place, self.next):
            row.addWidget(part)

    def show_place(self, index: int, versions: int) -> None:
        """Show the version at `index` of so many."""
        self.setVisible(versions > 1)
        self.place.setText(f"{index + 1}/{versions}")
        self.previous.setEnabled(index > 0)
        self.next.setEnabled(index + 1 < versions)


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
