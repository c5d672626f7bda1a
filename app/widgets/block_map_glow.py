"""Which blocks glow, and how brightly: those that requests took in the last half second. Knows nothing of Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.widgets.block_map_bases import owned
from app.widgets.block_map_changes import places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.domain.telemetry import CacheSnapshot

_NONE = np.zeros(0, np.intp)


class BlockGlow:
    """One level a block, 0 for those that do not glow. Every method returns the blocks whose level changed."""

    def __init__(self) -> None:
        self.levels: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._burning = _NONE
        self._is_fresh = np.zeros(0, np.bool_)

    @property
    def is_there(self) -> bool:
        """Whether any block glows."""
        return len(self._burning) > 0

    def resize(self, blocks: int) -> None:
        """Begin anew with a pool of so many blocks."""
        self.levels, self._burning = np.zeros(blocks, np.uint8), _NONE
        self._is_fresh = np.zeros(blocks, np.bool_)

    def kindle(self, before: CacheSnapshot, now: CacheSnapshot, level: int) -> NDArray[np.intp]:
        """Let blocks that changed hands between two snapshots glow, and end the glow of those nobody owns now."""
        if before.states is now.states:  # the reader hands out the same arrays where no block has changed
            return _NONE
        stays = owned(now.states[self._burning])
        gone, self._burning = self._burning[~stays], self._burning[stays]
        self.levels[gone] = 0
        earlier = before.counters.step
        if now.counters.step >= earlier:
            np.greater(now.last_used_step, np.uint32(earlier), out=self._is_fresh)
        else:  # a recording was wound back
            np.not_equal(before.last_used_step, now.last_used_step, out=self._is_fresh)
        fresh = places(self._is_fresh)
        fresh = fresh[owned(now.states[fresh])]
        self._burning = np.concatenate((self._burning, fresh[self.levels[fresh] == 0]))
        self.levels[fresh] = level
        return np.concatenate((gone, fresh))

    def fade(self) -> NDArray[np.intp]:
        """Lower every level by one."""
        burning = self._burning
        levels = self.levels[burning] - np.uint8(1)
        self.levels[burning] = levels
        self._burning = burning[levels > 0]
        return burning

    def stop(self) -> NDArray[np.intp]:
        """End all glows at once."""
        burning, self._burning = self._burning, _NONE
        self.levels[burning] = 0
        return burning
