"""How often each block was found in the prefix cache: the page against what vLLM's own block pool did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.blocks import MOST_REUSES
from engine.domain.kv_groups import GroupKind, KvCacheGroup
from engine.page.reader import PageReader
from tests.engine.probe.driving import BLOCK, Runner, Traffic
from tests.engine.probe.watching import Observer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize(
    ("kind", "async_scheduling", "blocks"), [("full", False, 60), ("full", True, 150), ("sliding", False, 120)]
)
def test_every_blocks_reuses_are_counted(
    probed_scheduler: Callable[..., Any],
    page_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    async_scheduling: bool,
    blocks: int,
) -> None:
    observer = Observer(monkeypatch)
    scheduler = probed_scheduler(blocks, kind=kind, async_scheduling=async_scheduling)
    runner, traffic = Runner(scheduler), Traffic(scheduler, blocks)
    dice, reader = traffic.random, PageReader(page_path)
    highest = compared = 0
    while runner.steps < 600:
        if dice.random() < 0.15 and len(scheduler.requests) < 40:
            traffic.add(dice.randrange(1, 6))
        if dice.random() < 0.02:
            scheduler.kv_cache_manager.evict_blocks(set(dice.choices(range(1, blocks), k=5)))
        if dice.random() < 0.004:
            scheduler.reset_prefix_cache(reset_running_requests=True)
        runner.step()
        if dice.random() < 0.3:
            compared += 1
            highest = max(highest, _compare(scheduler, reader, observer, blocks))
    runner.drain()
    _compare(scheduler, reader, observer, blocks)
    assert scheduler.reset_prefix_cache()
    assert _compare(scheduler, reader, observer, blocks) == 0
    traffic.add(12)
    runner.drain()
    _compare(scheduler, reader, observer, blocks)
    reader.close()
    assert scheduler.kvdeck_failure is None
    assert highest > 2
    assert compared > 100


def _compare(scheduler: Any, reader: PageReader, observer: Observer, blocks: int) -> int:
    scheduler.kvdeck_publisher.publish(tokens=True)
    snapshot = reader.snapshot()
    assert snapshot is not None
    assert snapshot.reuse_counts is not None
    assert snapshot.reuse_counts.tolist() == [observer.found[block] for block in range(blocks)]
    return int(snapshot.reuse_counts.max())


def test_the_page_describes_its_groups(probed_scheduler: Callable[..., Any], page_path: Path) -> None:
    expected = {
        "full": (KvCacheGroup(BLOCK, GroupKind.FULL, None, 1),),
        "sliding": (KvCacheGroup(BLOCK, GroupKind.FULL, None, 1), KvCacheGroup(BLOCK, GroupKind.SLIDING, 8 * BLOCK, 1)),
        "mamba": (KvCacheGroup(BLOCK, GroupKind.FULL, None, 1), KvCacheGroup(BLOCK, GroupKind.STATE, None, 1)),
    }
    for kind, groups in expected.items():
        scheduler = probed_scheduler(60, kind=kind)
        reader = PageReader(page_path)
        snapshot = reader.snapshot()
        assert snapshot is not None
        assert snapshot.groups == groups
        assert (snapshot.cached_groups is None) == (len(groups) == 1)
        reader.close()
        scheduler.shutdown()


def test_a_count_stops_where_its_field_ends(probed_scheduler: Callable[..., Any], page_path: Path) -> None:
    scheduler = probed_scheduler(60)
    publisher, pool = scheduler.kvdeck_publisher, scheduler.kv_cache_manager.block_pool
    counts = publisher.writer.views.reuse_counts
    traffic, runner = Traffic(scheduler, seed=1), Runner(scheduler)
    traffic.add(prompt=list(range(3 * BLOCK)), max_tokens=1)
    runner.drain()
    cached = next(block for block in pool.blocks if block.block_hash is not None)
    counts[cached.block_id] = MOST_REUSES - 2
    for number in range(5):
        traffic.add(prompt=[*range(3 * BLOCK), number], max_tokens=1)
    runner.drain()
    publisher.publish(tokens=False)
    assert counts[cached.block_id] == MOST_REUSES
    pool.evict_blocks({cached.block_id})
    publisher.publish(tokens=False)
    assert not counts[cached.block_id]
    assert scheduler.kvdeck_scan_blocks()["mismatches"] == 0
