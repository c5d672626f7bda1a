"""The chat pane: talk to the running engine."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.panels.panel import Panel
from app.widgets.chat_actions import ChatActions
from app.widgets.chat_desk import ChatDesk
from app.widgets.chat_lines import chat_lines
from app.widgets.chat_model import ChatModel
from app.widgets.chat_pane import ChatPane
from app.widgets.chat_state import Readiness, readiness
from engine.domain import paths

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from app.panels.panel import PanelContext
    from engine.chat.transcript import Figures, MessageError, MessageState

_FRAME_MS = 33
_LAST_CHAT = "chat/last"


@dataclass(frozen=True, slots=True)
class LastAnswer:
    """The last answer of the open chat, also while it streams. Figures as `engine.chat.transcript.Figures` defines."""

    text: str
    model: str | None
    state: MessageState
    finish_reason: str | None
    request_id: str | None
    figures: Figures
    error: MessageError | None


class ChatPanel(Panel):
    """Conversations with the loaded model; answers stream in as the engine makes them."""

    answered = Signal(object)  # LastAnswer, when one has ended

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._model = ChatModel(context.store)
        chat = self._model.over(context.commands.chat)
        self._desk = ChatDesk(context.store, context.tasks, chat, paths.data_dir() / "chats.sqlite")
        self._readiness = Readiness(False, "")
        self._drafts: dict[str, str] = {}
        self._shown_chat = self._desk.chat.conversation.id
        self._started = False
        self._was_answering = False
        self._last_kept = ""
        self._pane = ChatPane(context.themes)
        self._head, self._list, self._view = self._pane.head, self._pane.list, self._pane.view
        self._head.show_model(self._model)
        self._empty, self._undo, self._input = self._pane.empty, self._pane.undo, self._pane.input
        self._actions = ChatActions(self._desk, self)
        self._frame = QTimer(self, singleShot=True, interval=_FRAME_MS)
        self._frame.timeout.connect(self._draw_growth)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pane)
        self.lead_to(self._input.field)
        self._connect()
        self.destroyed.connect(self._desk.close)
        self._engine_changed()
        self._show_chat("")

    def last_answer(self) -> LastAnswer | None:
        """The last answer of the open chat, None before there is one."""
        answers = [message for message in self._desk.chat.transcript.path() if message.role == "assistant"]
        if not answers:
            return None
        message = self._desk.chat.newest(answers[-1])
        return LastAnswer(
            message.content,
            message.model,
            message.state,
            message.finish_reason,
            message.request_id,
            message.figures,
            message.error,
        )

    def stop_answer(self) -> None:
        """Stop the answer that streams; what is written stays."""
        self._desk.chat.stop()

    def new_chat(self) -> None:
        """Begin an empty chat."""
        self._head.flush()
        self._desk.new_chat()
        self._input.field.setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        """Open the chats the first time, and catch up with what happened while hidden."""
        super().showEvent(event)
        self._start_soon()
        self._engine_changed()
        self._draw_path()

    def hideEvent(self, event: QHideEvent) -> None:
        """Keep what was written in the system prompt."""
        super().hideEvent(event)
        self._head.flush()

    def _connect(self) -> None:
        desk, store = self._desk, self.context.store
        desk.path_changed_here.connect(self._draw_path)
        desk.answer_grew.connect(self._grew)
        desk.conversation_changed_here.connect(self._draw_head)
        desk.opened.connect(self._show_chat)
        desk.listed.connect(lambda rows: self._list.show_conversations(rows, desk.chat.conversation.id))
        desk.found.connect(lambda hits: self._list.show_hits(hits, desk.chat.conversation.id))
        desk.removed.connect(lambda _count: self._undo.offer(self.tr("Message deleted")))
        self._undo.undone.connect(desk.undo_remove)
        for signal in (store.lifecycle_changed, store.library_changed, store.starter_changed):
            signal.connect(self._engine_changed)
        self._model.chosen.connect(self._engine_changed)
        self._head.new_asked.connect(self.new_chat)
        self._head.prompt_changed.connect(desk.set_prompt)
        self._pane.list_toggled.connect(self._list_toggled)
        self._view.regenerate_asked.connect(desk.regenerate)
        self._view.edited.connect(self._edited)
        self._view.version_asked.connect(desk.choose_version)
        self._view.delete_asked.connect(desk.remove)
        self._view.new_chat_asked.connect(self.new_chat)
        self._empty.question_chosen.connect(self._question)
        self._input.sent.connect(self._sent)
        self._input.stopped.connect(self.stop_answer)
        self._input.recalled.connect(self._recall)
        self._input.options_changed.connect(desk.set_options)
        self._input.remedy_asked.connect(self._remedy)
        self._connect_list()
        self._connect_actions()

    def _connect_list(self) -> None:
        desk = self._desk
        self._list.chosen.connect(self._chosen)
        self._list.new_asked.connect(self.new_chat)
        self._list.renamed.connect(desk.rename)
        self._list.delete_asked.connect(self._delete)
        self._list.undo_asked.connect(desk.restore)
        self._list.forgotten.connect(desk.purge)
        self._list.search_asked.connect(desk.list_all)

    def _connect_actions(self) -> None:
        actions = self._actions
        actions.new_asked.connect(self.new_chat)
        actions.search_asked.connect(self._search)
        actions.prompt_asked.connect(self._head.toggle_prompt)
        actions.again_asked.connect(self._regenerate_last)
        actions.stop_asked.connect(self.stop_answer)
        actions.delete_asked.connect(lambda: self._delete(self._desk.chat.conversation.id))
        self._head.set_menu(actions)

    # What happens in the engine and in the chats

    def _start_soon(self) -> None:
        """Open the chats once a loop runs (a window may be shown a moment before)."""
        if self._started:
            return
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            QTimer.singleShot(20, self, self._start_soon)
            return
        self._started = True
        self._desk.start(str(self.context.settings.value(_LAST_CHAT) or ""))

    def _engine_changed(self) -> None:
        if not self.isVisible() and self._started:
            return
        store = self.context.store
        model = self._model.model_name()
        changed, self._desk.model = model != self._desk.model, model
        self._readiness = readiness(store.lifecycle, store.library, store.starter)
        self._input.show_readiness(self._readiness)
        if changed:
            self._draw_path()

    def _grew(self) -> None:
        if not self._frame.isActive():
            self._frame.start()

    def _show_chat(self, message_id: str) -> None:
        conversation = self._desk.chat.conversation
        self._drafts[self._shown_chat] = self._input.field.toPlainText()
        if conversation.id != self._shown_chat:
            self._shown_chat = conversation.id
            self._input.show_draft(self._drafts.get(conversation.id, ""))
        self._was_answering = self._desk.chat.answering
        self._head.show_prompt(conversation.system_prompt, of_another_chat=True)
        self._draw_head()
        self._draw_path()
        if message_id:
            self._view.reveal(message_id)
        else:
            self._view.follow()

    # Drawing

    def _draw_head(self) -> None:
        conversation = self._desk.chat.conversation
        self._head.show_title(conversation.title)
        self._head.show_prompt(conversation.system_prompt)
        self._input.show_options(conversation.options)

    def _draw_path(self) -> None:
        chat = self._desk.chat
        lines, divider = chat_lines(chat, self._desk.model)
        self._view.show_lines(lines, last_divider=divider, busy=chat.answering)
        if lines and self._last_kept != chat.conversation.id:
            self._last_kept = chat.conversation.id
            self.context.settings.setValue(_LAST_CHAT, self._last_kept)
        self._pane.show_empty(not lines)
        self._input.show_answering(chat.answering)
        self._tell_if_answered()

    def _draw_growth(self) -> None:
        """Draw what has come; take at most a third of the time for it, however long the answer grows."""
        chat = self._desk.chat
        if chat.answer is None:
            return
        if self.isVisible():
            began = time.perf_counter()
            self._view.show_growth(chat.answer.message)
            self._frame.setInterval(max(_FRAME_MS, round(3000 * (time.perf_counter() - began))))
        self._input.show_answering(chat.answering)
        self._tell_if_answered()

    def _tell_if_answered(self) -> None:
        answering = self._desk.chat.answering
        if self._was_answering and not answering:
            self.answered.emit(self.last_answer())
        self._was_answering = answering

    # What the user does

    def _sent(self, text: str) -> None:
        self._view.follow()
        self._desk.send(text)

    def _edited(self, message_id: str, text: str) -> None:
        if self._readiness.ready:
            self._view.follow()
            self._desk.edit(message_id, text)
        else:
            self._input.show_draft(text)

    def _question(self, question: str) -> None:
        if self._readiness.ready:
            self._sent(question)
        else:
            self._input.show_draft(question)
            self._input.field.setFocus()

    def _recall(self) -> None:
        """Edit the last user message, as a terminal brings back the last line."""
        users = [message for message in self._desk.chat.transcript.path() if message.role == "user"]
        card = self._view.card(users[-1].id) if users else None
        if card is not None and not self._desk.chat.answering:
            card.begin_edit()

    def _regenerate_last(self) -> None:
        path = self._desk.chat.transcript.path()
        if path and self._readiness.ready:
            self._view.follow()
            self._desk.regenerate(path[-1].id)

    def _remedy(self) -> None:
        if self._readiness.load is not None:
            self.context.commands.load(self._readiness.load)
        else:
            self.context.commands.build_starter()

    def _list_toggled(self, is_open: bool) -> None:
        if is_open:
            self._desk.list_all(self._list.search_text)

    def _search(self) -> None:
        self._pane.open_list()
        self._list.search()

    def _chosen(self, chat_id: str, message_id: str) -> None:
        self._head.flush()  # what was written belongs to the chat that is being left
        self._desk.open_chat(chat_id, message_id)
        self._pane.leave_list()
        self._input.field.setFocus()

    def _delete(self, chat_id: str) -> None:
        conversation = self._desk.chat.conversation
        self._pane.open_list()
        self._list.show_deleted(chat_id, conversation.title if conversation.id == chat_id else "")
        self._desk.delete(chat_id)
