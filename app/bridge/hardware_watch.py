"""Hardware samples in the Store: taken in the sampler's thread, published on the window's."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from engine.gpu.sampler import HardwareSampler

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.bridge.store import Store

_SHOWN_S = 0.5
_HIDDEN_S = 5.0


class HardwareWatch(QObject):
    """Tells the sampler which processes are the engine's, and publishes what it finds until `stop`.

    `host_pid` answers the engine host's pid, None while there is none.
    """

    _sampled = Signal(object)

    def __init__(self, store: Store, host_pid: Callable[[], int | None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._host_pid = host_pid
        self._sampled.connect(store.publish)
        self._sampler = HardwareSampler(self._sampled.emit, period_s=_SHOWN_S)
        store.lifecycle_changed.connect(self._tell_pids)

    def start(self) -> None:
        """Begin to sample."""
        self._tell_pids()
        self._sampler.start()

    def show(self) -> None:
        """Sample at the pace of somebody who looks."""
        self._sampler.set_period(_SHOWN_S)

    def hide(self) -> None:
        """Sample seldom: the window is minimized."""
        self._sampler.set_period(_HIDDEN_S)

    async def stop(self) -> None:
        """End the sampling; returns once its thread has ended."""
        await asyncio.to_thread(self._sampler.stop)

    def _tell_pids(self) -> None:
        host, facts = self._host_pid(), self._store.lifecycle.facts
        pids = {process.pid for process in facts.processes} if facts else set()
        self._sampler.set_engine_pids(pids | ({host} if host else set()))
