"""Which of a model's data-parallel engines the window shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.widgets.figures import count
from app.widgets.named_combo import NamedCombo

if TYPE_CHECKING:
    from app.bridge.commands import Commands
    from app.bridge.store import EngineShown, Store


class EngineChoice(NamedCombo):
    """Hidden where there is one engine. Each has blocks, requests and steps of its own."""

    def __init__(self, store: Store, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._commands = commands
        self.setObjectName("engineChoice")
        self.setAccessibleName(self.tr("Engine shown"))
        self.setToolTip(self.tr("The model runs as several engines (data parallel), each with a cache of its own"))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.activated.connect(self._choose)
        store.engine_shown_changed.connect(self._show)
        self._show(store.engine_shown)

    def _show(self, shown: EngineShown) -> None:
        if self.count() != shown.ranks:
            self.clear()
            for rank in range(shown.ranks):
                text = self.tr("Engine {number} of {all}").format(number=count(rank + 1), all=count(shown.ranks))
                self.addItem(text, rank)
        self.setCurrentIndex(shown.rank)
        self.setVisible(shown.ranks > 1)

    def _choose(self, rank: int) -> None:
        self._commands.show_engine(rank)
        self.setFocus(Qt.FocusReason.OtherFocusReason)  # the map was gone for a moment, and the keyboard with it
