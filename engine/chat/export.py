"""A conversation as a file for other programs: Markdown for people, JSON with every version for machines."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from engine.chat.transcript import MessageState

if TYPE_CHECKING:
    from engine.chat.transcript import Conversation, Message, Transcript

FORMAT = "kvdeck-chat-1"


def to_markdown(conversation: Conversation, transcript: Transcript) -> str:
    """The chosen path as Markdown, with the figures of each answer in one line under it."""
    parts = [f"# {conversation.title or 'Conversation'}", f"*{_when(conversation.created_unix_s)}*"]
    if conversation.system_prompt.strip():
        parts += ["## System", conversation.system_prompt.strip()]
    for message in transcript.path():
        if message.role == "user":
            parts += ["## User", message.content]
            continue
        parts.append(f"## {message.model or 'Assistant'}")
        if message.content:
            parts.append(message.content)
        parts += _remarks(message)
    return "\n\n".join(parts) + "\n"


def to_json(conversation: Conversation, transcript: Transcript) -> str:
    """Everything: all versions as a tree by parent_id, the chosen ids, the options and the figures."""
    value = {
        "format": FORMAT,
        "conversation": asdict(conversation),
        "chosen": sorted(transcript.chosen()),
        "messages": [asdict(message) for message in transcript.all()],
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _remarks(message: Message) -> list[str]:
    figures = message.figures
    known = [
        (figures.completion_tokens, "{} tokens"),
        (figures.prompt_tokens, "{} prompt tokens"),
        (figures.cached_tokens, "{} of them cached"),
        (figures.ttft_s, "TTFT {:.3f} s"),
        (figures.tokens_per_s, "{:.1f} tokens/s"),
    ]
    line = " · ".join(text.format(value) for value, text in known if value is not None)
    remarks = [f"*{line}*"] if line else []
    if message.state is MessageState.STOPPED:
        remarks.append("*(stopped)*")
    if message.error is not None:
        remarks.append(f"*({message.error.message} {message.error.remedy})*".replace(" )", ")"))
    return remarks


def _when(unix_s: float) -> str:
    return datetime.fromtimestamp(unix_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
