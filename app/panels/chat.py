"""The chat pane: talk to the running engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout

from app.panels.panel import Panel

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.panels.panel import PanelContext


class ChatPanel(Panel):
    """Conversations with the loaded model; answers stream in as the engine makes them."""

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        QVBoxLayout(self)
