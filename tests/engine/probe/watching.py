"""An observer beneath the probe: vLLM's own classes, patched to write down what they do."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest


class Observer:
    """What happened in one scheduler, as (step, ...) tuples in order. Make it before the scheduler."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from vllm.v1.core.block_pool import BlockPool
        from vllm.v1.core.kv_cache_manager import KVCacheManager
        from vllm.v1.core.sched.scheduler import Scheduler

        self.step = 0
        self.preempted: list[tuple[int, str, int, int]] = []
        self.evicted: list[tuple[int, int, int]] = []
        self.refused: list[tuple[int, str, str, int]] = []
        self.admitted: list[tuple[int, str, int, bool]] = []
        self.reused: dict[bytes, int] = {}
        self.found: Counter[int] = Counter()  # by block id: hits since it was filled
        self._freed_at: dict[int, int] = {}
        self._waits_again: set[str] = set()
        self._patch(monkeypatch, Scheduler, "schedule", self._schedule)
        self._patch(monkeypatch, Scheduler, "_preempt_request", self._preempt)
        self._patch(monkeypatch, BlockPool, "_maybe_evict_cached_block", self._evict)
        self._patch(monkeypatch, BlockPool, "free_blocks", self._free)
        self._patch(monkeypatch, BlockPool, "touch", self._touch)
        self._patch(monkeypatch, BlockPool, "get_new_blocks", self._take)
        self._patch(monkeypatch, BlockPool, "reset_prefix_cache", self._reset)
        self._patch(monkeypatch, KVCacheManager, "allocate_slots", self._allocate)

    @staticmethod
    def _patch(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, around: Any) -> None:
        original = getattr(owner, name)

        def patched(own: Any, *args: Any, **kwargs: Any) -> Any:
            return around(lambda *a, **k: original(own, *a, **k), own, *args, **kwargs)

        monkeypatch.setattr(owner, name, patched)

    def _schedule(self, call: Any, _scheduler: Any, *args: Any, **kwargs: Any) -> Any:
        self.step += 1
        output = call(*args, **kwargs)
        for new in output.scheduled_new_reqs:
            again = new.req_id in self._waits_again
            self.admitted.append((self.step, new.req_id, new.num_computed_tokens, again))
        self._waits_again.difference_update(output.num_scheduled_tokens)
        cached = output.scheduled_cached_reqs
        for request_id, computed in zip(cached.req_ids, cached.num_computed_tokens, strict=True):
            if request_id in cached.resumed_req_ids:
                self.admitted.append((self.step, request_id, computed, True))
        return output

    def _preempt(self, call: Any, scheduler: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        held = sum(1 for table in scheduler.kv_cache_manager.get_block_ids(request.request_id) for one in table if one)
        self._waits_again.add(request.request_id)
        self.preempted.append((self.step, request.request_id, request.num_computed_tokens, held))
        return call(request, *args, **kwargs)

    def _evict(self, call: Any, _pool: Any, block: Any) -> Any:
        unused = block.ref_cnt == 0
        evicted = call(block)
        if evicted:
            del self.found[block.block_id]
        if evicted and unused:
            self.evicted.append((self.step, block.block_id, self.step - self._freed_at[block.block_id]))
        return evicted

    def _free(self, call: Any, _pool: Any, blocks: Any) -> Any:
        listed = list(blocks)
        self._freed_at.update((block.block_id, self.step) for block in listed)
        return call(listed)

    def _touch(self, call: Any, _pool: Any, blocks: Any) -> Any:
        self.found.update(block.block_id for block in blocks if block.block_hash is not None)
        return call(blocks)

    def _take(self, call: Any, _pool: Any, *args: Any) -> Any:
        taken = call(*args)
        for block in taken:
            del self.found[block.block_id]
        return taken

    def _reset(self, call: Any, _pool: Any) -> Any:
        done = call()
        if done:
            self.found.clear()
        return done

    def _allocate(self, call: Any, manager: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        free = manager.block_pool.get_num_free_blocks()
        blocks = call(request, *args, **kwargs)
        if blocks is None:
            self.refused.append((self.step, request.request_id, request.status.name, free))
        return blocks
