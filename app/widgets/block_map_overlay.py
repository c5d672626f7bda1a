"""What is drawn over the cells: gaps, slots, the null block's hatching, outlines of chosen blocks, block numbers.

Every method draws only the cells of a window, so that one block can be drawn anew without the others.
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QPainter, QPen, QPixmap

from app.widgets.block_map_palette import mixed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from app.theme.tokens import Theme
    from app.widgets.block_map_grid import BlockGrid, Window
    from engine.metrics.block_owners import Fill

GAP_FROM = 4  # cells of fewer pixels touch each other
SLOTS_FROM = 22
_WIDE_GAP_FROM = 18
_OUTLINE_FROM = 7
_SLOT_FROM = 7
_NUMBER_FROM = 52
_OUTLINES_AT_MOST = 4000
_NUMBERS_AT_MOST = 4000


def slot_columns(block_size: int) -> int:
    """How many slots of a block are drawn side by side: the widest even split near a square."""
    columns = max(1, isqrt(block_size))
    while block_size % columns:
        columns += 1
    return columns


def gap_width(grid: BlockGrid) -> int:
    """The pixels of a cell's right and lower edge that separate it from the next; 0 for small cells."""
    if grid.cell < GAP_FROM * grid.scale:
        return 0
    return max(1, round(grid.scale * (2 if grid.cell >= _WIDE_GAP_FROM * grid.scale else 1)))


def can_outline(grid: BlockGrid) -> bool:
    """Whether cells are large enough for a line around them."""
    return grid.cell >= _OUTLINE_FROM * grid.scale


def cell_area(grid: BlockGrid, block: int) -> QRect:
    """A block's cell without the gap, in device pixels."""
    x, y = grid.corner(block)
    gap = gap_width(grid)
    return QRect(x, y, grid.cell_width - gap, grid.cell - gap)


def window_area(grid: BlockGrid, window: Window) -> QRect:
    """The cells of a window, in device pixels."""
    return QRect(
        grid.left + window.column_from * grid.cell_width, grid.top + window.row_from * grid.cell,
        (window.column_to - window.column_from) * grid.cell_width, (window.row_to - window.row_from) * grid.cell,
    )


