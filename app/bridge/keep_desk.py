"""The user's wish to keep outgoing engines, told to the host; and what became of those that were kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.bridge.store import Notice
from app.wording.engine import worded
from engine.domain.lifecycle import Lifecycle, Phase
from engine.domain.sleepers import EndedSleeper, Gone, KeepPolicy, Sleepers

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.bridge.store import Address, Store
    from app.bridge.tasks import Tasks
    from engine.client.engine import EngineClient

_SAID = (Gone.DIED, Gone.NO_SLEEP, Gone.NO_WAKE)
_TOLD = (Gone.LIMIT, Gone.MEMORY)


class KeepDesk(QObject):
    """`wanted` answers the policy as the settings have it now. It is sent when a host is reached, and when it changes;
    not whenever a host's differs: another window may have its own wish."""

    def __init__(
        self,
        store: Store,
        engine: EngineClient,
        tasks: Tasks,
        wanted: Callable[[], KeepPolicy],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store, self._engine, self._tasks, self._wanted = store, engine, tasks, wanted
        self._seen: frozenset[EndedSleeper] | None = None  # None: what this host tells first happened before
        self._load_id = -1
        store.address_changed.connect(self._host_reached)
        store.sleepers_changed.connect(self._tray_changed)
        store.lifecycle_changed.connect(self._lifecycle_changed)

    def tell_host(self) -> None:
        """The settings have changed."""
        policy = self._wanted()
        if self._store.address is not None and policy != self._store.sleepers.policy:
            self._tasks.start(self._tell(policy), self.tr("Keep outgoing models"))

    async def _tell(self, policy: KeepPolicy) -> None:
        self._store.publish(await self._engine.keep(policy))

    def _host_reached(self, _address: Address | None) -> None:
        self._seen = None
        if self._wanted() != KeepPolicy():
            self.tell_host()

    def _tray_changed(self, tray: Sleepers) -> None:
        """Say what went by itself, once."""
        seen, self._seen = self._seen, frozenset(tray.ended)
        for gone in tray.ended if seen is not None else ():
            if gone in (seen or ()):
                continue
            if gone.why in _SAID:
                self._store.publish(Notice("warning", worded(gone.message), self.tr("Load it again when you need it.")))
            elif gone.why in _TOLD:
                self._store.publish(Notice("info", worded(gone.message)))

    def _lifecycle_changed(self, lifecycle: Lifecycle) -> None:
        """A switch that did not arrive: the engine of before serves again, and this says why."""
        failure = lifecycle.failure
        if lifecycle.phase is Phase.READY and failure is not None and lifecycle.load_id != self._load_id:
            self._load_id = lifecycle.load_id
            message = self.tr("The switch did not arrive, and the model of before serves again. {reason}")
            self._store.publish(Notice("error", message.format(reason=worded(failure.message)), worded(failure.remedy)))
