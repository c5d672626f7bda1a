"""What came of a search or a comparison. Plain values, JSON through msgspec."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from engine.bench.result import Figures
from engine.tuner.saying import Saying
from engine.tuner.spec import Setting

if TYPE_CHECKING:
    from engine.domain.lifecycle import ParameterValue


class TrialState(StrEnum):
    """Where a trial stands."""

    RUNNING = "running"
    MEASURED = "measured"
    PRUNED = "pruned"  # ended early: it could no longer win
    REFUSED = "refused"  # the engine would not take the setting, or the load with it failed
    FAILED = "failed"  # the load broke off, or no request succeeded


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One point that was tried. `score` is the mean of `scores`, the objective's figure in each run of it.

    `reason` says why it was chosen and `outcome` what came of it, None while there is nothing to say. `expected` and
    `expected_deviation` are what the optimizer had predicted (None: it had no opinion yet). `figures` are of the newest
    run. A pruned trial's score is the most that it could still have reached, its `estimate` what it was on course for.
    `share` is how much of the load each of its runs sent.
    `seconds` is all the time it took, `restarted` whether a reload was needed. `run_ids` are its runs in the runs file.
    `is_present` marks the setting that was in force before.
    """

    number: int
    setting: Setting
    state: TrialState = TrialState.RUNNING
    reason: Saying | None = None
    outcome: Saying | None = None
    score: float | None = None
    scores: tuple[float, ...] = ()
    expected: float | None = None
    expected_deviation: float | None = None
    figures: Figures | None = None
    seconds: float = 0.0
    restarted: bool = False
    is_present: bool = False
    run_ids: tuple[str, ...] = ()
    estimate: float | None = None
    share: float = 1.0
    error: str = ""


class SearchResult(msgspec.Struct, frozen=True, kw_only=True, tag="search"):
    """What a sweep or the tuner found. Numbers are those of trials.

    `front` are the trials that no other beats both in output tokens/s and in p95 TTFT, by rising throughput.
    `explanation` tells what was tried and why the best was chosen. `before` is what was in force; it is
    again when `restored`. `points` is the size of the grid.
    """

    objective: str
    trials: tuple[Trial, ...]
    best: int | None = None
    present: int | None = None
    front: tuple[int, ...] = ()
    explanation: tuple[Saying, ...] = ()
    before: Setting = {}
    restored: bool = True
    restarts: int = 0
    points: int = 0
    seconds: float = 0.0
    cancelled: bool = False

    def trial(self, number: int) -> Trial:
        """A trial by its number. Raises KeyError."""
        for trial in self.trials:
            if trial.number == number:
                return trial
        raise KeyError(number)


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """One figure under A and B: means over the pairs, and B over A with its confidence interval (ratios).

    `shown` is whether the interval leaves 1 out, on the side that `better` ("a" or "b") names. The interval is None
    where a value was zero or missing. `sentence` says it in words.
    """

    key: str
    mean_a: float | None
    mean_b: float | None
    ratio: float | None
    low: float | None
    high: float | None
    shown: bool
    better: str
    sentence: str


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """One pair of runs, in the order in which they ran ("ab" or "ba"), with the objective's figure of each."""

    order: str
    a: float | None
    b: float | None
    run_a: str
    run_b: str


class ABResult(msgspec.Struct, frozen=True, kw_only=True, tag="ab"):
    """What an A/B came to: the first difference is the objective's, and the only one that was the question."""

    objective: str
    a: Setting
    b: Setting
    pairs: tuple[Pair, ...]
    differences: tuple[Difference, ...] = ()
    confidence: float = 0.95
    before: Setting = {}
    restored: bool = True
    seconds: float = 0.0
    cancelled: bool = False


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One line of an experiment's table. Bytes are bytes, times seconds; None is unknown or not asked for.

    `disk_bytes` are the checkpoint's weights on disk, `weights_bytes` what they take when loaded, `memory_bytes` the
    memory of all the engine's processes (or of transformers') after the load. `capacity_tokens` is what the KV cache
    holds. `alone` is one client, `load` is many. `perplexity` is over `perplexity_tokens` predicted tokens.
    """

    key: str
    label: str
    state: str = "waiting"  # waiting, running, done, failed
    error: str = ""
    is_reference: bool = False
    is_transformers: bool = False
    checkpoint: str = ""
    quantization: str | None = None
    disk_bytes: int | None = None
    weights_bytes: int | None = None
    memory_bytes: int | None = None
    gpu_bytes: int | None = None
    capacity_tokens: int | None = None
    load_s: float | None = None
    alone_tokens_per_s: float | None = None
    alone_ttft_p50_s: float | None = None
    alone_tpot_p50_s: float | None = None
    load_tokens_per_s: float | None = None
    load_ttft_p95_s: float | None = None
    load_tpot_p50_s: float | None = None
    perplexity: float | None = None
    perplexity_tokens: int | None = None
    notes: tuple[str, ...] = ()
    run_ids: tuple[str, ...] = ()


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """One column of the table: a Row's field, its unit ("bytes", "s", "tokens/s", "tokens" or ""), what is better."""

    field: str
    label: str
    unit: str
    better: str
    definition: str


class ExperimentResult(msgspec.Struct, frozen=True, kw_only=True, tag="experiment"):
    """The table, and what was loaded before (None: nothing) and is again when `restored`."""

    rows: tuple[Row, ...]
    before: str | None = None
    restored: bool = True
    seconds: float = 0.0
    cancelled: bool = False
    explanation: tuple[Saying, ...] = ()


Result = SearchResult | ABResult | ExperimentResult

COLUMNS = (
    Column(field="disk_bytes", label="On disk", unit="bytes", better="less", definition="Size of the weight files."),
    Column(
        field="weights_bytes", label="Weights", unit="bytes", better="less",
        definition="What the weights take once loaded, as the engine reports it.",
    ),
    Column(
        field="memory_bytes", label="Memory", unit="bytes", better="less",
        definition="Memory of all its processes after the load, the KV cache in it.",
    ),
    Column(
        field="gpu_bytes", label="VRAM", unit="bytes", better="less",
        definition="GPU memory of all its processes, the KV cache in it.",
    ),
    Column(
        field="capacity_tokens", label="KV capacity", unit="tokens", better="more",
        definition="Tokens that the KV cache holds.",
    ),
    Column(field="load_s", label="Load", unit="s", better="less", definition="From the load to the first token."),
    Column(
        field="alone_tokens_per_s", label="Alone", unit="tokens/s", better="more",
        definition="Output tokens a second of one client that sends one request at a time.",
    ),
    Column(
        field="alone_ttft_p50_s", label="TTFT alone", unit="s", better="less",
        definition="Median time to first token of one client.",
    ),
    Column(
        field="load_tokens_per_s", label="At load", unit="tokens/s", better="more",
        definition="Output tokens a second of many clients together. transformers answers them one by one.",
    ),
    Column(
        field="load_ttft_p95_s", label="TTFT p95 at load", unit="s", better="less",
        definition="95th percentile of the time to first token of many clients.",
    ),
    Column(
        field="perplexity", label="Perplexity", unit="", better="less",
        definition="exp of the mean negative log-probability of a text's tokens: lower predicts the text better.",
    ),
)  # fmt: skip
"""The experiment's columns, in order."""


def ratio_to(row: Row, reference: Row, field: str) -> float | None:
    """A row's value over the reference's; None where one of them is unknown or zero."""
    ours: ParameterValue = getattr(row, field)
    theirs: ParameterValue = getattr(reference, field)
    if not isinstance(ours, int | float) or not isinstance(theirs, int | float) or not theirs:
        return None
    return ours / theirs
