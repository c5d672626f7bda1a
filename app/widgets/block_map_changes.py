"""Which blocks differ between two snapshots, found over whole arrays and each named once. Knows nothing of Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NONE = np.zeros(0, np.intp)
_AT_ONCE = 8  # bytes of a mask that are looked at together
_MANY = 4  # with a hit in every fourth of them, one by one is no slower
_NAMED_AT_MOST = 1 << 16


def places(mask: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Where a mask is set, as flatnonzero says, in half its time where few are: most eights of it hold none."""
    whole = len(mask) // _AT_ONCE * _AT_ONCE
    eights = mask[:whole].view(np.uint64)
    hits = np.flatnonzero(eights != 0)
    if len(hits) * _MANY > len(eights):
        return np.flatnonzero(mask)
    inner = np.flatnonzero(eights[hits].view(np.bool_))
    found: NDArray[np.intp] = hits[inner // _AT_ONCE] * _AT_ONCE + inner % _AT_ONCE
    if whole < len(mask):
        found = np.concatenate((found, whole + np.flatnonzero(mask[whole:])))
    return found


class Differences:
    """Collects blocks that differ in one array or another, or that are named; `take` hands out each of them once."""

    def __init__(self) -> None:
        self._mask = np.zeros(0, np.bool_)
        self._spare = np.zeros(0, np.bool_)

    def begin(self, blocks: int) -> None:
        """Collect anew, for a pool of so many blocks."""
        if len(self._mask) != blocks:
            self._mask, self._spare = np.zeros(blocks, np.bool_), np.zeros(blocks, np.bool_)
        else:
            self._mask.fill(False)

    def compare(self, now: NDArray[Any], before: NDArray[Any]) -> None:
        """Add the blocks whose numbers differ; the same array twice costs nothing."""
        if now is not before:
            np.not_equal(now, before, out=self._spare)
            np.logical_or(self._mask, self._spare, out=self._mask)

    def add(self, blocks: NDArray[Any]) -> None:
        """Add these blocks."""
        self._mask[blocks] = True

    def take(self) -> NDArray[np.intp]:
        """What was collected, rising."""
        return places(self._mask)


class Stale:
    """Blocks that have to be looked at anew, as they are named one group after the other; at first all are."""

    def __init__(self) -> None:
        self._parts: list[NDArray[Any]] = []
        self._named = 0
        self._is_all = True

    def __bool__(self) -> bool:
        return self._is_all or self._named > 0

    def add(self, blocks: NDArray[Any] | None) -> None:
        """Name some; None names all, and so do very many."""
        self._named += 0 if blocks is None else len(blocks)
        if blocks is None or self._named > _NAMED_AT_MOST:
            self._parts, self._is_all = [], True
        elif len(blocks) and not self._is_all:
            self._parts.append(blocks)

    def take(self) -> NDArray[np.intp] | None:
        """What was named since the last time, some perhaps twice; None stands for all."""
        parts, is_all = self._parts, self._is_all
        self._parts, self._named, self._is_all = [], 0, False
        if is_all:
            return None
        return np.concatenate(parts).astype(np.intp, copy=False) if parts else _NONE
