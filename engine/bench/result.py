"""What a run came to: figures, windows of time, and the record that is kept of it."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.bench.workload import Workload
from engine.domain.lifecycle import ParameterValue


class Spread(msgspec.Struct, frozen=True):
    """A distribution in numbers, in its figure's unit. `deviation` is the standard deviation (of the population)."""

    count: int
    mean: float
    deviation: float
    least: float
    p50: float
    p90: float
    p95: float
    p99: float
    most: float


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """A run's figures. Spreads are seconds over the successful requests; None is unknown.

    `engine.bench.definitions` says what each is, with its unit and which way is better. `phases_from` says where
    queue, prefill and decode time come from: "requests" (the server told them for each request), "histograms" (the
    change of vLLM's /metrics histograms during the run: percentiles are interpolated within a bucket, and requests of
    other clients are in it) or None. `preemptions` and `prefix_hit_rate` (0 to 1) are the change of the engine's own
    counters during the run; `cached_share` is the cached share of the prompt tokens by the requests' own usage.
    """

    duration_s: float
    sent: int
    successful: int
    incomplete: int
    failed: int
    tokens_in: int
    tokens_out: int
    requests_per_s: float
    tokens_in_per_s: float
    tokens_out_per_s: float
    ttft: Spread | None = None
    tpot: Spread | None = None
    tpot_with_first: Spread | None = None
    itl: Spread | None = None
    e2e: Spread | None = None
    queue: Spread | None = None
    prefill: Spread | None = None
    decode: Spread | None = None
    lag: Spread | None = None  # sent later than due: the client's own delay
    phases_from: str | None = None
    good: int | None = None
    goodput_per_s: float | None = None
    good_share: float | None = None
    preemptions: int | None = None
    prefix_hit_rate: float | None = None
    cached_share: float | None = None
    most_running: int = 0
    failures: dict[str, int] = {}


class Window(msgspec.Struct, frozen=True):
    """One stretch of the run (about a second) for live charts and curves over time.

    Counts are of what happened in it; medians and 95th percentiles are seconds, None where nothing did. `running` is
    the number of requests under way at its end. `tokens_out` counts pieces with a token as they arrived.
    """

    start_s: float
    seconds: float
    sent: int
    successful: int
    incomplete: int
    failed: int
    tokens_in: int
    tokens_out: int
    running: int
    ttft_p50_s: float | None = None
    ttft_p95_s: float | None = None
    itl_p50_s: float | None = None
    itl_p95_s: float | None = None
    e2e_p50_s: float | None = None
    e2e_p95_s: float | None = None
    good: int | None = None


class RunResult(msgspec.Struct, frozen=True):
    """What a load process hands back. `origin_monotonic_ns` is 0 of the run's clock in CLOCK_MONOTONIC, so that the
    engine's own telemetry can be laid beside it. `stopped` says that it was ended before its time.
    """

    figures: Figures
    windows: tuple[Window, ...] = ()
    origin_monotonic_ns: int = 0
    stopped: bool = False


class EngineSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured: engine, model, parameters, machine. None: not known (a server that is not ours)."""

    kvdeck_version: str | None = None
    vllm_version: str | None = None
    checkpoint: str | None = None
    model: str | None = None
    quantization: str | None = None
    weights_bytes: int | None = None
    kv_cache_bytes: int | None = None
    num_blocks: int | None = None
    block_size: int | None = None
    max_model_len: int | None = None
    dtype: str | None = None
    device: str | None = None
    parameters: dict[str, ParameterValue] = {}
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    long_prefill_token_threshold: int | None = None
    policy: str | None = None
    gpus: tuple[str, ...] = ()
    driver_version: str | None = None
    cpu: str | None = None
    cores: int | None = None
    memory_bytes: int | None = None
    python_version: str | None = None
    system: str | None = None


class Annotation(msgspec.Struct, frozen=True):
    """Something that was changed while a run went on, at `at_s` on its clock: "max_num_seqs 16 → 4"."""

    at_s: float
    text: str
    values: dict[str, ParameterValue] = {}


class RunState(StrEnum):
    """Where a run stands."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One run as it is kept. `id` is a short unique word; `origin` says what made it ("run", "sweep", "tuner", "ab",
    "experiment", "baseline", ...) and `group` joins those that belong together. `url` holds no key.
    """

    id: str
    title: str
    created_unix_s: float
    workload: Workload
    setup: EngineSetup = EngineSetup()
    state: RunState = RunState.RUNNING
    url: str = ""
    result: RunResult | None = None
    error: str = ""
    notes: str = ""
    tags: tuple[str, ...] = ()
    origin: str = "run"
    group: str = ""
    baseline: bool = False
    annotations: tuple[Annotation, ...] = ()
