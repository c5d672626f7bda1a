"""The incremental probe against a full scan of vLLM's real scheduler and block pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from engine.probe.scan import scan
from tests.engine.probe.driving import Runner, Traffic

if TYPE_CHECKING:
    from collections.abc import Callable


def _check(scheduler: Any) -> None:
    """After publishing everything, page and engine are equal."""
    found = scheduler.kvdeck_scan_blocks()
    assert scheduler.kvdeck_failure is None
    assert found["mismatches"] == 0, scan(scheduler, scheduler.kvdeck_publisher).differences[:10]


def _check_at_rest(scheduler: Any) -> bool:
    """Without any further publication: an idle engine's page is exact."""
    if scheduler.has_unfinished_requests():
        return False
    assert scheduler.kvdeck_publisher is not None
    assert scan(scheduler, scheduler.kvdeck_publisher).differences == []
    return True


def _disturb(traffic: Traffic, scheduler: Any, steps: int) -> None:
    """What happens between two steps of a busy engine."""
    dice = traffic.random
    if dice.random() < 0.12 and len(scheduler.requests) < 60:
        traffic.add(dice.randrange(1, 8))
    if dice.random() < 0.03:
        traffic.abort(dice.randrange(1, 4))
    if dice.random() < 0.02:  # what a KV connector does with blocks that failed to load
        blocks = scheduler.kv_cache_manager.block_pool.num_gpu_blocks
        scheduler.kv_cache_manager.evict_blocks(set(dice.choices(range(1, blocks), k=20)))
    if dice.random() < 0.004:
        scheduler.reset_prefix_cache(reset_running_requests=dice.random() < 0.7)
    if dice.random() < 0.02:
        scheduler.kvdeck_change_limits(
            {
                "max_num_seqs": dice.randrange(1, 17),
                "max_num_batched_tokens": dice.choice([scheduler.kvdeck_limits.fewest_tokens(), 20, 40, 256]),
                "long_prefill_token_threshold": dice.choice([0, 33]),
                "policy": dice.choice(["fcfs", "priority"]),
                "mode": dice.choice(["drain", "preempt"]),
            }
        )
    if steps % 997 == 0:  # let it run dry now and then
        traffic.abort(1000)


CASES = [
    ("mamba", False, 200, 1500, 3),
    ("mamba", True, 200, 1500, 3),
    # kind, async, blocks, steps, compared every
    ("full", False, 120, 9000, 7),
    ("full", True, 120, 7000, 7),
    ("full", False, 60, 600, 1),
    ("full", True, 60, 600, 1),
    ("sliding", False, 200, 2500, 5),
    ("sliding", True, 200, 2000, 5),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "async_scheduling", "blocks", "steps", "every"), CASES)
def test_page_equals_a_full_scan(
    probed_scheduler: Callable[..., Any], kind: str, async_scheduling: bool, blocks: int, steps: int, every: int
) -> None:
    scheduler = probed_scheduler(blocks, kind=kind, async_scheduling=async_scheduling)
    runner, traffic = Runner(scheduler), Traffic(scheduler, seed=steps)
    at_rest = rounds = 0
    while runner.steps < steps:
        rounds += 1
        _disturb(traffic, scheduler, rounds)
        runner.step()
        if rounds % every == 0:
            _check(scheduler)
        at_rest += _check_at_rest(scheduler)
    runner.drain()
    assert _check_at_rest(scheduler)
    counters = scheduler.kvdeck_publisher.steps
    # The traffic has to have been unruly enough for the comparison to mean anything.
    assert counters.preemptions > steps // 100
    assert counters.finished_requests == traffic.sent
    assert at_rest > 0
    assert runner.finished
    # Neither the probe nor changing limits nor forced preemption loses, doubles or misplaces a token.
    for request_id in runner.finished:
        assert runner.answers[request_id] == traffic.expected[request_id]
