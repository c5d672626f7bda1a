"""Live limits on vLLM's real scheduler: in force within one step, nothing lost, never above the capacity."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from engine.domain.errors import ParameterInvalid
from engine.domain.lifecycle import LimitsRequest, LiveLimits
from engine.page.reader import PageReader
from tests.engine.probe.driving import Runner, Traffic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def busy(request: pytest.FixtureRequest, probed_scheduler: Callable[..., Any]) -> tuple[Runner, Traffic]:
    """An engine with twice as many requests as it may run."""
    scheduler = probed_scheduler(600, async_scheduling=request.param)
    traffic = Traffic(scheduler, seed=3, longest=60)
    traffic.add(32, max_tokens=60)
    runner = Runner(scheduler)
    for _ in range(12):
        runner.step()
    assert len(scheduler.running) == 16
    return runner, traffic


def _finish(runner: Runner, traffic: Traffic) -> None:
    runner.drain()
    assert sorted(runner.finished) == sorted(traffic.expected)
    assert runner.answers == traffic.expected


@pytest.mark.parametrize("mode", ["drain", "preempt"])
def test_lower_and_raise_max_num_seqs(busy: tuple[Runner, Traffic], page_path: Path, mode: str) -> None:
    runner, traffic = busy
    scheduler = runner.scheduler
    described = scheduler.kvdeck_change_limits({"max_num_seqs": 4, "mode": mode})
    limits = LiveLimits(**described)
    assert (limits.max_num_seqs, limits.max_num_seqs_capacity) == (4, 16)
    assert limits.step == scheduler.kvdeck_publisher.step + 1
    if mode == "preempt":
        assert len(scheduler.running) == 4
    running = len(scheduler.running)
    while len(scheduler.running) > 4:  # draining: none is admitted meanwhile
        runner.step()
        assert len(scheduler.running) <= running
        running = len(scheduler.running)
    for _ in range(10):
        runner.step()
        assert 1 <= len(scheduler.running) <= 4
    scheduler.kvdeck_publisher.publish(tokens=True)
    reader = PageReader(page_path)
    samples = reader.steps_since(limits.step - 1)
    assert samples
    assert all(sample.max_num_seqs == 4 for sample in samples)
    if mode == "preempt":
        assert max(sample.num_running for sample in samples) <= 4
    reader.close()
    scheduler.kvdeck_change_limits({"max_num_seqs": 16})
    for _ in range(3):
        runner.step()
    assert len(scheduler.running) == 16
    _finish(runner, traffic)


def test_token_budget_holds_from_the_named_step_on(busy: tuple[Runner, Traffic], page_path: Path) -> None:
    runner, traffic = busy
    step = runner.scheduler.kvdeck_change_limits({"max_num_batched_tokens": 5})["step"]
    for _ in range(30):
        runner.step()
    runner.scheduler.kvdeck_change_limits({"max_num_batched_tokens": 256})
    _finish(runner, traffic)
    reader = PageReader(page_path)
    samples = [sample for sample in reader.steps_since(0) if sample.max_num_batched_tokens == 5]
    reader.close()
    assert samples[0].step == step
    assert len(samples) >= 25
    assert all(sample.prefill_tokens + sample.decode_tokens <= 5 for sample in samples)


def test_policy_changes_while_requests_wait(busy: tuple[Runner, Traffic]) -> None:
    runner, traffic = busy
    scheduler = runner.scheduler
    urgent = traffic.request(priority=-5)
    scheduler.kvdeck_change_limits({"policy": "priority", "max_num_seqs": 15})
    scheduler.add_request(urgent)
    assert scheduler.waiting.peek_request() is urgent
    scheduler.kvdeck_change_limits({"policy": "fcfs", "max_num_seqs": 16})
    order = [request.arrival_time for request in scheduler.waiting]
    assert order == sorted(order)
    assert scheduler.kvdeck_describe_limits()["policy"] == "fcfs"
    _finish(runner, traffic)


@pytest.mark.parametrize(
    ("request_fields", "words"),
    [
        ({"max_num_seqs": 17}, "capacity fixed at load is 16"),
        ({"max_num_seqs": 0}, "cannot be 0"),
        ({"max_num_seqs": 4.5}, "whole number"),
        ({"max_num_seqs": True}, "whole number"),
        ({"max_num_batched_tokens": 257}, "capacity fixed at load is 256"),
        ({"max_num_batched_tokens": 0}, "cannot be 0"),
        ({"long_prefill_token_threshold": -1}, "cannot be -1"),
        ({"watermark": 1.0}, "watermark cannot be 1.0"),
        ({"watermark": "half"}, "cannot be 'half'"),
        ({"scheduler_reserve_full_isl": 1}, "on or off"),
        ({"policy": "random"}, "cannot be 'random'"),
        ({"mode": "at once"}, "cannot be 'at once'"),
        ({"block_size": 32}, "no live limit block_size"),
    ],
)
def test_what_cannot_be(probed_scheduler: Callable[..., Any], request_fields: dict[str, Any], words: str) -> None:
    scheduler = probed_scheduler(50)
    before = scheduler.kvdeck_describe_limits()
    with pytest.raises(ParameterInvalid, match=words) as caught:
        scheduler.kvdeck_change_limits({"max_num_seqs": 8, "max_num_batched_tokens": 64, **request_fields})
    assert caught.value.remedy
    assert scheduler.kvdeck_describe_limits() == before


def test_a_limits_request_as_the_host_sends_it(probed_scheduler: Callable[..., Any]) -> None:
    scheduler = probed_scheduler(50)
    fields = msgspec.to_builtins(LimitsRequest(max_num_seqs=3))
    assert LiveLimits(**scheduler.kvdeck_change_limits(fields)).max_num_seqs == 3


def test_without_chunked_prefill_a_budget_below_the_context_is_refused(probed_scheduler: Callable[..., Any]) -> None:
    scheduler = probed_scheduler(200)
    scheduler.scheduler_config.enable_chunked_prefill = False
    try:
        with pytest.raises(ParameterInvalid):
            scheduler.kvdeck_change_limits({"max_num_batched_tokens": 100})
        with pytest.raises(ParameterInvalid, match="chunked prefill"):
            scheduler.kvdeck_change_limits({"long_prefill_token_threshold": 100})
    finally:
        scheduler.scheduler_config.enable_chunked_prefill = True


def test_the_rest_that_the_scheduler_reads_again_is_live_and_each_change_is_noted(
    busy: tuple[Runner, Traffic],
) -> None:
    runner, traffic = busy
    scheduler = runner.scheduler
    wish = {"watermark": 0.1, "long_prefill_token_threshold": 8, "long_prefill_token_threshold_adaptive": True,
            "scheduler_reserve_full_isl": False, "max_num_seqs": 3, "mode": "preempt", "by": "tests"}  # fmt: skip
    described = scheduler.kvdeck_change_limits(wish)
    assert scheduler.kv_cache_manager.watermark_blocks == 60
    assert scheduler.adaptive_long_prefill_threshold is True
    assert scheduler.scheduler_reserve_full_isl is False
    limits = msgspec.convert(described, LiveLimits)
    assert (limits.watermark, limits.long_prefill_token_threshold_adaptive) == (0.1, True)
    noted = {change.name: change for change in limits.changes}
    assert (noted["max_num_seqs"].before, noted["max_num_seqs"].after) == (16, 3)
    assert noted["max_num_seqs"].preempted == 13
    assert (noted["watermark"].before, noted["watermark"].after) == (0.0, 0.1)
    assert {change.by for change in limits.changes} == {"tests"}
    assert {change.step for change in limits.changes} == {limits.step}
    assert [change.sequence for change in limits.changes] == [1, 2, 3, 4, 5]
    again = msgspec.convert(scheduler.kvdeck_change_limits({"watermark": 0.1}), LiveLimits)
    assert again.changes == limits.changes, "what is in force already is no change"
    for _ in range(100):
        scheduler.kvdeck_change_limits({"max_num_batched_tokens": 7})
        scheduler.kvdeck_change_limits({"max_num_batched_tokens": 70, "max_num_seqs": 16})
    kept = msgspec.convert(scheduler.kvdeck_describe_limits(), LiveLimits).changes
    assert len(kept) == 64
    assert kept[-1].sequence == kept[0].sequence + 63
    _finish(runner, traffic)


def test_a_request_gets_another_priority_while_it_waits(busy: tuple[Runner, Traffic]) -> None:
    runner, traffic = busy
    scheduler = runner.scheduler
    last = list(scheduler.waiting)[-1]
    scheduler.kvdeck_change_priority([last.request_id], -3, "tests")
    assert scheduler.waiting.peek_request() is not last, "fcfs looks at no priority"
    scheduler.kvdeck_change_limits({"policy": "priority"})
    assert scheduler.waiting.peek_request() is last
    other = next(one for one in scheduler.waiting if one is not last)
    described = scheduler.kvdeck_change_priority([other.request_id, "gone"], -9, "")
    assert scheduler.waiting.peek_request() is other
    change = msgspec.convert(described, LiveLimits).changes[-1]
    assert (change.name, change.before, change.after, change.request_id) == ("priority", 0, -9, other.request_id)
    with pytest.raises(ParameterInvalid, match="whole number"):
        scheduler.kvdeck_change_priority([other.request_id], 0.5, "")
    _finish(runner, traffic)


def test_an_unruly_hour_of_live_changes_loses_nothing(probed_scheduler: Callable[..., Any]) -> None:
    for async_scheduling in (False, True):
        scheduler = probed_scheduler(120, async_scheduling=async_scheduling)
        traffic, runner = Traffic(scheduler, seed=11), Runner(scheduler)
        rng = random.Random(11)
        for _ in range(150):
            traffic.add(rng.randrange(3))
            scheduler.kvdeck_change_limits(_random_wish(rng))
            if scheduler.requests:
                scheduler.kvdeck_change_priority([rng.choice(sorted(scheduler.requests))], rng.randrange(-5, 6), "")
            for _ in range(rng.randrange(5)):
                runner.step()
        scheduler.kvdeck_change_limits({"max_num_seqs": 16, "max_num_batched_tokens": 256})
        _finish(runner, traffic)


def _random_wish(rng: random.Random) -> dict[str, Any]:
    wish = {
        "max_num_seqs": rng.randrange(1, 17),
        "max_num_batched_tokens": rng.randrange(1, 257),
        "long_prefill_token_threshold": rng.choice([0, 1, 16, 100]),
        "long_prefill_token_threshold_adaptive": rng.random() < 0.5,
        "scheduler_reserve_full_isl": rng.random() < 0.5,
        "policy": rng.choice(["fcfs", "priority"]),
        "watermark": rng.choice([0.0, 0.05, 0.5]),
    }
    kept = {name: value for name, value in wish.items() if rng.random() < 0.6}
    return {**kept, "mode": rng.choice(["drain", "preempt"])}
