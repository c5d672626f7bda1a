"""What one streamed answer cost, as its client saw it: time to the first token, tokens per second, token counts."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.client.engine import ChatDelta


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """Figures of one answer, measured at the client. Seconds and tokens; None is not known (yet).

    `ttft_s` counts from sending the request to the first delta that carries text. `tokens_per_s` is the decode rate:
    completion tokens after the first one over the time since the first one, so that a long prompt does not count
    against it; None for answers of fewer than two tokens. Token counts are vLLM's own (its usage record), or the
    number of text deltas while none has come, which is what `counted_by_engine` tells.
    """

    ttft_s: float | None
    e2e_s: float
    tokens_per_s: float | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    counted_by_engine: bool
    finish_reason: str | None


class AnswerClock:
    """Measures one answer: construct it when the request is sent, `observe` each delta, `figures` at any time."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._sent = clock()
        self._first: float | None = None
        self._last = self._sent
        self._pieces = 0
        self._usage: ChatDelta | None = None
        self._finish_reason: str | None = None

    def observe(self, delta: ChatDelta) -> None:
        """Take note of one delta at the moment of its arrival."""
        now = self._clock()
        self._finish_reason = delta.finish_reason or self._finish_reason
        if delta.completion_tokens is not None:
            self._usage = delta
        if delta.text:
            self._first = now if self._first is None else self._first
            self._last = now
            self._pieces += 1

    def figures(self) -> AnswerFigures:
        """The figures so far; final once the stream has ended."""
        usage = self._usage
        tokens = usage.completion_tokens if usage is not None else (self._pieces or None)
        return AnswerFigures(
            ttft_s=None if self._first is None else self._first - self._sent,
            e2e_s=self._last - self._sent,
            tokens_per_s=self._rate(tokens),
            prompt_tokens=usage.prompt_tokens if usage is not None else None,
            completion_tokens=tokens,
            cached_tokens=usage.cached_tokens if usage is not None else None,
            counted_by_engine=usage is not None,
            finish_reason=self._finish_reason,
        )

    def _rate(self, tokens: int | None) -> float | None:
        if self._first is None or tokens is None or tokens < 2 or self._last <= self._first:
            return None
        return (tokens - 1) / (self._last - self._first)
