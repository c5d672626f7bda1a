"""Where each block's cell is: a row-major grid of whole device pixels with zoom and pan. Knows nothing of Qt."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

_LARGEST_CELL = 192
_FIT_CELL = 64
_FLATTEST = 3.0  # times as wide as high, for cells of a pixel or two
_FLATTEST_FROM_4 = 1.5  # the same for cells that show their shape
_SHAPE_FROM = 4
_FAVOUR_SQUARE = 0.3


@dataclass(frozen=True, slots=True)
class Window:
    """The part of the grid that can be seen: half-open ranges of rows and columns."""

    row_from: int
    row_to: int
    column_from: int
    column_to: int

    @property
    def is_empty(self) -> bool:
        """Whether no cell can be seen."""
        return self.row_to <= self.row_from or self.column_to <= self.column_from


class BlockGrid:
    """Cells of `cell_width` by `cell` device pixels, `columns` a row, with the map's corner at `left`, `top`.

    All lengths are device pixels and whole numbers, so that cells are crisp on every screen. Zoomed cells are square;
    at the fitting size they are as wide and as high as fills the view best. A pool that has more blocks than the view
    has pixels keeps one pixel a block and pans.
    `scale` is the device pixel ratio: it bounds the cell sizes.
    """

    def __init__(self) -> None:
        self.num_blocks = 0
        self.width = 1
        self.height = 1
        self.scale = 1.0
        self.columns = 1
        self.cell = 1
        self.cell_width = 1
        self.fit_cell = 1
        self.fit_width = 1
        self.left = 0
        self.top = 0

    @property
    def rows(self) -> int:
        """Rows of the grid; the last may be incomplete."""
        return ceil(self.num_blocks / self.columns)

    @property
    def is_fitted(self) -> bool:
        """Whether the map is at the size that shows all of it."""
        return (self.cell, self.cell_width) == (self.fit_cell, self.fit_width)

    def resize(self, num_blocks: int, width: int, height: int, scale: float) -> None:
        """Set the pool's size and the view's; a fitted map is fitted again, a zoomed one keeps its middle block."""
        if (num_blocks, width, height, scale) == (self.num_blocks, self.width, self.height, self.scale):
            return
        middle = self.block_at(self.width // 2, self.height // 2) if not self.is_fitted else None
        same_pool = num_blocks == self.num_blocks
        cell = round(self.cell * scale / self.scale)
        self.num_blocks, self.width, self.height, self.scale = num_blocks, max(1, width), max(1, height), scale
        self.fit()
        if middle is not None and same_pool and cell > max(self.fit_cell, self.fit_width):
            self.cell = self.cell_width = cell
            self.centre_on(middle)

    def fit(self) -> None:
        """Choose the cells with which all blocks are seen and cover most of the view, and show them."""
        self.fit_width, self.fit_cell = self._best_cell()
        self.cell_width, self.cell = self.fit_width, self.fit_cell
        self.columns = max(1, min(self.width // self.cell_width, max(1, self.num_blocks)))
        self.left = self.top = 0
        self._clamp()

    def _best_cell(self) -> tuple[int, int]:
        """Width and height of a cell: of those that show all blocks the largest, with some favour for square ones."""
        blocks, largest = max(1, self.num_blocks), round(_FIT_CELL * self.scale)
        best, chosen = 0.0, (1, 1)
        for wide in range(1, min(largest, self.width) + 1):
            rows = ceil(blocks / (self.width // wide))
            high = min(self.height // rows, largest, round(wide * _FLATTEST_FROM_4))
            if high < 1:
                break
            flattest = _FLATTEST_FROM_4 if high >= _SHAPE_FROM else _FLATTEST
            worth = wide * high * (min(wide, high) / max(wide, high)) ** _FAVOUR_SQUARE
            if wide <= max(high * flattest, high + 1) and worth > best:
                best, chosen = worth, (wide, high)
        return chosen

    def zoom(self, steps: int, x: int, y: int) -> None:
        """Grow (positive) or shrink the cells by `steps` sizes, keeping the block under `x`, `y` where it is."""
        least = max(self.fit_cell, self.fit_width)
        cell = max(self.cell, least) if steps > 0 else self.cell
        for _ in range(abs(steps)):
            cell = max(cell + 1, round(cell * 1.25)) if steps > 0 else min(cell - 1, round(cell / 1.25))
        cell = min(cell, round(_LARGEST_CELL * self.scale), max(least, min(self.width, self.height)))
        if cell <= least:
            self.fit()
            return
        self.left = round(x - (x - self.left) * cell / self.cell_width)
        self.top = round(y - (y - self.top) * cell / self.cell)
        self.cell = self.cell_width = cell
        self._clamp()

    def pan(self, dx: int, dy: int) -> None:
        """Move the map by so many pixels, no further than its edges."""
        self.left += dx
        self.top += dy
        self._clamp()

    def look_like(self, other: BlockGrid) -> None:
        """Show what another grid of the same pool shows, as far as this view's size allows."""
        if other.is_fitted:
            self.fit()
            return
        self.cell, self.cell_width = other.cell, other.cell_width
        if self.columns == other.columns:
            self.left, self.top = other.left, other.top
            self._clamp()
        else:
            middle = other.block_at(other.width // 2, other.height // 2)
            self.centre_on(middle if middle is not None else 0)

    def centre_on(self, block: int) -> None:
        """Bring this block to the middle of the view, as far as the edges allow."""
        row, column = divmod(block, self.columns)
        self.left = self.width // 2 - column * self.cell_width - self.cell_width // 2
        self.top = self.height // 2 - row * self.cell - self.cell // 2
        self._clamp()

    def reveal(self, block: int) -> None:
        """Pan by the least that brings all of this block into view."""
        x, y = self.corner(block)
        self.left += max(0, -x) - max(0, x + self.cell_width - self.width)
        self.top += max(0, -y) - max(0, y + self.cell - self.height)
        self._clamp()

    def block_at(self, x: int, y: int) -> int | None:
        """The block whose cell covers this pixel of the view."""
        column, row = (x - self.left) // self.cell_width, (y - self.top) // self.cell
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            return None
        block = row * self.columns + column
        return block if block < self.num_blocks else None

    def corner(self, block: int) -> tuple[int, int]:
        """The left and top pixel of this block's cell in the view."""
        row, column = divmod(block, self.columns)
        return self.left + column * self.cell_width, self.top + row * self.cell

    def window(self) -> Window:
        """Which rows and columns can be seen."""
        return Window(
            max(0, -self.top // self.cell), min(self.rows, ceil((self.height - self.top) / self.cell)),
            max(0, -self.left // self.cell_width),
            min(self.columns, ceil((self.width - self.left) / self.cell_width)),
        )

    def _clamp(self) -> None:
        self.left = _clamped(self.left, self.columns * self.cell_width, self.width)
        height = self.rows * self.cell
        self.top = 0 if height <= self.height else _clamped(self.top, height, self.height)


def _clamped(corner: int, length: int, view: int) -> int:
    if length <= view:
        return 0
    return max(view - length, min(0, corner))
