"""One bar of token slots, split into parts, each with its number under it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.widgets import figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent

_HEIGHT = 14
_RADIUS = 4


@dataclass(frozen=True, slots=True)
class SlotPart:
    """A part of a bar: its name, how many slots it has, its colour, and whether it is hatched because it is lost."""

    name: str
    slots: int
    colour: str
    lost: bool = False


class SlotBar(QWidget):
    """Draws parts from the leading edge on the scale of their sum."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.parts: tuple[SlotPart, ...] = ()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_parts(self, parts: Sequence[SlotPart]) -> None:
        """Draw these parts; costs nothing where they are the same."""
        if tuple(parts) != self.parts:
            self.parts = tuple(parts)
            text = ", ".join(f"{part.name} {figures.count(part.slots)}" for part in parts)
            self.setAccessibleDescription(text)
            self.setToolTip(text.replace(", ", "\n"))
            self.update()

    def sizeHint(self) -> QSize:
        """A slim bar."""
        return QSize(240, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the bar."""
        total = sum(part.slots for part in self.parts)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            outline = QPainterPath()
            outline.addRoundedRect(QRectF(0.5, 0.5, self.width() - 1, self.height() - 1), _RADIUS, _RADIUS)
            painter.setClipPath(outline)
            x = 0.0
            for part in self.parts if total else ():
                if not part.slots:
                    continue
                width = max(1.0, self.width() * part.slots / total)
                left = self.width() - x - width if self.layoutDirection() == Qt.LayoutDirection.RightToLeft else x
                area = QRectF(left, 0, width, self.height())
                painter.fillRect(area, QColor(part.colour))
                if part.lost:
                    painter.fillRect(area, QBrush(self.palette().window().color(), Qt.BrushStyle.BDiagPattern))
                x += width
            painter.setClipping(False)
            painter.setPen(self.palette().mid().color())
            painter.drawPath(outline)
