"""The chats of this window: which one is open, what is done with it, and the list of all; everything but drawing."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.bridge.store import Notice
from app.widgets.chat_saving import ChatSaving
from engine.chat.book import OpenChat
from engine.chat.export import to_json, to_markdown
from engine.chat.store import ChatStore, ChatsUnavailable
from engine.chat.transcript import SamplingOptions, Transcript, new_conversation
from engine.domain.errors import DiskFull, KVDeckError
from engine.domain.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.chat.book import Ask
    from engine.chat.transcript import Message

log = logging.getLogger(__name__)


class ChatDesk(QObject):
    """Carries out what the pane asks for. Work that touches the disk runs in order of asking.

    `model` is the name of the model that would answer now, None where none runs.
    """

    path_changed_here = Signal()
    answer_grew = Signal()
    conversation_changed_here = Signal()
    opened = Signal(str)  # the message to show first, "" for the end
    listed = Signal(object)
    found = Signal(object)
    removed = Signal(int)  # how many messages were deleted; `undo_remove` brings them back

    def __init__(self, store: Store, tasks: Tasks, ask: Ask, path: Path | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.model: str | None = None
        self._window_store = store
        self._tasks = tasks
        self._ask = ask
        self._disk = ChatStore(path)
        self._ready = asyncio.Event()
        self._saving = ChatSaving(self._disk, store, tasks, self)
        self._saving.saved.connect(self.list_all)
        self._removed: tuple[OpenChat, tuple[Message, ...]] | None = None
        self._active: dict[str, OpenChat] = {}
        self.chat = self._fresh()

    def start(self, last_chat: str) -> None:
        """Open the file and the chat that was open last."""
        self._tasks.start(self._start(last_chat), "opening the chats")

    def close(self) -> None:
        """Close the file; answers must have ended."""
        self._disk.close()

    def new_chat(self) -> None:
        """Begin an empty chat with the same prompt and options; it is kept from its first message on."""
        old = self.chat.conversation
        if len(self.chat.transcript):
            self.chat = self._fresh(old.system_prompt, old.options)
        self.opened.emit("")

    def open_chat(self, chat_id: str, message_id: str = "") -> None:
        """Show another chat. An answer that streams in the present one goes on."""
        self._run(self._open(chat_id, message_id))

    def send(self, text: str) -> None:
        """Say something in the open chat."""
        self._answer(lambda chat: chat.send(text, self.model))

    def edit(self, message_id: str, text: str) -> None:
        """Say something else instead."""
        self._answer(lambda chat: chat.edit(message_id, text, self.model))

    def regenerate(self, message_id: str) -> None:
        """Answer again."""
        self._answer(lambda chat: chat.regenerate(message_id, self.model))

    def choose_version(self, message_id: str, step: int) -> None:
        """Show the version `step` places after this one."""
        if message_id not in self.chat.transcript:
            return
        versions = self.chat.transcript.versions(message_id)
        place = versions.index(message_id) + step
        if 0 <= place < len(versions):
            self._run(self.chat.choose(versions[place]))

    def remove(self, message_id: str) -> None:
        """Delete a message and what follows it."""
        if message_id in self.chat.transcript and not self.chat.answering:
            self._run(self._remove(self.chat, message_id))

    def undo_remove(self) -> None:
        """Bring back what `remove` took last."""
        if self._removed is not None:
            chat, messages = self._removed
            self._removed = None
            self._run(chat.put_back(messages))

    def set_prompt(self, text: str) -> None:
        """Change the system prompt of the open chat."""
        if text != self.chat.conversation.system_prompt:
            self._run(self.chat.set_prompt(text))

    def set_options(self, options: SamplingOptions) -> None:
        """Change the sampling options of the open chat."""
        self._run(self.chat.set_options(options))

    def rename(self, chat_id: str, title: str) -> None:
        """Give a chat another title."""
        self._run(self._rename(chat_id, title))

    def delete(self, chat_id: str) -> None:
        """Hide a chat, so that it can be brought back."""
        self._run(self._delete(chat_id))

    def restore(self, chat_id: str) -> None:
        """Undo `delete`, and open the chat."""
        self._run(self._restore(chat_id))

    def purge(self, chat_id: str) -> None:
        """Delete a hidden chat for good; an answer that still streams in it would write it anew."""
        chat = self._active.get(chat_id)
        if chat is not None and chat is not self.chat:  # which it still is where it could not be hidden
            del self._active[chat_id]
            chat.forget()
        self._run(asyncio.to_thread(self._disk.purge_conversation, chat_id))

    def list_all(self, search: str = "") -> None:
        """List all chats, or those where `search` is found."""
        self._run(self._list(search))

    def export(self, path: Path) -> None:
        """Write the open chat as JSON (a path ending in .json) or as Markdown."""
        text = self.as_json() if path.suffix == ".json" else self.as_markdown()
        self._run(self._export(path, text))

    def as_markdown(self) -> str:
        """The open chat's chosen path."""
        return to_markdown(self.chat.conversation, self._transcript_now())

    def as_json(self) -> str:
        """The open chat with all versions."""
        return to_json(self.chat.conversation, self._transcript_now())

    def _transcript_now(self) -> Transcript:
        """With what has come of an answer that still streams."""
        known = self.chat.transcript
        return Transcript((self.chat.newest(message) for message in known.all()), known.chosen())

    # What a chat tells: ChatListener

    def path_changed(self, chat: OpenChat) -> None:
        """Draw the path again."""
        if chat is self.chat:
            self.path_changed_here.emit()

    def answer_changed(self, chat: OpenChat) -> None:
        """Draw more of the answer."""
        if chat is self.chat:
            self.answer_grew.emit()

    def conversation_changed(self, chat: OpenChat) -> None:
        """Draw title, prompt and options again."""
        if chat is self.chat:
            self.conversation_changed_here.emit()

    def write_failed(self, chat: OpenChat, error: KVDeckError) -> None:
        """Say it once, and try again until it can be written."""
        self._saving.failed(error, chat)

    # Work

    def _fresh(self, system_prompt: str = "", options: SamplingOptions | None = None) -> OpenChat:
        return OpenChat(new_conversation(system_prompt, options), Transcript(), self._disk, self._ask, self)

    def _run(self, work: Coroutine[object, object, object]) -> None:
        try:
            asyncio.get_running_loop()
        except RuntimeError:  # the window is being taken down
            work.close()
            return
        self._tasks.start(self._after_start(work), "chat", inner=work)

    def _answer(self, make: Callable[[OpenChat], Coroutine[object, object, object]]) -> None:
        chat = self.chat
        self._active[chat.conversation.id] = chat
        self._run(self._until_answered(chat, make(chat)))

    async def _until_answered(self, chat: OpenChat, work: Coroutine[object, object, object]) -> None:
        try:
            await work
        finally:
            if chat is not self.chat:
                self._active.pop(chat.conversation.id, None)

    async def _after_start(self, work: Coroutine[object, object, object]) -> object:
        await self._ready.wait()
        return await work

    async def _start(self, last_chat: str) -> None:
        try:
            await asyncio.to_thread(self._disk.open)
            if self._disk.notice is not None:
                self._window_store.publish(Notice("warning", self._disk.notice))
        except (ChatsUnavailable, DiskFull) as error:
            log.warning("chats are kept beside their file: %s", error)
            await asyncio.to_thread(self._disk.go_beside)
            self._saving.failed(error)
        self._ready.set()
        if self._disk.waits:
            self._saving.begin()
        if last_chat and not len(self.chat.transcript):
            await self._open(last_chat, "")

    async def _open(self, chat_id: str, message_id: str) -> None:
        if chat_id != self.chat.conversation.id:
            known = self._active.get(chat_id)
            if known is None:
                listed = await asyncio.to_thread(self._disk.conversations)
                conversation = next((item for item in listed if item.id == chat_id), None)
                if conversation is None:
                    return
                transcript = await asyncio.to_thread(self._disk.transcript, chat_id)
                known = OpenChat(conversation, transcript, self._disk, self._ask, self)
            self.chat = known
        if message_id and message_id in self.chat.transcript:
            for message in self.chat.transcript.path_to(message_id):
                self.chat.transcript.choose(message.id)
        self.opened.emit(message_id)

    async def _remove(self, chat: OpenChat, message_id: str) -> None:
        messages = await chat.remove(message_id)
        self._removed = (chat, messages)
        self.removed.emit(len(messages))

    async def _rename(self, chat_id: str, title: str) -> None:
        if chat_id == self.chat.conversation.id:
            await self.chat.rename(title)
        else:
            listed = await asyncio.to_thread(self._disk.conversations)
            for conversation in listed:
                if conversation.id == chat_id:
                    await OpenChat(conversation, Transcript(), self._disk, self._ask, self).rename(title)
        await self._list("")

    async def _delete(self, chat_id: str) -> None:
        await asyncio.to_thread(self._disk.delete_conversation, chat_id)
        chat = self.chat if chat_id == self.chat.conversation.id else self._active.get(chat_id)
        if chat is not None:
            chat.stop()
        if chat is self.chat:
            self.chat = self._fresh(self.chat.conversation.system_prompt, self.chat.conversation.options)
            self.opened.emit("")
        await self._list("")

    async def _restore(self, chat_id: str) -> None:
        await asyncio.to_thread(self._disk.restore_conversation, chat_id)
        await self._open(chat_id, "")
        await self._list("")

    async def _list(self, search: str) -> None:
        if search:
            self.found.emit(await asyncio.to_thread(self._disk.search, search))
        else:
            self.listed.emit(await asyncio.to_thread(self._disk.conversations))

    async def _export(self, path: Path, text: str) -> None:
        try:
            await asyncio.to_thread(write_whole, path, text.encode("utf-8", "replace"))
        except OSError as error:
            message = self.tr("The chat could not be written to {path}: {cause}.")
            self._window_store.publish(
                Notice(
                    "error",
                    message.format(path=path, cause=error.strerror or error),
                    self.tr("Choose another folder."),
                )
            )
            return
        self._window_store.publish(Notice("info", self.tr("The chat is in {}.").format(path)))
