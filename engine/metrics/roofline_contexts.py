"""How long the contexts were that steps worked on, from what each request had computed in successive pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.request import RequestRow


@dataclass(frozen=True, slots=True)
class Positions:
    """Tokens that were computed, and the sum of the context lengths they saw, their own place included.

    `window_total` is the same with each length cut to the sliding window (the same as `total` without one).
    """

    tokens: int = 0
    total: int = 0
    window_total: int = 0

    @property
    def mean(self) -> float:
        """The mean context; 0 where nothing was computed."""
        return self.total / self.tokens if self.tokens else 0.0

    @property
    def window_mean(self) -> float:
        """The mean context within the window."""
        return self.window_total / self.tokens if self.tokens else 0.0


@dataclass(frozen=True, slots=True)
class Contexts:
    """Of the tokens of prefills and of those decoded. `chunk_ends` sums, over `chunks`, how far each had come."""

    prefill: Positions = Positions()
    decode: Positions = Positions()
    chunks: int = 0
    chunk_ends: int = 0

    @property
    def chunk_end(self) -> float:
        """The mean context at the end of a chunk."""
        return self.chunk_ends / self.chunks if self.chunks else 0.0


def total(parts: Sequence[Contexts]) -> Contexts:
    """All together."""
    return Contexts(
        _together([part.prefill for part in parts]),
        _together([part.decode for part in parts]),
        sum(part.chunks for part in parts),
        sum(part.chunk_ends for part in parts),
    )


def _together(parts: Sequence[Positions]) -> Positions:
    return Positions(
        sum(part.tokens for part in parts), sum(part.total for part in parts), sum(part.window_total for part in parts)
    )


def positions(begin: int, end: int, window: int | None) -> Positions:
    """Of the tokens at places `begin` (from 0) to before `end`: the token at place p sees p + 1 tokens."""
    if end <= begin:
        return Positions()
    whole = _sum(begin, end)
    if window is None or end <= window:
        return Positions(end - begin, whole, whole)
    inside = _sum(begin, window) if begin < window else 0
    beyond = (end - max(begin, window)) * window
    return Positions(end - begin, whole, inside + beyond)


def _sum(begin: int, end: int) -> int:
    return (end * (end + 1) - begin * (begin + 1)) // 2


class ContextWatch:
    """Take every picture's requests in order; each call returns what was computed since the one before it (nothing yet
    at the first).

    Exact for requests that both pictures show; the last tokens of those that ended between are not counted, so use the
    means. What is computed again after a preemption counts as prefill, as the scheduler counts it.
    """

    def __init__(self, window: int | None = None) -> None:
        self._window = window
        self._requests: tuple[RequestRow, ...] | None = None
        self._known: dict[tuple[int, str], tuple[int, int]] = {}

    def take(self, requests: tuple[RequestRow, ...]) -> Contexts:
        """The requests of one picture."""
        if requests is self._requests:
            return Contexts()
        is_first, self._requests = self._requests is None, requests
        known: dict[tuple[int, str], tuple[int, int]] = {}
        moved: list[Contexts] = []
        for request in requests:
            key = (request.row, request.request_id)
            before = self._known.get(key)
            computed = request.num_computed_tokens
            if before is None or computed < before[0]:
                entry = request.num_tokens if request.num_preemptions else request.num_prompt_tokens
                before = (min(request.num_cached_tokens, computed), entry)
            known[key] = (computed, before[1])
            if computed > before[0] and not is_first:
                moved.append(self._between(before[0], computed, before[1]))
        self._known = known
        return total(moved)

    def _between(self, begin: int, end: int, entry: int) -> Contexts:
        filled = positions(begin, min(end, entry), self._window)
        decoded = positions(max(begin, entry), end, self._window)
        return Contexts(filled, decoded, int(filled.tokens > 0), min(end, entry) if filled.tokens else 0)
