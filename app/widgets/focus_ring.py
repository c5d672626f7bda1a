"""The ring around a part that draws itself, while it has the keyboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPen

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


def paint_focus_ring(painter: QPainter, part: QWidget, accent: str) -> None:
    """Draw it as the style sheet does for all others; `accent` is the theme's colour."""
    if part.hasFocus():
        painter.setPen(QPen(QColor(accent), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(part.rect().adjusted(0, 0, -1, -1))
