"""Traffic on a real telemetry page without an engine: requests arrive, share a prefix, grow by a token, and leave.

For what draws the page: tests of the panels and benchmarks of a frame. It goes through `PageWriter` and `PageReader`,
so what a panel sees has passed the very code that a running engine's picture passes. Blocks come from one free list
like vLLM's: freed blocks keep their content (cached) and go to its end.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from engine.domain.blocks import BlockState
from engine.domain.kv_groups import GroupKind, KvCacheGroup
from engine.page.layout import Change, Field, PageGeometry, RowStatus
from engine.page.reader import PageReader
from engine.page.writer import PageWriter

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.telemetry import CacheSnapshot


@dataclass
class _Live:
    row: int
    prompt: int
    tokens: int
    blocks: list[int] = field(default_factory=list)
    others: list[list[int]] = field(default_factory=list)  # of the KV-cache groups after the first


class PageTraffic:
    """Owns one page's writer and reader. Every change is on the page after `publish`.

    `groups` are the KV-cache groups of a hybrid model; each request has a block table in each. Prefixes are shared in
    the first alone, and no window leaves anything behind.
    """

    def __init__(
        self, path: Path, num_blocks: int, block_size: int = 16, max_rows: int = 1024,
        groups: tuple[KvCacheGroup, ...] = (),
    ) -> None:  # fmt: skip
        self.groups = groups or (KvCacheGroup(block_size, GroupKind.FULL, layers=1),)
        sizes = tuple(group.block_size for group in self.groups)
        geometry = PageGeometry(num_blocks, block_size, sizes, max_rows, table_entries=max(1 << 16, 2 * num_blocks))
        self.block_size = block_size
        self.writer = PageWriter(path, geometry)
        assert self.writer.views.group_kinds is not None
        for index, group in enumerate(self.groups):
            self.writer.views.group_kinds[index] = (group.kind, group.window or 0, group.layers or 0, 0)
        self.reader = PageReader(path)
        self.live: dict[str, _Live] = {}
        self.step = 0
        self.queries = 0
        self.hits = 0
        self.preemptions = 0
        self._free = deque(range(1, num_blocks))
        self._free_rows = list(range(max_rows - 1, -1, -1))
        self._counts = np.bincount(self.writer.views.states, minlength=len(BlockState))
        self._step_tokens = [0, 0]
        self.writer.begin()

    # What requests do

    def add(self, request_id: str, prompt: int, *, share: str | None = None) -> None:
        """Admit a request; its prompt's whole blocks that `share` also has are held together with it."""
        live = self.live[request_id] = _Live(self._free_rows.pop(), prompt, prompt)
        common = self.live[share].blocks[: prompt // self.block_size] if share is not None else []
        cached = len(common) * self.block_size
        self._reuse(common)
        self._take(live, common)
        self._take(live, self._fresh(-(-(prompt - cached) // self.block_size)))
        live.others = [[] for _ in self.groups[1:]]
        self._extend_others(live)
        self._write_row(request_id, live, cached, RowStatus.RUNNING)
        self.queries += prompt
        self.hits += cached
        self._step_tokens[0] += prompt - cached

    def wait(self, request_id: str, prompt: int) -> None:
        """Queue a request that has no blocks yet."""
        live = self.live[request_id] = _Live(self._free_rows.pop(), prompt, prompt)
        self._write_row(request_id, live, 0, RowStatus.WAITING)

    def grow(self, request_id: str, tokens: int = 1) -> None:
        """Generate tokens."""
        live = self.live[request_id]
        live.tokens += tokens
        need = -(-live.tokens // self.block_size) - len(live.blocks)
        if need > 0:
            self._take(live, self._fresh(need))
        self._extend_others(live)
        rows = self.writer.views.rows
        rows["num_tokens"][live.row] = live.tokens
        rows["num_computed_tokens"][live.row] = live.tokens
        self._step_tokens[1] += tokens

    def finish(self, request_id: str) -> None:
        """End a request: its blocks are free, and cached where they are full."""
        live = self.live.pop(request_id)
        views = self.writer.views
        for group, blocks in enumerate((live.blocks, *live.others)):
            size = self.groups[group].block_size
            for place in range(len(blocks) - 1, -1, -1):
                block = blocks[place]
                views.ref_counts[block] -= 1
                self._settle(block, full=(place + 1) * size <= live.tokens)
                if views.cached_groups is not None:
                    views.cached_groups[block] = group
                if views.ref_counts[block] == 0:
                    self._free.append(block)
            self.writer.tables.clear(self.writer.tables.key(live.row, group))
        views.rows["status"][live.row] = RowStatus.EMPTY
        self._free_rows.append(live.row)

    def _fresh(self, count: int) -> list[int]:
        blocks = [self._free.popleft() for _ in range(count)]
        assert self.writer.views.reuse_counts is not None
        self.writer.views.reuse_counts[blocks] = 0
        return blocks

    def _reuse(self, blocks: list[int]) -> None:
        assert self.writer.views.reuse_counts is not None
        self.writer.views.reuse_counts[blocks] += 1

    def _extend_others(self, live: _Live) -> None:
        for group, blocks in enumerate(live.others, 1):
            need = -(-live.tokens // self.groups[group].block_size) - len(blocks)
            if need > 0:
                self._take(live, self._fresh(need), group)

    def _take(self, live: _Live, blocks: list[int], group: int = 0) -> None:
        for block in blocks:
            self.writer.views.ref_counts[block] += 1
            self._settle(block, full=False)
        held = live.blocks if group == 0 else live.others[group - 1]
        held += blocks
        self.writer.tables.append(self.writer.tables.key(live.row, group), blocks)

    def _settle(self, block: int, *, full: bool) -> None:
        views = self.writer.views
        count = int(views.ref_counts[block])
        if count:
            state = BlockState.SHARED if count > 1 else BlockState.USED
        else:
            state = BlockState.CACHED if full else BlockState.FREE
        self._counts[views.states[block]] -= 1
        self._counts[state] += 1
        views.states[block] = state
        views.last_used_step[block] = self.step + 1

    def _write_row(self, request_id: str, live: _Live, cached: int, status: RowStatus) -> None:
        views = self.writer.views
        text = request_id.encode()
        views.row_ids[live.row, : len(text)] = np.frombuffer(text, np.uint8)
        values = {
            "serial": self.step + 1, "arrival_ns": time.monotonic_ns(), "num_prompt_tokens": live.prompt,
            "num_tokens": live.tokens, "num_computed_tokens": live.tokens if status is RowStatus.RUNNING else 0,
            "num_cached_tokens": cached, "num_preemptions": 0, "id_length": len(text), "status": status, "prefill": 0,
            "flags": 0,
        }  # fmt: skip
        for name, value in values.items():
            views.rows[name][live.row] = value

    # What the page shows

    def publish(self, duration_ns: int = 8_000_000) -> CacheSnapshot:
        """End a step: put everything since the last one onto the page and read it back."""
        self.note_step(duration_ns)
        self.writer.commit(*Change)
        snapshot = self.reader.snapshot()
        self.writer.begin()
        assert snapshot is not None
        return snapshot

    def note_step(self, duration_ns: int = 8_000_000) -> None:
        """End a step without a publication."""
        self.step += 1
        running = [one for one in self.live.values() if one.blocks]
        self._write_ring(len(running), len(self.live) - len(running), duration_ns)
        self._write_counters(running)
        self._step_tokens = [0, 0]

    def _write_ring(self, running: int, waiting: int, duration_ns: int) -> None:
        views = self.writer.views
        prefill, decode = self._step_tokens
        free = int(self._counts[BlockState.FREE] + self._counts[BlockState.CACHED])
        sample = (self.step, time.monotonic_ns(), duration_ns, running, waiting, prefill, decode, free, 0, 0, 256, 8192)
        views.ring[(self.step - 1) % len(views.ring), : len(sample)] = sample
        views.counters[Field.RING_WRITTEN] = self.step

    def _write_counters(self, running: list[_Live]) -> None:
        counters = self.writer.views.counters
        owned = int(self._counts[BlockState.USED] + self._counts[BlockState.SHARED])
        filled = {
            block: min(self.block_size, one.tokens - place * self.block_size)
            for one in running
            for place, block in enumerate(one.blocks[-1:], len(one.blocks) - 1)
        }
        wasted = sum(self.block_size - tokens for tokens in filled.values()) if owned else 0
        for place, value in {
            Field.STEP: self.step, Field.MONOTONIC_NS: time.monotonic_ns(), Field.NUM_RUNNING: len(running),
            Field.NUM_WAITING: len(self.live) - len(running), Field.NUM_FREE: self._counts[BlockState.FREE],
            Field.NUM_CACHED: self._counts[BlockState.CACHED], Field.NUM_USED: self._counts[BlockState.USED],
            Field.NUM_SHARED: self._counts[BlockState.SHARED], Field.WASTED_SLOTS: wasted,
            Field.PREEMPTIONS: self.preemptions, Field.PREFIX_QUERIES: self.queries, Field.PREFIX_HITS: self.hits,
            Field.MAX_NUM_SEQS: 256, Field.MAX_NUM_BATCHED_TOKENS: 8192,
            Field.ROWS_HIGH: 1 + max((one.row for one in self.live.values()), default=-1),
        }.items():  # fmt: skip
            counters[place] = value

    def close(self) -> None:
        """Remove the page."""
        self.reader.close()
        self.writer.close()
