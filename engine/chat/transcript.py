"""One conversation as a tree of messages: every edit and every regeneration is a version beside the old one."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from engine.client.engine import ChatMessage, ChatOptions

if TYPE_CHECKING:
    from collections.abc import Iterable

Role = Literal["user", "assistant"]


class MessageState(StrEnum):
    """How far a message got. INTERRUPTED: its window ended before the answer did."""

    COMPLETE = "complete"
    STREAMING = "streaming"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Figures:
    """What one answer cost. Seconds from the send; `tokens_per_s` leaves the first token out (decode speed).

    Token counts are the engine's own; None where it did not report them. `approximate`: the answer was cut off before
    the engine reported, so `completion_tokens` counts the pieces that came, mostly one token each.
    """

    ttft_s: float | None = None
    total_s: float | None = None
    tokens_per_s: float | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    completion_tokens: int | None = None
    approximate: bool = False


@dataclass(frozen=True, slots=True)
class MessageError:
    """Why an answer ended early: `kind` of the KVDeckError, its sentence, and what to do about it."""

    kind: str
    message: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of one version. `parent_id` None begins the conversation; `model` made (or will make) the answer."""

    id: str
    chat_id: str
    parent_id: str | None
    role: Role
    content: str
    created_unix_s: float
    model: str | None = None
    state: MessageState = MessageState.COMPLETE
    finish_reason: str | None = None
    request_id: str | None = None
    figures: Figures = Figures()
    error: MessageError | None = None


@dataclass(frozen=True, slots=True)
class SamplingOptions:
    """What a conversation asks of the sampler; None leaves the model's own default."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None

    def for_request(self) -> ChatOptions:
        """The same as the engine client takes it."""
        return ChatOptions(max_tokens=self.max_tokens, temperature=self.temperature, top_p=self.top_p, seed=self.seed)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation without its messages. `named`: the user chose the title; times are wall-clock seconds."""

    id: str
    title: str
    named: bool
    system_prompt: str
    options: SamplingOptions
    created_unix_s: float
    updated_unix_s: float


def new_id() -> str:
    """A random id for a conversation, a message or a request."""
    return uuid.uuid4().hex


def new_conversation(system_prompt: str = "", options: SamplingOptions | None = None) -> Conversation:
    """An empty conversation that has not been written anywhere yet."""
    now = time.time()
    return Conversation(new_id(), "", False, system_prompt, options or SamplingOptions(), now, now)


def title_of(text: str, limit: int = 60) -> str:
    """A title from the first message: its first line with words, cut at a word within `limit` characters."""
    line = next((part.strip() for part in text.splitlines() if part.strip()), "")
    if len(line) <= limit:
        return line
    return line[:limit].rsplit(" ", 1)[0].rstrip(" ,.;:") + "…"


class Transcript:
    """The messages of one conversation and which version of each is chosen."""

    def __init__(self, messages: Iterable[Message] = (), chosen: Iterable[str] = ()) -> None:
        self._messages: dict[str, Message] = {}
        self._children: dict[str | None, list[str]] = {}
        self._chosen: dict[str | None, str] = {}
        for message in messages:
            self._place(message)
        for message_id in chosen:
            if message_id in self._messages:
                self._chosen[self._messages[message_id].parent_id] = message_id

    def __len__(self) -> int:
        return len(self._messages)

    def __contains__(self, message_id: str) -> bool:
        return message_id in self._messages

    def get(self, message_id: str) -> Message:
        """The newest state of one message; raises KeyError."""
        return self._messages[message_id]

    def all(self) -> tuple[Message, ...]:
        """Every message of every version, oldest first."""
        return tuple(self._messages.values())

    def path(self) -> tuple[Message, ...]:
        """The chosen messages from the first to the last: what is on the screen and what the model is sent."""
        found: list[Message] = []
        parent: str | None = None
        while self._children.get(parent):
            message = self._messages[self._choice(parent)]
            found.append(message)
            parent = message.id
        return tuple(found)

    def path_to(self, message_id: str) -> tuple[Message, ...]:
        """The messages from the first down to this one, whether chosen or not."""
        found: list[Message] = []
        step: str | None = message_id
        while step is not None:
            message = self._messages[step]
            found.append(message)
            step = message.parent_id
        return tuple(reversed(found))

    def versions(self, message_id: str) -> tuple[str, ...]:
        """The ids of all versions of this message, oldest first (itself included)."""
        return tuple(self._children[self._messages[message_id].parent_id])

    def put(self, message: Message) -> None:
        """Add a message as the chosen version of its place, or replace the one of the same id."""
        if message.id in self._messages:
            self._messages[message.id] = message
            return
        self._place(message)
        self._chosen[message.parent_id] = message.id

    def choose(self, message_id: str) -> None:
        """Show this version; what follows is what followed it."""
        self._chosen[self._messages[message_id].parent_id] = message_id

    def chosen(self) -> frozenset[str]:
        """The ids of the chosen version of every place, also of places off the present path."""
        return frozenset(self._choice(parent) for parent, ids in self._children.items() if ids)

    def remove(self, message_id: str) -> tuple[Message, ...]:
        """Take away this version and all that follows it; returns them, parents before children, for undo."""
        removed: list[Message] = []
        waiting = [message_id]
        while waiting:
            step = waiting.pop()
            removed.append(self._messages.pop(step))
            waiting.extend(self._children.pop(step, []))
            self._chosen.pop(step, None)
        parent = removed[0].parent_id
        self._children[parent].remove(message_id)
        if self._chosen.get(parent) == message_id:
            del self._chosen[parent]
        return tuple(removed)

    def _place(self, message: Message) -> None:
        self._messages[message.id] = message
        self._children.setdefault(message.parent_id, []).append(message.id)

    def _choice(self, parent: str | None) -> str:
        ids = self._children[parent]
        choice = self._chosen.get(parent)
        return choice if choice in self._messages and choice is not None else ids[-1]


def request_messages(path: Iterable[Message], system_prompt: str) -> tuple[ChatMessage, ...]:
    """What the model is sent for this path.

    Answers that failed before their first token say nothing and are left out; the questions on both sides are then
    joined, because many chat templates refuse two user messages in a row.
    """
    sent: list[ChatMessage] = []
    if system_prompt.strip():
        sent.append(ChatMessage("system", system_prompt))
    for message in path:
        if message.role == "assistant" and not message.content:
            continue
        if sent and sent[-1].role == message.role:
            sent[-1] = ChatMessage(message.role, f"{sent[-1].content}\n\n{message.content}")
        else:
            sent.append(ChatMessage(message.role, message.content))
    return tuple(sent)