class BlockOverlay:
    """Draws over the cells. Lengths are device pixels; `scale` of the grid turns thresholds into them."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._numbers: dict[tuple[int, int], QPixmap] = {}
        self._number_style: tuple[float, str] = (0.0, "")
        self._gaps: tuple[tuple[int, ...], Window, list[QRect]] | None = None

    def paint_margins(self, painter: QPainter, grid: BlockGrid, *, is_empty: bool) -> None:
        """Clear what no cell covers; filling all of it first would cost as much as the cells."""
        colour = QColor(self.theme.surface)
        right, bottom = grid.left + grid.columns * grid.cell_width, grid.top + max(0, grid.rows - 1) * grid.cell
        if is_empty:
            right = bottom = 0
        painter.fillRect(0, 0, max(0, grid.left), grid.height + 1, colour)
        painter.fillRect(right, 0, max(0, grid.width + 1 - right), grid.height + 1, colour)
        painter.fillRect(0, bottom, grid.width + 1, max(0, grid.height + 1 - bottom), colour)

    def paint_gaps(self, painter: QPainter, grid: BlockGrid, window: Window) -> None:
        """Separate the cells where they are large enough to be told apart."""
        if grid.cell < GAP_FROM * grid.scale:
            return
        key = (grid.left, grid.top, grid.cell_width, grid.cell)
        if self._gaps is None or self._gaps[:2] != (key, window):
            self._gaps = (key, window, self._gap_bars(grid, window))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.surface))
        painter.drawRects(self._gaps[2])

    @staticmethod
    def _gap_bars(grid: BlockGrid, window: Window) -> list[QRect]:
        thick, cell, across = gap_width(grid), grid.cell, grid.cell_width
        area = window_area(grid, window)
        left, top = area.left(), area.top()
        bars = [QRect(x + across - thick, top, thick, area.height()) for x in range(left, area.right() + 1, across)]
        bars += [QRect(left, y + cell - thick, area.width(), thick) for y in range(top, area.bottom() + 1, cell)]
        return bars

    def paint_null(self, painter: QPainter, grid: BlockGrid, blocks: Iterable[int]) -> None:
        """Hatch these null blocks, which hold no tokens and count in no usage."""
        for block in blocks:
            area = cell_area(grid, block)
            painter.fillRect(area, QColor(self.theme.block_null))
            if grid.cell >= GAP_FROM * grid.scale:
                painter.fillRect(area, QBrush(QColor(self.theme.text_faint), Qt.BrushStyle.BDiagPattern))

    def paint_fill(self, painter: QPainter, grid: BlockGrid, fills: Mapping[int, Fill],
                   colour_of: Callable[[int], QColor]) -> None:
        """Darken the empty slots of these partly filled blocks."""
        empty = QColor(self.theme.block_free)
        for block, (filled, slots) in fills.items():
            columns = slot_columns(slots)
            rows = slots // columns
            area = cell_area(grid, block)
            full_rows, rest = divmod(filled, columns)
            y = area.top() + round(area.height() * full_rows / rows)
            next_y = area.top() + round(area.height() * (full_rows + 1) / rows)
            x = area.left() + round(area.width() * rest / columns)
            if rest:
                painter.fillRect(QRect(x, y, area.right() + 1 - x, next_y - y), empty)
                y = next_y
            painter.fillRect(QRect(area.left(), y, area.width(), area.bottom() + 1 - y), empty)
            painter.setPen(QPen(colour_of(block), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(area.adjusted(0, 0, -1, -1))

    def paint_slots(self, painter: QPainter, grid: BlockGrid, window: Window, block_size: int) -> None:
        """Rule every block's slots, where a slot is a few pixels wide and high."""
        columns = slot_columns(block_size)
        rows = block_size // columns
        wide, high = grid.cell_width - gap_width(grid), grid.cell - gap_width(grid)
        if min(wide // columns, high // rows) < _SLOT_FROM * grid.scale:
            return
        area = window_area(grid, window)
        bars = []
        for x in range(area.left(), area.right() + 1, grid.cell_width):
            bars += [QRect(x + round(wide * slot / columns), area.top(), 1, area.height())
                     for slot in range(1, columns)]
        for y in range(area.top(), area.bottom() + 1, grid.cell):
            bars += [QRect(area.left(), y + round(high * slot / rows), area.width(), 1) for slot in range(1, rows)]
        # Translucent lines would suit every colour under them, but cost 40 µs each: one between them has to do.
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(mixed(QColor(self.theme.surface), QColor(self.theme.block_used), 0.22))
        painter.drawRects(bars)

    def paint_outlines(self, painter: QPainter, grid: BlockGrid, blocks: NDArray[np.int32]) -> None:
        """Outline a chosen request's blocks, where cells are large enough for a line."""
        if not can_outline(grid):
            return
        view = QRect(0, 0, grid.width, grid.height)
        areas = [area for block in blocks.tolist() if (area := cell_area(grid, block)).intersects(view)]
        pen = QPen(QColor(self.theme.text), max(1, gap_width(grid)))
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen)
        painter.drawRects([area.adjusted(0, 0, -1, -1) for area in areas[:_OUTLINES_AT_MOST]])

    def paint_mark(self, painter: QPainter, grid: BlockGrid, block: int, colour: str, width: int) -> None:
        """Frame one block outside its cell: the cursor or the block under the pointer."""
        thick = max(1, round(width * grid.scale))
        frame = cell_area(grid, block).adjusted(-thick, -thick, thick, thick)
        for side in (
            QRect(frame.left(), frame.top(), frame.width(), thick),
            QRect(frame.left(), frame.bottom() + 1 - thick, frame.width(), thick),
            QRect(frame.left(), frame.top(), thick, frame.height()),
            QRect(frame.right() + 1 - thick, frame.top(), thick, frame.height()),
        ):
            painter.fillRect(side, QColor(colour))

    def paint_numbers(self, painter: QPainter, grid: BlockGrid, font: QFont, blocks: Iterable[int],
                      ink_of: Callable[[int], QColor]) -> None:
        """Write block numbers into large cells."""
        if grid.cell < _NUMBER_FROM * grid.scale:
            return
        style = (grid.scale, font.key())
        if style != self._number_style or len(self._numbers) > _NUMBERS_AT_MOST:
            self._number_style = style
            self._numbers.clear()
        inset = round(4 * grid.scale)
        for block in blocks:
            x, y = grid.corner(block)
            painter.drawPixmap(x + inset, y + inset // 2, self._number(block, ink_of(block), font, grid.scale))

    def _number(self, block: int, ink: QColor, font: QFont, scale: float) -> QPixmap:
        """A number as a picture: drawing that takes a tenth of the time of drawing text."""
        key = (block, ink.rgb())
        if key not in self._numbers:
            small = QFont(font)
            small.setPixelSize(round(10 * scale))
            metrics = QFontMetrics(small)
            picture = QPixmap(metrics.horizontalAdvance(str(block)) + 1, metrics.height())
            picture.fill(Qt.GlobalColor.transparent)
            with QPainter(picture) as painter:
                painter.setFont(small)
                painter.setPen(ink)
                painter.drawText(0, metrics.ascent(), str(block))
            self._numbers[key] = picture
        return self._numbers[key]
