"""A combo box whose list has its name for screen readers, too."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox

_FRAME = 10  # padding and border of the list, both sides together


class NamedCombo(QComboBox):
    """Qt names the box alone; its list opens as a window of its own, and would be one without a name."""

    def showPopup(self) -> None:
        """Name the list and open it, wide enough for its longest line."""
        view = self.view()
        view.setAccessibleName(self.accessibleName())
        scrolls = self.count() > self.maxVisibleItems()
        bar = view.verticalScrollBar().sizeHint().width() if scrolls else 0
        view.setMinimumWidth(view.sizeHintForColumn(0) + bar + _FRAME)
        super().showPopup()
