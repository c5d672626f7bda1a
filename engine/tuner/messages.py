"""What passes between a lab process and the program that started it: one JSON object a line, both ways."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec

from engine.bench.messages import Message as LoadMessage
from engine.tuner.outcome import Pair, Result, Row, Trial
from engine.tuner.saying import Saying
from engine.tuner.spec import Spec


class Begin(msgspec.Struct, frozen=True, tag_field="do", tag="begin"):
    """The first command. `spec` None resumes the job `job_id`. `store` is the runs file, `jobs` the jobs' folder."""

    url: str
    token: str
    store: str
    jobs: str
    job_id: str
    spec: Spec | None = None


class Cancel(msgspec.Struct, frozen=True, tag_field="do", tag="cancel"):
    """End early: put back what was in force, and report. So does the end of standard input."""


Command = Begin | Cancel


class Update(msgspec.Struct, frozen=True, tag_field="is", tag="update"):
    """Where the job stands; at each change and about twice a second.

    `step` is what happens now; `saying` says more of it.
    `done` and `total` count trials (pairs of runs, rows); `share` (0 to 1) and `left_s` are estimates, None while there
    is nothing to estimate from. `best` is the number of the best trial so far and `best_score` its objective.
    """

    step: Literal["preparing", "loading", "applying", "measuring", "confirming", "scoring", "restoring"]
    saying: Saying
    done: int
    total: int | None = None
    elapsed_s: float = 0.0
    share: float | None = None
    left_s: float | None = None
    best: int | None = None
    best_score: float | None = None


class TrialChanged(msgspec.Struct, frozen=True, tag_field="is", tag="trial"):
    """A trial began, or has new figures."""

    trial: Trial


class PairChanged(msgspec.Struct, frozen=True, tag_field="is", tag="pair"):
    """A pair of an A/B is done; `number` counts from 0."""

    number: int
    pair: Pair


class RowChanged(msgspec.Struct, frozen=True, tag_field="is", tag="row"):
    """A line of an experiment's table has new values."""

    row: Row


class Measuring(msgspec.Struct, frozen=True, tag_field="is", tag="measuring"):
    """What the load of the present trial says (progress, windows, samples), for live charts."""

    run_id: str
    message: LoadMessage


class Ended(msgspec.Struct, frozen=True, tag_field="is", tag="ended"):
    """The last message: the result, also of a job that was cancelled."""

    result: Result


class Broken(msgspec.Struct, frozen=True, tag_field="is", tag="broken"):
    """The last message of a job that could not go on. It can be resumed unless it could not even begin.

    `restored` is whether what was in force before is again.
    """

    kind: str
    message: str
    remedy: str = ""
    restored: bool = False
    resumable: bool = True


Message = Update | TrialChanged | PairChanged | RowChanged | Measuring | Ended | Broken


class JobState(StrEnum):
    """Where a job on disk stands."""

    UNFINISHED = "unfinished"  # runs, or was cut short: see `running_pid`
    FINISHED = "finished"
    CANCELLED = "cancelled"


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A job as it is kept. `running_pid` is the lab process that works on it; None: nobody, it can be resumed."""

    id: str
    created_unix_s: float
    spec: Spec
    state: JobState
    result: Result | None = None
    done: int = 0
    running_pid: int | None = None
