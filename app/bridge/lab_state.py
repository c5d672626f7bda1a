"""What the lab is doing and what it keeps, as the Store holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.bench.messages import Progress
    from engine.bench.result import Annotation, RunRecord, RunResult, Window
    from engine.bench.sample import Sample
    from engine.bench.workload import Workload


@dataclass(frozen=True, slots=True)
class EnginePoint:
    """The engine at one moment of a run (`at_s` on the run's clock), beside what the client sees."""

    at_s: float
    running: int
    waiting: int
    kv_cache_usage: float
    preempted_total: int


@dataclass(frozen=True, slots=True)
class LabRun:
    """The run that goes on or the last one, as far as it is known. `state` is a RunState's value or "starting".

    `windows`, `engine` and `samples` grow while it goes on; samples are without the gaps between tokens. `origin_ns` is
    0 of its clock in CLOCK_MONOTONIC, None before the first request. `message` and `remedy` say what went wrong, or
    why it was ended. `stopping` is True from the wish to stop until it has ended.
    """

    title: str
    workload: Workload
    state: str
    run_id: str | None = None
    origin_ns: int | None = None
    progress: Progress | None = None
    windows: tuple[Window, ...] = ()
    engine: tuple[EnginePoint, ...] = ()
    samples: tuple[Sample, ...] = ()
    changes: tuple[Annotation, ...] = ()
    result: RunResult | None = None
    message: str = ""
    remedy: str = ""
    details: str = ""
    stopping: bool = False

    @property
    def going(self) -> bool:
        """Whether it has not ended yet."""
        return self.state in ("starting", "running")


@dataclass(frozen=True, slots=True)
class LabRuns:
    """The runs that are kept and match the filter, newest first. `deleted` are those that `undo` would bring back.

    `notice` says what is wrong with the file, if anything is; `text` is the filter that was asked for.
    """

    records: tuple[RunRecord, ...] = ()
    deleted: tuple[str, ...] = ()
    notice: str = ""
    text: str = ""
