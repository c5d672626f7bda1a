"""A widget as a picture in a file: PNG as it is on the screen, SVG as lines and text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator

from engine.domain.errors import KVDeckError

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QWidget


def save_picture(widget: QWidget, path: Path) -> None:
    """Write the widget to `path`, by its suffix: .svg, or anything else as PNG. Raises KVDeckError."""
    saved = _save_svg(widget, path) if path.suffix.lower() == ".svg" else widget.grab().save(str(path), "PNG")
    if not saved:
        raise KVDeckError(f"The picture {path} could not be written.", remedy="Choose another folder.")


def _save_svg(widget: QWidget, path: Path) -> bool:
    generator = QSvgGenerator()
    generator.setFileName(str(path))
    generator.setSize(widget.size())
    generator.setViewBox(QRect(QPoint(0, 0), widget.size()))
    generator.setTitle(widget.accessibleName())
    painter = QPainter()
    if not painter.begin(generator):
        return False
    try:
        widget.render(painter, QPoint(0, 0))
    finally:
        painter.end()
    return path.is_file() and path.stat().st_size > 0
