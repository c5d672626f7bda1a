"""Copy-on-write: a prefix that ends inside a block, in the one kind of model in which vLLM has that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.page.reader import PageReader
from tests.engine.probe.driving import BLOCK, Runner, Traffic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_SIZE = 4 * BLOCK


def test_a_block_that_was_found_in_part_is_copied(probed_scheduler: Callable[..., Any], page_path: Path) -> None:
    scheduler = probed_scheduler(300, kind="partial")
    runner, traffic = Runner(scheduler), Traffic(scheduler, seed=3)
    dice = traffic.random
    prefix = [dice.randrange(1000) for _ in range(3 * _SIZE + BLOCK + 4)]
    scheduler.add_request(traffic.request(list(prefix), max_tokens=5))
    runner.drain()
    for _ in range(5):
        scheduler.add_request(traffic.request([*prefix, *(dice.randrange(1000) for _ in range(30))], max_tokens=40))
        for _ in range(4):
            runner.step()
            assert scheduler.kvdeck_scan_blocks()["mismatches"] == 0
    reader = PageReader(page_path)
    snapshot = reader.snapshot()
    reader.close()
    assert snapshot is not None
    assert scheduler.kvdeck_failure is None
    tables = [request.block_tables[0].tolist() for request in snapshot.requests]
    assert {request.num_cached_tokens for request in snapshot.requests} == {3 * _SIZE + BLOCK}
    assert len({tuple(table[:3]) for table in tables}) == 1, "the whole blocks are shared"
    assert len({table[3] for table in tables}) == len(tables) > 2, "each has a copy of the one that it writes on into"
    runner.drain()
    assert scheduler.kvdeck_scan_blocks()["mismatches"] == 0
