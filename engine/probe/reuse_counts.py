"""How often each block was found in the prefix cache since it was filled."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

from engine.domain.blocks import MOST_REUSES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.page.views import PageViews


class ReuseCounts:
    """Counts by physical block; a copy of a prefix in another block has a count of its own.

    It costs something only when a request finds blocks, and when such a block is handed out anew.
    """

    def __init__(self, views: PageViews) -> None:
        assert views.reuse_counts is not None
        self._page = views.reuse_counts
        self._items = self._page.data
        self._counts = array("H", bytes(2 * len(self._page)))
        self._changed: list[int] = []
        self._alive = 0  # blocks with a count
        self._dropped = False

    def found(self, blocks: Iterable[Any]) -> None:
        """A request with the same prefix found these blocks."""
        counts, changed = self._counts, self._changed
        for block in blocks:
            if block.block_hash is not None:
                i = block.block_id
                count = counts[i]
                if not count:
                    self._alive += 1
                if count < MOST_REUSES:
                    counts[i] = count + 1
                    changed.append(i)

    def emptied(self, blocks: Iterable[Any]) -> None:
        """What these blocks held is gone: they were handed out anew, or evicted."""
        if not self._alive:
            return
        counts = self._counts
        for block in blocks:
            i = block.block_id
            if counts[i]:
                counts[i] = 0
                self._alive -= 1
                self._changed.append(i)

    def drop(self) -> None:
        """The whole prefix cache was reset."""
        self._counts = array("H", bytes(2 * len(self._page)))
        self._changed.clear()
        self._alive = 0
        self._dropped = True

    def publish(self) -> bool:
        """Write what changed. Call between the writer's begin and commit. True if there was anything."""
        if not self._changed and not self._dropped:
            return False
        if self._dropped:
            self._page[:] = 0
            self._dropped = False
        counts, items = self._counts, self._items
        for i in self._changed:
            items[i] = counts[i]
        self._changed.clear()
        return True
