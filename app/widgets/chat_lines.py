"""From a chat to the lines of its view: versions, and dividers where another model takes over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from engine.chat.book import OpenChat
    from engine.chat.transcript import Message


@dataclass(frozen=True, slots=True)
class Line:
    """One message as the view needs it: its place among its versions, and the words of a divider above it."""

    message: Message
    index: int = 0
    versions: int = 1
    divider: str = ""


def chat_lines(chat: OpenChat, model_now: str | None) -> tuple[list[Line], str]:
    """The lines of the chosen path, and the divider under the last one ("" where the same model goes on)."""
    lines: list[Line] = []
    model: str | None = None
    for message in chat.transcript.path():
        versions = chat.transcript.versions(message.id)
        switched = message.model is not None and model is not None and message.model != model
        divider = _divider(message.model) if switched else ""
        lines.append(Line(chat.newest(message), versions.index(message.id), len(versions), divider))
        model = message.model or model
    switches = model is not None and model_now is not None and model_now != model and not chat.answering
    return lines, _divider(model_now) if switches else ""


def _divider(model: str | None) -> str:
    return QCoreApplication.translate("ChatLines", "from here on {}").format(model)
