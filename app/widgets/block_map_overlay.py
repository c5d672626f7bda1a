"""What is drawn over the cells: gaps, slots, the null block's hatching, outlines of chosen blocks, block numbers."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from app.theme.tokens import Theme
    from app.widgets.block_map_grid import BlockGrid, Window

_GAP_FROM = 4  # cells of fewer pixels touch each other
_OUTLINE_FROM = 7
_SLOTS_FROM = 22
_NUMBER_FROM = 52
_OUTLINES_AT_MOST = 4000


def slot_columns(block_size: int) -> int:
    """How many slots of a block are drawn side by side: the widest even split near a square."""
    columns = max(1, isqrt(block_size))
    while block_size % columns:
        columns += 1
    return columns


class BlockOverlay:
    """Draws over the cells. Lengths are device pixels; `scale` of the grid turns thresholds into them."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._gaps: tuple[tuple[int, ...], list[QRect]] | None = None

    def paint_gaps(self, painter: QPainter, grid: BlockGrid) -> None:
        """Separate the cells where they are large enough to be told apart."""
        if grid.cell < _GAP_FROM * grid.scale:
            return
        key = (grid.left, grid.top, grid.cell, grid.columns, grid.rows, grid.width, grid.height)
        if self._gaps is None or self._gaps[0] != key:
            self._gaps = (key, self._gap_bars(grid, grid.window()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.surface))
        painter.drawRects(self._gaps[1])

    @staticmethod
    def _gap_bars(grid: BlockGrid, window: Window) -> list[QRect]:
        thick = gap_width(grid)
        right, bottom = grid.left + grid.columns * grid.cell, grid.top + grid.rows * grid.cell
        left, top = max(0, grid.left), max(0, grid.top)
        width, height = min(right, grid.width) - left, min(bottom, grid.height) - top
        bars = [
            QRect(grid.left + (column + 1) * grid.cell - thick, top, thick, height)
            for column in range(window.column_from, window.column_to)
        ]
        bars += [
            QRect(left, grid.top + (row + 1) * grid.cell - thick, width, thick)
            for row in range(window.row_from, window.row_to)
        ]
        return bars

    def paint_null(self, painter: QPainter, grid: BlockGrid, blocks: Iterable[int]) -> None:
        """Hatch the null blocks, which hold no tokens and count in no usage."""
        painter.setPen(Qt.PenStyle.NoPen)
        for block in blocks:
            area = self._cell(grid, block)
            if area is not None:
                painter.fillRect(area, QColor(self.theme.block_null))
                if grid.cell >= _GAP_FROM * grid.scale:
                    painter.fillRect(area, QBrush(QColor(self.theme.text_faint), Qt.BrushStyle.BDiagPattern))

    def paint_fill(self, painter: QPainter, grid: BlockGrid, partial: Mapping[int, int], block_size: int) -> None:
        """Darken the empty slots of partly filled blocks, and rule the slots where they are large enough."""
        if grid.cell < _SLOTS_FROM * grid.scale:
            return
        empty = QColor(self.theme.block_free)
        columns = slot_columns(block_size)
        rows = block_size // columns
        for block, filled in partial.items():
            area = self._cell(grid, block)
            if area is None:
                continue
            full_rows, rest = divmod(filled, columns)
            y = area.top() + round(area.height() * full_rows / rows)
            next_y = area.top() + round(area.height() * (full_rows + 1) / rows)
            x = area.left() + round(area.width() * rest / columns)
            if rest:
                painter.fillRect(QRect(x, y, area.right() + 1 - x, next_y - y), empty)
                y = next_y
            painter.fillRect(QRect(area.left(), y, area.width(), area.bottom() + 1 - y), empty)
            painter.fillRect(QRect(area.left(), area.bottom() + 1 - gap_width(grid), area.width(), gap_width(grid)),
                             QColor(self.theme.block_used))

    def paint_slots(self, painter: QPainter, grid: BlockGrid, block_size: int) -> None:
        """Rule every block's slots, where a slot is at least four pixels wide and high."""
        columns = slot_columns(block_size)
        rows = block_size // columns
        inner = grid.cell - gap_width(grid)
        if min(inner // columns, inner // rows) < 4 * grid.scale:
            return
        window = grid.window()
        bars = []
        for column in range(window.column_from, window.column_to):
            x = grid.left + column * grid.cell
            bars += [QRect(x + round(inner * slot / columns), 0, 1, grid.height) for slot in range(1, columns)]
        for row in range(window.row_from, window.row_to):
            y = grid.top + row * grid.cell
            bars += [QRect(0, y + round(inner * slot / rows), grid.width, 1) for slot in range(1, rows)]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.surface))
        painter.drawRects(bars)

    def paint_outlines(self, painter: QPainter, grid: BlockGrid, blocks: Iterable[int]) -> None:
        """Outline a chosen request's blocks, where cells are large enough for a line."""
        if grid.cell < _OUTLINE_FROM * grid.scale:
            return
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(_pen(self.theme.text, gap_width(grid)))
        areas: list[QRect] = []
        for block in blocks:
            area = self._cell(grid, block)
            if area is not None and len(areas) < _OUTLINES_AT_MOST:
                areas.append(area.adjusted(0, 0, -1, -1))
        painter.drawRects(areas)

    def paint_mark(self, painter: QPainter, grid: BlockGrid, block: int, colour: str, width: int) -> None:
        """Frame one block outside its cell: the cursor or the block under the pointer."""
        x, y = grid.corner(block)
        thick = max(1, round(width * grid.scale))
        frame = QRect(x - thick, y - thick, grid.cell - gap_width(grid) + 2 * thick,
                      grid.cell - gap_width(grid) + 2 * thick)
        for side in (
            QRect(frame.left(), frame.top(), frame.width(), thick),
            QRect(frame.left(), frame.bottom() + 1 - thick, frame.width(), thick),
            QRect(frame.left(), frame.top(), thick, frame.height()),
            QRect(frame.right() + 1 - thick, frame.top(), thick, frame.height()),
        ):
            painter.fillRect(side, QColor(colour))

    def paint_numbers(self, painter: QPainter, grid: BlockGrid, font: QFont, colours: Mapping[int, QColor]) -> None:
        """Write block numbers into large cells; `colours` gives the ink for each visible block."""
        if grid.cell < _NUMBER_FROM * grid.scale:
            return
        small = QFont(font)
        small.setPixelSize(round(10 * grid.scale))
        painter.setFont(small)
        for block, ink in colours.items():
            area = self._cell(grid, block)
            if area is not None:
                painter.setPen(ink)
                painter.drawText(area.adjusted(round(3 * grid.scale), round(grid.scale), 0, 0),
                                 Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, str(block))

    @staticmethod
    def slots_from(grid: BlockGrid) -> float:
        """The size of a cell from which the fill of its slots is drawn."""
        return _SLOTS_FROM * grid.scale

    @staticmethod
    def numbers_fit(grid: BlockGrid) -> bool:
        """Whether cells are large enough for their numbers."""
        return grid.cell >= _NUMBER_FROM * grid.scale

    @staticmethod
    def _cell(grid: BlockGrid, block: int) -> QRect | None:
        x, y = grid.corner(block)
        if x + grid.cell <= 0 or y + grid.cell <= 0 or x >= grid.width or y >= grid.height:
            return None
        gap = gap_width(grid)
        return QRect(x, y, grid.cell - gap, grid.cell - gap)


def gap_width(grid: BlockGrid) -> int:
    """The pixels of a cell's right and lower edge that separate it from the next; 0 for small cells."""
    return max(1, round(grid.scale)) if grid.cell >= _GAP_FROM * grid.scale else 0


def _pen(colour: str, width: int) -> QPen:
    pen = QPen(QColor(colour), max(1, width))
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    return pen
