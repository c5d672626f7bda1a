"""What reaches the page, and when."""

from __future__ import annotations

import gc
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from engine.domain.errors import EngineMissing, KVDeckError
from engine.domain.request import RequestPhase
from engine.page.layout import RING_FIELDS, Change
from engine.page.reader import PageReader
from engine.probe.publish_rate import PublishRate
from engine.probe.scan import scan
from engine.probe.step_log import StepLog
from engine.probe.versions import check_version
from tests.engine.probe.driving import BLOCK, Runner, Traffic, make_probed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def scheduler(probed_scheduler: Callable[..., Any]) -> Any:
    """A small probed scheduler."""
    return probed_scheduler(300)


@pytest.fixture
def reader(scheduler: Any, page_path: Path) -> Iterator[PageReader]:
    """Its page."""
    opened = PageReader(page_path)
    yield opened
    opened.close()


def test_the_first_picture_is_there_before_any_request(reader: PageReader) -> None:
    snapshot = reader.snapshot()
    assert snapshot is not None
    counters = snapshot.counters
    assert (counters.num_free, counters.num_used, counters.num_cached, counters.step) == (299, 0, 0, 0)
    assert counters.prefix_hit_rate is None
    assert (snapshot.block_size, snapshot.num_blocks, snapshot.num_groups) == (BLOCK, 300, 1)


def test_one_request_from_arrival_to_end(scheduler: Any, reader: PageReader) -> None:
    traffic, runner = Traffic(scheduler, seed=1), Runner(scheduler)
    scheduler.add_request(traffic.request(prompt=list(range(300)), max_tokens=3))
    seen = []
    while scheduler.has_requests():
        runner.step()
        scheduler.kvdeck_publisher.publish(tokens=True)
        snapshot = reader.snapshot()
        assert snapshot is not None
        seen += [(row.phase, row.num_computed_tokens, len(row.block_table)) for row in snapshot.requests]
    # 300 tokens under a budget of 256: two chunks, then one token a step.
    assert seen == [
        (RequestPhase.PREFILL, 256, 16),
        (RequestPhase.DECODE, 300, 19),
        (RequestPhase.DECODE, 301, 19),
    ]
    snapshot = reader.snapshot()
    assert snapshot is not None
    counters = snapshot.counters
    assert (counters.prefill_tokens, counters.decode_tokens, counters.finished_requests) == (300, 2, 1)
    assert (counters.num_cached, counters.num_used, counters.wasted_slots) == (18, 0, 0)
    steps = reader.steps_since(0)
    assert [(s.prefill_tokens, s.decode_tokens, s.finished) for s in steps] == [
        (256, 0, 0),
        (44, 0, 0),
        (0, 1, 0),
        (0, 1, 1),
    ]
    assert all(s.duration_ns > 0 for s in steps)


def test_a_shared_prefix_is_shared_and_counted(scheduler: Any, reader: PageReader) -> None:
    traffic, runner = Traffic(scheduler, seed=1), Runner(scheduler)
    prompt = list(range(5 * BLOCK))
    scheduler.add_request(traffic.request(prompt=[*prompt, 7], max_tokens=40))
    for _ in range(3):
        runner.step()
    scheduler.add_request(traffic.request(prompt=[*prompt, 8, 9], max_tokens=40))
    runner.step()
    scheduler.kvdeck_publisher.publish(tokens=True)
    snapshot = reader.snapshot()
    assert snapshot is not None
    first, second = snapshot.requests
    assert second.num_cached_tokens == 5 * BLOCK
    assert first.num_cached_tokens == 0
    assert first.block_table[:5].tolist() == second.block_table[:5].tolist()
    counters = snapshot.counters
    assert (counters.num_shared, counters.num_used) == (5, 2)
    assert snapshot.ref_counts[second.block_table[:6]].tolist() == [2, 2, 2, 2, 2, 1]
    assert (counters.prefix_queries, counters.prefix_hits) == (81 + 82, 80)
    assert second.filled_slots(5, BLOCK) == 2
    # Each request has one partly filled block of 16.
    assert counters.wasted_slots == sum(
        BLOCK - row.filled_slots(len(row.block_table) - 1, BLOCK) for row in snapshot.requests
    )


