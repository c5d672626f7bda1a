"""Slow requests: which, for how long, in which step; and what is kept of their blocks."""

from __future__ import annotations

import numpy as np

from engine.domain.request import RequestPhase, RequestRow
from engine.domain.telemetry import StepSample
from engine.metrics import timeline as module
from engine.metrics.outliers import Delay, outliers
from engine.metrics.timeline import Timeline

MS = 1_000_000


def row(name: str, tokens: int, *, index: int = 0, arrival_ms: int = 0, preempted: int = 0,
        phase: RequestPhase = RequestPhase.DECODE) -> RequestRow:  # fmt: skip
    tables = (np.arange(index * 10, index * 10 + 3, dtype=np.int32),)
    computed = 0 if phase is not RequestPhase.DECODE else tokens - 1
    return RequestRow(index, name, phase, 10, tokens, computed, 0, preempted, arrival_ms * MS, tables)


def step(number: int, at_ms: int, ms: int) -> StepSample:
    return StepSample(number, at_ms * MS, ms * MS, 2, 0, 0, 2, 50, 0, 0, 16, 64)


def made() -> Timeline:
    """Two requests from 10 ms on; step 5 takes 200 ms; "slow" is preempted from 400 to 700 ms; both end at 900 ms."""
    timeline = Timeline()
    fast, slow = row("fast", 11, arrival_ms=5), row("slow", 10, index=1, arrival_ms=5)
    timeline.take_rows(20 * MS, 10 * MS, (fast, slow), [step(1, 10, 10)])
    timeline.take_rows(60 * MS, 50 * MS, (row("fast", 12), row("slow", 11, index=1)), [step(2, 20, 30)])
    later = (row("fast", 13), row("slow", 12, index=1))
    timeline.take_rows(300 * MS, 290 * MS, later, [step(5, 60, 200), step(6, 260, 30)])
    waits = row("slow", 12, index=1, preempted=1, phase=RequestPhase.PREEMPTED)
    timeline.take_rows(410 * MS, 400 * MS, (row("fast", 14), waits), [step(7, 290, 110)])
    back = row("slow", 13, index=1, preempted=1)
    timeline.take_rows(710 * MS, 700 * MS, (row("fast", 15), back), [step(8, 400, 150), step(9, 550, 150)])
    timeline.take_rows(910 * MS, 900 * MS, (), [step(10, 700, 90), step(11, 790, 110)])
    return timeline


def test_the_longest_pause_is_a_step_or_a_preemption() -> None:
    found = {one.lane.request_id: one for one in outliers(made(), Delay.PAUSE)}
    fast, slow = found["fast"], found["slow"]
    assert (fast.step, fast.seconds, fast.preempted) == (5, 0.2, False)
    assert slow.preempted
    assert slow.seconds >= 0.3
    assert slow.begin_ns == 400 * MS
    assert next(iter(outliers(made(), Delay.PAUSE))).lane.request_id == "slow"


def test_the_wait_for_the_first_token_and_the_whole() -> None:
    timeline = made()
    first = outliers(timeline, Delay.FIRST_TOKEN)
    assert [one.lane.request_id for one in first] == ["slow", "fast"]
    whole = outliers(timeline, Delay.WHOLE, 1)
    assert len(whole) == 1
    assert whole[0].seconds == (900 - 5) / 1000
    assert whole[0].step == 5


def test_without_steps_or_requests_there_is_nothing_to_say() -> None:
    timeline = Timeline()
    assert outliers(timeline, Delay.PAUSE) == ()
    timeline.take_rows(20 * MS, 10 * MS, (row("one", 10),))
    assert outliers(timeline, Delay.PAUSE) == ()  # no token yet
    assert outliers(timeline, Delay.WHOLE)[0].step is None


def test_block_tables_of_the_newest_are_kept() -> None:
    timeline = Timeline()
    count = module._BLOCK_TABLES + 5
    for number in range(count):
        timeline.take_rows((2 * number + 1) * MS, 0, (row(f"r{number}", 12, index=number % 7),))
        timeline.take_rows((2 * number + 2) * MS, 0, ())
    kept = [lane for lane in timeline.finished if lane.blocks is not None]
    assert len(kept) == module._BLOCK_TABLES
    last = timeline.lane_of(f"r{count - 1}")
    assert last is not None
    assert last.blocks is not None
    assert last.blocks.tolist() == list(range((count - 1) % 7 * 10, (count - 1) % 7 * 10 + 3))


def test_a_lane_is_found_by_its_clients_id_too() -> None:
    timeline = Timeline()
    timeline.take_rows(1 * MS, 0, (row("chatcmpl-a1-0f", 11), row("chatcmpl-a-0e", 11, index=1)))
    found = timeline.lane_of("a")
    assert found is not None
    assert found.request_id == "chatcmpl-a-0e"
    assert timeline.lane_of("b") is None
