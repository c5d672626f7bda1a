"""Events on the page against what vLLM's own classes did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.cache_events import Admitted, AllocationFailed, Evicted, NeverFits, Preempted
from engine.page.layout import EVENT_SLOTS
from engine.page.reader import PageReader
from tests.engine.probe.driving import BLOCK, Runner, Traffic
from tests.engine.probe.watching import Observer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from engine.domain.cache_events import CacheEvent


def _drive(scheduler: Any, path: Path, steps: int, seed: int) -> list[CacheEvent]:
    """Random traffic; all events, as a reader sees them that looks every few steps."""
    runner, traffic = Runner(scheduler), Traffic(scheduler, seed)
    dice = traffic.random
    reader = PageReader(path)
    events: list[CacheEvent] = []
    while runner.steps < steps:
        if dice.random() < 0.15 and len(scheduler.requests) < 40:
            traffic.add(dice.randrange(1, 6))
        if dice.random() < 0.03:
            traffic.abort(1)
        if dice.random() < 0.003:
            scheduler.reset_prefix_cache(reset_running_requests=True)
        if dice.random() < 0.01:
            scheduler.kvdeck_change_limits({"max_num_seqs": dice.randrange(1, 17), "mode": "preempt"})
        runner.step()
        if dice.random() < 0.2:
            events += _new(reader, events)
    runner.drain()
    events += reader.events_since(events[-1].sequence)  # more than a snapshot brings
    reader.close()
    assert scheduler.kvdeck_failure is None
    assert [event.sequence for event in events] == list(range(1, len(events) + 1))
    return events


def _new(reader: PageReader, events: list[CacheEvent]) -> list[CacheEvent]:
    snapshot = reader.snapshot()
    assert snapshot is not None
    seen = events[-1].sequence if events else 0
    return [event for event in snapshot.events if event.sequence > seen]


@pytest.mark.parametrize(
    ("kind", "async_scheduling", "blocks", "second_runner"),
    [
        ("full", False, 60, False),
        ("full", True, 60, True),
        ("full", False, 150, False),
        ("sliding", False, 120, False),
    ],
)
def test_events_tell_what_happened(
    probed_scheduler: Callable[..., Any],
    page_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    vllm_config: Any,
    kind: str,
    async_scheduling: bool,
    blocks: int,
    second_runner: bool,
) -> None:
    observer = Observer(monkeypatch)
    scheduler = probed_scheduler(blocks, kind=kind, async_scheduling=async_scheduling)
    scheduler.use_v2_model_runner = second_runner  # it gets preempted requests as new ones
    events = _drive(scheduler, page_path, 700, blocks)
    preempted = [(e.step, e.request_id, e.tokens, e.blocks) for e in events if isinstance(e, Preempted)]
    assert preempted == observer.preempted
    evicted = [(e.step, e.block_id, e.age_steps) for e in events if isinstance(e, Evicted)]
    assert evicted == observer.evicted if kind == "sliding" else sorted(evicted) == sorted(observer.evicted)
    admitted = [(e.step, e.request_id, e.cached_tokens, e.resumed) for e in events if isinstance(e, Admitted)]
    assert admitted == observer.admitted
    failed = [e for e in events if isinstance(e, AllocationFailed)]
    running = [(e.step, e.request_id, e.free_blocks) for e in failed if e.running]
    assert running == [(s, one, free) for s, one, status, free in observer.refused if status == "RUNNING"]
    # A waiting request is refused in step after step; only the first refusal in a row is told.
    waiting = [(e.step, e.request_id) for e in failed if not e.running]
    refused = [(s, one) for s, one, status, _ in observer.refused if status != "RUNNING"]
    assert set(waiting) <= set(refused)
    assert {one for _, one in waiting} == {one for _, one in refused}
    assert len(waiting) <= len(refused)
    for event in events:
        if isinstance(event, Evicted) and event.request_id is not None:
            assert event.position is not None
    assert observer.evicted
    assert observer.admitted
    if blocks == 60:
        assert observer.preempted
        assert running
        assert len(waiting) < len(refused)


def test_an_evicted_block_says_whose_prefix_it_was(
    probed_scheduler: Callable[..., Any], page_path: Path, vllm_config: Any
) -> None:
    scheduler = probed_scheduler(40)
    runner, traffic = Runner(scheduler), Traffic(scheduler, seed=1)
    traffic.add(prompt=list(range(10 * BLOCK)), max_tokens=1)
    runner.drain()
    traffic.add(prompt=list(range(500, 500 + 35 * BLOCK)), max_tokens=1)
    runner.drain()
    reader = PageReader(page_path)
    events = reader.events_since(0)
    reader.close()
    evicted = [event for event in events if isinstance(event, Evicted)]
    # 39 blocks, 10 of them cached, 35 wanted: the prefix is given up from its end.
    assert [event.position for event in evicted] == [9, 8, 7, 6, 5, 4]
    assert {event.request_id for event in evicted} == {"request-1"}
    freed_at = next(event.step for event in events if isinstance(event, Admitted))  # one step computed all of it
    assert all(event.step - event.age_steps == freed_at for event in evicted)


def test_a_request_that_can_never_fit_is_told_of_at_once(
    probed_scheduler: Callable[..., Any], page_path: Path, vllm_config: Any
) -> None:
    scheduler = probed_scheduler(11)
    traffic = Traffic(scheduler, seed=2)
    scheduler.add_request(traffic.request(prompt=list(range(10 * BLOCK - 1)), max_tokens=1))
    scheduler.add_request(traffic.request(prompt=list(range(10 * BLOCK)), max_tokens=1))
    scheduler.kvdeck_publisher.publish(tokens=False)
    reader = PageReader(page_path)
    (event,) = reader.events_since(0)
    reader.close()
    assert isinstance(event, NeverFits)
    assert (event.request_id, event.prompt_tokens) == ("request-2", 160)
    assert (event.needed_blocks, event.pool_blocks) == (11, 10)
    traffic.abort(2)


def test_the_ring_is_bounded(probed_scheduler: Callable[..., Any], page_path: Path, vllm_config: Any) -> None:
    scheduler = probed_scheduler(60)
    runner, traffic = Runner(scheduler), Traffic(scheduler, seed=3)
    reader = PageReader(page_path)
    while scheduler.kvdeck_publisher.events.written < EVENT_SLOTS + 100:
        traffic.add(8, max_tokens=2)
        runner.drain()
    written = scheduler.kvdeck_publisher.events.written
    snapshot = reader.snapshot()
    everything = reader.events_since(0)
    reader.close()
    assert snapshot is not None
    assert [event.sequence for event in snapshot.events] == list(range(written - 1023, written + 1))
    assert [event.sequence for event in everything] == list(range(written - EVENT_SLOTS + 1, written + 1))
    names = {event.request_id for event in everything if isinstance(event, Admitted)}
    assert f"request-{traffic.sent}" in names
    assert scheduler.kvdeck_failure is None
