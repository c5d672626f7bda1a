"""Messages and conversations as SQLite rows, and back."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any, TypeVar

from engine.chat.transcript import Conversation, Figures, Message, MessageError, MessageState, SamplingOptions

if TYPE_CHECKING:
    from collections.abc import Sequence


_Record = TypeVar("_Record", Figures, MessageError, SamplingOptions)


def conversation_row(conversation: Conversation) -> tuple[Any, ...]:
    """In the order of `queries.SAVE_CONVERSATION`."""
    return (
        conversation.id,
        _clean(conversation.title),
        conversation.named,
        _clean(conversation.system_prompt),
        _pack(conversation.options),
        conversation.created_unix_s,
        conversation.updated_unix_s,
    )


def read_conversation(row: Sequence[Any]) -> Conversation:
    """From a row that begins as those of `queries.CONVERSATIONS`."""
    options = _unpack(SamplingOptions, row[4]) or SamplingOptions()
    return Conversation(row[0], row[1], bool(row[2]), row[3], options, row[5], row[6])


def message_row(message: Message) -> tuple[Any, ...]:
    """In the order of `queries.SAVE_MESSAGE`."""
    return (
        message.id,
        message.chat_id,
        message.parent_id,
        message.role,
        _clean(message.content),
        message.created_unix_s,
        message.model,
        message.state.value,
        message.finish_reason,
        message.request_id,
        _pack(message.figures),
        _pack(message.error) if message.error is not None else None,
    )


def read_message(row: Sequence[Any]) -> Message:
    """From a row of `queries.MESSAGES`. One that was still streaming when it was written last is interrupted."""
    state = MessageState(row[7])
    return Message(
        id=row[0],
        chat_id=row[1],
        parent_id=row[2],
        role=row[3],
        content=row[4],
        created_unix_s=row[5],
        model=row[6],
        state=MessageState.INTERRUPTED if state is MessageState.STREAMING else state,
        finish_reason=row[8],
        request_id=row[9],
        figures=_unpack(Figures, row[10]) or Figures(),
        error=_unpack(MessageError, row[11]),
    )


def _pack(record: Figures | MessageError | SamplingOptions) -> str:
    return json.dumps({key: value for key, value in asdict(record).items() if value is not None})


def _unpack(kind: type[_Record], text: str | None) -> _Record | None:
    if not text:
        return None
    known = {field.name for field in fields(kind)}  # a newer release may have written more
    return kind(**{key: value for key, value in json.loads(text).items() if key in known})


def _clean(text: str) -> str:
    """Lone surrogates (half an emoji from a cut paste) cannot be stored as UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
