"""What passes between a load process and the program that started it: one JSON object a line, both ways."""

from __future__ import annotations

from typing import Literal

import msgspec

from engine.bench.result import RunResult, Window
from engine.bench.sample import Sample
from engine.bench.workload import Workload


class Target(msgspec.Struct, frozen=True):
    """Where to send. `url` is the server's root ("http://127.0.0.1:8000") or ends in /v1; empty `token`: none needed.

    `model` None asks the server for its first model. `tokenizer` is a folder with a tokenizer.json, for servers that
    have no /tokenize route.
    """

    url: str
    token: str = ""
    model: str | None = None
    tokenizer: str | None = None


class Start(msgspec.Struct, frozen=True, tag_field="do", tag="start"):
    """The first command. Samples go into the runs file `store` under `run_id` where both are given."""

    workload: Workload
    target: Target
    store: str | None = None
    run_id: str | None = None


class Pause(msgspec.Struct, frozen=True, tag_field="do", tag="pause"):
    """Send nothing new; what runs goes on. The clock of `duration_s` stands still."""


class Resume(msgspec.Struct, frozen=True, tag_field="do", tag="resume"):
    """Go on sending."""


class Stop(msgspec.Struct, frozen=True, tag_field="do", tag="stop"):
    """Abort what runs (in the engine, too) and report. So does the end of standard input."""


Command = Start | Pause | Resume | Stop


class Progress(msgspec.Struct, frozen=True, tag_field="is", tag="progress"):
    """About four times a second, and at each change of `phase`.

    `share` (0 to 1) and `left_s` are None where they cannot be known yet. `total` is the number of requests, None where
    time ends the run. While "preparing" (prompts are made) `sent` is 0.
    """

    phase: Literal["preparing", "warming_up", "running", "paused", "finishing"]
    elapsed_s: float
    sent: int
    running: int
    successful: int
    incomplete: int
    failed: int
    total: int | None = None
    share: float | None = None
    left_s: float | None = None


class Tick(msgspec.Struct, frozen=True, tag_field="is", tag="window"):
    """One more window of time, about once a second."""

    window: Window


class Finished(msgspec.Struct, frozen=True, tag_field="is", tag="samples"):
    """Requests that ended since the last such message, without their gaps (the store has those)."""

    samples: tuple[Sample, ...]


class Began(msgspec.Struct, frozen=True, tag_field="is", tag="began"):
    """The run's clock is at 0: `origin_monotonic_ns` in CLOCK_MONOTONIC. `model` is the one that is asked."""

    origin_monotonic_ns: int
    model: str


class Done(msgspec.Struct, frozen=True, tag_field="is", tag="done"):
    """The last message of a run that could be sent."""

    result: RunResult


class Failed(msgspec.Struct, frozen=True, tag_field="is", tag="failed"):
    """The last message of a run that could not: what a user can do is in `remedy`."""

    kind: str
    message: str
    remedy: str = ""
    details: str = ""


Message = Progress | Tick | Finished | Began | Done | Failed
