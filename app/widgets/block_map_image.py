"""The block map's pixels: one byte a block, looked up in 256 colours, scaled without smoothing.

Measured here (250,000 blocks on 1600x900 pixels): painting a QImage of Format_Indexed8 straight takes 3.6 ms, since
Qt looks every target pixel up; converting it to RGB32 first and scaling that takes 0.45 ms; numpy's take into RGB32
0.56 ms; pyqtgraph's ImageItem does the same work but costs 0.4 s of import at the window's start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage

from app.widgets.block_map_palette import ColourMode, base_indices, build_palette
from engine.domain.blocks import BlockState

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QPainter

    from app.theme.tokens import Theme
    from app.widgets.block_map_grid import BlockGrid, Window
    from engine.domain.telemetry import CacheSnapshot
    from engine.metrics.block_owners import BlockOwners


_BLACK_FROM = 0.18  # relative luminance at which black and white ink have the same contrast


class BlockImage:
    """Holds every block's colour and glow, and paints the part of them that can be seen."""

    def __init__(self, theme: Theme) -> None:
        self.mode = ColourMode.STATE
        self.theme = theme
        self.glows = True
        self._snapshot: CacheSnapshot | None = None
        self._owners: BlockOwners | None = None
        self._lit: NDArray[np.int32] | None = None
        self._palette = build_palette(self.mode, theme, selecting=False)
        self._bases: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._glow: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._is_glowing = False
        self._flat: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._padded: NDArray[np.uint8] = np.zeros((0, 0), np.uint8)
        self._flat_is_old = True
        self._picture: tuple[Window, int, QImage] | None = None

    @property
    def is_glowing(self) -> bool:
        """Whether a glow still fades."""
        return self._is_glowing and self._lit is None

    def show(self, snapshot: CacheSnapshot, owners: BlockOwners) -> None:
        """Take the colours from this snapshot; blocks that changed hands since the last one begin to glow."""
        before, self._snapshot, self._owners = self._snapshot, snapshot, owners
        if len(self._glow) != snapshot.num_blocks:
            self._glow = np.zeros(snapshot.num_blocks, np.uint8)
            self._flat = np.zeros(snapshot.num_blocks, np.uint8)
            self._is_glowing = False
            before = None
        if before is not None and self.glows:
            self._kindle(before, snapshot)
        self._bases = base_indices(self.mode, snapshot, owners)
        self._outdate()

    def _kindle(self, before: CacheSnapshot, now: CacheSnapshot) -> None:
        changed = before.last_used_step != now.last_used_step
        changed &= (now.states == BlockState.USED) | (now.states == BlockState.SHARED)
        if changed.any():
            self._glow[changed] = self._palette.levels - 1
            self._is_glowing = True

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
        if self._snapshot is not None and self._owners is not None:
            self._bases = base_indices(mode, self._snapshot, self._owners)
        self.stop_glow()
        self._repalette()

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

    def paint(self, painter: QPainter, grid: BlockGrid) -> None:
        """Paint the visible cells; the painter's unit must be one device pixel."""
        window = grid.window()
        if self._snapshot is None or window.is_empty:
            return
        first = window.column_from - window.column_from % 4  # scan lines must begin at four bytes
        source = QRect(window.column_from - first, 0, window.column_to - window.column_from,
                       window.row_to - window.row_from)
        x, y = grid.left + window.column_from * grid.cell, grid.top + window.row_from * grid.cell
        target = QRect(x, y, source.width() * grid.cell, source.height() * grid.cell)
        painter.drawImage(target, self._visible(grid, window, first), source)

    def inks(self, grid: BlockGrid) -> dict[int, QColor]:
        """For each visible block a colour that can be read on its cell."""
        window = grid.window()
        black, white = QColor("#101418"), QColor("#f4f7fb")
        plain = [black if _luminance(colour) > _BLACK_FROM else white for colour in self._palette.plain]
        inks = {}
        for row in range(window.row_from, window.row_to):
            first = row * grid.columns
            last = min(first + window.column_to, len(self._bases))
            for block in range(first + window.column_from, last):
                inks[block] = plain[self._bases[block]]
        return inks

    def _visible(self, grid: BlockGrid, window: Window, first: int) -> QImage:
        if self._flat_is_old or self._padded.shape != self._padded_shape(grid):
            self._compose(grid)
            self._picture = None
        if self._picture is not None and self._picture[:2] == (window, grid.columns):
            return self._picture[2]
        stride = self._padded.shape[1]
        pixels = self._padded.data.cast("B")[window.row_from * stride + first:]
        image = QImage(pixels, window.column_to - first, window.row_to - window.row_from, stride,
                       QImage.Format.Format_Indexed8)
        image.setColorTable(self._palette.colours)
        picture = image.convertToFormat(QImage.Format.Format_RGB32)
        self._picture = (window, grid.columns, picture)
        return picture

    def _padded_shape(self, grid: BlockGrid) -> tuple[int, int]:
        return grid.rows, grid.columns + -grid.columns % 4

    def _compose(self, grid: BlockGrid) -> None:
        """One byte a block into rows of the grid. 255 picks the background behind the last, incomplete row."""
        bases, levels = self._palette.bases, self._palette.levels
        if self._lit is not None:
            self._flat[:] = self._bases
            lit = self._lit[self._lit < len(self._flat)]
            self._flat[lit] += np.uint8((levels - 1) * bases)
        elif self._is_glowing:
            np.multiply(self._glow, bases, out=self._flat, casting="unsafe")
            self._flat += self._bases
        else:
            self._flat[:] = self._bases
        shape = self._padded_shape(grid)
        if self._padded.shape != shape:
            self._padded = np.full(shape, 255, np.uint8)
        full, rest = divmod(len(self._flat), grid.columns)
        self._padded[:full, :grid.columns] = self._flat[:full * grid.columns].reshape(full, grid.columns)
        if rest:
            self._padded[full, :rest] = self._flat[full * grid.columns:]
        self._flat_is_old = False

    def _repalette(self) -> None:
        self._palette = build_palette(self.mode, self.theme, selecting=self._lit is not None)
        self._outdate()

    def _outdate(self) -> None:
        self._flat_is_old = True
        self._picture = None


def _luminance(colour: QColor) -> float:
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (colour.redF(), colour.greenF(), colour.blueF())
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
