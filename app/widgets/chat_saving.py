"""Chats that the chat file could not take are written as soon as it can."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.bridge.store import Notice
from engine.domain.errors import KVDeckError

if TYPE_CHECKING:
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.chat.book import OpenChat
    from engine.chat.store import ChatStore

_AGAIN_S = 2.0


class ChatSaving(QObject):
    """Says once that chats are not saved, tries again until they are, and says that, too."""

    saved = Signal()

    def __init__(self, disk: ChatStore, store: Store, tasks: Tasks, parent: QObject) -> None:
        super().__init__(parent)
        self._disk, self._store, self._tasks = disk, store, tasks
        self._complained = False
        self._unsaved: set[OpenChat] = set()
        self._work: asyncio.Task[object] | None = None

    def failed(self, error: KVDeckError, chat: OpenChat | None = None) -> None:
        """The file could not be opened, or could not take this chat."""
        if chat is not None and chat.unsaved:
            self._unsaved.add(chat)
        if not self._complained:
            self._complained = True
            remedy = error.remedy or self.tr("Chats are not saved until then.")
            self._store.publish(Notice("error", error.message, remedy))
        self.begin()

    def begin(self) -> None:
        """Write what waits, once it is possible; nothing where nothing waits."""
        if self._work is None or self._work.done():
            self._work = self._tasks.start(self._write(), "chat")

    async def _write(self) -> None:
        while self._disk.waits or self._unsaved:
            await asyncio.sleep(_AGAIN_S)
            try:
                await asyncio.to_thread(self._disk.take_in)
            except KVDeckError:
                continue
            for chat in tuple(self._unsaved):
                await chat.save()
            self._unsaved = {chat for chat in self._unsaved if chat.unsaved}
        if self._complained:
            self._complained = False
            self._store.publish(Notice("info", self.tr("The chats are saved again.")))
            self.saved.emit()
