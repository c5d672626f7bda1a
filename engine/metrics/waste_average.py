"""Waste over time: the mean of what the cache held empty, and of what contiguous reservation would have, so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.metrics.reservation import contiguous_use, holders, paged_use, pool_slots

if TYPE_CHECKING:
    from engine.domain.telemetry import CacheSnapshot

_EVERY_NS = 200_000_000
_LONGEST_NS = 1_000_000_000  # what one picture stands for at most: nobody knows what a gap held


@dataclass(frozen=True, slots=True)
class WasteAverage:
    """Means over `seconds` in which requests held blocks, weighted by time and by slots (0 to 1).

    `requests` held blocks on average, at most `most_requests`; of the same requests `contiguous_requests` would have
    got a piece on average, at most `contiguous_fits`.
    """

    seconds: float
    paged_share: float
    contiguous_share: float
    requests: float
    most_requests: int
    contiguous_requests: float
    contiguous_fits: int


class WasteMeter:
    """Takes every picture of one engine, measures five times a second, and adds up. For models of one cache group."""

    def __init__(self) -> None:
        self._last_ns = 0
        self._now: tuple[int, ...] | None = None  # what the newest picture held
        self._seconds = 0.0
        self._sums = [0.0] * 6
        self._most = self._fits = 0

    def take(self, snapshot: CacheSnapshot, max_model_len: int | None) -> None:
        """A picture; `max_model_len` None: not known, and nothing is measured."""
        now = snapshot.published_ns
        last = self._last_ns
        if 0 <= now - last < _EVERY_NS or max_model_len is None or snapshot.num_groups != 1:
            return
        self._last_ns = now
        if last and now > last:
            self._add(min(now - last, _LONGEST_NS) / 1e9)
        paged = paged_use(snapshot)
        self._now = None
        if paged is not None and paged.requests:
            piece = contiguous_use(holders(snapshot), pool_slots(snapshot), max_model_len)
            taken = piece.filled + piece.reserved + piece.internal + (piece.external if piece.requests else 0)
            self._now = (paged.wasted, paged.filled + paged.wasted, taken - piece.filled, taken, paged.requests,
                         piece.requests)  # fmt: skip
            self._most = max(self._most, paged.requests)
            self._fits = piece.fits

    @property
    def average(self) -> WasteAverage | None:
        """The means so far; None before any request held blocks for a while."""
        if not self._seconds or not self._sums[1]:
            return None
        wasted, held, lost, taken, requests, served = self._sums
        return WasteAverage(
            self._seconds, wasted / held, lost / taken if taken else 0.0, requests / self._seconds, self._most,
            served / self._seconds, self._fits,
        )  # fmt: skip

    def _add(self, seconds: float) -> None:
        if self._now is not None:
            self._seconds += seconds
            self._sums = [total + seconds * value for total, value in zip(self._sums, self._now, strict=True)]
