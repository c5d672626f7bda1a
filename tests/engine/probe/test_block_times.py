"""How long blocks live, lie unused and wait to be found again, against a second account from vLLM's own classes."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.block_times import NUM_BUCKETS, TimeHistogram, bucket_bounds_ms, bucket_of
from engine.probe.block_times import BlockClock, Release
from tests.engine.probe.driving import Runner, Traffic

if TYPE_CHECKING:
    from collections.abc import Callable

_STEP_NS = 7_300_000


class _Account:
    """Writes down every time beneath the probe, in steps; `now` is the step."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from vllm.v1.core.block_pool import BlockPool

        self.now = 0
        self.residency: list[int] = []
        self.idle: list[int] = []
        self.gaps: list[int] = []
        self.found_in_use = 0
        self._taken: dict[int, int] = {}
        self._freed: dict[int, int] = {}
        take, touch, free = BlockPool.get_new_blocks, BlockPool.touch, BlockPool.free_blocks
        evict = BlockPool._maybe_evict_cached_block

        def get_new_blocks(pool: Any, num_blocks: int) -> Any:
            blocks = take(pool, num_blocks)
            self._taken.update((block.block_id, self.now) for block in blocks)
            return blocks

        def touched(pool: Any, blocks: Any) -> None:
            for block in blocks:
                if block.ref_cnt:
                    self.found_in_use += 1
                else:
                    self.gaps.append(self.now - self._freed[block.block_id])
            touch(pool, blocks)

        def freed(pool: Any, blocks: Any) -> None:
            listed = list(blocks)
            free(pool, listed)
            for block in listed:
                if block.is_null or block.ref_cnt:
                    continue
                self._freed[block.block_id] = self.now
                if block.block_hash is None:
                    self.residency.append(self.now - self._taken[block.block_id])

        def evicted(pool: Any, block: Any) -> Any:
            unused = block.ref_cnt == 0
            done = evict(pool, block)
            if done and unused:
                self.idle.append(self.now - self._freed[block.block_id])
                self.residency.append(self.now - self._taken[block.block_id])
            return done

        for name, patched in (
            ("get_new_blocks", get_new_blocks), ("touch", touched), ("free_blocks", freed),
            ("_maybe_evict_cached_block", evicted),
        ):  # fmt: skip
            monkeypatch.setattr(BlockPool, name, patched)


def _counts(steps: list[int]) -> tuple[int, ...]:
    found = Counter(bucket_of(each * _STEP_NS) for each in steps)
    return tuple(found[bucket] for bucket in range(NUM_BUCKETS))


@pytest.mark.parametrize("kind", ["full", "sliding"])
def test_times_of_blocks(
    probed_scheduler: Callable[..., Any], vllm_config: Any, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    account = _Account(monkeypatch)
    scheduler = probed_scheduler(90, kind=kind)
    publisher = scheduler.kvdeck_publisher
    publisher.clock = lambda: account.now * _STEP_NS
    runner, traffic = Runner(scheduler), Traffic(scheduler, seed=4)
    for _ in range(500):
        if traffic.random.random() < 0.12 and len(scheduler.requests) < 30:
            traffic.add(traffic.random.randrange(1, 4))
        if traffic.random.random() < 0.02:
            traffic.abort(1)
        account.now += bool(scheduler.has_requests())
        runner.step()
    while scheduler.has_requests():
        account.now += 1
        runner.step()
    times = publisher.events.prefixes.clock.summary(publisher.step)
    assert scheduler.kvdeck_failure is None
    assert account.now == publisher.step == times.step
    assert times.residency.counts == _counts(account.residency)
    assert times.idle.counts == _counts(account.idle)
    assert times.reuse_gap.counts == _counts(account.gaps)
    assert times.found_in_use == account.found_in_use
    assert min(times.idle.total, times.reuse_gap.total, times.found_in_use) > 50
    assert times.residency.total > times.idle.total  # what was not full is lost when it is freed


def test_buckets() -> None:
    assert [bucket_of(ms * 1_000_000) for ms in (0, 1, 2, 3, 4, 1000)] == [0, 1, 2, 2, 3, 10]
    assert bucket_of(999_999) == 0
    assert bucket_of(10**18) == NUM_BUCKETS - 1
    for bucket in range(NUM_BUCKETS):
        low, high = bucket_bounds_ms(bucket)
        assert bucket_of(low * 1_000_000) == bucket
        assert high is None or bucket_of(high * 1_000_000) == bucket + 1
    assert TimeHistogram().quantile_bucket(0.5) is None
    counts = [0] * NUM_BUCKETS
    counts[2], counts[7] = 6, 4
    some = TimeHistogram(tuple(counts))
    assert (some.total, some.quantile_bucket(0.5), some.quantile_bucket(0.9)) == (10, 2, 7)


def test_of_a_beginning_in_common_the_newest_release_alone_keeps_the_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.probe.block_times._MOST_KEYS", 500)
    clock, shared, releases = BlockClock(200, 0), range(1, 21), list[Release]()
    for number in range(100):
        table = array("i", [*shared, 100 + number])
        keys = [b"%d of %d" % (place, number) for place in range(len(table))]
        releases.append(Release(number, 0, (f"r{number}", keys), keys, table, len(table) - 1))
        for i in table:
            clock.released[i] = releases[-1]
        clock.hold(releases[-1])
    held = [sum(key is not None for key in release.keys) for release in releases]
    assert sum(held) < 500 + 100 * 2 + 21
    assert held[0] == 2
    assert held[-1] == 21
    for number, release in enumerate(releases):
        own = [b"%d of %d" % (place, number) for place in (19, 20)]  # and the parent's
        assert release.keys[19:] == own
        assert release.leave == (f"r{number}", release.keys)
        assert clock.evict([100 + number], 0) == [(release, [100 + number], [20])]
