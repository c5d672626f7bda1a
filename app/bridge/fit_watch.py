"""The fit estimate's predictions, held against what each load brought."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.bridge.fit_estimate import estimate
from engine.checkpoints.find import name_of
from engine.checkpoints.fit_record import FitRecord, FitRecords
from engine.checkpoints.machine import Machine, read_machine
from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from pathlib import Path

    from app.bridge.fit_estimate import FitView
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.domain.checkpoint import Checkpoint
    from engine.domain.gpu import HardwareSample
    from engine.domain.lifecycle import EngineFacts, Lifecycle, ParameterValue

log = logging.getLogger(__name__)


class FitWatch(QObject):
    """Estimates for the panels (`view`), and one FitRecord a load (`recorded`), kept in `file`."""

    recorded = Signal(object)

    def __init__(self, store: Store, tasks: Tasks, file: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._tasks = tasks
        self._records = FitRecords(file)
        self._newest: dict[str, FitRecord] = {}
        self._machine = read_machine(None)
        self._before: HardwareSample | None = None  # as it was when the load began
        self._loading = False
        store.lifecycle_changed.connect(self._lifecycle_changed)

    @property
    def machine(self) -> Machine:
        """What the estimates assume of this machine's processor."""
        return self._machine

    async def start(self) -> None:
        """Read what earlier sessions recorded."""
        for record in await asyncio.to_thread(self._records.read):
            self._newest.setdefault(record.checkpoint, record)
            self._newest[record.checkpoint] = record

    def candidate(self) -> Checkpoint | None:
        """What Load or Reload would load."""
        lifecycle, library = self._store.lifecycle, self._store.library
        path = lifecycle.checkpoint or lifecycle.previous_checkpoint
        known = library.checkpoints if library is not None else ()
        found = next((each for each in known if each.path == path), None)
        return found if found is not None or path is not None else next(iter(known), None)

    def view(self) -> FitView | None:
        """The estimate for the candidate, with what runs and the edits on top of it."""
        checkpoint = self.candidate()
        if checkpoint is None:
            return None
        facts = self._store.lifecycle.facts
        asked: dict[str, ParameterValue] = {}
        if facts is not None and facts.checkpoint == checkpoint.path and facts.request is not None:
            asked = dict(facts.request.parameters)
        hardware = self._store.hardware
        return estimate(hardware, self._device(), checkpoint, asked | self._store.edits.values, self._machine)

    def _device(self) -> str:
        facts, hardware = self._store.lifecycle.facts, self._store.hardware
        if facts is not None:
            return facts.device
        return "" if hardware is None else ("cuda" if hardware.gpus else "cpu")

    def newest(self, checkpoint: str) -> FitRecord | None:
        """The last load of this checkpoint: predicted and reported."""
        return self._newest.get(checkpoint)

    def _lifecycle_changed(self, lifecycle: Lifecycle) -> None:
        if lifecycle.phase is Phase.READY and lifecycle.facts is not None and self._loading:
            self._loading = False
            self._record(lifecycle.facts)
        elif lifecycle.phase is Phase.LOADING:
            if not self._loading:
                self._before = self._store.hardware
            self._loading = True
        else:
            self._loading = False

    def _record(self, facts: EngineFacts) -> None:
        library = self._store.library
        known = library.checkpoints if library is not None else ()
        checkpoint = next((each for each in known if each.path == facts.checkpoint), None)
        if checkpoint is None or facts.request is None:
            return
        view = estimate(self._before, facts.device, checkpoint, facts.request.parameters, self._machine)
        record = FitRecord(
            unix_s=time.time(),
            checkpoint=facts.checkpoint,
            name=name_of(facts.checkpoint),
            device=facts.device,
            vllm_version=facts.vllm_version,
            predicted_tokens=view.fit.cache.tokens if view is not None else None,
            reported_tokens=facts.num_blocks * facts.block_size,
            predicted_weights=view.fit.weights_bytes if view is not None else None,
            reported_weights=facts.weights_bytes,
        )
        self._newest[record.checkpoint] = record
        self.recorded.emit(record)
        self._tasks.start(self._keep(record), self.tr("Fit estimate"))

    async def _keep(self, record: FitRecord) -> None:
        try:
            await asyncio.to_thread(self._records.append, record)
        except OSError:
            log.warning("The fit estimate's record could not be kept", exc_info=True)
