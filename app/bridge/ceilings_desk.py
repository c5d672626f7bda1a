"""The measured limits of the device that the engine uses, in the Store; measured anew on request."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from engine.domain.errors import KVDeckError
from engine.domain.roofline import CeilingsState
from engine.gpu.ceilings_file import CeilingsFolder
from engine.gpu.ceilings_run import CeilingsRun
from engine.gpu.processor import cpu_key

if TYPE_CHECKING:
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.domain.roofline import Ceilings


class CeilingsDesk(QObject):
    """Reads what was measured of the engine's device (without one: of the first GPU, or the CPU) whenever that changes.

    A measurement is a program of its own; one at a time. It goes on when the panel that asked is hidden.
    """

    def __init__(self, store: Store, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._tasks = tasks
        self._run = CeilingsRun()
        self._device: str | None = None
        store.lifecycle_changed.connect(self._look)
        store.hardware_changed.connect(self._look)
        self._look()

    def measure(self) -> None:
        """Measure the engine's device; how it goes is in the Store. Nothing while one runs."""
        if not self._run.running and self._device is not None:
            self._tasks.start(self._measure(self._device), self.tr("Measure the limits"))

    def cancel(self) -> None:
        """Stop the measurement; what was measured before stays."""
        self._run.cancel()

    def _look(self, _topic: object = None) -> None:
        device = self._present()
        if device is not None and device != self._device and not self._run.running:
            self._device = device
            self._tasks.start(self._read(device), self.tr("Read the measured limits"))

    def _present(self) -> str | None:
        facts, hardware = self._store.lifecycle.facts, self._store.hardware
        if facts is not None:
            return facts.gpu_uuids[0] if facts.gpu_uuids else "cpu"
        if hardware is None:
            return self._device
        return hardware.gpus[0].uuid if hardware.gpus else "cpu"

    async def _read(self, device: str) -> None:
        ceilings = await asyncio.to_thread(_kept, device)
        if device == self._device:
            self._store.publish(replace(self._store.ceilings, ceilings=ceilings))

    async def _measure(self, device: str) -> None:
        present = self._store.ceilings.ceilings
        self._store.publish(CeilingsState(present, running=True))
        disturbed = self._store.lifecycle.facts is not None
        error, remedy = None, ""
        try:
            async with contextlib.aclosing(self._run.run(device, disturbed=disturbed)) as places:  # type: ignore[type-var]
                async for progress, step in places:
                    self._store.publish(CeilingsState(present, running=True, progress=progress, step=step))
            present = await asyncio.to_thread(_kept, device)
        except KVDeckError as fault:
            error, remedy = fault.message, fault.remedy
        finally:
            self._store.publish(CeilingsState(present, error=error, remedy=remedy))
        self._look()  # another engine may have come meanwhile


def _kept(device: str) -> Ceilings | None:
    return CeilingsFolder().read(cpu_key() if device == "cpu" else device)
