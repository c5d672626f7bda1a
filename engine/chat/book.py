"""Conversations in use: what is said, how answers are asked for, and that all of it reaches the disk."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from engine.chat.beside import WholeChat
from engine.chat.session import AnswerStream
from engine.chat.store import ChatGone
from engine.chat.transcript import (
    Conversation,
    Message,
    MessageState,
    SamplingOptions,
    Transcript,
    new_id,
    request_messages,
    title_of,
)
from engine.domain.errors import EngineBusy, KVDeckError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from engine.chat.store import ChatStore
    from engine.client.engine import ChatDelta, ChatMessage, ChatOptions

    _Step = Callable[..., None]  # a method of the store's that writes

log = logging.getLogger(__name__)

_SAVE_EVERY_S = 1.0


class Ask(Protocol):
    """How an answer is asked for: `Commands.chat` or `EngineClient.chat`."""

    def __call__(
        self, messages: Sequence[ChatMessage], options: ChatOptions, *, request_id: str | None = None
    ) -> AsyncIterator[ChatDelta]:
        """Stream one answer; closing the iterator aborts the request."""


class ChatListener(Protocol):
    """Who is told about a conversation; called on the loop that runs it."""

    def path_changed(self, chat: OpenChat) -> None:
        """Other messages than before are on the chosen path."""

    def answer_changed(self, chat: OpenChat) -> None:
        """More of the present answer has come, or it has ended."""

    def conversation_changed(self, chat: OpenChat) -> None:
        """The title, the prompt or the options changed."""

    def write_failed(self, chat: OpenChat, error: KVDeckError) -> None:
        """The chat file could not take something; it is kept beside it, or in memory where the chat is `unsaved`."""


class OpenChat:
    """One conversation in use. At most one answer streams at a time; `answer` is it, or the last one.

    `unsaved`: neither the chat file nor the one beside it could take what was said.
    """

    def __init__(
        self, conversation: Conversation, transcript: Transcript, store: ChatStore, ask: Ask, listener: ChatListener
    ) -> None:
        self.conversation = conversation
        self.transcript = transcript
        self.answer: AnswerStream | None = None
        self.unsaved = False
        self._forgotten = False
        self._store = store
        self._ask = ask
        self._listener = listener

    @property
    def answering(self) -> bool:
        """Whether an answer streams now."""
        return self.answer is not None and self.answer.running

    def newest(self, message: Message) -> Message:
        """The message as it is at this moment, also while it streams."""
        if self.answer is not None and self.answer.message.id == message.id:
            return self.answer.message
        return message

    async def send(self, text: str, model: str | None) -> Message:
        """Add a user message at the end of the chosen path, and stream the answer to it."""
        path = self.transcript.path()
        return await self._say(text, path[-1].id if path else None, model)

    async def edit(self, message_id: str, text: str, model: str | None) -> Message:
        """Say something else in place of a user message; the old version stays beside it."""
        return await self._say(text, self.transcript.get(message_id).parent_id, model)

    async def regenerate(self, message_id: str, model: str | None) -> Message:
        """Answer again; `message_id` is the answer to be replaced or the user message to be answered."""
        message = self.transcript.get(message_id)
        parent = message.id if message.role == "user" else message.parent_id
        if parent is None:
            raise EngineBusy("There is no question to answer again.", remedy="Send a message first.")
        return await self._answer_to(parent, model)

    def stop(self) -> None:
        """End the present answer and keep what has come of it."""
        if self.answer is not None:
            self.answer.stop()

    def forget(self) -> None:
        """It is deleted for good: the present answer ends, and nothing of it is written any more."""
        self._forgotten = True
        self.stop()

    async def choose(self, message_id: str) -> None:
        """Show this version of its place."""
        self.transcript.choose(message_id)
        self._listener.path_changed(self)
        await self._write(self._store.choose, message_id)

    async def remove(self, message_id: str) -> tuple[Message, ...]:
        """Delete a message and what follows it; returns what was deleted, for `put_back`."""
        removed = self.transcript.remove(message_id)
        self._listener.path_changed(self)
        await self._write(self._store.remove_message, message_id, removed=(message_id,))
        return removed

    async def put_back(self, removed: Sequence[Message]) -> None:
        """Undo `remove`."""
        for message in removed:
            self.transcript.put(message)
        self._listener.path_changed(self)
        await self._save(*removed)

    async def save(self) -> None:
        """Write it again, all of it where it is `unsaved`."""
        await self._write(self._store.save_conversation, self.conversation)

    async def rename(self, title: str) -> None:
        """Give it a title of the user's own."""
        await self._update(title=title.strip(), named=bool(title.strip()))

    async def set_prompt(self, system_prompt: str) -> None:
        """Change what the model is told before everything else."""
        await self._update(system_prompt=system_prompt)

    async def set_options(self, options: SamplingOptions) -> None:
        """Change how answers are sampled from now on."""
        await self._update(options=options)

    async def _update(self, **changes: object) -> None:
        self.conversation = replace(self.conversation, **changes)  # type: ignore[arg-type]
        self._listener.conversation_changed(self)
        if len(self.transcript) or self.conversation.named:  # one that nothing was said in is not kept
            await self._write(self._store.save_conversation, self.conversation)

    async def _say(self, text: str, parent_id: str | None, model: str | None) -> Message:
        self._require_quiet()
        message = Message(new_id(), self.conversation.id, parent_id, "user", text, self._now(), model)
        self.transcript.put(message)
        title = self.conversation.title or title_of(text)
        self.conversation = replace(self.conversation, title=title, updated_unix_s=message.created_unix_s)
        return await self._answer_to(message.id, model)

    def _now(self) -> float:
        """The wall clock, but no earlier than what was said: where it was set back, answers would precede questions."""
        return max((time.time(), *(message.created_unix_s for message in self.transcript.all())))

    async def _answer_to(self, parent_id: str, model: str | None) -> Message:
        self._require_quiet()
        answer = Message(
            new_id(), self.conversation.id, parent_id, "assistant", "", self._now(), model, MessageState.STREAMING
        )
        self.transcript.put(answer)
        self.answer = AnswerStream(answer, lambda: self._listener.answer_changed(self))
        self._listener.path_changed(self)
        self._listener.conversation_changed(self)
        asked = request_messages(self.transcript.path_to(parent_id), self.conversation.system_prompt)
        ended = asyncio.Event()
        saving = asyncio.ensure_future(self._save_until(ended, self.answer, parent_id))
        try:
            deltas = self._ask(asked, self.conversation.options.for_request(), request_id=answer.id)
            return await self.answer.run(deltas)
        finally:
            ended.set()
            await saving  # ended, not cancelled: a write still in its thread would overtake the last one
            if answer.id in self.transcript:
                self.transcript.put(self.answer.message)
                self._listener.path_changed(self)
                await self._save(self.answer.message)

    async def _save_until(self, ended: asyncio.Event, answer: AnswerStream, parent_id: str) -> None:
        await self._write(self._store.save_conversation, self.conversation)
        await self._save(self.transcript.get(parent_id), answer.message)
        while not ended.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), _SAVE_EVERY_S)
            if not ended.is_set():
                await self._save(answer.message)

    async def _save(self, *messages: Message) -> None:
        chosen = self.transcript.chosen() & {message.id for message in messages}
        await self._write(self._store.save_messages, messages, chosen)

    async def _write(self, step: _Step, *arguments: object, removed: tuple[str, ...] = ()) -> None:
        messages = tuple(self.newest(message) for message in self.transcript.all())
        whole = WholeChat(self.conversation, messages, self.transcript.chosen(), removed)
        error = await asyncio.to_thread(self._write_or_keep, step, arguments, whole)
        if error is not None:
            log.warning("a chat was not saved: %s", error)
            self._listener.write_failed(self, error)

    def _write_or_keep(self, step: _Step, arguments: Sequence[object], whole: WholeChat) -> KVDeckError | None:
        """In one thread, so that nobody who cancels the wait comes between; the error that it was kept beside for."""
        if self._forgotten:
            return None
        try:
            self._write_now(step, arguments, whole)
        except KVDeckError as error:
            try:
                self._store.keep_beside(whole)
            except KVDeckError:
                self.unsaved = True
            return error
        self.unsaved = False
        return None

    def _write_now(self, step: _Step, arguments: Sequence[object], whole: WholeChat) -> None:
        if not self.unsaved:
            with suppress(ChatGone):  # deleted in another window while this one goes on with it
                step(*arguments)
                return
        if self._forgotten:  # meanwhile
            return
        self._store.save_conversation(whole.conversation)
        self._store.save_messages(whole.messages, whole.chosen)

    def _require_quiet(self) -> None:
        if self.answering:
            raise EngineBusy("An answer is still being written.", remedy="Stop it first, or wait for its end.")
