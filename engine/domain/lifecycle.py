"""The life of the engine: from nothing to ready, and what went wrong if not."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

ParameterValue = bool | int | float | str | None


class Phase(StrEnum):
    """What the engine is doing, as the host reports it (OFFLINE and CONNECTING are the client's own)."""

    OFFLINE = "offline"  # no host process answers
    CONNECTING = "connecting"  # the host process is starting
    IDLE = "idle"  # the host is there, no model is loaded
    LOADING = "loading"
    READY = "ready"  # a token has been generated
    UNLOADING = "unloading"
    ASLEEP = "asleep"
    FAILED = "failed"  # the last load failed; nothing is loaded
    CRASHED = "crashed"  # a ready engine died


class Stage(StrEnum):
    """Stages of a load, in the order in which they are shown. Only those that the engine reached are reported."""

    TO_SLEEP = "to_sleep"  # of a warm switch: the outgoing engine
    WAKING = "waking"  # of a warm switch: the incoming one
    STARTING = "starting"
    WEIGHTS = "weights"
    COMPILING = "compiling"
    PROFILING = "profiling"
    GRAPHS = "graphs"
    KV_CACHE = "kv_cache"
    FIRST_TOKEN = "first_token"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class StageTiming:
    """One stage that was entered. Seconds count from the start of the load; `ended_s` is None while it runs.

    `progress` (0 to 1) is what the engine itself reports, None where it reports nothing. `expected_s` is how long
    this stage took when this checkpoint was last loaded.
    """

    stage: Stage
    started_s: float
    ended_s: float | None = None
    progress: float | None = None
    expected_s: float | None = None


@dataclass(frozen=True, slots=True)
class RemedyAction:
    """One change that would make a failed load work: a button's label and the parameters it sets.

    `checkpoint`, where it is given, is the one to load instead of the one that failed. `ends_sleepers`: the engines
    that wait end first.
    """

    label: str
    parameters: dict[str, ParameterValue] = field(default_factory=dict)
    checkpoint: str | None = None
    ends_sleepers: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a load failed or an engine died: the cause in one sentence, the numbers behind it, and ways out."""

    kind: str
    message: str
    remedy: str
    numbers: tuple[str, ...] = ()
    actions: tuple[RemedyAction, ...] = ()
    log_tail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EngineProcess:
    """One process of the engine: the EngineCore or a worker. `start_ticks` guards against a reused pid."""

    pid: int
    name: str
    start_ticks: int


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What a ready engine is, as vLLM reports it. Bytes are bytes, lengths tokens; None is unknown.

    `parameters` are the values in force (catalog names). `page_path` is the telemetry page. `notes` are sentences
    the user should know ("This CPU has no 4-bit kernels: weights were unpacked at load."). `request` is what the load
    was asked for: sent again, it brings the same engine.
    """

    vllm_version: str
    checkpoint: str
    served_model_name: str
    device: str
    dtype: str
    quantization: str | None
    max_model_len: int
    block_size: int
    num_blocks: int
    max_num_seqs: int
    max_num_batched_tokens: int
    async_scheduling: bool
    page_path: str
    processes: tuple[EngineProcess, ...]
    parameters: dict[str, ParameterValue]
    gpu_uuids: tuple[str, ...] = ()
    kv_cache_bytes: int | None = None
    weights_bytes: int | None = None
    activation_bytes: int | None = None
    graph_bytes: int | None = None
    non_torch_bytes: int | None = None
    notes: tuple[str, ...] = ()
    request: LoadRequest | None = None


@dataclass(frozen=True, slots=True)
class SwitchCheck:
    """What was verified about the outgoing engine after an unload or a switch."""

    processes_left: tuple[EngineProcess, ...]
    memory_before_bytes: int | None
    memory_after_bytes: int | None
    page_removed: bool


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The newest state of the engine. `elapsed_s` counts from the start of the present load.

    `expected_s` is how long this checkpoint's last load took in all. While an engine is restarted after a crash,
    `failure` still says what it died of; and in READY it says why another checkpoint could not be switched to, so
    that this one serves again. `warm` is True from the beginning of a switch to an engine that waits.
    """

    phase: Phase
    checkpoint: str | None = None
    load_id: int = 0
    elapsed_s: float | None = None
    stages: tuple[StageTiming, ...] = ()
    facts: EngineFacts | None = None
    failure: Failure | None = None
    last_check: SwitchCheck | None = None
    previous_checkpoint: str | None = None
    expected_s: float | None = None
    warm: bool = False


@dataclass(frozen=True, slots=True)
class LiveChange:
    """One parameter that changed while the engine ran, as its scheduler noted it.

    `name` is the catalog's, or "priority" for one request's (`request_id`). `step` is the first step under the new
    value, `monotonic_ns` the engine's CLOCK_MONOTONIC time, as in StepSample. `by` is who asked ("" where they did not
    say). `preempted` counts the running requests that were sent back to the queue for it.
    """

    sequence: int
    step: int
    monotonic_ns: int
    unix_s: float
    name: str
    before: ParameterValue
    after: ParameterValue
    by: str = ""
    preempted: int = 0
    request_id: str = ""


@dataclass(frozen=True, slots=True)
class LiveLimits:
    """The scheduler's limits in force, and the capacities fixed at load. `step` is the first step under them.

    None: this release of vLLM has no such thing. `changes` are the newest changes, oldest first, at most 64; their
    sequence numbers show what is missing before them.
    """

    step: int
    max_num_seqs: int
    max_num_seqs_capacity: int
    max_num_batched_tokens: int
    max_num_batched_tokens_capacity: int
    long_prefill_token_threshold: int | None = None
    policy: str | None = None
    watermark: float | None = None
    long_prefill_token_threshold_adaptive: bool | None = None
    scheduler_reserve_full_isl: bool | None = None
    changes: tuple[LiveChange, ...] = ()


@dataclass(frozen=True, slots=True)
class LimitsRequest:
    """A wish for new live limits; None leaves one as it is. `mode` is "drain" or "preempt".

    `by` names who asks ("window", "tuner", ...); it goes into the note of each change.
    """

    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    long_prefill_token_threshold: int | None = None
    policy: str | None = None
    mode: str = "drain"
    watermark: float | None = None
    long_prefill_token_threshold_adaptive: bool | None = None
    scheduler_reserve_full_isl: bool | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class PriorityRequest:
    """A wish for another priority of one request, by its OpenAI or internal id. Lower runs earlier; 0 is usual."""

    request_id: str
    priority: int
    by: str = ""


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One line of the host's or the engine's log. `sequence` rises by one a line; `unix_s` is wall-clock time."""

    sequence: int
    unix_s: float
    level: str
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class SpeculationStats:
    """What became of drafted tokens over `window_s`, as vLLM's scheduler counts it.

    `drafts` is how many drafts were checked, `draft_tokens` how many tokens they had, `accepted_tokens` how many of
    those the model agreed with; each checked draft also yields one token of the model's own. `accepted_at` has, by
    position in the draft, how many were accepted there. The totals are since the load.
    """

    window_s: float
    drafts: int
    draft_tokens: int
    accepted_tokens: int
    accepted_at: tuple[int, ...]
    drafts_total: int
    draft_tokens_total: int
    accepted_total: int

    @property
    def acceptance(self) -> float | None:
        """The share of drafted tokens that were accepted, 0 to 1; None where nothing was drafted."""
        return self.accepted_tokens / self.draft_tokens if self.draft_tokens else None

    @property
    def mean_length(self) -> float | None:
        """Tokens that one step yields a request, its own included (1 and more); None where nothing was drafted."""
        return 1 + self.accepted_tokens / self.drafts if self.drafts else None


