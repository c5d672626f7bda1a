"""The KV cache panel: every block of the running engine, live."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QVBoxLayout

from app.panels.panel import Panel
from app.widgets.block_map import BlockMap
from engine.metrics.block_owners import BlockOwners

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.panels.panel import PanelContext
    from engine.domain.telemetry import CacheSnapshot


class CachePanel(Panel):
    """Draws the newest CacheSnapshot."""

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.map = BlockMap(context.themes.current, self)
        layout = QVBoxLayout(self)
        layout.addWidget(self.map)
        context.store.cache_changed.connect(self._show)
        context.themes.changed.connect(self.map.use_theme)

    def _show(self, snapshot: CacheSnapshot | None) -> None:
        if snapshot is not None and self.isVisible():
            self.map.show_snapshot(snapshot, BlockOwners(snapshot.requests, snapshot.block_size))
