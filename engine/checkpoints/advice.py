"""What is worth knowing before a load: everything that files, parameters and this machine tell without vLLM."""

from __future__ import annotations

import math
import platform
import shutil
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from engine.domain.checkpoint import VerdictKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from engine.checkpoints.fit import MemoryFit
    from engine.checkpoints.orphans import Orphan
    from engine.domain.checkpoint import Checkpoint
    from engine.domain.lifecycle import ParameterValue

_GIB = 1 << 30
_DISK_BYTES = 1 << 30  # compile caches and logs of one engine
_DEFAULT_BLOCK = {"cpu": 128}
_DEFAULT_UTILIZATION, _MOST_UTILIZATION = 0.92, 0.97
_CACHE_STEP = 0.125  # GiB


class Level(StrEnum):
    """How much it matters: the load cannot succeed, it will be worse than it could be, or it is good to know."""

    BLOCKS = "blocks"
    WARNS = "warns"
    TELLS = "tells"


@dataclass(frozen=True, slots=True)
class Advice:
    """One finding. `topic` names what it is about; `edits` are parameters that would mend it; `orphans` are processes
    that can be ended; `ends_sleepers`: ending the engines that wait would help."""

    level: Level
    topic: str
    message: str
    remedy: str = ""
    edits: tuple[tuple[str, ParameterValue], ...] = ()
    orphans: tuple[Orphan, ...] = ()
    ends_sleepers: bool = False


def advise(
    checkpoint: Checkpoint,
    values: Mapping[str, ParameterValue],
    device: str,
    *,
    fit: MemoryFit | None = None,
    orphans: Sequence[Orphan] = (),
    cache_folder: Path | None = None,
    waiting_bytes: int = 0,
    system: str | None = None,
) -> tuple[Advice, ...]:
    """Findings for a load of `checkpoint` with merged `values` on `device`, the gravest first.

    Reads the file system once (the free space of `cache_folder`); everything else comes from its arguments. `system` is
    the kernel's own name and release, None for this machine's.
    """
    memory = _memory(fit, values, device)
    short = bool(memory) or (fit is not None and fit.fits is False)
    found = [
        *_files(checkpoint),
        *memory,
        *_orphans(orphans),
        *(_sleepers(waiting_bytes) if short else ()),
        *_length(fit, device),
        *_disk(cache_folder),
        *_template(checkpoint),
        *_wsl(device, platform.release() if system is None else system),
        *_prefix(values, device),
    ]
    return tuple(sorted(found, key=lambda each: list(Level).index(each.level)))


def _files(checkpoint: Checkpoint) -> list[Advice]:
    if checkpoint.problem is not None:
        return [Advice(Level.BLOCKS, "files", checkpoint.problem, "Download it again, or choose another one.")]
    verdict = checkpoint.verdict
    if verdict.kind is VerdictKind.REFUSED:
        return [Advice(Level.BLOCKS, "capability", verdict.reason, "Choose another format of this model.")]
    if verdict.kind is VerdictKind.RUNS_UNPACKED:
        return [Advice(Level.WARNS, "capability", verdict.reason)]
    return []


def _memory(fit: MemoryFit | None, values: Mapping[str, ParameterValue], device: str) -> list[Advice]:
    if fit is None:
        return []
    if device == "cuda":
        share = values.get("gpu_memory_utilization")
        utilization = float(share) if isinstance(share, int | float) else _DEFAULT_UTILIZATION
        free, asked = fit.total_bytes - fit.others_bytes, int(fit.total_bytes * utilization)
        if asked > free:
            possible = math.floor(free / fit.total_bytes * 100) / 100
            return [
                Advice(
                    Level.BLOCKS,
                    "memory",
                    f"{_gib(free)} of {_gib(fit.total_bytes)} are free, but gpu_memory_utilization {utilization:g} "
                    f"asks for {_gib(asked)}.",
                    f"Set it to {possible:g}, or end what else uses the GPU.",
                    (("gpu_memory_utilization", possible),) if possible > 0 else (),
                )
            ]
    if fit.weights_bytes + fit.overhead_bytes > fit.budget_bytes:
        return [
            Advice(
                Level.BLOCKS,
                "memory",
                f"The weights need {_gib(fit.weights_bytes)} and about {_gib(fit.overhead_bytes)} beside them; "
                f"{_gib(fit.budget_bytes)} may be used.",
                "Choose a smaller format of this model, or give the engine more memory.",
                _more_room(fit, device),
            )
        ]
    return []


