"""What the roofline is computed from, gathered from the Store: the model's cost, the last seconds, the limits."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from engine.checkpoints.compute import read_compute
from engine.domain.checkpoint import VerdictKind
from engine.metrics.roofline import ModelCost, model_cost, roof_of
from engine.metrics.roofline_advice import Situation, Variant
from engine.metrics.roofline_window import RooflineWindow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.domain.checkpoint import Checkpoint
    from engine.domain.lifecycle import EngineFacts, Lifecycle
    from engine.domain.roofline import ComputeShape
    from engine.domain.telemetry import CacheSnapshot
    from engine.metrics.roofline import Roof
    from engine.metrics.roofline_window import Standing

_PARALLEL = ("tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size")


class RooflineFeed(QObject):
    """Takes every picture; `changed` says that another model is loaded, or none.

    `unknown` says that the present model's files do not tell what a step costs, or are not on this machine.
    """

    changed = Signal()

    def __init__(self, store: Store, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._tasks = tasks
        self._facts: EngineFacts | None = None
        self._window: RooflineWindow | None = None
        self._variants: tuple[Variant, ...] = ()
        self._asked = False
        self.unknown = False
        store.lifecycle_changed.connect(self._follow)
        store.cache_changed.connect(self._take)
        self._follow(store.lifecycle)

    @property
    def cost(self) -> ModelCost | None:
        """What a step with the loaded model costs; None without one, or where that is not known."""
        return self._window.cost if self._window is not None else None

    def standing(self) -> Standing | None:
        """The last seconds of the engine."""
        return self._window.standing() if self._window is not None else None

    def roof(self) -> Roof | None:
        """The measured limits for the loaded model."""
        cost, facts = self.cost, self._facts
        if cost is None or facts is None:
            return None
        return roof_of(self._store.ceilings.ceilings, cost, _devices(facts.parameters))

    def situation(self) -> Situation | None:
        """Everything that the rules look at; None before there is a step."""
        cost, facts, standing = self.cost, self._facts, self.standing()
        if cost is None or facts is None or standing is None:
            return None
        cache = self._store.cache
        return Situation(
            standing, cost, facts, self.roof(), self._store.limits, cache.counters if cache is not None else None,
            self._variants,
        )  # fmt: skip

    def _follow(self, lifecycle: Lifecycle) -> None:
        facts = lifecycle.facts
        known = self._facts
        if facts is not None and known is not None and facts.page_path == known.page_path:
            self._facts = facts
            return
        if facts is None and known is None:
            return
        self._facts, self._window, self._variants, self.unknown = facts, None, (), False
        self._asked = False
        if facts is not None:
            self._window = RooflineWindow()
        self.changed.emit()

    def describe(self) -> None:
        """Read what a step with the loaded model costs, once, when somebody looks; steps are gathered before."""
        if self._facts is not None and not self._asked and self._tasks.possible:
            self._asked = True
            self._tasks.start(self._describe(self._facts), self.tr("Read the model's weights"))

    async def _describe(self, facts: EngineFacts) -> None:
        library = self._store.library
        known = library.checkpoints if library is not None else ()
        present = next((one for one in known if one.path == facts.checkpoint), None)
        siblings = [one for one in known if present is not None and _is_sibling(one, present)]
        shape, others = await asyncio.to_thread(_read, facts.checkpoint, siblings)
        if self._facts is None or self._facts.page_path != facts.page_path:
            return
        unpacked = present is not None and present.verdict.kind is VerdictKind.RUNS_UNPACKED
        unpacked = unpacked or any("unpacked" in note for note in facts.notes)
        cost = model_cost(shape, facts, unpacked=unpacked) if shape is not None else None
        self.unknown = cost is None
        if cost is not None and self._window is not None:
            self._window.use_cost(cost)
            found = ((one, model_cost(other, facts, unpacked=False)) for one, other in others)
            self._variants = tuple(
                Variant(one.quantization.label, one.path, other.step_bytes) for one, other in found if other is not None
            )
        self.changed.emit()

    def _take(self, snapshot: CacheSnapshot | None) -> None:
        if snapshot is not None and self._window is not None:
            self._window.take(snapshot)


def _is_sibling(one: Checkpoint, present: Checkpoint) -> bool:
    runs = one.problem is None and one.verdict.kind is VerdictKind.RUNS
    return one.family == present.family and one.path != present.path and runs


def _read(
    path: str, siblings: list[Checkpoint]
) -> tuple[ComputeShape | None, list[tuple[Checkpoint, ComputeShape]]]:
    others = [(one, read_compute(one.path)) for one in siblings]
    return read_compute(path), [(one, shape) for one, shape in others if shape is not None]


def _devices(parameters: Mapping[str, object]) -> int:
    count = 1
    for name in _PARALLEL:
        value = parameters.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            count *= max(1, value)
    return count