@dataclass(frozen=True, slots=True)
class ServingStats:
    """Serving figures over the last seconds, from vLLM's own stat loggers. None before there is anything to say.

    Rates are per second over `window_s`. Percentiles are over what happened in the last minute. `speculation` is None
    where the engine drafts nothing. `untold` are the fields that this release of vLLM has no figure for: unknown,
    whatever stands in them. `step_owed_s` is for how long the engine has made no step although it has requests, None
    while that is nothing unusual.
    """

    monotonic_ns: int
    window_s: float
    prompt_tokens_per_s: float
    generation_tokens_per_s: float
    requests_per_s: float
    ttft_p50_s: float | None
    ttft_p95_s: float | None
    itl_p50_s: float | None
    itl_p95_s: float | None
    e2e_p50_s: float | None
    queue_p50_s: float | None
    running: int
    waiting: int
    kv_cache_usage: float
    finished_total: int
    preempted_total: int
    speculation: SpeculationStats | None = None
    untold: tuple[str, ...] = ()
    step_owed_s: float | None = None


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """Load this checkpoint with these deviations from the defaults (catalog names)."""

    checkpoint: str
    parameters: dict[str, ParameterValue] = field(default_factory=dict)
    trust_remote_code: bool = False
    allow_pickle: bool = False


@dataclass(frozen=True, slots=True)
class HostStatus:
    """What GET /kvdeck/status answers, and what every event stream begins with."""

    version: str
    vllm_version: str | None
    pid: int
    address: str
    lifecycle: Lifecycle
    limits: LiveLimits | None
