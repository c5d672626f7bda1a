"""Each block's colour number: its base colour in the mode in force, and how it glows, is lit or dimmed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QColor

from app.widgets.block_map_bases import BlockBases, deciding, owned
from app.widgets.block_map_cells import CellPicture
from app.widgets.block_map_palette import ColourMode, build_palette

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QPainter

    from app.theme.tokens import Theme
    from app.widgets.block_map_cells import Bands
    from app.widgets.block_map_grid import BlockGrid, Window
    from app.widgets.block_map_palette import Palette
    from engine.domain.telemetry import CacheSnapshot

_BLACK_FROM = 0.18  # relative luminance at which black and white ink have the same contrast
_NO_BLOCK = 255  # picks the background, behind the last, incomplete row


class BlockImage:
    """Holds every block's colour and glow, and paints the part of them that can be seen.

    `bytes_of` gives each block's number in `palette.colours`, laid out in rows of the grid.
    """

    def __init__(self, theme: Theme) -> None:
        self.mode = ColourMode.STATE
        self.theme = theme
        self.glows = True
        self.bases = BlockBases()
        self._group: int | None = None
        self._inputs: tuple[object, ...] = ()
        self._groups: tuple[CacheSnapshot, NDArray[np.uint8]] | None = None
        self._snapshot: CacheSnapshot | None = None
        self._lit: NDArray[np.int32] | None = None
        self._chosen: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._glow: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._differs: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self._is_glowing = False
        self._flat: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._padded: NDArray[np.uint8] = np.zeros((0, 0), np.uint8)
        self._layout = (0, 0)
        self._is_old = True
        self._cells = CellPicture()
        self._version = 0
        self._repalette()

    @property
    def is_glowing(self) -> bool:
        """Whether a glow still fades."""
        return self._is_glowing and self._lit is None

    @property
    def bases_shown(self) -> NDArray[np.uint8]:
        """Each block's base colour in the mode in force, as a number of its palette."""
        return self._chosen

    # What changes

    def show(self, snapshot: CacheSnapshot) -> None:
        """Take the colours from this snapshot; blocks that changed hands since the last one begin to glow."""
        before, self._snapshot = self._snapshot, snapshot
        if len(self._glow) != snapshot.num_blocks:
            self._glow = np.zeros(snapshot.num_blocks, np.uint8)
            self._flat = np.zeros(snapshot.num_blocks, np.uint8)
            self._differs = np.zeros(snapshot.num_blocks, np.bool_)
            self._is_glowing = False
            before = None
        if before is not None and self.glows:
            self._kindle(before, snapshot)
        self._choose(snapshot)

    def _choose(self, snapshot: CacheSnapshot) -> None:
        """Every block's base colour, where what it depends on has changed."""
        inputs = (self.mode, self._group, snapshot.states, *deciding(self.mode, snapshot))
        if self._group is not None:
            inputs = (*inputs, snapshot.requests, snapshot.cached_groups)
        if _are_same(inputs, self._inputs):
            return
        self._inputs = inputs
        self._chosen = self.bases.of(self.mode, snapshot)
        if self._group is not None and snapshot.num_groups > 1:
            groups = self.bases.groups_of(snapshot)
            elsewhere = ((groups != 0) & (groups != self._group + 1)).view(np.uint8)
            self._chosen = self._chosen * (elsewhere ^ 1) + elsewhere * np.uint8(self.palette.bases - 1)
        self._outdate()

    def _kindle(self, before: CacheSnapshot, now: CacheSnapshot) -> None:
        if before.states is now.states:  # the reader hands out the same arrays where no block has changed
            return
        holds = owned(now.states)
        if self._is_glowing:
            self._glow *= holds.view(np.uint8)
        earlier = before.counters.step
        if now.counters.step >= earlier:
            np.greater(now.last_used_step, np.uint32(earlier), out=self._differs)
        else:  # a recording was wound back
            np.not_equal(before.last_used_step, now.last_used_step, out=self._differs)
        self._differs &= holds
        changed = np.flatnonzero(self._differs)
        if len(changed):
            self._glow[changed] = self.palette.levels - 1
            self._is_glowing = True
            self._outdate()

    def fade(self) -> None:
        """Let every glow fade by one level."""
        if self._is_glowing:
            self._glow -= (self._glow > 0).view(np.uint8)
            self._is_glowing = bool(self._glow.any())
            self._outdate()

    def stop_glow(self) -> None:
        """End all glows at once."""
        self._glow[:] = 0
        self._is_glowing = False
        self._outdate()

    def use_mode(self, mode: ColourMode) -> None:
        """Colour by something else."""
        self.mode = mode
        self.stop_glow()
        self._repalette()
        if self._snapshot is not None:
            self._choose(self._snapshot)

    def use_group(self, group: int | None) -> None:
        """Show the blocks of this KV-cache group alone; None shows those of all."""
        self._group = group
        if self._snapshot is not None:
            self._choose(self._snapshot)

    def use_theme(self, theme: Theme) -> None:
        """Take the colours from another theme."""
        self.theme = theme
        self._repalette()

    def light(self, blocks: NDArray[np.int32] | None) -> None:
        """Light these blocks and dim the rest; None dims nothing."""
        changed = (blocks is None) != (self._lit is None)
        self._lit = blocks
        if changed:
            self._repalette()
        self._outdate()

    def _repalette(self) -> None:
        self.palette: Palette = build_palette(self.mode, self.theme, selecting=self._lit is not None)
        black, white = QColor("#101418"), QColor("#f4f7fb")
        self._inks: list[QColor] = [
            black if _luminance(QColor.fromRgb(colour)) > _BLACK_FROM else white for colour in self.palette.colours
        ]
        self._outdate()

    def _outdate(self) -> None:
        self._is_old = True

    # What is painted

    def bytes_of(self, grid: BlockGrid) -> NDArray[np.uint8]:
        """The palette number of each block as rows of the grid."""
        if self._is_old or self._layout != (grid.rows, grid.columns):
            self._compose(grid)
        return self._padded

    def group_of(self, block: int) -> int | None:
        """The KV-cache group that holds this block, or held it before it was only cached; None where none does."""
        if self._snapshot is None:
            return None
        if self._groups is None or self._groups[0] is not self._snapshot:
            self._groups = (self._snapshot, self.bases.groups_of(self._snapshot))
        group = int(self._groups[1][block])
        return group - 1 if group else None

    def colour(self, block: int) -> QColor:
        """The colour that this block was last painted with."""
        return QColor.fromRgb(self.palette.colours[self._flat[block]])

    def ink(self, block: int) -> QColor:
        """A colour that can be read on this block's."""
        return self._inks[int(self._flat[block])]

    def paint(self, painter: QPainter, grid: BlockGrid, window: Window, gap: int = 0) -> None:
        """Paint the cells of this window; the painter's unit must be one device pixel.

        `gap` is how many pixels at each cell's right and lower edge show the background.
        """
        if self._snapshot is None or window.is_empty:
            return
        numbers = self.bytes_of(grid)
        if (window.row_to - window.row_from, window.column_to - window.column_from) == (1, 1):
            x, y = grid.corner(window.row_from * grid.columns + window.column_from)
            number = numbers[window.row_from, window.column_from]
            painter.fillRect(x, y, grid.cell_width, grid.cell, QColor.fromRgb(self.palette.colours[number]))
        else:
            self._cells.bring_up(grid, window, numbers, self.palette, gap, self._version)
            self._cells.paint(painter, grid, window)

    def changed_rows(self, grid: BlockGrid, window: Window, gap: int) -> Bands | None:
        """The rows that have to be painted anew since this was last asked or painted; None: all of the window."""
        numbers = self.bytes_of(grid)
        return self._cells.bring_up(grid, window, numbers, self.palette, gap, self._version)

    def _compose(self, grid: BlockGrid) -> None:
        bases, levels = self.palette.bases, self.palette.levels
        if self._lit is not None:
            self._flat[:] = self._chosen
            self._flat[self._lit[self._lit < len(self._flat)]] += np.uint8((levels - 1) * bases)
        elif self._is_glowing:
            np.multiply(self._glow, np.uint8(bases), out=self._flat)
            self._flat += self._chosen
        else:
            self._flat[:] = self._chosen
        if self._layout != (grid.rows, grid.columns):
            self._layout = (grid.rows, grid.columns)
            self._padded = np.full((grid.rows, grid.columns), _NO_BLOCK, np.uint8)
        full, rest = divmod(len(self._flat), grid.columns)
        self._padded[:full] = self._flat[:full * grid.columns].reshape(full, grid.columns)
        if rest:
            self._padded[full, :rest] = self._flat[full * grid.columns:]
        self._is_old = False
        self._version += 1


def _are_same(inputs: tuple[object, ...], before: tuple[object, ...]) -> bool:
    """Whether these are the same objects, and the same numbers."""
    return len(inputs) == len(before) and all(
        one is other or (isinstance(one, int) and one == other) for one, other in zip(inputs, before, strict=True)
    )


def _luminance(colour: QColor) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
