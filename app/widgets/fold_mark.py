"""The mark before the words of what can be unfolded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


def fold_mark(part: QWidget, *, unfolded: bool) -> str:
    """An arrow downwards, or towards the words where it is folded: to the left where they run from right to left."""
    if unfolded:
        return "▾"
    return "◂" if part.layoutDirection() is Qt.LayoutDirection.RightToLeft else "▸"
