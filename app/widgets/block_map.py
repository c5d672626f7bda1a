"""The block map: every physical block of the KV cache as one cell, live."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.widgets.block_map_canvas import BlockCanvas
from app.widgets.block_map_cursor import act_on_key
from app.widgets.block_map_fade import FadeTimer
from app.widgets.block_map_grid import BlockGrid
from app.widgets.block_map_image import BlockImage
from app.widgets.block_map_overlay import SLOTS_FROM, BlockOverlay, can_outline, gap_width
from app.widgets.block_map_pointer import BlockPointer
from app.widgets.block_map_words import block_tooltip
from app.widgets.focus_ring import paint_focus_ring
from engine.domain.blocks import BlockState
from engine.metrics.block_owners import BlockOwners

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import (
        QHideEvent,
        QKeyEvent,
        QMouseEvent,
        QPaintEvent,
        QResizeEvent,
        QShowEvent,
        QWheelEvent,
    )

    from app.theme.tokens import Theme
    from app.widgets.block_map_palette import ColourMode
    from engine.domain.telemetry import CacheSnapshot
    from engine.metrics.block_owners import Fill


class BlockMap(QWidget):
    """Draws CacheSnapshots and lets the user zoom, pan, point at and choose blocks.

    `pointed` carries the block under the pointer or the keyboard's cursor, None when there is none; `chosen` a
    block that was clicked or entered; `cleared` asks to forget the selection. Nothing is drawn or computed while
    the widget is hidden.
    """

    pointed = Signal(object)
    chosen = Signal(int)
    cleared = Signal()
    moved = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.grid = BlockGrid()
        self.image = BlockImage(theme)
        self.overlay = BlockOverlay(theme)
        self.canvas = BlockCanvas(self.image, self.overlay)
        self.snapshot: CacheSnapshot | None = None
        self.owners = BlockOwners((), 1)
        self.cursor_block: int | None = None
        self.hovered_block: int | None = None
        self._null_blocks: list[int] = []
        self._partial: dict[int, Fill] | None = None
        self._pointer = BlockPointer(self)
        self.fading = FadeTimer(self.image, self._refresh, self)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName(self.tr("Map of the KV cache's blocks"))

    # What is shown

    def show_snapshot(self, snapshot: CacheSnapshot, owners: BlockOwners) -> None:
        """Draw this snapshot from now on; the same object again costs nothing."""
        if snapshot is self.snapshot:
            return
        if self.snapshot is None or snapshot.num_blocks != self.snapshot.num_blocks:
            self.cursor_block = self.hovered_block = None
            self._null_blocks = np.flatnonzero(snapshot.states == BlockState.NULL)[:64].tolist()
        self.snapshot, self.owners, self._partial = snapshot, owners, None
        self.fading.take_along()
        self.image.show(snapshot)
        self._fit_grid()
        self.fading.begin()
        self._refresh()

    def light(self, blocks: NDArray[np.int32] | None) -> None:
        """Light these blocks and dim the rest; None lights all alike."""
        if not self.image.light(blocks):
            return
        if can_outline(self.grid):
            self.update()
        else:
            self._refresh()

    def use_mode(self, mode: ColourMode) -> None:
        """Colour the blocks by something else."""
        self.image.use_mode(mode)
        self.update()

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.image.use_theme(theme)
        self.overlay.theme = theme
        self.update()

    def set_reduced_motion(self, *, reduced: bool) -> None:
        """Whether new blocks glow."""
        self.image.glows = not reduced
        if reduced:
            self.fading.end()

    def zoom(self, steps: int, at: QPointF | None = None) -> None:
        """Grow or shrink the cells by so many steps, around `at` (logical pixels), the cursor block or the middle."""
        scale = self.devicePixelRatioF()
        if at is not None:
            x, y = round(at.x() * scale), round(at.y() * scale)
        elif self.cursor_block is not None:
            corner = self.grid.corner(self.cursor_block)
            x, y = corner[0] + self.grid.cell_width // 2, corner[1] + self.grid.cell // 2
        else:
            x, y = self.grid.width // 2, self.grid.height // 2
        self.grid.zoom(steps, x, y)
        self.moved.emit()
        self.update()

    def fit(self) -> None:
        """Show the whole pool."""
        self.grid.fit()
        self.moved.emit()
        self.update()

    def reveal(self, block: int) -> None:
        """Bring this block into view."""
        self.grid.reveal(block)
        self.moved.emit()
        self.update()

    def put_cursor(self, block: int) -> None:
        """Put the keyboard's cursor on this block and bring it into view."""
        if self.snapshot is not None and 0 <= block < self.snapshot.num_blocks:
            self.cursor_block = block
            self.reveal(block)
            self.pointed.emit(block)

    def pan(self, dx: int, dy: int) -> None:
        """Move the map by so many device pixels."""
        self.grid.pan(dx, dy)
        self.moved.emit()
        self.update()

    def block_at(self, place: QPointF) -> int | None:
        """The block under this place of the widget (logical pixels)."""
        scale = self.devicePixelRatioF()
        return self.grid.block_at(int(place.x() * scale), int(place.y() * scale))

    def cell_middle(self, block: int) -> QPoint:
        """The middle of this block's cell, in the widget's logical pixels."""
        x, y = self.grid.corner(block)
        scale = self.devicePixelRatioF()
        return QPoint(int((x + self.grid.cell_width / 2) / scale), int((y + self.grid.cell / 2) / scale))

    def _fit_grid(self) -> None:
        if self.snapshot is not None:
            scale = self.devicePixelRatioF()
            self.grid.resize(self.snapshot.num_blocks, int(self.width() * scale), int(self.height() * scale), scale)

    def _refresh(self) -> None:
        """Have what changed painted anew: small cells only in their rows, since filling the screen is what costs."""
        grid = self.grid
        if not self.isVisible() or grid.cell >= SLOTS_FROM * grid.scale:
            self.update()
            return
        bands = self.image.changed_rows(grid, grid.window(), gap_width(grid))
        for first, end in [(0, grid.rows)] if bands is None else bands:
            upper = int((grid.top + first * grid.cell) / grid.scale)
            self.update(0, upper, self.width(), ceil((grid.top + end * grid.cell) / grid.scale) - upper)

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the visible part."""
        with QPainter(self) as painter:
            self.paint(painter)

    def paint(self, painter: QPainter) -> None:
        """Paint onto any device of this widget's size and device pixel ratio."""
        self._fit_grid()
        scale = self.devicePixelRatioF()
        painter.scale(1 / scale, 1 / scale)
        snapshot = self.snapshot
        self.overlay.paint_margins(painter, self.grid, is_empty=snapshot is None)
        if snapshot is None:
            return
        overlay, grid = self.overlay, self.grid
        if grid.cell >= SLOTS_FROM * grid.scale:
            if self._partial is None:
                self._partial = self.owners.partial(snapshot.ref_counts)
            self.canvas.paint(painter, grid, snapshot, self._partial, self._slots_of, self.font())
        else:
            window = grid.window()
            self.image.paint(painter, grid, window, gap_width(grid))
            overlay.paint_null(painter, grid, self._null_blocks)
        if self.image.lit is not None:
            overlay.paint_outlines(painter, grid, self.image.lit)
        if self.hovered_block is not None and self.hovered_block != self.cursor_block:
            overlay.paint_mark(painter, grid, self.hovered_block, self.image.theme.text, 1)
        if self.cursor_block is not None and self.hasFocus():
            overlay.paint_mark(painter, grid, self.cursor_block, self.image.theme.surface, 3)
            overlay.paint_mark(painter, grid, self.cursor_block, self.image.theme.text, 2)
        paint_focus_ring(painter, self, self.image.theme.accent)

    def _slots_of(self, block: int) -> int | None:
        """How many slots a block has; None where it belongs to no KV-cache group now, or holds a state."""
        group = self.image.group_of(block)
        return None if group is None else self.owners.slots(group)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Refit the grid."""
        super().resizeEvent(event)
        self._fit_grid()

    def showEvent(self, event: QShowEvent) -> None:
        """Go on with what was not finished."""
        super().showEvent(event)
        self.fading.begin()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop what moves."""
        self.fading.end()
        super().hideEvent(event)

    def sizeHint(self) -> QSize:
        """Room for a few hundred blocks."""
        return QSize(560, 300)

    def minimumSizeHint(self) -> QSize:
        """Small, so that docks can be small."""
        return QSize(160, 72)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom or pan."""
        self._pointer.wheel(event)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the map, or point at a block."""
        self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose a block, or end a drag."""
        self._pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show the whole pool again."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.fit()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at any more."""
        self.hovered_block = None
        self.pointed.emit(self.cursor_block if self.hasFocus() else None)
        self.update()
        super().leaveEvent(event)

    def point_at(self, place: QPointF) -> None:
        """Point at the block under this place of the widget."""
        block = self.block_at(place) if self.snapshot is not None else None
        if block != self.hovered_block:
            self.hovered_block = block
            self.pointed.emit(block)
            self.update()

    def event(self, event: QEvent) -> bool:
        """Explain the block under the pointer."""
        if event.type() != QEvent.Type.ToolTip or not isinstance(event, QHelpEvent):
            return super().event(event)
        block = self.block_at(event.pos().toPointF())
        if block is not None and self.snapshot is not None:
            QToolTip.showText(event.globalPos(), block_tooltip(block, self.snapshot, self.owners), self)
        else:
            QToolTip.hideText()
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move the cursor, plus, minus and 0 zoom, Enter chooses, Escape clears."""
        if self.snapshot is None or not act_on_key(self, Qt.Key(event.key())):
            super().keyPressEvent(event)
