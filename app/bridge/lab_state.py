"""What the lab is doing and what it keeps, as the Store holds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.bench.messages import Progress
    from engine.bench.result import Annotation, RunRecord, RunResult, Window
    from engine.bench.sample import Sample
    from engine.bench.workload import Workload
    from engine.tuner.messages import Job, Update
    from engine.tuner.outcome import Pair, Result, Row, Trial
    from engine.tuner.spec import Setting, Spec


MOST_SAMPLES = 20_000
"""Of a run, in the window: the newest while it goes on, spread over the whole of one that is looked at later."""


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

    `windows`, `engine` and `samples` grow while it goes on, within bounds: neighbouring windows are merged, and of
    samples, which are without the gaps between tokens, `left_out` are in the runs' file alone. `origin_ns` is
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
    left_out: int = 0
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


@dataclass(frozen=True, slots=True)
class LabJob:
    """A search or a comparison that goes on, or the one that is looked at.

    `state` is "running", "ended", "cancelled", "broken" or "unfinished" (cut short: it can be resumed). `trials`,
    `pairs` and `rows` grow while it goes on; `message` and `remedy` say what went wrong.
    """

    spec: Spec
    state: str
    job_id: str | None = None
    update: Update | None = None
    trials: tuple[Trial, ...] = ()
    pairs: tuple[Pair, ...] = ()
    rows: tuple[Row, ...] = ()
    result: Result | None = None
    message: str = ""
    remedy: str = ""
    cancelling: bool = False

    @property
    def going(self) -> bool:
        """Whether it goes on."""
        return self.state == "running"


@dataclass(frozen=True, slots=True)
class LabJobs:
    """The searches and comparisons that are kept, newest first."""

    jobs: tuple[Job, ...] = ()


@dataclass(frozen=True, slots=True)
class LabApplied:
    """A setting that was applied from the lab with one click, and what it replaced: the way back.

    `before` None: nothing to go back to. `busy` while it is being brought into force.
    """

    setting: Setting | None = None
    before: Setting | None = None
    busy: bool = False
