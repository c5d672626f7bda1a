"""The fit estimate's predictions, held against what each load brought."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.bridge.fit_estimate import estimate
from engine.checkpoints.advice import advise
from engine.checkpoints.find import name_of
from engine.checkpoints.fit_record import FitRecord, FitRecords
from engine.checkpoints.machine import Machine, read_machine
from engine.checkpoints.orphans import end_orphans, find_orphans
from engine.domain.errors import ParameterInvalid
from engine.domain.lifecycle import Phase
from engine.domain.paths import cache_dir
from engine.parameters.values import merge

if TYPE_CHECKING:
    from pathlib import Path

    from app.bridge.fit_estimate import FitView
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.checkpoints.advice import Advice
    from engine.checkpoints.orphans import Orphan
    from engine.domain.checkpoint import Checkpoint
    from engine.domain.gpu import HardwareSample
    from engine.domain.lifecycle import EngineFacts, Lifecycle, ParameterValue

log = logging.getLogger(__name__)
_ENDED = (Phase.IDLE, Phase.FAILED, Phase.CRASHED)


class FitWatch(QObject):
    """Estimates for the panels (`view`), and one FitRecord a load (`recorded`), kept in `file`."""

    recorded = Signal(object)
    changed = Signal()

    def __init__(self, store: Store, tasks: Tasks, file: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._tasks = tasks
        self._records = FitRecords(file)
        self._newest: dict[str, FitRecord] = {}
        self._machine = read_machine(None)
        self._before: HardwareSample | None = None  # as it was when the load began
        self._loading = False
        self._last_phase = store.lifecycle.phase
        self._orphans: tuple[Orphan, ...] = ()
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
        await self._look_for_orphans()

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
        if facts is not None and facts.checkpoint == checkpoint.path:
            asked = dict(facts.request.parameters if facts.request is not None else facts.parameters)
        hardware = self._store.hardware
        values, serving = asked | self._store.edits.values, _unchosen(facts)
        view = estimate(hardware, self._store.device, checkpoint, values, self._machine, serving)
        return None if view is None else dataclasses.replace(view, waiting_bytes=self._waiting_bytes())

    def _waiting_bytes(self) -> int:
        """What the engines that wait hold of the memory that a load needs."""
        on_gpu = self._store.device == "cuda"
        return sum((each.vram_bytes if on_gpu else each.ram_bytes) or 0 for each in self._store.sleepers.waiting)

    def advice(self, view: FitView | None) -> tuple[Advice, ...]:
        """What is worth knowing before the next load, whose estimate is `view`; empty while one runs, or when there is
        nothing to load."""
        store, checkpoint = self._store, self.candidate()
        phase, facts = store.lifecycle.phase, store.lifecycle.facts
        if checkpoint is None or phase in (Phase.LOADING, Phase.UNLOADING):
            return ()
        if phase is Phase.READY and not store.edits.values:
            return ()
        device = store.device
        asked = facts.request.parameters if facts is not None and facts.request is not None else {}
        try:
            values = merge(asked, store.edits.values, device=device)
        except ParameterInvalid:
            return ()  # the row says it
        fit = view.fit if view is not None else None
        return advise(
            checkpoint,
            values,
            device,
            fit=fit,
            orphans=self._orphans,
            cache_folder=cache_dir(),
            waiting_bytes=self._waiting_bytes(),
        )

    def mend(self, advice: Advice) -> None:
        """Carry out what an advice offers: end the processes it names. Its edits are the panel's to make."""
        if advice.orphans:
            self._tasks.start(self._end(advice), self.tr("Left-over engine processes"))

    async def _end(self, advice: Advice) -> None:
        try:
            await asyncio.to_thread(end_orphans, advice.orphans)
        finally:
            await self._look_for_orphans()

    async def _look_for_orphans(self) -> None:
        found = await asyncio.to_thread(find_orphans)
        if found != self._orphans:
            self._orphans = found
            self.changed.emit()

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
            if lifecycle.phase is not self._last_phase and lifecycle.phase in _ENDED:
                self._tasks.start(self._look_for_orphans(), self.tr("Left-over engine processes"))
            self._loading = False
        self._last_phase = lifecycle.phase

    def _record(self, facts: EngineFacts) -> None:
        library = self._store.library
        known = library.checkpoints if library is not None else ()
        checkpoint = next((each for each in known if each.path == facts.checkpoint), None)
        if checkpoint is None or facts.request is None:
            return
        values, used = facts.request.parameters, facts.gpu_uuids
        view = estimate(self._before, facts.device, checkpoint, values, self._machine, used)
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


def _unchosen(facts: EngineFacts | None) -> tuple[str, ...]:
    """The GPUs of an engine for which none were chosen: those that any other gets, too."""
    if facts is None or facts.request is None or facts.request.parameters.get("gpu_uuids"):
        return ()
    return facts.gpu_uuids
