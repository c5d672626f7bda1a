"""A hybrid model's KV-cache groups as maps side by side: the same pool, each map with one group's blocks alone."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.widgets import figures
from app.widgets.block_map import BlockMap
from app.widgets.block_map_bases import owned
from app.widgets.block_map_inspector import InspectorLine
from app.widgets.kv_group_words import group_name, group_parts
from engine.domain.blocks import BlockState

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtCore import QPointF
    from PySide6.QtGui import QResizeEvent

    from app.theme.tokens import Theme
    from app.widgets.block_map_palette import ColourMode
    from engine.domain.kv_groups import KvCacheGroup
    from engine.domain.telemetry import CacheSnapshot
    from engine.metrics.block_owners import BlockOwners

_MAP_WIDTH = 220  # logical pixels; with less there is one map a line fewer


class GroupMaps(QWidget):
    """As many maps as there are groups. All show the same part of the pool; the signals are BlockMap's."""

    pointed = Signal(object)
    chosen = Signal(int)
    cleared = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._mode: ColourMode | None = None
        self._reduced = False
        self._groups: tuple[KvCacheGroup, ...] = ()
        self.maps: list[BlockMap] = []
        self.captions: list[InspectorLine] = []
        self._cells: list[QWidget] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(10)

    def show_snapshot(self, snapshot: CacheSnapshot, owners: BlockOwners) -> None:
        """Draw this snapshot in every map."""
        if snapshot.groups != self._groups:
            self._make_maps(snapshot.groups)
        for view in self.maps:
            view.show_snapshot(snapshot, owners)

    def write(self, snapshot: CacheSnapshot) -> None:
        """Bring the captions up to date."""
        if not self.maps or len(self.maps) != snapshot.num_groups:
            return
        groups = self.maps[0].image.bases.groups()
        for index, caption in enumerate(self.captions):
            states = snapshot.states[groups == index + 1]
            parts = [*group_parts(index, snapshot.groups[index]), *self._counts(states)]
            caption.show_text(" · ".join(parts), " · ".join([parts[0], *self._counts(states)]), parts[0])

    def _counts(self, states: NDArray[np.uint8]) -> list[str]:
        used = int(np.count_nonzero(owned(states)))
        shared = int(np.count_nonzero(states == BlockState.SHARED))
        cached = int(np.count_nonzero(states == BlockState.CACHED))
        texts = ((self.tr("in use: {0}"), used), (self.tr("shared: {0}"), shared), (self.tr("cached: {0}"), cached))
        return [text.format(figures.count(count)) for text, count in texts]

    def light(self, blocks: NDArray[np.int32] | None) -> None:
        """Light these blocks in every map."""
        for view in self.maps:
            view.light(blocks)

    def use_mode(self, mode: ColourMode) -> None:
        """Colour all maps by something else."""
        self._mode = mode
        for view in self.maps:
            view.use_mode(mode)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        for view in self.maps:
            view.use_theme(theme)

    def set_reduced_motion(self, *, reduced: bool) -> None:
        """Whether new blocks glow."""
        self._reduced = reduced
        for view in self.maps:
            view.set_reduced_motion(reduced=reduced)

    def zoom(self, steps: int, at: QPointF | None = None) -> None:
        """Zoom all maps alike."""
        if self.maps:
            self.maps[0].zoom(steps, at)

    def fit(self) -> None:
        """Show the whole pool in every map."""
        if self.maps:
            self.maps[0].fit()

    def reveal(self, block: int) -> None:
        """Bring this block into view and put the cursor on it, in every map."""
        for view in self.maps:
            view.put_cursor(block)

    def _make_maps(self, groups: tuple[KvCacheGroup, ...]) -> None:
        for cell in self._cells:
            self._grid.removeWidget(cell)
            cell.hide()
            cell.deleteLater()
        self._groups, self.maps, self.captions, self._cells = groups, [], [], []
        for index, group in enumerate(groups):
            view, caption = BlockMap(self._theme), InspectorLine()
            view.image.use_group(index)
            view.set_reduced_motion(reduced=self._reduced)
            if self._mode is not None:
                view.use_mode(self._mode)
            view.setAccessibleName(self.tr("Map of the blocks of {0}").format(group_name(index, group)))
            view.pointed.connect(self.pointed)
            view.chosen.connect(self.chosen)
            view.cleared.connect(self.cleared)
            view.moved.connect(lambda view=view: self._follow(view))
            cell = QWidget()
            column = QVBoxLayout(cell)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(4)
            column.addWidget(caption)
            column.addWidget(view, 1)
            self.maps.append(view)
            self.captions.append(caption)
            self._cells.append(cell)
        self._place()

    def _place(self) -> None:
        """As many maps a line as there is room for."""
        across = max(1, min(len(self._cells), self.width() // _MAP_WIDTH))
        across = ceil(len(self._cells) / ceil(len(self._cells) / across)) if self._cells else 1
        for index, cell in enumerate(self._cells):
            self._grid.addWidget(cell, *divmod(index, across))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the maps anew."""
        super().resizeEvent(event)
        self._place()

    def _follow(self, leader: BlockMap) -> None:
        for view in self.maps:
            if view is not leader:
                view.grid.look_like(leader.grid)
                view.update()
