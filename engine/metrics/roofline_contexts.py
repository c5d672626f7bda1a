"""How long the contexts were that steps worked on, from what each request had computed in successive pictures."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.domain.request import RequestRow

_NAME, _COMPUTED = attrgetter("request_id"), attrgetter("num_computed_tokens")


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


class ContextWatch:
    """Take every picture's requests in order; each call returns what was computed since the one before it (nothing yet
    at the first).

    Exact for requests that both pictures show; the last tokens of those that ended between are not counted, so use the
    means. What is computed again after a preemption counts as prefill, as the scheduler counts it.
    """

    def __init__(self, window: int | None = None) -> None:
        self._window = window
        self._requests: tuple[RequestRow, ...] | None = None
        self._names: list[str] = []
        # Of each of these: what it had computed, and where its decoding begins.
        self._computed = self._entry = np.zeros(0, np.int64)

    def take(self, requests: tuple[RequestRow, ...]) -> Contexts:
        """The requests of one picture."""
        if requests is self._requests:
            return Contexts()
        is_first, self._requests = self._requests is None, requests
        names, computed = list(map(_NAME, requests)), np.fromiter(map(_COMPUTED, requests), np.int64, len(requests))
        begin, entry = self._last(names)
        begins_anew = (begin < 0) | (computed < begin)
        for i in np.flatnonzero(begins_anew).tolist():
            request = requests[i]
            begin[i] = min(request.num_cached_tokens, request.num_computed_tokens)
            entry[i] = request.num_tokens if request.num_preemptions else request.num_prompt_tokens
        self._names, self._computed, self._entry = names, computed, entry
        moved = computed > begin
        if is_first or not moved.any():
            return Contexts()
        return self._between(begin[moved], computed[moved], entry[moved])

    def _last(self, names: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What these had computed in the last picture (-1: they were not in it), and where their decoding begins."""
        if names == self._names:
            return self._computed.copy(), self._entry.copy()
        places = dict(zip(self._names, range(len(self._names)), strict=True))
        found = np.array([places.get(name, -1) for name in names], np.intp)
        begin, entry = np.append(self._computed, -1)[found], np.append(self._entry, 0)[found]
        return begin, entry

    def _between(
        self, begin: NDArray[np.int64], end: NDArray[np.int64], entry: NDArray[np.int64]
    ) -> Contexts:
        """Of pieces that each begin and end at a place, with the place from which on tokens are decoded."""
        turn = np.clip(entry, begin, end)
        ends = turn[turn > begin]
        return Contexts(self._sum(begin, turn), self._sum(turn, end), len(ends), int(ends.sum()))

    def _sum(self, begin: NDArray[np.int64], end: NDArray[np.int64]) -> Positions:
        whole = _sums(begin, end)
        if self._window is None:
            cut = whole
        else:
            low, high = np.minimum(begin, self._window), np.minimum(end, self._window)
            cut = _sums(low, high) + self._window * int(((end - high) - (begin - low)).sum())
        return Positions(int((end - begin).sum()), whole, cut)


def _sums(begin: NDArray[np.int64], end: NDArray[np.int64]) -> int:
    return int((end * (end + 1) - begin * (begin + 1)).sum()) // 2
