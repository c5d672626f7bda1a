"""Which model a chat talks to: the loaded one itself, or one of the adapters over it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from app.widgets.named_combo import NamedCombo
from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from app.bridge.store import Store
    from engine.client.engine import ChatDelta, ChatMessage, ChatOptions

    Chat = Callable[..., AsyncIterator[ChatDelta]]


class ChatModel(NamedCombo):
    """Hidden while there is nothing to choose. `chosen` says that another one answers from now on."""

    chosen = Signal()

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self.setObjectName("chatModel")
        self.setAccessibleName(self.tr("Model that answers"))
        self.setToolTip(self.tr("Which model answers: the loaded one itself, or one of the adapters over it"))
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._wished: str | None = None  # kept while its engine restarts: the adapter comes back
        self.activated.connect(self._choose)
        store.adapters_changed.connect(self._draw)
        store.lifecycle_changed.connect(self._draw)
        self._draw()

    def model_name(self) -> str | None:
        """What the server calls the model that answers now; None where none is ready."""
        facts = self._store.lifecycle.facts
        if facts is None or self._store.lifecycle.phase is not Phase.READY:
            return None
        return self._adapter() or facts.served_model_name

    def over(self, chat: Chat) -> Chat:
        """`chat`, with every request sent to the chosen adapter."""

        def send(
            messages: Sequence[ChatMessage], options: ChatOptions, *, request_id: str | None = None
        ) -> AsyncIterator[ChatDelta]:
            adapter = self._adapter()
            if adapter is not None:
                options = replace(options, extra={**options.extra, "model": adapter})
            return chat(messages, options, request_id=request_id)

        return send

    def _adapter(self) -> str | None:
        data = self.currentData()
        return data if isinstance(data, str) and not self.isHidden() else None

    def _choose(self, index: int) -> None:
        data = self.itemData(index)
        self._wished = data if isinstance(data, str) else None
        self.chosen.emit()

    def _draw(self) -> None:
        facts, loaded = self._store.lifecycle.facts, self._store.adapters.engine.loaded
        ready = facts is not None and self._store.lifecycle.phase is Phase.READY
        own = facts.served_model_name if facts is not None else ""
        wanted = [(own, None), *((each.name, each.name) for each in loaded)]
        shown = [(self.itemText(index), self.itemData(index)) for index in range(self.count())]
        if shown != wanted:
            before = self.currentData()
            self.clear()
            for text, data in wanted:
                self.addItem(text, data)
            self.setCurrentIndex(max(0, self.findData(self._wished)) if self._wished is not None else 0)
            if self.currentData() != before:
                self.chosen.emit()
        self.setHidden(not ready or not loaded)
