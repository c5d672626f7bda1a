"""From the engine's log lines to the stages of a load, with the figures that the lines carry."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.domain.lifecycle import Stage, StageTiming

if TYPE_CHECKING:
    from collections.abc import Mapping

_GIB = 1 << 30

# The stages' order on screen is also the order in which a load can only move forward, but for graphs: vLLM sizes the
# KV cache before it captures them, and some releases capture a trial graph before that.
_ORDER = tuple(Stage)

_PERCENT = re.compile(r"(\d+)%")
_STARTS: tuple[tuple[re.Pattern[str], Stage], ...] = tuple(
    (re.compile(pattern), stage)
    for pattern, stage in (
        (r"^Starting to load model ", Stage.WEIGHTS),
        (r"^Loading \w[\w ]*checkpoint shards:", Stage.WEIGHTS),
        (r"Using cache directory: .*torch\.compile|Starting torch\.compile|Dynamo bytecode transform", Stage.COMPILING),
        (
            r"Compiling a graph for|Directly load (the compiled|AOT)|^Warming up model for the compilation",
            Stage.COMPILING,
        ),
        (r"torch\.compile took|Initial profiling/warmup run took|^Memory profiling takes", Stage.PROFILING),
        (r"^Available KV cache memory:|^(Explicitly|Auto) set .* for KV cache", Stage.KV_CACHE),
        (r"^(Profiling|Capturing) CUDA graphs?\b", Stage.GRAPHS),
        (r"^Graph capturing finished", Stage.KV_CACHE),
    )
)
# Weights are there: what follows is a profiling run, unless the next line says that it compiles.
_WEIGHTS_DONE = re.compile(r"^Model loading took|^Loading weights took")

_LOADING_TOOK = re.compile(r"^Model loading took ([\d.]+) (?:GiB|GB)")
_KV_MEMORY = re.compile(r"^Available KV cache memory: ([\d.]+) GiB|^(?:Explicitly|Auto) set \(([\d.]+)/")
_GRAPH_MEMORY = re.compile(r"^Graph capturing finished in [\d.]+ secs?, took (-?[\d.]+) GiB")
_ACTUAL_USAGE = re.compile(
    r"Actual usage is ([\d.]+) GiB for weights?, ([\d.]+) GiB for peak activation, ([\d.]+) GiB for non-torch memory"
)
_CONSUMED = re.compile(
    r"Actual usage is ([\d.]+) GiB for consumed memory \(weights \+ non-torch\), ([\d.]+) GiB for peak activation"
)
_DIST_FILE = re.compile(r"distributed_init_method=file://(/\S+)")


@dataclass(frozen=True, slots=True)
class MemorySplit:
    """What the engine said of its memory while it started, in bytes per device; None where it said nothing."""

    weights_bytes: int | None = None
    kv_cache_bytes: int | None = None
    activation_bytes: int | None = None
    non_torch_bytes: int | None = None
    graph_bytes: int | None = None


def _gib(text: str) -> int:
    return max(0, int(float(text) * _GIB))


class LoadProgress:
    """The stages of one load. `feed` takes log lines, `enter` what the host itself does; seconds since the start.

    `expected` are the seconds each stage took last time. One stage is open at a time; a stage that comes back
    (graphs are tried, the cache is sized, graphs are captured) is continued, not begun anew.
    """

    def __init__(self, expected: Mapping[Stage, float] | None = None, first: Stage = Stage.STARTING) -> None:
        self._expected = dict(expected or {})
        self._stages: dict[Stage, StageTiming] = {}
        self._open: Stage | None = None
        self._memory = MemorySplit()
        self._scratch_files: set[str] = set()
        self.enter(first, 0.0)

    @property
    def stages(self) -> tuple[StageTiming, ...]:
        """The stages reached, in the order in which they are shown."""
        return tuple(self._stages[stage] for stage in _ORDER if stage in self._stages)

    @property
    def stage(self) -> Stage | None:
        """The stage that the load is in, or was in when it ended early; None once it is over."""
        return self._open

    @property
    def memory(self) -> MemorySplit:
        """What was said of memory so far."""
        return self._memory

    @property
    def scratch_files(self) -> frozenset[str]:
        """Files that torch's rendezvous makes and that a killed engine leaves behind."""
        return frozenset(self._scratch_files)

    @property
    def expected_s(self) -> float | None:
        """How long the whole load took last time."""
        return sum(self._expected.values()) if self._expected else None

    def durations(self) -> dict[Stage, float]:
        """Seconds of each finished stage, to be remembered for the next load."""
        return {
            stage: round(timing.ended_s - timing.started_s, 3)
            for stage, timing in self._stages.items()
            if timing.ended_s is not None and stage is not Stage.READY
        }

    def enter(self, stage: Stage, at_s: float) -> None:
        """The load is in `stage` from now on; the one before has ended."""
        if stage is self._open:
            return
        self._close(at_s)
        before = self._stages.get(stage)
        self._stages[stage] = (
            replace(before, ended_s=None)
            if before
            else StageTiming(stage=stage, started_s=at_s, expected_s=self._expected.get(stage))
        )
        self._open = stage

    def finish(self, at_s: float) -> None:
        """The engine has answered: READY."""
        self.enter(Stage.READY, at_s)
        self._close(at_s)

    def feed(self, line: str, at_s: float) -> bool:
        """Take in one line of the log (without its prefix); True when a stage or its progress changed."""
        self._note_memory(line)
        stage = self._stage_of(line)
        changed = False
        if stage is not None and stage is not self._open and self._may_enter(stage):
            self.enter(stage, at_s)
            changed = True
        if stage is self._open and stage is not None:
            changed |= self._set_progress(stage, line)
        return changed

    def _stage_of(self, line: str) -> Stage | None:
        if _WEIGHTS_DONE.match(line):
            return Stage.PROFILING if line.startswith("Model") and self._open is Stage.WEIGHTS else None
        for pattern, stage in _STARTS:
            if pattern.search(line):
                return stage
        return None

    def _may_enter(self, stage: Stage) -> bool:
        """Forward only: a late line of a second worker must not reopen what the load has left."""
        if self._open is None:
            return False
        if {stage, self._open} <= {Stage.COMPILING, Stage.PROFILING, Stage.GRAPHS, Stage.KV_CACHE}:
            return not (stage is Stage.COMPILING and self._open in (Stage.GRAPHS, Stage.KV_CACHE))
        return _ORDER.index(stage) > _ORDER.index(self._open)

    def _set_progress(self, stage: Stage, line: str) -> bool:
        if "%" not in line or ":" not in line:
            return False
        match = _PERCENT.search(line)
        if match is None:
            return False
        progress = min(int(match[1]), 100) / 100
        before = self._stages[stage]
        if before.progress == progress:
            return False
        self._stages[stage] = replace(before, progress=progress)
        return True

    def _close(self, at_s: float) -> None:
        if self._open is not None:
            self._stages[self._open] = replace(self._stages[self._open], ended_s=at_s)
            self._open = None

    def _note_memory(self, line: str) -> None:
        """Keep the figures of the first line of a kind: with several workers each says the same of its own device."""
        memory = self._memory
        if (match := _LOADING_TOOK.match(line)) and memory.weights_bytes is None:
            memory = replace(memory, weights_bytes=_gib(match[1]))
        elif (match := _KV_MEMORY.match(line)) and memory.kv_cache_bytes is None:
            memory = replace(memory, kv_cache_bytes=_gib(match[1] or match[2]))
        elif match := _GRAPH_MEMORY.match(line):
            memory = replace(memory, graph_bytes=_gib(match[1]))
        elif match := _ACTUAL_USAGE.search(line):
            memory = replace(
                memory,
                weights_bytes=_gib(match[1]),
                activation_bytes=_gib(match[2]),
                non_torch_bytes=_gib(match[3]),
            )
        elif match := _CONSUMED.search(line):
            rest = None if memory.weights_bytes is None else max(0, _gib(match[1]) - memory.weights_bytes)
            memory = replace(memory, activation_bytes=_gib(match[2]), non_torch_bytes=rest)
        elif match := _DIST_FILE.search(line):
            self._scratch_files.add(match[1])
        self._memory = memory
