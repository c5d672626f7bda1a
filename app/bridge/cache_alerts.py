"""Says at once what an engine would keep quiet about: a request that can never run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject

from app.bridge.store import Notice
from engine.domain.cache_events import NeverFits

if TYPE_CHECKING:
    from app.bridge.store import Store
    from engine.domain.telemetry import CacheSnapshot


class CacheAlerts(QObject):
    """Publishes a notice for each NeverFits event, once."""

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._seen = 0
        store.cache_changed.connect(self._take)

    def _take(self, snapshot: CacheSnapshot | None) -> None:
        if snapshot is None:
            self._seen = 0
            return
        for event in snapshot.events:
            if event.sequence > self._seen and isinstance(event, NeverFits):
                self._tell(event)
        if snapshot.events:
            self._seen = snapshot.events[-1].sequence

    def _tell(self, event: NeverFits) -> None:
        locale = QLocale()
        message = self.tr("{0} can never run: its prompt of {1} tokens needs {2} blocks, and the whole cache has {3}.")
        self._store.publish(
            Notice(
                "warning",
                message.format(
                    event.request_id or self.tr("A request"), locale.toString(event.prompt_tokens),
                    locale.toString(event.needed_blocks), locale.toString(event.pool_blocks),
                ),
                self.tr("Abort it, shorten the prompt, or reload with a larger KV cache."),
            )
        )  # fmt: skip
