"""The block map's keyboard: a cursor that moves from block to block, zoom, choose and clear."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

if TYPE_CHECKING:
    from app.widgets.block_map import BlockMap


def act_on_key(view: BlockMap, key: Qt.Key) -> bool:
    """Do what this key asks of the map; False where it asks nothing."""
    grid = view.grid
    page = max(1, grid.height // grid.cell)
    moves = {
        Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1,
        Qt.Key.Key_Up: -grid.columns, Qt.Key.Key_Down: grid.columns,
        Qt.Key.Key_PageUp: -grid.columns * page, Qt.Key.Key_PageDown: grid.columns * page,
    }  # fmt: skip
    if key in moves:
        _move(view, moves[key])
    elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
        view.zoom(1)
    elif key == Qt.Key.Key_Minus:
        view.zoom(-1)
    elif key == Qt.Key.Key_0:
        view.fit()
    elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and view.cursor_block is not None:
        view.chosen.emit(view.cursor_block)
    elif key == Qt.Key.Key_Escape:
        view.cleared.emit()
    else:
        return False
    return True


def _move(view: BlockMap, by: int) -> None:
    """The first key shows the cursor where the pointer is, or at the first block; the next ones move it."""
    block = view.cursor_block
    if block is None:
        block = view.hovered_block or 0
    elif 0 <= block + by < view.grid.num_blocks:
        block += by
    view.cursor_block = block
    view.reveal(block)
    view.pointed.emit(block)