def _more_room(fit: MemoryFit, device: str) -> tuple[tuple[str, ParameterValue], ...]:
    """The edit with which one request of full length would fit; empty where there is no such memory."""
    if device == "cuda":
        share = fit.needed_utilization
        return (("gpu_memory_utilization", share),) if share is not None and share <= _MOST_UTILIZATION else ()
    cache = fit.cache
    if cache.bytes_per_request is None or cache.bytes_per_token is None:
        return ()
    needed = cache.bytes_per_request + cache.block_size * cache.bytes_per_token  # and the null block
    space = math.ceil(needed / _GIB / _CACHE_STEP) * _CACHE_STEP
    room = fit.budget_bytes - fit.weights_bytes - fit.overhead_bytes
    return (("cpu_kvcache_space_gib", space),) if space * _GIB <= room else ()


def _sleepers(waiting_bytes: int) -> list[Advice]:
    if waiting_bytes <= 0:
        return []
    message = f"Models that wait hold {_gib(waiting_bytes)}."
    return [Advice(Level.WARNS, "sleepers", message, "End them to have it back.", ends_sleepers=True)]


def _length(fit: MemoryFit | None, device: str) -> list[Advice]:
    if fit is None or fit.fits is not False or fit.weights_bytes + fit.overhead_bytes > fit.budget_bytes:
        return []
    cache = fit.cache
    edits = (("max_model_len", cache.longest),) if cache.longest else _more_room(fit, device)
    return [
        Advice(
            Level.BLOCKS,
            "length",
            f"One request of max_model_len {cache.max_model_len:,} tokens does not fit into the KV cache: "
            f"{cache.longest or 0:,} do.",
            f"Set max_model_len to {cache.longest:,}." if cache.longest else "Give the KV cache more room.",
            edits,
        )
    ]


def _orphans(orphans: Sequence[Orphan]) -> list[Advice]:
    if not orphans:
        return []
    named = ", ".join(f"{each.name} (pid {each.pid}, {_gib(each.memory_bytes)})" for each in orphans)
    return [
        Advice(
            Level.WARNS,
            "orphans",
            f"Left over from an engine that is gone, and still holding memory: {named}.",
            "End them to have it back.",
            orphans=tuple(orphans),
        )
    ]


def _disk(folder: Path | None) -> list[Advice]:
    if folder is None:
        return []
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return []
    if free >= _DISK_BYTES:
        return []
    remedy = "Free some: compile caches and logs need it."
    return [Advice(Level.WARNS, "disk", f"Only {_gib(free)} are free in {folder}.", remedy)]


def _template(checkpoint: Checkpoint) -> list[Advice]:
    if checkpoint.has_chat_template:
        return []
    return [
        Advice(
            Level.WARNS,
            "template",
            "It has no chat template: chat requests will be refused, completions work.",
            "Use its instruct variant to chat.",
        )
    ]


def _wsl(device: str, system: str) -> list[Advice]:
    if device != "cuda" or "microsoft" not in system.lower():
        return []
    return [
        Advice(
            Level.TELLS,
            "wsl",
            "Under WSL2 vLLM copies without pinned memory, and the driver tells no program's own VRAM (shown as —).",
            "On kernels from 4.19.121, VLLM_WSL2_ENABLE_PIN_MEMORY=1 in the environment gives pinned memory back.",
        )
    ]


def _prefix(values: Mapping[str, ParameterValue], device: str) -> list[Advice]:
    if values.get("enable_prefix_caching") is False:
        return []
    given = values.get("block_size")
    block = given if isinstance(given, int) and not isinstance(given, bool) else _DEFAULT_BLOCK.get(device, 16)
    return [Advice(Level.TELLS, "prefix", f"A shared prompt is reused from {block} tokens on: blocks are that long.")]


def _gib(size: int) -> str:
    return f"{size / _GIB:.2f} GiB"
