"""What the probe publishes from inside the EngineCore, as the reader hands it out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engine.domain.cache_events import CacheEvent
    from engine.domain.kv_groups import KvCacheGroup
    from engine.domain.request import RequestRow


@dataclass(frozen=True, slots=True)
class StepSample:
    """One scheduler step as the EngineCore saw it. Times are CLOCK_MONOTONIC nanoseconds.

    `duration_ns` is the time to the model's answer, from the answer before it (from this step's schedule() where the
    engine had nothing to do or nothing could be scheduled before): durations of busy steps add up to the time that
    passed, also where the next step is scheduled before the answer comes. 0: there was no answer.
    `prefill_tokens` and `decode_tokens` are the tokens scheduled in this step. `preemptions` and `finished`
    count this step's alone.
    """

    step: int
    monotonic_ns: int
    duration_ns: int
    num_running: int
    num_waiting: int
    prefill_tokens: int
    decode_tokens: int
    num_free_blocks: int
    preemptions: int
    finished: int
    max_num_seqs: int
    max_num_batched_tokens: int


@dataclass(frozen=True, slots=True)
class Counters:
    """The newest totals of the running engine.

    Block counts leave out the null block: num_free + num_cached + num_used + num_shared == num_blocks - 1.
    Token and preemption totals count since the engine started. `wasted_slots` is the number of token slots in
    used and shared blocks that hold nothing. `max_num_seqs` and `max_num_batched_tokens` are the limits in force
    at this step. Prefix queries and hits are vLLM's own, in tokens; those of requests that were computed again after
    a preemption are counted apart (`preempted_queries`, `preempted_hits`).
    """

    step: int
    monotonic_ns: int
    num_running: int
    num_waiting: int
    num_free: int
    num_cached: int
    num_used: int
    num_shared: int
    wasted_slots: int
    preemptions: int
    prefix_queries: int
    prefix_hits: int
    prefill_tokens: int
    decode_tokens: int
    finished_requests: int
    max_num_seqs: int
    max_num_batched_tokens: int
    preempted_queries: int = 0
    preempted_hits: int = 0

    @property
    def usage(self) -> float:
        """Share of the blocks that requests own, as vLLM computes it (0 to 1)."""
        total = self.num_free + self.num_cached + self.num_used + self.num_shared
        return (self.num_used + self.num_shared) / total if total else 0.0

    @property
    def prefix_hit_rate(self) -> float | None:
        """Share of queried prompt tokens found in the prefix cache, or None before the first query."""
        return self.prefix_hits / self.prefix_queries if self.prefix_queries else None


@dataclass(frozen=True, slots=True)
class CacheSnapshot:
    """One consistent picture of the KV cache.

    Arrays have length `num_blocks`: `states` uint8 (BlockState), `ref_counts` uint16, `last_used_step` uint32 (the
    step at which the block last changed hands, 0 if never). They are read-only; a later snapshot never changes
    them. `block_size` is in tokens. `published_ns` is the writer's CLOCK_MONOTONIC time. `steps` are the finished
    steps that are new since the reader's previous snapshot (at most 256); PageReader.steps_since has the longer past.
    `requests_not_shown` counts waiting requests for which the page had no row. `events` are those that are new since
    the reader's previous snapshot, oldest first, at most 1,024; their sequence numbers show what is missing between.
    `reuse_counts` (uint16) is how often a request found each block in the prefix cache since it was filled (at most
    MOST_REUSES, None where that is not known). `groups` describes each KV-cache group (empty where not known), and
    `cached_groups` (uint8) says of every CACHED block which group it belongs to, where there are several (else None).
    """

    published_ns: int
    num_blocks: int
    block_size: int
    num_groups: int
    counters: Counters
    states: NDArray[np.uint8]
    ref_counts: NDArray[np.uint16]
    last_used_step: NDArray[np.uint32]
    requests: tuple[RequestRow, ...]
    steps: tuple[StepSample, ...]
    requests_not_shown: int = 0
    events: tuple[CacheEvent, ...] = ()
    reuse_counts: NDArray[np.uint16] | None = None
    groups: tuple[KvCacheGroup, ...] = ()
    cached_groups: NDArray[np.uint8] | None = None

    @property
    def group_block_sizes(self) -> tuple[int, ...]:
        """Tokens a block holds, for each KV-cache group."""
        return tuple(group.block_size for group in self.groups) or (self.block_size,) * self.num_groups
