"""Server-sent events of the OpenAI chat route: from bytes as they arrive to the pieces of an answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from engine.client import faults
from engine.client.engine import ChatDelta
from engine.domain.errors import EngineFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

DONE = "[DONE]"
_MAX_EVENT_BYTES = 16 * 1024 * 1024


class SseDecoder:
    """Cuts a byte stream into the data of its events, wherever the network cut it.

    Follows the WHATWG rules that matter here: CR, LF and CRLF end a line, an empty line ends an event, several data
    lines of one event are joined by LF, comments and other fields are skipped. Raises EngineFailed for an event of
    more than 16 MiB, which no chat answer is.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Iterator[str]:
        """The data of every event that `piece` completes."""
        self._rest += piece
        if len(self._rest) > _MAX_EVENT_BYTES:
            raise EngineFailed("The engine sent an event of more than 16 MiB.", remedy="Restart the engine.")
        while True:
            line, separator, rest = self._next_line()
            if not separator:
                return
            self._rest = rest
            if line:
                self._take(line)
            elif self._data:
                data, self._data = "\n".join(self._data), []
                yield data

    def _next_line(self) -> tuple[bytes, bytes, bytes]:
        position = min((at for at in (self._rest.find(b"\n"), self._rest.find(b"\r")) if at >= 0), default=-1)
        if position < 0 or self._rest[position:] == b"\r":  # a lone CR at the end may be half of a CRLF
            return b"", b"", self._rest
        width = 2 if self._rest[position : position + 2] == b"\r\n" else 1
        return self._rest[:position], self._rest[position : position + width], self._rest[position + width :]

    def _take(self, line: bytes) -> None:
        field, _, value = line.partition(b":")
        if field == b"data":
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))


class AnswerAssembler:
    """Turns the data of chat events into ChatDeltas; the last one carries finish reason and usage together.

    OpenAI streams say the finish reason in one event and the usage in a later one without choices, so the reason is
    kept until then. vLLM, asked for it, also counts in every event: what an answer that is stopped or cut off has cost
    is then known as well. `finished` is true once `[DONE]` has come: a stream that ends before was cut.
    """

    def __init__(self) -> None:
        self.finished = False
        self._request_id = ""
        self._finish_reason: str | None = None
        self._usage_sent = False

    def take(self, data: str) -> ChatDelta | None:
        """The delta in one event, or None where there is nothing to tell. Raises what an error event says."""
        if data == DONE:
            self.finished = True
            if self._finish_reason is None or self._usage_sent:
                return None
            return ChatDelta(self._request_id, "", self._finish_reason)
        event = self._parse(data)
        self._request_id = str(event.get("id") or self._request_id)
        choices, usage = event.get("choices") or [], event.get("usage")
        text = ""
        if choices:
            text = (choices[0].get("delta") or {}).get("content") or ""
            self._finish_reason = choices[0].get("finish_reason") or self._finish_reason
        if usage and not choices:
            self._usage_sent = True
            return self._delta("", usage, self._finish_reason)
        return self._delta(text, usage or {})

    def _delta(self, text: str, usage: dict[str, Any], finish_reason: str | None = None) -> ChatDelta:
        details = usage.get("prompt_tokens_details") or {}
        return ChatDelta(
            self._request_id,
            text,
            finish_reason=finish_reason,
            prompt_tokens=usage.get("prompt_tokens"),
            completion_tokens=usage.get("completion_tokens"),
            cached_tokens=details.get("cached_tokens"),
        )

    @staticmethod
    def _parse(data: str) -> dict[str, Any]:
        try:
            event = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise EngineFailed(
                "The engine sent an event that is no JSON.", remedy="The log has the details.", details=data[:2000]
            ) from error
        if not isinstance(event, dict):
            raise EngineFailed("The engine sent an event of an unknown shape.", details=data[:2000])
        if event.get("error"):
            raise faults.from_openai(200, data)
        return event
