"""The parameters panel: one table of everything that can be tuned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout

from app.panels.panel import Panel

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.panels.panel import PanelContext


class ParametersPanel(Panel):
    """Edits parameters; live ones apply at once, the others with a reload."""

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        QVBoxLayout(self)
