"""The one observable: the newest frozen snapshot of each topic, and a signal per topic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.bridge.adapter_state import AdaptersState
from app.bridge.lab_state import LabApplied, LabJob, LabJobs, LabRun, LabRuns
from engine.domain.block_times import BlockTimes
from engine.domain.checkpoint import Library, StarterProgress
from engine.domain.gpu import HardwareSample
from engine.domain.lifecycle import Lifecycle, LiveLimits, LogRecord, Phase, ServingStats
from engine.domain.prefixes import PrefixReason, PrefixText, PrefixTree
from engine.domain.roofline import CeilingsState
from engine.domain.sleepers import Sleepers
from engine.domain.telemetry import CacheSnapshot

if TYPE_CHECKING:
    from engine.domain.lifecycle import LoadRequest, ParameterValue


@dataclass(frozen=True, slots=True)
class Edits:
    """Parameters edited in the table and not yet in force, by catalog name (absent: as it is)."""

    values: dict[str, ParameterValue]


@dataclass(frozen=True, slots=True)
class Selection:
    """What the user has chosen across panels: a request of the KV cache by internal id, a block, a step; or nothing.

    `blocks` are those that a request had when it ended; of one that lives, the newest picture says it.
    """

    request_id: str | None = None
    block_id: int | None = None
    step: int | None = None
    blocks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where the user is to look: a panel by its key, framed for a moment. With a `parameter` its row gets
    the keyboard.
    """

    panel: str
    parameter: str | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """A message for the user that is no failure of the engine: shown in the window's notice bar and the log.

    `level` is "info", "warning" or "error". `offers` are loads that would help where one was refused, each with the
    label of its button. One that is said of a load is past when the next load begins: `until_load`.
    """

    level: str
    message: str
    remedy: str = ""
    offers: tuple[tuple[str, LoadRequest], ...] = ()
    until_load: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """A wish to bring a panel to the front, by its key in the registry, and to go there to what is selected."""

    panel: str


@dataclass(frozen=True, slots=True)
class EngineShown:
    """Which of `ranks` data-parallel engines the pictures and steps are of."""

    rank: int = 0
    ranks: int = 1


@dataclass(frozen=True, slots=True)
class Address:
    """Where the OpenAI routes are, for the title bar and for users' own programs."""

    url: str
    token: str


@dataclass(frozen=True, slots=True)
class HostSilence:
    """For how long, in seconds, a connected host has said nothing where it should have; None: all is well."""

    seconds: int | None = None


@dataclass(frozen=True, slots=True)
class RecordingState:
    """The recording in progress: its file, how long it runs and what it takes up. `path` None: nothing is recorded."""

    path: str | None = None
    elapsed_s: float = 0.0
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class ReplayState:
    """What this window replays, and where it stands. Times are the recording's own clock in nanoseconds.

    `created_unix_s` is the wall clock at its beginning; `finished` is False where it was cut off by a crash.
    """

    path: str
    begin_ns: int
    end_ns: int
    position_ns: int
    playing: bool
    speed: float
    created_unix_s: float
    finished: bool


Topic = (
    Lifecycle
    | LiveLimits
    | CacheSnapshot
    | HardwareSample
    | ServingStats
    | Library
    | StarterProgress
    | Edits
    | Selection
    | Notice
    | Address
    | LogRecord
    | HostSilence
    | RecordingState
    | ReplayState
    | PrefixTree
    | PrefixReason
    | PrefixText
    | CeilingsState
    | Pointer
    | BlockTimes
    | LabRun
    | LabRuns
    | LabJob
    | LabJobs
    | LabApplied
    | Look
    | Sleepers
    | AdaptersState
    | EngineShown
)


