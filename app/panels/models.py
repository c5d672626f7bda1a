"""The model panel: checkpoints by family, one click to load or switch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout

from app.panels.panel import Panel

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.panels.panel import PanelContext


class ModelsPanel(Panel):
    """Lists the checkpoints of the library, and offers the starter model where there are none."""

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        QVBoxLayout(self)
