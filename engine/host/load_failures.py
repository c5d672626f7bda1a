"""Why one load failed, with the ways out that only the host knows: the model of before, the engines that wait."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.checkpoints.find import name_of
from engine.domain.errors import OutOfMemory
from engine.domain.lifecycle import RemedyAction
from engine.host.fault_findings import Situation
from engine.host.faults import failure_of_load

if TYPE_CHECKING:
    from engine.domain.lifecycle import Failure
    from engine.host.journal import Journal
    from engine.host.load import Load
    from engine.host.preflight import Preflight
    from engine.host.shelf import Shelf
    from engine.host.vllm_import import VllmImport

log = logging.getLogger(__name__)


class LoadFailures:
    """Makes of an error that ended a load what the user reads of it."""

    def __init__(self, vllm: VllmImport, preflight: Preflight, journal: Journal, shelf: Shelf) -> None:
        self._vllm = vllm
        self._preflight = preflight
        self._journal = journal
        self._shelf = shelf

    def of(self, load: Load, error: Exception, previous: str | None) -> Failure:
        """The failure of this load. `previous` is the checkpoint that was loaded before it, if one was."""
        log.warning("Loading %s failed: %s", load.request.checkpoint, error)
        values = load.plan.values if load.plan else load.request.parameters
        device_bytes = self._preflight.device_bytes(values) if self._vllm.device == "cuda" else None
        situation = Situation(values, self._vllm.device, load.progress.stage, device_bytes)
        records = self._journal.after(load.first_record)
        failure = failure_of_load(error, records, situation, oom_killed=load.oom_killed)
        if previous is not None and previous != load.request.checkpoint:
            back = RemedyAction(f"Load {name_of(previous)} again", checkpoint=previous)
            failure = replace(failure, actions=(*failure.actions, back))
        if failure.kind == OutOfMemory.kind and self._shelf.tray.waiting:
            end = RemedyAction("End the models that wait", ends_sleepers=True)
            failure = replace(failure, actions=(end, *failure.actions))
        return failure