class Store(QObject):
    """Holds one value per topic. `publish` is the only setter; slots only draw.

    Every attribute is None (or the given start value) until the topic's first publish. `cache` is None again when
    no engine runs. Log records, notices and pointers are not held here: they pass through their signals.
    """

    lifecycle_changed = Signal(object)
    limits_changed = Signal(object)
    cache_changed = Signal(object)
    hardware_changed = Signal(object)
    serving_changed = Signal(object)
    library_changed = Signal(object)
    starter_changed = Signal(object)
    edits_changed = Signal(object)
    selection_changed = Signal(object)
    noticed = Signal(object)
    address_changed = Signal(object)
    logged = Signal(object)
    silence_changed = Signal(object)
    recording_changed = Signal(object)
    replay_changed = Signal(object)
    prefix_tree_changed = Signal(object)
    prefix_reason_changed = Signal(object)
    prefix_text_changed = Signal(object)
    ceilings_changed = Signal(object)
    pointed = Signal(object)
    block_times_changed = Signal(object)
    lab_run_changed = Signal(object)
    lab_runs_changed = Signal(object)
    lab_job_changed = Signal(object)
    lab_jobs_changed = Signal(object)
    lab_applied_changed = Signal(object)
    look_asked = Signal(object)
    sleepers_changed = Signal(object)
    adapters_changed = Signal(object)
    engine_shown_changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.lifecycle = Lifecycle(Phase.OFFLINE)
        self.limits: LiveLimits | None = None
        self.cache: CacheSnapshot | None = None
        self.hardware: HardwareSample | None = None
        self.serving: ServingStats | None = None
        self.library: Library | None = None
        self.starter: StarterProgress | None = None
        self.edits = Edits({})
        self.selection = Selection()
        self.address: Address | None = None
        self.silence = HostSilence()
        self.recording = RecordingState()
        self.replay: ReplayState | None = None
        self.prefix_tree: PrefixTree | None = None
        self.prefix_reason: PrefixReason | None = None
        self.prefix_text: PrefixText | None = None
        self.ceilings = CeilingsState()
        self.block_times: BlockTimes | None = None
        self.lab_run: LabRun | None = None
        self.lab_runs: LabRuns | None = None
        self.lab_job: LabJob | None = None
        self.lab_jobs: LabJobs | None = None
        self.lab_applied = LabApplied()
        self.sleepers = Sleepers()
        self.adapters = AdaptersState()
        self.engine_shown = EngineShown()
        self._topics = {
            Lifecycle: ("lifecycle", self.lifecycle_changed),
            LiveLimits: ("limits", self.limits_changed),
            CacheSnapshot: ("cache", self.cache_changed),
            HardwareSample: ("hardware", self.hardware_changed),
            ServingStats: ("serving", self.serving_changed),
            Library: ("library", self.library_changed),
            StarterProgress: ("starter", self.starter_changed),
            Edits: ("edits", self.edits_changed),
            Selection: ("selection", self.selection_changed),
            Address: ("address", self.address_changed),
            HostSilence: ("silence", self.silence_changed),
            RecordingState: ("recording", self.recording_changed),
            ReplayState: ("replay", self.replay_changed),
            PrefixTree: ("prefix_tree", self.prefix_tree_changed),
            PrefixReason: ("prefix_reason", self.prefix_reason_changed),
            PrefixText: ("prefix_text", self.prefix_text_changed),
            CeilingsState: ("ceilings", self.ceilings_changed),
            BlockTimes: ("block_times", self.block_times_changed),
            LabRun: ("lab_run", self.lab_run_changed),
            LabRuns: ("lab_runs", self.lab_runs_changed),
            LabJob: ("lab_job", self.lab_job_changed),
            LabJobs: ("lab_jobs", self.lab_jobs_changed),
            LabApplied: ("lab_applied", self.lab_applied_changed),
            Sleepers: ("sleepers", self.sleepers_changed),
            AdaptersState: ("adapters", self.adapters_changed),
            EngineShown: ("engine_shown", self.engine_shown_changed),
        }

    @property
    def device(self) -> str:
        """What an engine runs on here: "cuda", "cpu", or "" while nothing is known."""
        facts, hardware = self.lifecycle.facts, self.hardware
        if facts is not None:
            return facts.device
        if hardware is None:
            return ""
        return "cuda" if hardware.gpus else "cpu"

    def publish(self, value: Topic) -> None:
        """Hold `value` as its topic's newest and emit the topic's signal with it."""
        if isinstance(value, Notice):
            self.noticed.emit(value)
            return
        if isinstance(value, LogRecord):
            self.logged.emit(value)
            return
        if isinstance(value, Look):
            self.look_asked.emit(value)
            return
        if isinstance(value, Pointer):
            self.pointed.emit(value)
            return
        name, signal = self._topics[type(value)]
        setattr(self, name, value)
        signal.emit(value)

    def clear_engine(self) -> None:
        """Forget what only a running engine can say; panels go to their empty state."""
        self.limits, self.serving = None, None
        self.limits_changed.emit(None)
        self.serving_changed.emit(None)
        self.clear_cache()

    def clear_cache(self) -> None:
        """Forget what is known of the cache: the next picture is another engine's."""
        self.cache = None
        self.prefix_tree, self.prefix_reason, self.prefix_text, self.block_times = None, None, None, None
        self.cache_changed.emit(None)
        self.prefix_tree_changed.emit(None)
        self.prefix_reason_changed.emit(None)
        self.prefix_text_changed.emit(None)
        self.block_times_changed.emit(None)
