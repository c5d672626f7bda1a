"""Sends one request and notes when each piece of its answer came. Measures, so it does as little as it can."""

from __future__ import annotations

import asyncio
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import aiohttp
import msgspec

from engine.bench.sample import Outcome, Sample
from engine.client.sse import DONE, SseDecoder
from engine.domain.errors import EngineFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.bench.clock import RunClock
    from engine.bench.requests import Planned

_OK = 200
_REASON_LETTERS = 300


class _Event(msgspec.Struct):
    """What matters of one event of either route; everything else is skipped while it is parsed."""

    choices: list[dict[str, Any]] = []
    usage: dict[str, Any] | None = None
    metrics: dict[str, Any] | None = None
    error: Any = None


_decoder = msgspec.json.Decoder(_Event)


@dataclass(slots=True)
class _Answer:
    """What has come so far."""

    first_s: float | None = None
    last_s: float | None = None
    gaps: array[float] = field(default_factory=lambda: array("f"))
    pieces: int = 0
    text: list[str] = field(default_factory=list)
    finish_reason: str | None = None
    usage: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, Any] = field(default_factory=dict)
    done: bool = False


class Sender:
    """Sends the requests of one run. `on_piece(first)` is called for each piece with a token; `first` says whether it
    was the request's first one. `keep_text` keeps answers, for conversations.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        root: str,
        clock: RunClock,
        *,
        timeout_s: float,
        keep_text: bool,
        on_piece: Callable[[float | None, float | None], None],
    ) -> None:
        self._session = session
        self._root = root
        self._clock = clock
        self._timeout_s = timeout_s
        self._keep_text = keep_text
        self._on_piece = on_piece

    async def send(self, planned: Planned, request_id: str, number: int, due_s: float) -> tuple[Sample, str]:
        """Send it and return its sample and the answer's text. Cancelling makes it INCOMPLETE and aborts it.

        The cancellation is taken: the caller that cancelled gets the sample. Never raises for what the server did.
        """
        answer = _Answer()
        sent = self._clock.now_s
        outcome, reason = Outcome.FAILED, ""
        try:
            async with asyncio.timeout(self._timeout_s):
                reason = await self._stream(planned, request_id, sent, answer)
            outcome = Outcome.FAILED if reason else Outcome.SUCCESSFUL
            reason = reason or answer.finish_reason or ""
        except asyncio.CancelledError:
            outcome, reason = Outcome.INCOMPLETE, "stopped"
        except TimeoutError:
            reason = f"no complete answer within {self._timeout_s:g} s"
        except (aiohttp.ClientError, OSError) as error:
            reason = f"{type(error).__name__}: {error}"
        except (msgspec.MsgspecError, EngineFailed) as error:
            reason = f"an event that cannot be read: {error}"
        sample = self._sample(planned, answer, request_id, number, due_s, sent, outcome, reason)
        return sample, "".join(answer.text)

    async def _stream(self, planned: Planned, request_id: str, sent: float, answer: _Answer) -> str:
        """Read the whole answer; returns what was wrong with it, empty where nothing was."""
        headers = {"Content-Type": "application/json", "X-Request-Id": request_id}
        async with self._session.post(self._root + planned.path, data=planned.body, headers=headers) as response:
            try:
                if response.status != _OK:
                    return f"HTTP {response.status}: {_said(await response.text(errors='replace'))}"
                events = SseDecoder()
                async for piece in response.content.iter_any():
                    now = self._clock.now_s
                    for data in events.feed(piece):
                        if data == DONE:
                            answer.done = True
                            continue
                        problem = self._take(_decoder.decode(data), now, sent, answer)
                        if problem:
                            return problem
            except BaseException:
                response.close()  # not released: the rest of the answer is not wanted, and closing aborts it
                raise
        if answer.first_s is None:
            return "an answer without a token"
        return "" if answer.done or answer.finish_reason else "the answer was cut"

    def _take(self, event: _Event, now: float, sent: float, answer: _Answer) -> str:
        if event.error is not None:
            return _said(msgspec.json.encode({"error": event.error}).decode())
        if event.usage:
            answer.usage = event.usage
        if event.metrics:
            answer.metrics = event.metrics
        if event.choices:
            choice = event.choices[0]
            answer.finish_reason = choice.get("finish_reason") or answer.finish_reason
            text = _token_text(choice)
            if text is not None:
                self._note(now, sent, answer)
                if self._keep_text:
                    answer.text.append(text)
        return ""

    def _note(self, now: float, sent: float, answer: _Answer) -> None:
        answer.pieces += 1
        if answer.last_s is None:
            answer.first_s = now
            self._on_piece(now - sent, None)
        else:
            gap = now - answer.last_s
            answer.gaps.append(gap)
            self._on_piece(None, gap)
        answer.last_s = now

    def _sample(
        self, planned: Planned, answer: _Answer, request_id: str, number: int, due_s: float, sent: float,
        outcome: Outcome, reason: str,
    ) -> Sample:  # fmt: skip
        usage, metrics = answer.usage, answer.metrics
        details = usage.get("prompt_tokens_details") or {}
        return Sample(
            number=number,
            request_id=request_id,
            outcome=outcome,
            due_s=due_s,
            sent_s=sent,
            ended_s=self._clock.now_s,
            first_token_s=answer.first_s,
            last_token_s=answer.last_s,
            prompt_tokens=usage.get("prompt_tokens"),
            output_tokens=usage.get("completion_tokens", answer.pieces or None),
            cached_tokens=details.get("cached_tokens"),
            wanted_tokens=planned.wanted_tokens,
            queue_s=_seconds(metrics.get("queue_time_ms")),
            prefill_s=_seconds(metrics.get("time_to_first_token_ms")),  # vLLM counts it from the scheduling
            decode_s=_seconds(metrics.get("generation_time_ms")),
            reason=reason[:_REASON_LETTERS],
            gaps=answer.gaps.tobytes(),
        )


def _token_text(choice: dict[str, Any]) -> str | None:
    """The text of a piece with a token, which may be empty; None for one without (the role, the bare finish)."""
    if "text" in choice:
        return choice["text"] or ""
    delta = choice.get("delta") or {}
    for name in ("content", "reasoning", "reasoning_content"):
        text = delta.get(name)
        if text is not None:
            return None if "role" in delta and not text else str(text)
    return "" if delta.get("tool_calls") else None


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / 1e3


def _said(body: str) -> str:
    """The message of an error body."""
    try:
        found = msgspec.json.decode(body)
        error = found.get("error", found)
        return str(error.get("message", error) if isinstance(error, dict) else error)
    except (msgspec.MsgspecError, AttributeError):
        return " ".join(body.split()) or "no reason given"
