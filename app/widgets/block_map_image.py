"""Each block's colour number: its base colour in the mode in force, and how it glows, is lit or dimmed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QColor

from app.widgets.block_map_bases import BlockBases
from app.widgets.block_map_cells import CellPicture
from app.widgets.block_map_changes import Stale
from app.widgets.block_map_glow import BlockGlow
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
_MANY = 4  # with one block in so many changed, all are composed anew


class BlockImage:
    """Holds every block's colour and glow, and paints the part of them that can be seen.

    `lit` are the blocks that stand out, None for all alike. `bytes_of` gives each block's number in `palette.colours`,
    laid out in rows of the grid. What changes names its blocks, and only those are composed and painted anew.
    """

    def __init__(self, theme: Theme) -> None:
        self.mode = ColourMode.STATE
        self.theme = theme
        self.glows = True
        self.bases = BlockBases()
        self._group: int | None = None
        self._snapshot: CacheSnapshot | None = None
        self._glow = BlockGlow()
        self.lit: NDArray[np.int32] | None = None
        self._lift: NDArray[np.uint8] = np.zeros(0, np.uint8)  # of the lit blocks, over their dimmed colour
        self._flat: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._padded: NDArray[np.uint8] = np.zeros((0, 0), np.uint8)
        self._layout = (0, 0)
        self._old = Stale()
        self._unpainted = Stale()
        self._cells = CellPicture()
        self._repalette()

    @property
    def is_glowing(self) -> bool:
        """Whether a glow still fades."""
        return self._glow.is_there and self.lit is None

    @property
    def is_moving(self) -> bool:
        """Whether `fade` or `catch_up` still has something to do."""
        return self.is_glowing or self.bases.is_behind

    # What changes

    def show(self, snapshot: CacheSnapshot) -> None:
        """Take the colours from this snapshot; blocks that changed hands since the last one begin to glow."""
        before, self._snapshot = self._snapshot, snapshot
        if before is None or before.num_blocks != snapshot.num_blocks:
            self._glow.resize(snapshot.num_blocks)
            self._lift = np.zeros(snapshot.num_blocks, np.uint8)
            self._layout = (0, 0)
            self._repalette()
        elif self.glows:
            self._old.add(self._glow.kindle(before, snapshot, self.palette.levels - 1))
        self._old.add(self.bases.update(self.mode, snapshot, self._group))

    def fade(self) -> None:
        """Let every glow fade by one level."""
        self._old.add(self._glow.fade())

    def catch_up(self) -> None:
        """Bring on colours that are behind; the next snapshot does so, too."""
        if self.bases.is_behind:
            self._choose()

    def stop_glow(self) -> None:
        """End all glows at once."""
        self._old.add(self._glow.stop())

    def use_mode(self, mode: ColourMode) -> None:
        """Colour by something else."""
        self.mode = mode
        self.stop_glow()
        self._repalette()
        self._choose()

    def use_group(self, group: int | None) -> None:
        """Show the blocks of this KV-cache group alone; None shows those of all."""
        self._group = group
        self._choose()

    def use_theme(self, theme: Theme) -> None:
        """Take the colours from another theme."""
        self.theme = theme
        self._repalette()

    def light(self, blocks: NDArray[np.int32] | None) -> bool:
        """Light these blocks and dim the rest; None dims nothing. Returns whether that is anything new."""
        before, self.lit = self.lit, blocks
        if before is blocks or (before is not None and blocks is not None and np.array_equal(before, blocks)):
            return False
        self._lift_up(before, 0)
        if (before is None) != (blocks is None):
            self._repalette()
        else:
            self._lift_up(blocks, (self.palette.levels - 1) * self.palette.bases)
        return True

    def _lift_up(self, blocks: NDArray[np.int32] | None, lift: int) -> None:
        if blocks is None:
            return
        known = blocks[blocks < len(self._lift)]
        self._lift[known] = lift
        self._old.add(known)

    def _choose(self) -> None:
        if self._snapshot is not None:
            self._old.add(self.bases.update(self.mode, self._snapshot, self._group))

    def _repalette(self) -> None:
        self.palette: Palette = build_palette(self.mode, self.theme, selecting=self.lit is not None)
        black, white = QColor("#101418"), QColor("#f4f7fb")
        self._inks: list[QColor] = [
            black if _luminance(QColor.fromRgb(colour)) > _BLACK_FROM else white for colour in self.palette.colours
        ]
        self._lift_up(self.lit, (self.palette.levels - 1) * self.palette.bases)
        self._old.add(None)

    # What is painted

    def bytes_of(self, grid: BlockGrid) -> NDArray[np.uint8]:
        """The palette number of each block as rows of the grid."""
        if self._old or self._layout != (grid.rows, grid.columns):
            self._compose(grid)
        return self._padded

    def group_of(self, block: int) -> int | None:
        """The KV-cache group that holds this block, or held it before it was only cached; None where none does."""
        if self._snapshot is None:
            return None
        group = int(self.bases.groups(slice(block, block + 1))[0])
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
            self.changed_rows(grid, window, gap)
            self._cells.paint(painter, grid, window)

    def changed_rows(self, grid: BlockGrid, window: Window, gap: int) -> Bands | None:
        """The rows that have to be painted anew since this was last asked or painted; None: all of the window."""
        if window.is_empty:
            return []
        numbers = self.bytes_of(grid)
        return self._cells.bring_up(grid, window, numbers, self.palette, gap, self._unpainted.take())

    def _compose(self, grid: BlockGrid) -> None:
        at = self._old.take()
        if self._layout != (grid.rows, grid.columns):
            self._layout = (grid.rows, grid.columns)
            self._padded = np.full(self._layout, _NO_BLOCK, np.uint8)
            self._flat = self._padded.reshape(-1)[: len(self.bases.bytes)]
            at = None
        bases = self.bases.bytes
        over, times = (self._lift, 1) if self.lit is not None else (self._glow.levels, self.palette.bases)
        if at is None or len(at) * _MANY > len(bases):
            np.multiply(over, np.uint8(times), out=self._flat)
            self._flat += bases
            at = None
        else:
            self._flat[at] = over[at] * np.uint8(times) + bases[at]
        self._unpainted.add(at)


def _luminance(colour: QColor) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
