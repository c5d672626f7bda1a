"""The oracle: everything that the page says, found again by looking at every block and every request.

It shares nothing with the probe but the page: states come from the pool's blocks, tables from vLLM's own bookkeeping,
and the page is read back through an ordinary reader.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.domain.blocks import BlockState
from engine.domain.request import RequestPhase
from engine.page.reader import PageReader
from engine.probe.groups import plan_groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.domain.request import RequestRow
    from engine.domain.telemetry import CacheSnapshot
    from engine.probe.publisher import Publisher


@dataclass(slots=True)
class ScanResult:
    """What was compared at which step, and each difference as a sentence."""

    step: int
    differences: list[str] = field(default_factory=list)

    def expect(self, what: str, page: Any, engine: Any) -> None:
        """Note a difference."""
        if page != engine:
            self.differences.append(f"{what}: page {page}, engine {engine}")


def scan(scheduler: Any, publisher: Publisher) -> ScanResult:
    """Compare the page as it was published with the whole state of the scheduler and its block pool."""
    reader = PageReader(publisher.writer.path)
    try:
        snapshot = reader.snapshot()
    finally:
        reader.close()
    result = ScanResult(publisher.step)
    if snapshot is None:
        result.differences.append("the page holds no consistent picture")
        return result
    _compare_blocks(result, snapshot, scheduler.kv_cache_manager.block_pool)
    _compare_requests(result, snapshot, scheduler)
    _compare_counts(result, snapshot, scheduler)
    return result


def state_of(block: Any) -> BlockState:
    """The state of one block, from the block alone."""
    if block.is_null:
        return BlockState.NULL
    if block.ref_cnt > 1:
        return BlockState.SHARED
    if block.ref_cnt == 1:
        return BlockState.USED
    return BlockState.FREE if block.block_hash is None else BlockState.CACHED


def _compare_blocks(result: ScanResult, snapshot: CacheSnapshot, pool: Any) -> None:
    states = np.array([state_of(block) for block in pool.blocks], np.uint8)
    references = np.array([0 if block.is_null else block.ref_cnt for block in pool.blocks], np.uint16)
    for i in np.flatnonzero(states != snapshot.states).tolist():
        result.expect(f"state of block {i}", int(snapshot.states[i]), int(states[i]))
    for i in np.flatnonzero(references != snapshot.ref_counts).tolist():
        result.expect(f"references to block {i}", int(snapshot.ref_counts[i]), int(references[i]))
    _compare_groups(result, snapshot, pool, states)
    counters = snapshot.counters
    counts = np.bincount(states, minlength=len(BlockState)).tolist()
    page = [counters.num_free, counters.num_cached, counters.num_used, counters.num_shared]
    result.expect("blocks free, cached, used, shared", page, counts[: BlockState.NULL])
    result.expect("free queue", counters.num_free + counters.num_cached, pool.get_num_free_blocks())


def _compare_groups(result: ScanResult, snapshot: CacheSnapshot, pool: Any, states: NDArray[np.uint8]) -> None:
    if snapshot.cached_groups is None:
        result.expect("several groups told", snapshot.num_groups > 1, False)
        return
    for i in np.flatnonzero(states == BlockState.CACHED).tolist():
        result.expect(f"group of cached block {i}", int(snapshot.cached_groups[i]), pool.blocks[i].block_hash[-1])


def _compare_requests(result: ScanResult, snapshot: CacheSnapshot, scheduler: Any) -> None:
    rows = {row.request_id: row for row in snapshot.requests}
    requests = scheduler.requests
    unknown = sorted(set(rows) - set(requests))
    result.expect("requests that are gone", unknown, [])
    result.expect("requests without a row", snapshot.requests_not_shown, len(requests) - len(rows))
    for request_id, request in requests.items():
        row = rows.get(request_id)
        if row is not None:
            _compare_row(result, row, request, scheduler.kv_cache_manager.get_block_ids(request_id))
        elif request.status.name == "RUNNING":
            result.differences.append(f"running request {request_id} has no row")


def _compare_row(result: ScanResult, row: RequestRow, request: Any, tables: tuple[list[int], ...]) -> None:
    name = f"request {request.request_id}"
    status = request.status.name
    phase = {"RUNNING": RequestPhase.PREFILL if request.is_prefill_chunk else RequestPhase.DECODE,
        "PREEMPTED": RequestPhase.PREEMPTED}.get(status, RequestPhase.WAITING)  # fmt: skip
    result.expect(f"{name}, phase", row.phase, phase)
    result.expect(f"{name}, prompt tokens", row.num_prompt_tokens, request.num_prompt_tokens)
    result.expect(f"{name}, tokens", row.num_tokens, request.num_tokens)
    result.expect(f"{name}, computed tokens", row.num_computed_tokens, request.num_computed_tokens)
    result.expect(f"{name}, preemptions", row.num_preemptions, request.num_preemptions)
    for group, page in enumerate(row.block_tables):
        table = tables[group] if group < len(tables) else []
        if row.tables_truncated:
            table = table[: len(page)]
        result.expect(f"{name}, block table {group}", page.tolist(), list(table))


def _compare_counts(result: ScanResult, snapshot: CacheSnapshot, scheduler: Any) -> None:
    counters = snapshot.counters
    result.expect("running", counters.num_running, len(scheduler.running))
    running_and_waiting = len(scheduler.running) + sum(map(len, scheduler.kvdeck_waiting_queues()))
    result.expect("running and waiting", counters.num_running + counters.num_waiting, running_and_waiting)
    result.expect("wasted slots", counters.wasted_slots, _wasted_slots(scheduler))


def _wasted_slots(scheduler: Any) -> int:
    """Block by block: the slots of a block that none of its owners has filled."""
    filled: dict[tuple[int, int], int] = {}
    sizes = {plan.index: plan.block_size for plan in plan_groups(scheduler.kv_cache_manager) if plan.holds_tokens}
    for request_id, request in scheduler.requests.items():
        for group, table in enumerate(scheduler.kv_cache_manager.get_block_ids(request_id)):
            if group not in sizes:
                continue
            size = sizes[group]
            for position, block_id in enumerate(table):
                if block_id:  # not the null block
                    held = max(0, min(size, request.num_computed_tokens - position * size))
                    key = (group, block_id)
                    filled[key] = max(filled.get(key, 0), held)
    return sum(sizes[group] - held for (group, _), held in filled.items())
