"""The visible cells with all their details, kept as a picture: a new snapshot redraws only the cells that it changed.

Slots, fills and numbers make a cell dear (a number alone takes about 15 µs), but a step of the engine changes few.
Without it a frame of 300 large cells took 14 ms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from app.widgets.block_map_grid import Window
from engine.domain.blocks import BlockState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from app.widgets.block_map_grid import BlockGrid
    from app.widgets.block_map_image import BlockImage
    from app.widgets.block_map_overlay import BlockOverlay
    from engine.domain.telemetry import CacheSnapshot
    from engine.metrics.block_owners import Fill

_CELLS_AT_MOST = 96  # more changed cells than this are drawn faster all together


class BlockCanvas:
    """Holds the picture of the view. `paint` brings it up to date and copies it to the painter."""

    def __init__(self, image: BlockImage, overlay: BlockOverlay) -> None:
        self._image = image
        self._overlay = overlay
        self._picture = QImage()
        self._key: tuple[object, ...] = ()
        self._bytes: NDArray[np.uint8] = np.zeros((0, 0), np.uint8)
        self._fills: dict[int, Fill] = {}

    def paint(self, painter: QPainter, grid: BlockGrid, snapshot: CacheSnapshot, fills: Mapping[int, Fill],
              slots_of: Callable[[int], int | None], font: QFont) -> None:
        """Draw the visible cells; `fills` are the partly filled blocks, `slots_of` tells how many slots a block has."""
        window = grid.window()
        seen = self._image.bytes_of(grid)[window.row_from:window.row_to, window.column_from:window.column_to]
        visible = {block: filled for block, filled in fills.items() if _contains(window, *divmod(block, grid.columns))}
        key = (grid.left, grid.top, grid.cell_width, grid.cell, grid.columns, grid.width, grid.height,
               snapshot.num_blocks, self._image.palette, font.key())
        changed = self._changed(grid, window, seen, visible) if key == self._key else None
        if self._picture.width() != grid.width or self._picture.height() != grid.height:
            self._picture = QImage(grid.width, grid.height, QImage.Format.Format_RGB32)
        with QPainter(self._picture) as canvas:
            if changed is None or len(changed) > _CELLS_AT_MOST:
                canvas.fillRect(0, 0, grid.width, grid.height, QColor(self._image.theme.surface))
                self._draw(canvas, grid, window, snapshot, visible, slots_of, font)
            else:
                for block in changed:
                    row, column = divmod(block, grid.columns)
                    cell = Window(row, row + 1, column, column + 1)
                    self._draw(canvas, grid, cell, snapshot, visible, slots_of, font)
        self._key, self._bytes, self._fills = key, seen.copy(), visible
        painter.drawImage(0, 0, self._picture)

    def _changed(self, grid: BlockGrid, window: Window, seen: NDArray[np.uint8],
                 fills: Mapping[int, Fill]) -> set[int]:
        rows, columns = np.nonzero(seen != self._bytes)
        blocks = (rows + window.row_from) * grid.columns + columns + window.column_from
        changed = set(blocks.tolist())
        if fills != self._fills:
            changed |= {block for block in fills.keys() | self._fills.keys()
                        if fills.get(block) != self._fills.get(block)}
        return changed

    def _draw(self, canvas: QPainter, grid: BlockGrid, window: Window, snapshot: CacheSnapshot,
              fills: Mapping[int, Fill], slots_of: Callable[[int], int | None], font: QFont) -> None:
        blocks = [
            block
            for row in range(window.row_from, window.row_to)
            for block in range(row * grid.columns + window.column_from, row * grid.columns + window.column_to)
            if block < snapshot.num_blocks
        ]
        overlay = self._overlay
        self._image.paint(canvas, grid, window)
        partly = {block: fills[block] for block in blocks if block in fills}
        overlay.paint_fill(canvas, grid, partly, self._image.colour)
        self._rule(canvas, grid, window, blocks, snapshot, slots_of)
        overlay.paint_gaps(canvas, grid, window)
        self._clear_tail(canvas, grid, snapshot.num_blocks)
        nulls = np.flatnonzero(snapshot.states[blocks] == BlockState.NULL).tolist()
        overlay.paint_null(canvas, grid, [blocks[place] for place in nulls])
        overlay.paint_numbers(canvas, grid, font, blocks, self._image.ink)

    def _rule(self, canvas: QPainter, grid: BlockGrid, window: Window, blocks: list[int], snapshot: CacheSnapshot,
              slots_of: Callable[[int], int | None]) -> None:
        """Rule the slots: all cells alike, or each by its KV-cache group where those have blocks of different sizes."""
        if len(set(snapshot.group_block_sizes)) == 1:
            self._overlay.paint_slots(canvas, grid, window, snapshot.block_size)
            return
        for block in blocks:
            slots = slots_of(block)
            if slots is not None:
                row, column = divmod(block, grid.columns)
                self._overlay.paint_slots(canvas, grid, Window(row, row + 1, column, column + 1), slots)

    def _clear_tail(self, canvas: QPainter, grid: BlockGrid, num_blocks: int) -> None:
        """Where the last row has no blocks there are no slots to rule either."""
        last = num_blocks % grid.columns
        if last:
            x, y = grid.left + last * grid.cell_width, grid.top + (grid.rows - 1) * grid.cell
            canvas.fillRect(x, y, (grid.columns - last) * grid.cell_width, grid.cell, QColor(self._image.theme.surface))


def _contains(window: Window, row: int, column: int) -> bool:
    return window.row_from <= row < window.row_to and window.column_from <= column < window.column_to
