"""A combo box whose list has its name for screen readers, too."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox


class NamedCombo(QComboBox):
    """Qt names the box alone; its list opens as a window of its own, and would be one without a name."""

    def showPopup(self) -> None:
        """Name the list and open it."""
        self.view().setAccessibleName(self.accessibleName())
        super().showPopup()
