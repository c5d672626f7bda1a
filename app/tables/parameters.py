"""What the parameters panel shows: each row's present value, its edit, and what applying all edits would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.checkpoints.preflight import whole_head
from engine.domain.errors import ParameterInvalid
from engine.domain.lifecycle import Phase
from engine.parameters.catalog import LIVE_NAMES
from engine.parameters.changes import live_capacity, live_value, plan_changes
from engine.parameters.rules import Surroundings, find_problems
from engine.parameters.values import merge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.bridge.store import Store
    from engine.domain.checkpoint import Checkpoint
    from engine.domain.lifecycle import LimitsRequest, LiveChange, ParameterValue
    from engine.parameters.rules import Problem
    from engine.parameters.spec import ParameterSpec

_RUNNING = (Phase.READY, Phase.ASLEEP)


@dataclass(frozen=True, slots=True)
class RowState:
    """One row. `runs` is whether an engine runs, so that `present` is what it reports (None then: it does not say).

    `shown` is what the editor shows: the edit, else the present value, else the default. `capacity` is the highest
    value in force without a reload, None where there is no such thing. `live` is whether this edit needs no reload.
    `changed` is the newest change of it while the engine ran, None where there was none.
    """

    shown: ParameterValue
    present: ParameterValue
    runs: bool
    is_edited: bool
    capacity: int | None
    live: bool
    changed: LiveChange | None = None


@dataclass(frozen=True, slots=True)
class ApplyPlan:
    """What applying does. `limits` goes to the scheduler at once; `reload_names` need a reload.

    `waiting` counts edits that only a load can bring into force, because nothing runs; `can_load` says whether there
    is a checkpoint to load them with. `lowers_seqs`: max_num_seqs falls, so running requests may be too many.
    """

    live_names: tuple[str, ...]
    reload_names: tuple[str, ...]
    limits: LimitsRequest | None
    waiting: int = 0
    can_load: bool = False
    lowers_seqs: bool = False
    lowers_any: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to apply."""
        return not (self.live_names or self.reload_names or self.waiting)


def row_state(spec: ParameterSpec, store: Store) -> RowState:
    """The state of one row now."""
    facts = store.lifecycle.facts if store.lifecycle.phase in _RUNNING else None
    present: ParameterValue = None
    capacity: int | None = None
    if facts is not None:
        present = facts.parameters.get(spec.name)
        if spec.name in LIVE_NAMES and store.limits is not None:
            present = live_value(spec.name, store.limits)
            capacity = live_capacity(spec.name, store.limits)
    edits = store.edits.values
    is_edited = spec.name in edits
    shown = edits[spec.name] if is_edited else (present if present is not None else spec.default)
    over = capacity is not None and isinstance(shown, int | float) and shown > capacity
    reported = spec.name in LIVE_NAMES and store.limits is not None and present is not None
    live = reported and not over and facts is not None
    notes = () if facts is None or store.limits is None else store.limits.changes
    changed = next((note for note in reversed(notes) if note.name == spec.name), None)
    return RowState(shown, present, facts is not None, is_edited, capacity, live, changed)


def apply_plan(store: Store) -> ApplyPlan:
    """What applying all edits would do now."""
    edits, lifecycle = store.edits.values, store.lifecycle
    facts = lifecycle.facts if lifecycle.phase in _RUNNING else None
    if facts is None:
        known = lifecycle.checkpoint or lifecycle.previous_checkpoint
        loadable = known is not None and lifecycle.phase in (Phase.IDLE, Phase.FAILED, Phase.CRASHED)
        return ApplyPlan((), (), None, waiting=len(edits), can_load=loadable)
    plan = plan_changes(edits, facts, store.limits)
    live = tuple(change.name for change in plan.changes if change.name not in plan.reload_names)
    lowered = {change.name for change in plan.changes if change.name in live and _falls(change.before, change.after)}
    return ApplyPlan(
        live, plan.reload_names, plan.limits, lowers_seqs="max_num_seqs" in lowered, lowers_any=bool(lowered)
    )


def problems(store: Store) -> tuple[Problem, ...]:
    """Faults between the values as they would be after applying; empty where the edits do not fit their rows."""
    facts = store.lifecycle.facts
    device, checkpoint = store.device, _checkpoint(store)
    around = Surroundings(
        device=device,
        num_heads=checkpoint.attention.num_heads if checkpoint else None,
        head_dim=whole_head(checkpoint),
        max_context=checkpoint.max_context if checkpoint else None,
        gpu_count=None if store.hardware is None else len(store.hardware.gpus),
        memory_bytes=None if store.hardware is None else store.hardware.host.total_bytes,
        quantization=None if facts is None else facts.quantization,
        gpu_uuids=() if store.hardware is None else tuple(gpu.uuid for gpu in store.hardware.gpus),
    )
    base = {} if facts is None else _known(facts.parameters, device)
    try:
        values = merge(base, store.edits.values, device=device)
    except ParameterInvalid:
        return ()
    touched = store.edits.values
    found = find_problems(values, around)
    return tuple(problem for problem in found if any(name in touched for name in problem.names))


def _checkpoint(store: Store) -> Checkpoint | None:
    """What would be loaded; None is unknown."""
    path = store.lifecycle.checkpoint or store.lifecycle.previous_checkpoint
    known = store.library.checkpoints if store.library is not None else ()
    return next((each for each in known if each.path == path), None)


def _known(values: Mapping[str, ParameterValue], device: str) -> dict[str, ParameterValue]:
    """Those values that fit their rows: an engine may report what the table does not know."""
    fitting: dict[str, ParameterValue] = {}
    for name, value in values.items():
        try:
            merge({name: value}, device=device)
        except ParameterInvalid:
            continue
        fitting[name] = value
    return fitting


def _falls(before: ParameterValue, after: ParameterValue) -> bool:
    return isinstance(before, int | float) and isinstance(after, int | float) and after < before
