"""What happened to the KV cache at one step: who lost blocks, which prefix was given up, who found no room."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Preempted:
    """A running request lost its blocks and waits again.

    `tokens` were computed and are lost; at most so many are computed again (what is still in the prefix cache when the
    request resumes is not; see Admitted). `blocks` is what it gave back.
    """

    sequence: int
    step: int
    monotonic_ns: int
    request_id: str | None
    tokens: int
    blocks: int


@dataclass(frozen=True, slots=True)
class Evicted:
    """A cached block was taken for something else: its prefix cannot be reused any more.

    `request_id` is the last request that gave the block back, `position` the block's place in that prefix; both are
    None where nobody noted them. `age_steps` is how long it had lain unused.
    """

    sequence: int
    step: int
    monotonic_ns: int
    request_id: str | None
    block_id: int
    age_steps: int
    position: int | None


@dataclass(frozen=True, slots=True)
class AllocationFailed:
    """There were too few free blocks for a request.

    A running one then had another (or itself) preempted; a waiting one goes on waiting, and only the first failure of
    its wait is told. `tokens` is what it was to compute (None: not known), `free_blocks` what was free at that moment.
    """

    sequence: int
    step: int
    monotonic_ns: int
    request_id: str | None
    tokens: int | None
    free_blocks: int
    running: bool


@dataclass(frozen=True, slots=True)
class NeverFits:
    """A request arrived whose prompt and one more token need more blocks than the whole cache has."""

    sequence: int
    step: int
    monotonic_ns: int
    request_id: str | None
    prompt_tokens: int
    needed_blocks: int
    pool_blocks: int


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request was scheduled, for the first time or (`resumed`) again after a preemption.

    `cached_tokens` of its `tokens` came from the prefix cache.
    """

    sequence: int
    step: int
    monotonic_ns: int
    request_id: str | None
    cached_tokens: int
    tokens: int
    resumed: bool


CacheEvent = Preempted | Evicted | AllocationFailed | NeverFits | Admitted