def test_an_idle_engine_is_shown_exactly(scheduler: Any, reader: PageReader) -> None:
    """No further step comes after the last one, so the last change is published by itself."""
    traffic, runner = Traffic(scheduler, seed=2), Runner(scheduler)
    traffic.add(5)
    runner.drain()
    snapshot = reader.snapshot()
    assert snapshot is not None
    assert snapshot.requests == ()
    assert snapshot.counters.num_cached > 0
    assert scan(scheduler, scheduler.kvdeck_publisher).differences == []
    scheduler.reset_prefix_cache()
    snapshot = reader.snapshot()
    assert snapshot is not None
    assert snapshot.counters.num_cached == 0
    traffic.add(2)
    traffic.abort(2)
    snapshot = reader.snapshot()
    assert snapshot is not None
    assert snapshot.requests == ()
    assert snapshot.counters.finished_requests == 7
    assert reader.snapshot() is snapshot


def test_a_long_step_is_shown_while_it_runs(scheduler: Any, reader: PageReader) -> None:
    traffic, runner = Traffic(scheduler, seed=2), Runner(scheduler)
    traffic.add(1, prompt=[1, 2, 3], max_tokens=300)
    for _ in range(100):  # quick steps, faster than any screen: most are not published
        runner.step()
    scheduler.add_request(traffic.request(prompt=list(range(200))))
    output = scheduler.schedule()
    scheduler.get_grammar_bitmask(output)  # vLLM asks for it as soon as the model has the step
    snapshot = reader.snapshot()
    assert snapshot is not None
    assert snapshot.counters.step == scheduler.kvdeck_step
    assert snapshot.counters.num_running == 2
    assert len(snapshot.requests[1].block_table) == 13


def test_a_picture_waits_until_the_model_is_at_work(scheduler: Any, reader: PageReader) -> None:
    """Or at the latest for the step's outputs, where vLLM asks for no mask in between."""
    traffic, runner = Traffic(scheduler, seed=2), Runner(scheduler)
    publisher = scheduler.kvdeck_publisher
    ahead_ns = [0]
    publisher.clock = lambda: time.monotonic_ns() + ahead_ns[0]
    traffic.add(1, prompt=[1, 2, 3], max_tokens=300)
    for asks_for_a_mask in (True, False):
        for _ in range(100):
            runner.step()
        ahead_ns[0] += 1_000_000_000  # nothing was published for long
        before = reader.snapshot()
        output = scheduler.schedule()
        assert reader.snapshot() is before
        if asks_for_a_mask:
            scheduler.get_grammar_bitmask(output)
            assert reader.snapshot() is not before
        positions = {one: scheduler.requests[one].num_computed_tokens for one in output.num_scheduled_tokens}
        runner._in_flight.append((output, positions))
        runner._update()
        snapshot = reader.snapshot()
        assert snapshot is not None
        assert snapshot.counters.step == scheduler.kvdeck_step
    assert scheduler.kvdeck_failure is None


def test_publications_keep_to_their_rate() -> None:
    def due(rate: PublishRate, now_ns: int) -> bool:
        is_due = now_ns >= rate.next_ns
        if is_due:
            rate.take(now_ns)
        return is_due

    rate = PublishRate(60.0, 4.0)
    assert 60 <= sum(due(rate, step * 1_000_000) for step in range(1, 1001)) <= 66
    slow = PublishRate(60.0, 4.0)
    assert all(due(slow, step * 20_000_000) for step in range(1, 50))


