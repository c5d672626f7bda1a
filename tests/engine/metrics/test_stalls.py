"""Stalls, from pictures of a real telemetry page."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from benchmarks.page_traffic import PageTraffic
from engine.domain.cache_events import Admitted, NeverFits
from engine.domain.telemetry import StepSample
from engine.metrics.stalls import Stall, StallCause, StallWatch
from engine.metrics.waste_average import WasteMeter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.domain.telemetry import CacheSnapshot

_MS = 1_000_000


@pytest.fixture
def traffic(tmp_path: Path) -> Iterator[PageTraffic]:
    page = PageTraffic(tmp_path / "page", 300)
    page.add("one", 100)
    yield page
    page.close()


def _step(number: int, duration_ms: int, *, prefill: int = 0, decode: int = 8, preemptions: int = 0) -> StepSample:
    return StepSample(number, number, duration_ms * _MS, 8, 0, prefill, decode, 9, preemptions, 0, 16, 512)


def _with(snapshot: CacheSnapshot, *steps: StepSample) -> CacheSnapshot:
    return dataclasses.replace(snapshot, steps=steps)


def _usual(traffic: PageTraffic) -> tuple[StallWatch, CacheSnapshot]:
    """A watch that has seen 40 steps of 10 ms."""
    watch, picture = StallWatch(), traffic.publish()
    assert watch.take(_with(picture, *(_step(number, 10) for number in range(1, 41)))) == []
    return watch, picture


def test_a_step_much_longer_than_the_median(traffic: PageTraffic) -> None:
    watch, picture = _usual(traffic)
    assert watch.take(_with(picture, _step(41, 59), _step(42, 61))) == []  # 49 ms more are no stall
    (slow,) = watch.take(_with(picture, _step(43, 10)))
    assert (slow.step, slow.duration_ns, slow.median_ns) == (42, 61 * _MS, 10 * _MS)
    assert (slow.cause, slow.tokens, slow.median_tokens) == (StallCause.OUTSIDE, 8, 8)
    assert not slow.ongoing
    assert slow.request_id is None


def test_the_reasons_of_a_long_step(traffic: PageTraffic) -> None:
    watch, picture = _usual(traffic)
    admitted = dataclasses.replace(picture, events=(Admitted(1, 41, 41, "a", 0, 500, resumed=False),))
    steps = (_step(41, 200, prefill=500), _step(42, 10), _step(43, 200, preemptions=2), _step(44, 10))
    prefill, preempted = watch.take(_with(admitted, *steps))
    assert (prefill.cause, prefill.request_ids, prefill.tokens) == (StallCause.PREFILL, ("a",), 508)
    assert preempted.cause is StallCause.PREEMPTION


def test_long_steps_in_a_row_are_one_stall(traffic: PageTraffic) -> None:
    watch, picture = _usual(traffic)
    (first,) = watch.take(_with(picture, _step(41, 200), _step(42, 300)))
    assert (first.steps, first.longest_ns) == (1, 200 * _MS)
    (grown,) = watch.take(_with(picture, _step(43, 250), _step(44, 10), _step(45, 10)))  # 42 and 43
    assert (grown.step, grown.monotonic_ns, grown.steps) == (41, 41, 3)
    assert (grown.duration_ns, grown.longest_ns, grown.median_ns) == (750 * _MS, 300 * _MS, 10 * _MS)
    assert grown.tokens == 24
    (later,) = watch.take(_with(picture, _step(46, 200), _step(47, 10)))
    assert (later.step, later.steps) == (46, 1)


def test_what_is_not_known_is_no_long_step(traffic: PageTraffic) -> None:
    watch, picture = _usual(traffic)
    # 0: the engine was idle after it. 43 follows 41: nothing was scheduled in 42, so 41's time is not its own.
    assert watch.take(_with(picture, _step(41, 0), _step(42, 900), _step(44, 10), _step(45, 10))) == []
    young = StallWatch()
    assert young.take(_with(picture, *(_step(number, 10 if number != 9 else 900) for number in range(1, 15)))) == []


def _waiting(picture: CacheSnapshot, step: int, at_ms: int, *, running: int = 0, waiting: int = 1) -> CacheSnapshot:
    counters = dataclasses.replace(
        picture.counters, step=step, monotonic_ns=at_ms * _MS, num_running=running, num_waiting=waiting
    )
    return dataclasses.replace(picture, counters=counters, steps=(), events=())


def test_nothing_is_scheduled_while_requests_wait(traffic: PageTraffic) -> None:
    traffic.finish("one")
    traffic.wait("two", 9000)
    watch, picture = _usual(traffic)
    assert watch.take(_waiting(picture, 41, 1000)) == []  # a step is being computed
    never = (NeverFits(1, 42, 1, "two", 9000, 563, 299),)
    assert watch.take(dataclasses.replace(_waiting(picture, 50, 1010), events=never)) == []
    assert watch.take(_waiting(picture, 60, 1200)) == []
    (begun,) = watch.take(_waiting(picture, 70, 1300))
    assert begun == Stall(50, 1010 * _MS, 290 * _MS, StallCause.NEVER_FITS, ("two",), waiting=1, ongoing=True)
    assert watch.take(_waiting(picture, 900, 9000)) == []
    (ended,) = watch.take(_waiting(picture, 990, 9500, waiting=0))
    assert ended == dataclasses.replace(begun, duration_ns=8490 * _MS, ongoing=False)
    assert watch.take(_waiting(picture, 991, 9510, waiting=0)) == []


def test_no_room_and_no_reason(traffic: PageTraffic) -> None:
    traffic.wait("two", 90)
    watch, picture = _usual(traffic)
    for step, at_ms in ((50, 0), (60, 300)):
        found = watch.take(_waiting(picture, step, at_ms))
    assert [one.cause for one in found] == [StallCause.NO_ROOM]
    assert watch.take(_waiting(picture, 70, 310, running=1))[0].duration_ns == 310 * _MS
    traffic.finish("one")
    empty = traffic.publish()
    for step, at_ms in ((80, 1000), (90, 1400)):
        found = watch.take(_waiting(empty, step, at_ms))
    assert [one.cause for one in found] == [StallCause.NOT_SCHEDULED]


def test_waste_is_weighted_by_time(traffic: PageTraffic) -> None:
    meter = WasteMeter()
    assert meter.average is None

    def take(at_ms: int) -> None:
        meter.take(dataclasses.replace(traffic.publish(), published_ns=at_ms * _MS), 1000)

    take(1000)  # 100 tokens in 7 blocks of 16 slots
    traffic.add("two", 160)
    take(1300)  # 0.3 s of the first alone
    traffic.finish("one")
    traffic.finish("two")
    take(1400)  # too soon after the last: not looked at
    take(2000)  # 0.7 s of both
    take(9000)  # and nobody since
    average = meter.average
    assert average is not None
    assert average.seconds == pytest.approx(1.0)
    assert average.paged_share == pytest.approx(12 / (0.3 * 112 + 0.7 * 272))
    assert average.requests == pytest.approx(1.7)
    assert (average.most_requests, average.contiguous_fits) == (2, 4)
    lost, taken = 0.3 * (1684 - 0) + 0.7 * (2524 - 0), 0.3 * 1784 + 0.7 * 2784
    assert average.contiguous_share == pytest.approx(lost / taken)
