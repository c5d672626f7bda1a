"""The parts of the chat pane and where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.widgets.chat_empty import ChatEmpty
from app.widgets.chat_head import ChatHead
from app.widgets.chat_input import ChatInput
from app.widgets.chat_list import ConversationList
from app.widgets.chat_undo import UndoBar
from app.widgets.chat_view import ChatView
from app.widgets.leading_widget import LeadingWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from app.theme.themes import Themes

_LIST_BESIDE_FROM = 720  # pixels of width from which the list stands beside the conversation


class ChatPane(LeadingWidget):
    """Head above; the list of chats beside the conversation where there is room, else in its place."""

    list_toggled = Signal(bool)

    def __init__(self, themes: Themes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.head = ChatHead()
        self.list = ConversationList(themes)
        self.view = ChatView(themes)
        self.empty = ChatEmpty()
        self.undo = UndoBar()
        self.input = ChatInput()
        self._stack = QStackedWidget()
        self._talk = QWidget()
        self._arrange()
        self.head.list_toggled.connect(self._toggle_list)

    def show_empty(self, is_empty: bool) -> None:
        """The invitation in place of a conversation without messages."""
        self._stack.setCurrentWidget(self.empty if is_empty else self.view)

    def open_list(self) -> None:
        """Show the list of chats."""
        self.head.list_button.setChecked(True)

    def leave_list(self) -> None:
        """Show the conversation again where the list stands in its place."""
        if self.width() < _LIST_BESIDE_FROM:
            self.head.list_button.setChecked(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The list moves beside the conversation, or out of its way."""
        super().resizeEvent(event)
        self._place_list()

    def _toggle_list(self, is_open: bool) -> None:
        self._place_list()
        self.list_toggled.emit(is_open)

    def _place_list(self) -> None:
        beside = self.width() >= _LIST_BESIDE_FROM
        is_open = self.head.list_button.isChecked()
        parts = ((self.list, is_open), (self._talk, beside or not is_open))
        for part, shown in sorted(parts, key=lambda row: row[1]):  # hide first: both together need more room
            part.setVisible(shown)

    def _arrange(self) -> None:
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.view)
        talk = QVBoxLayout(self._talk)
        talk.addWidget(self._stack, 1)
        talk.addWidget(self.undo)
        talk.addWidget(self.input)
        row = QHBoxLayout()
        row.addWidget(self.list, 2)
        row.addWidget(self._talk, 5)
        column = QVBoxLayout(self)
        column.addWidget(self.head)
        column.addLayout(row, 1)
        for layout in (talk, row, column):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(0)
        self.list.hide()
        self.lead_to(self.input.field)