def test_more_requests_than_rows(vllm_config: Any, page_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.probe.geometry._WAITING_ROWS", 4)
    scheduler = make_probed(vllm_config, 600)
    traffic, runner = Traffic(scheduler, seed=5, longest=30), Runner(scheduler)
    traffic.add(50, max_tokens=5)
    reader = PageReader(page_path)
    while scheduler.has_requests():
        runner.step()
        assert scheduler.kvdeck_scan_blocks()["mismatches"] == 0
        snapshot = reader.snapshot()
        assert snapshot is not None
        assert len(snapshot.requests) + snapshot.requests_not_shown == len(scheduler.requests)
        assert {row.request_id for row in snapshot.requests} >= {request.request_id for request in scheduler.running}
    reader.close()
    scheduler.shutdown()


def test_a_very_long_request_id_is_cut(scheduler: Any, reader: PageReader) -> None:
    traffic = Traffic(scheduler, seed=5)
    request = traffic.request()
    request.request_id = "ü" * 200
    scheduler.add_request(request)
    scheduler.schedule()
    scheduler.kvdeck_publisher.publish(tokens=True)
    snapshot = reader.snapshot()
    assert snapshot is not None
    assert snapshot.requests[0].request_id == "ü" * 80


def test_the_oracle_sees_what_is_wrong(scheduler: Any) -> None:
    """The comparison that everything rests on does fail when something differs."""
    traffic, runner = Traffic(scheduler, seed=5), Runner(scheduler)
    traffic.add(3, max_tokens=50)
    for _ in range(5):
        runner.step()
    publisher = scheduler.kvdeck_publisher
    publisher.publish(tokens=True)
    assert scan(scheduler, publisher).differences == []
    block = scheduler.kv_cache_manager.block_pool.blocks[int(publisher.writer.views.table_entries[0])]
    block.ref_cnt += 1  # behind the probe's back
    assert len(scan(scheduler, publisher).differences) >= 2
    block.ref_cnt -= 1
    publisher.writer.begin()
    publisher.writer.views.table_entries[0] += 1
    publisher.writer.views.table_revision[:, 0] += 1
    publisher.writer.commit(Change.TABLES)
    assert any("block table" in difference for difference in scan(scheduler, publisher).differences)


def test_a_failing_probe_does_not_stop_the_engine(
    scheduler: Any, page_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a bug of ours")

    traffic, runner = Traffic(scheduler, seed=5), Runner(scheduler)
    traffic.add(3)
    monkeypatch.setattr(scheduler.kvdeck_publisher.rows, "publish", broken)
    runner.drain()
    assert len(runner.finished) == 3
    assert "serves on without a block map" in caplog.text
    caplog.clear()
    assert not page_path.exists()
    with pytest.raises(KVDeckError, match="a bug of ours"):
        scheduler.kvdeck_scan_blocks()
    assert scheduler.kvdeck_change_limits({"max_num_seqs": 2})["max_num_seqs"] == 2


def test_without_a_page_only_the_limits_are_added(vllm_config: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KVDECK_PAGE", raising=False)
    scheduler = make_probed(vllm_config, 100)
    assert scheduler.kvdeck_publisher is None
    assert type(scheduler.kv_cache_manager.block_pool).__name__ == "BlockPool"
    with pytest.raises(KVDeckError, match="publishes no telemetry page"):
        scheduler.kvdeck_scan_blocks()
    assert scheduler.kvdeck_change_limits({"max_num_seqs": 2})["max_num_seqs"] == 2
    scheduler.shutdown()


@pytest.mark.parametrize("version", ["0.26.0", "0.30.1", "0.32.0+cpu", "0.33.2rc1"])
def test_known_releases(version: str) -> None:
    check_version(version)


@pytest.mark.parametrize("version", ["0.25.9", "0.34.0", "1.0", "dev"])
def test_other_releases_are_refused(version: str) -> None:
    with pytest.raises(EngineMissing, match=r"KVDeck knows 0\.26 to 0\.33"):
        check_version(version)


def test_the_wait_of_a_request_is_counted_from_its_arrival(scheduler: Any, reader: PageReader) -> None:
    traffic = Traffic(scheduler, seed=5)
    request = traffic.request()
    request.arrival_time = time.time() - 5
    scheduler.add_request(request)
    scheduler.kvdeck_publisher.publish(tokens=True)
    snapshot = reader.snapshot()
    assert snapshot is not None
    assert time.monotonic_ns() - snapshot.requests[0].arrival_ns == pytest.approx(5e9, abs=2e9)
    assert snapshot.requests[0].phase is RequestPhase.WAITING


def test_durations_add_up_where_the_next_step_begins_before_the_answer() -> None:
    """Two steps are on their way at once, as with asynchronous scheduling; then rest, an empty step, and a lost one."""
    ring = np.zeros((16, RING_FIELDS), np.uint64)
    log, outputs = StepLog(ring), [500, 501, 502, 503, 501, 502, 503, 501, 502]  # ids come again

    def begin(number: int, at_ns: int) -> None:
        log.begin()
        log.scheduled(outputs[number], [number, at_ns, 0, 1, 0, 0, 1, 9, 0, 0, 8, 64])

    begin(1, 100)
    begin(2, 101)
    assert not log.publish()  # nobody knows yet how long it took
    log.answered(outputs[1], 200)
    begin(3, 205)
    log.answered(outputs[2], 300)
    log.answered(outputs[3], 400)
    log.rest()
    begin(4, 1000)
    log.answered(999, 1005)  # a step that scheduled nothing
    log.answered(outputs[4], 1050)
    begin(6, 2000)  # 5 scheduled nothing, for long
    log.answered(outputs[6], 2030)
    begin(7, 2040)
    begin(8, 2041)
    log.answered(outputs[8], 2090)  # the seventh was given up
    log.rest()
    assert log.publish()
    assert ring[: log.written, 2].tolist() == [100, 100, 100, 50, 30, 0, 60]


@pytest.mark.parametrize("async_scheduling", [False, True])
def test_prefix_totals_are_the_sums_of_what_vllm_hands_out(
    probed_scheduler: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, async_scheduling: bool
) -> None:
    """Also where requests are looked up in step after step and find no room."""
    from vllm.v1.core.kv_cache_manager import KVCacheManager

    handed_out = []
    make = KVCacheManager.make_prefix_cache_stats

    def noted(manager: Any) -> Any:
        handed_out.append(make(manager))
        return handed_out[-1]

    monkeypatch.setattr(KVCacheManager, "make_prefix_cache_stats", noted)
    scheduler = probed_scheduler(40, async_scheduling=async_scheduling)
    traffic, runner = Traffic(scheduler, seed=6), Runner(scheduler)
    for step in range(300):
        if step % 3 == 0 and len(scheduler.requests) < 20:
            traffic.add(2)
        runner.step()
    runner.drain()
    totals = scheduler.kvdeck_publisher.prefix_totals.now()
    names = ("queries", "hits", "preempted_queries", "preempted_hits")
    left = scheduler.kv_cache_manager.prefix_cache_stats
    assert totals == tuple(sum(getattr(stats, name) for stats in (*handed_out, left)) for name in names)
    assert min(totals) > 0


def test_vllms_objects_keep_their_shape(scheduler: Any) -> None:
    """Python finds the attributes of an object more slowly once its class was changed or its `__dict__` asked for."""
    traffic, runner = Traffic(scheduler, seed=2), Runner(scheduler)
    manager = scheduler.kv_cache_manager
    pool = manager.block_pool
    for _ in range(60):
        if len(scheduler.requests) < 4:
            traffic.add(1)
        runner.step()
    runner.drain()
    pool.evict_blocks({1, 2})
    assert scheduler.reset_prefix_cache()
    assert scheduler.kvdeck_scan_blocks()["mismatches"] == 0
    assert any(each is pool.free_block_queue for each in gc.get_referents(pool)), "it has a dictionary by now"
    assert any(each is manager.coordinator for each in gc.get_referents(manager)), "it has a dictionary by now"
    scheduler._kvdeck_end()
    assert not {"free_blocks", "evict_blocks", "reset_prefix_cache"} & set(vars(pool))
    assert not {"get_computed_blocks", "allocate_slots"} & set(vars(manager))
