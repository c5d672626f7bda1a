"""What differs between the vLLM releases that the probe runs in, named once and checked at start."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from engine.domain.errors import EngineMissing

OLDEST = (0, 26)
NEWEST = (0, 33)

_POOL_METHODS = ("get_new_blocks", "touch", "free_blocks", "evict_blocks", "reset_prefix_cache", "get_num_free_blocks")
_POOL_FIELDS = ("metrics_collector", "enable_caching")
_MANAGER_NAMES = ("allocate_slots", "get_computed_blocks", "prefix_cache_stats")
_SCHEDULER_METHODS = ("schedule", "get_grammar_bitmask", "update_from_output", "add_request", "finish_requests",
    "has_unfinished_requests", "reset_prefix_cache",
    "get_request_counts", "_preempt_request", "_free_request", "_free_blocks")  # fmt: skip
_SCHEDULER_FIELDS = ("running", "waiting", "requests", "max_num_running_reqs", "max_num_scheduled_tokens",
    "kv_cache_manager", "scheduler_config")  # fmt: skip


@dataclass(frozen=True, slots=True)
class EngineNames:
    """The names of one vLLM release.

    `admission_limit` is the scheduler's attribute that holds back new requests; where it is also the size of the
    runner's batch (`limit_is_asserted`), it may never be set below the number of running requests.
    `waiting_queues` are all queues that hold requests which do not run. `discards_stale_frames` says that outputs
    still in flight at a forced preemption are to be counted on the request and dropped, as 0.26 does it.
    """

    version: str
    admission_limit: str
    limit_is_asserted: bool
    waiting_queues: tuple[str, ...]
    discards_stale_frames: bool


def parse(version: str) -> tuple[int, int] | None:
    """Major and minor number of a version, or None where it has none ("dev")."""
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else None


def check_version(version: str) -> None:
    """Refuse a release outside the range. Raises EngineMissing."""
    numbers = parse(version)
    if numbers is None or not OLDEST <= numbers <= NEWEST:
        raise EngineMissing(
            f"vLLM {version} is installed, and KVDeck knows {_dotted(OLDEST)} to {_dotted(NEWEST)}.",
            remedy=f"Install a vLLM release from {_dotted(OLDEST)} to {_dotted(NEWEST)}.",
        )


def names_of(scheduler: Any, version: str) -> EngineNames:
    """The names that this scheduler goes by. Raises EngineMissing where one that the probe needs is not there."""
    check_version(version)
    pool = scheduler.kv_cache_manager.block_pool
    missing = [
        *(f"Scheduler.{name}" for name in (*_SCHEDULER_METHODS, *_SCHEDULER_FIELDS) if not hasattr(scheduler, name)),
        *(f"BlockPool.{name}" for name in _POOL_METHODS if not hasattr(pool, name)),
        *(f"KVCacheManager.{name}" for name in _MANAGER_NAMES if not hasattr(scheduler.kv_cache_manager, name)),
    ]
    if not hasattr(getattr(pool, "free_block_queue", None), "num_free_blocks"):
        missing.append("BlockPool.free_block_queue.num_free_blocks")
    missing += [f"BlockPool.{name}" for name in _POOL_FIELDS if not hasattr(pool, name)]
    tables = scheduler.kv_cache_manager.coordinator.single_type_managers
    if not all(hasattr(each, "num_cached_block") for each in tables):
        missing.append("SingleTypeKVCacheManager.num_cached_block")
    if not hasattr(getattr(pool, "null_block", None), "_block_hash"):
        missing.append("KVCacheBlock._block_hash")
    if not hasattr(getattr(pool, "cached_block_hash_to_block", None), "get_one_block"):
        missing.append("BlockPool.cached_block_hash_to_block.get_one_block")
    if missing:
        raise EngineMissing(
            f"vLLM {version} lacks what KVDeck's probe needs: {', '.join(missing)}.",
            remedy=f"Install an unmodified vLLM release from {_dotted(OLDEST)} to {_dotted(NEWEST)}.",
        )
    # The releases in between changed one thing at a time, so each is told by what is there, not by its number.
    separate = hasattr(scheduler, "max_num_active_reqs")
    queues = ("waiting", "skipped_waiting", "kv_holding_waiting")
    return EngineNames(
        version=version,
        admission_limit="max_num_active_reqs" if separate else "max_num_running_reqs",
        limit_is_asserted=not separate,
        waiting_queues=tuple(name for name in queues if hasattr(scheduler, name)),
        discards_stale_frames=_has_stale_frame_counter(),
    )


def _has_stale_frame_counter() -> bool:
    from vllm.v1.request import Request

    return "async_tokens_to_discard" in Request.__init__.__code__.co_names


def _dotted(version: tuple[int, int]) -> str:
    return ".".join(map(str, version))
