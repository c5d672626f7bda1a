"""What the window asks of the engines that wait: sleep, wake, end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine
    from typing import Any

    from app.bridge.store import Store
    from engine.client.engine import EngineClient
    from engine.domain.sleepers import Sleepers


class SleeperCommands(QObject):
    """The part of EngineCommands about the tray. What comes of it arrives with the host's events."""

    _store: Store
    _engine: EngineClient

    def put_to_sleep(self) -> None:
        """Put the engine that serves to rest, with none in its place."""
        self._start(self._engine.sleep(), self.tr("Put to sleep"))

    def wake(self, checkpoint: str) -> None:
        """Switch to the engine of this checkpoint that waits."""
        self._start(self._engine.wake(checkpoint), self.tr("Wake"))

    def end_sleeper(self, checkpoint: str = "") -> None:
        """End the engine of this checkpoint that waits, or all of them."""
        self._start(self._hold(self._engine.end_sleeper(checkpoint)), self.tr("End a waiting engine"))

    def measure_sleepers(self) -> None:
        """Measure anew what the waiting engines hold."""
        self._start(self._hold(self._engine.sleepers()), self.tr("Measure the waiting engines"))

    async def _hold(self, question: Awaitable[Sleepers]) -> None:
        self._store.publish(await question)

    def _start(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        raise NotImplementedError
