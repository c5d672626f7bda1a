"""Whose memory is whose: one GPU's, or the machine's, split into the engine's parts, others and free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from engine.domain.gpu import GpuSample, HostSample
    from engine.domain.lifecycle import EngineFacts, Lifecycle


@dataclass(frozen=True, slots=True)
class MemorySplit:
    """Parts of one memory, in bytes; they add up to `total_bytes` where all are known.

    `rest_bytes` is the engine's memory beyond weights and KV cache (activations, graphs, the runtime). Where the
    driver cannot tell processes apart, `unattributed_bytes` holds what is used and cannot be given to anybody, and
    `rest_bytes` and `others_bytes` are None. `free_bytes` is None where the driver cannot tell how much is used.
    """

    total_bytes: int | None
    weights_bytes: int | None
    kv_cache_bytes: int | None
    rest_bytes: int | None
    others_bytes: int | None
    unattributed_bytes: int | None
    free_bytes: int | None

    @property
    def engine_bytes(self) -> int | None:
        """The whole engine's, or None where it cannot be told."""
        if self.rest_bytes is None:
            return None
        return (self.weights_bytes or 0) + (self.kv_cache_bytes or 0) + self.rest_bytes


def split_gpu(sample: GpuSample, lifecycle: Lifecycle) -> MemorySplit:
    """Split one GPU's memory; the engine's own numbers count only on the GPUs that it says it uses."""
    total, used, ours = sample.total_bytes, sample.used_bytes, sample.ours_bytes
    free = max(0, total - used) if total is not None and used is not None else None
    facts = _resident(lifecycle)
    if facts is not None and facts.gpu_uuids and sample.uuid not in facts.gpu_uuids:
        facts = None
    if ours is not None:
        weights, kv_cache, rest = _split_engine(ours, facts)
        others = sample.others_bytes
        if others is None and used is not None:
            others = max(0, used - ours)
        driver = max(0, used - ours - others) if used is not None and others is not None else None
        return MemorySplit(total, weights, kv_cache, rest, others, driver or None, free)
    if used is None:
        return MemorySplit(total, None, None, None, None, None, None)
    weights = kv_cache = None
    if facts is not None and facts.gpu_uuids:  # vLLM says what it holds even where NVML names no process
        weights, kv_cache, used_otherwise = _split_engine(used, facts)
        return MemorySplit(total, weights, kv_cache, None, None, used_otherwise, free)
    return MemorySplit(total, weights, kv_cache, None, None, used, free)


def split_host(sample: HostSample, lifecycle: Lifecycle) -> MemorySplit:
    """Split the machine's memory, for an engine that runs on the processor."""
    used = max(0, sample.total_bytes - sample.available_bytes)
    free = min(sample.available_bytes, sample.total_bytes)
    if sample.engine_bytes is None and lifecycle.facts is None:  # there is no engine: others hold all that is used
        return MemorySplit(sample.total_bytes, None, None, None, used, None, free)
    if sample.engine_bytes is None:
        return MemorySplit(sample.total_bytes, None, None, None, None, used, free)
    engine = min(sample.engine_bytes, used) if used else sample.engine_bytes
    weights, kv_cache, rest = _split_engine(engine, _resident(lifecycle))
    return MemorySplit(sample.total_bytes, weights, kv_cache, rest, max(0, used - engine), None, free)


def _resident(lifecycle: Lifecycle) -> EngineFacts | None:
    # While the engine sleeps, loads or ends, its numbers are not what it holds now.
    return lifecycle.facts if lifecycle.phase is Phase.READY else None


def _split_engine(engine: int, facts: EngineFacts | None) -> tuple[int | None, int | None, int]:
    """Weights, KV cache and rest of `engine` bytes. Pages never touched are not resident: no part exceeds the whole."""
    if facts is None:
        return None, None, engine
    weights = min(facts.weights_bytes, engine) if facts.weights_bytes is not None else None
    left = engine - (weights or 0)
    kv_cache = min(facts.kv_cache_bytes, left) if facts.kv_cache_bytes is not None else None
    return weights, kv_cache, left - (kv_cache or 0)
