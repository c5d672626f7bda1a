"""Where the block map stands: one map of all groups or of one, or the groups' maps side by side."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from app.widgets.block_map import BlockMap
from app.widgets.block_map_group_choice import ALL, SIDE_BY_SIDE
from app.widgets.block_map_groups import GroupMaps
from app.widgets.block_map_legend import LegendItem, legend_items

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from app.theme.tokens import Theme
    from app.widgets.block_map_palette import ColourMode
    from engine.domain.telemetry import CacheSnapshot
    from engine.metrics.block_owners import BlockOwners


class BlockMapStage(QWidget):
    """Hands everything to the maps that are seen; the signals are BlockMap's. What is hidden is not drawn."""

    pointed = Signal(object)
    chosen = Signal(int)
    cleared = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.map = BlockMap(theme)
        self.groups = GroupMaps(theme)
        self._last: tuple[CacheSnapshot, BlockOwners] | None = None
        self._lit: NDArray[np.int32] | None = None
        self.pointed_block: int | None = None
        self.pointed.connect(self._note_pointed)
        self.stack = QStackedLayout(self)
        for view in (self.map, self.groups):
            self.stack.addWidget(view)
            view.pointed.connect(self.pointed)
            view.chosen.connect(self.chosen)
            view.cleared.connect(self.cleared)
        self.setFocusProxy(self.map)

    @property
    def snapshot(self) -> CacheSnapshot | None:
        """What is drawn."""
        return None if self._last is None else self._last[0]

    @property
    def owners(self) -> BlockOwners:
        """Whose the blocks are in what is drawn."""
        return self.map.owners if self._last is None else self._last[1]

    @property
    def front(self) -> BlockMap:
        """The map that is seen; of several the first."""
        return self.groups.maps[0] if self._is_split and self.groups.maps else self.map

    def show_snapshot(self, snapshot: CacheSnapshot, owners: BlockOwners) -> None:
        """Draw this snapshot from now on."""
        self._last = (snapshot, owners)
        if self._is_split:
            self.groups.show_snapshot(snapshot, owners)
        else:
            self.map.show_snapshot(snapshot, owners)

    def write(self) -> None:
        """Bring the words on the maps up to date."""
        if self._last is not None and self._is_split:
            self.groups.write(self._last[0])

    def show_groups(self, choice: int) -> None:
        """ALL, SIDE_BY_SIDE, or a KV-cache group's number."""
        split = choice == SIDE_BY_SIDE
        self.map.image.use_group(None if choice in (ALL, SIDE_BY_SIDE) else choice)
        self.stack.setCurrentWidget(self.groups if split else self.map)
        if self._last is not None:
            self.show_snapshot(*self._last)
            self.light(self._lit)
        self.setFocusProxy(self.front)
        self.map.update()

    def light(self, blocks: NDArray[np.int32] | None) -> None:
        """Light these blocks and dim the rest; None lights all alike."""
        self._lit = blocks
        (self.groups if self._is_split else self.map).light(blocks)

    def reveal(self, block: int) -> None:
        """Put the cursor on this block and bring it into view."""
        if self._is_split:
            self.groups.reveal(block)
        else:
            self.map.put_cursor(block)

    def legend(self, theme: Theme) -> tuple[LegendItem, ...]:
        """The legend of what is drawn; without counts where there are several maps, whose captions have them."""
        image, snapshot = self.front.image, self.snapshot
        if snapshot is None:
            return ()
        items = legend_items(image.mode, theme, snapshot, image.bases.counts.tolist())
        return tuple(dataclasses.replace(item, blocks=None) for item in items) if self._is_split else items

    def use_mode(self, mode: ColourMode) -> None:
        """Colour the blocks by something else."""
        self.map.use_mode(mode)
        self.groups.use_mode(mode)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.map.use_theme(theme)
        self.groups.use_theme(theme)

    def set_reduced_motion(self, *, reduced: bool) -> None:
        """Whether new blocks glow."""
        self.map.set_reduced_motion(reduced=reduced)
        self.groups.set_reduced_motion(reduced=reduced)

    def zoom(self, steps: int) -> None:
        """Grow or shrink the cells."""
        self.front.zoom(steps)

    def fit(self) -> None:
        """Show the whole pool."""
        self.front.fit()

    def _note_pointed(self, block: int | None) -> None:
        self.pointed_block = block

    @property
    def _is_split(self) -> bool:
        return self.stack.currentWidget() is self.groups
