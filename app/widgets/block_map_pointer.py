"""The block map's mouse: the wheel zooms at the pointer, a drag pans, a click chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, Qt

if TYPE_CHECKING:
    from PySide6.QtGui import QMouseEvent, QWheelEvent

    from app.widgets.block_map import BlockMap

_WHEEL_STEP = 120
_DRAG_FROM = 4
_DRAGS = Qt.MouseButton.LeftButton | Qt.MouseButton.MiddleButton


class BlockPointer:
    """What the pointer does to one map."""

    def __init__(self, view: BlockMap) -> None:
        self._view = view
        self._press: QPointF | None = None
        self._drag_from: QPoint | None = None
        self._wheel = 0

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; Shift or a sideways wheel pans."""
        view, delta = self._view, event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            view.pan(delta.x() or delta.y(), 0)
        else:
            self._wheel += delta.y()
            steps = int(self._wheel / _WHEEL_STEP)
            self._wheel -= steps * _WHEEL_STEP
            if steps:
                view.zoom(steps, event.position())
        view.point_at(event.position())

    def press(self, event: QMouseEvent) -> None:
        """Begin a click or a drag."""
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._press = event.position()
            self._drag_from = None

    def move(self, event: QMouseEvent) -> None:
        """Drag the map, or point at a block."""
        view = self._view
        if self._press is None or not event.buttons() & _DRAGS:
            view.point_at(event.position())
            return
        here = event.position().toPoint()
        if self._drag_from is None and (event.position() - self._press).manhattanLength() >= _DRAG_FROM:
            self._drag_from = self._press.toPoint()
            view.setCursor(Qt.CursorShape.ClosedHandCursor)
        if self._drag_from is not None:
            moved, scale = here - self._drag_from, view.devicePixelRatioF()
            view.pan(round(moved.x() * scale), round(moved.y() * scale))
            self._drag_from = here

    def release(self, event: QMouseEvent) -> None:
        """A press that did not become a drag chooses the block."""
        view = self._view
        if event.button() == Qt.MouseButton.LeftButton and self._press is not None and self._drag_from is None:
            block = view.block_at(event.position())
            if block is None:
                view.cleared.emit()
            else:
                view.cursor_block = block
                view.chosen.emit(block)
            view.update()
        self._press = self._drag_from = None
        view.unsetCursor()
