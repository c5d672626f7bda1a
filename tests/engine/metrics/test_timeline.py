"""Lanes from successive pictures: what a request did when, and how much of it is kept."""

from __future__ import annotations

import numpy as np

from engine.domain.request import RequestPhase, RequestRow
from engine.domain.telemetry import StepSample
from engine.metrics.static_batching import StepCost, compare, fit, simulate
from engine.metrics.step_levels import FACTOR, Column, StepLevels
from engine.metrics.timeline import Lane, SpanKind, Timeline

MS = 1_000_000
W, P, D, X = RequestPhase.WAITING, RequestPhase.PREFILL, RequestPhase.DECODE, RequestPhase.PREEMPTED


def row(name: str, phase: RequestPhase, tokens: int, computed: int, *, prompt: int = 100, preempted: int = 0,
        cached: int = 0, index: int = 0, arrival_ms: int = 1) -> RequestRow:  # fmt: skip
    """A row of the page."""
    tables = (np.zeros(0, np.int32),)
    return RequestRow(index, name, phase, prompt, tokens, computed, cached, preempted, arrival_ms * MS, tables)


def step(number: int, *, prefill: int = 0, decode: int = 0, running: int = 1, ms: float = 10.0) -> StepSample:
    """A step that began at its number times 10 ms."""
    return StepSample(number, number * 10 * MS, int(ms * MS), running, 0, prefill, decode, 50, 0, 0, 16, 64)


def kinds(timeline: Timeline, name: str) -> list[tuple[SpanKind, int, int]]:
    """The spans of one request: kind, begin and end in milliseconds."""
    lane = timeline.lane_of(name)
    assert lane is not None
    spans = timeline.spans(0, 1 << 62)
    mine = np.flatnonzero(spans.lane == lane.serial)
    return [(SpanKind(spans.kind[i]), int(spans.begin_ns[i]) // MS, int(spans.end_ns[i]) // MS) for i in mine.tolist()]


def show(timeline: Timeline, at_ms: int, step_ms: int, *rows: RequestRow) -> None:
    """One picture."""
    timeline.take_rows(at_ms * MS, step_ms * MS, rows)


def test_a_request_is_queued_computed_in_chunks_decoded_and_done() -> None:
    timeline = Timeline()
    show(timeline, 5, 2, row("a", W, 100, 0))
    show(timeline, 11, 10, row("a", P, 100, 64))
    show(timeline, 21, 20, row("a", D, 100, 100))  # the scheduler calls the last chunk decode already
    show(timeline, 31, 30, row("a", D, 101, 101))
    show(timeline, 41, 40, row("a", D, 105, 105))
    show(timeline, 51, 50)
    assert kinds(timeline, "a") == [
        (SpanKind.QUEUED, 1, 10), (SpanKind.PREFILL, 10, 20), (SpanKind.PREFILL, 20, 30), (SpanKind.DECODE, 30, 50),
    ]  # fmt: skip
    (lane,) = timeline.finished
    assert (lane.output_tokens, lane.first_token_ns, lane.end_ns) == (5, 30 * MS, 50 * MS)
    spans = timeline.spans(0, 1 << 62)
    assert spans.tokens.tolist() == [0, 64, 36, 0]


def test_preempted_requests_are_computed_again() -> None:
    timeline = Timeline()
    show(timeline, 11, 10, row("a", D, 100, 100))
    show(timeline, 21, 20, row("a", D, 110, 110))
    show(timeline, 31, 30, row("a", X, 110, 0, preempted=1))
    show(timeline, 41, 40, row("a", P, 110, 64, preempted=1))
    show(timeline, 51, 50, row("a", D, 110, 110, preempted=1))
    show(timeline, 61, 60, row("a", D, 111, 111, preempted=1))
    assert [kind for kind, _, _ in kinds(timeline, "a")] == [
        SpanKind.QUEUED, SpanKind.PREFILL, SpanKind.DECODE, SpanKind.PREEMPTED, SpanKind.RECOMPUTE, SpanKind.RECOMPUTE,
        SpanKind.DECODE,
    ]  # fmt: skip
    (lane,) = timeline.live
    assert (lane.num_preemptions, lane.recomputed_tokens) == (1, 110)


def test_a_page_row_that_is_used_again_is_another_lane() -> None:
    timeline = Timeline()
    show(timeline, 11, 10, row("a", D, 101, 101))
    show(timeline, 21, 20, row("b", D, 101, 101))
    assert [lane.request_id for lane in timeline.finished] == ["a"]
    assert [lane.request_id for lane in timeline.live] == ["b"]
    show(timeline, 31, 30)
    show(timeline, 41, 40, row("c", W, 100, 0))
    assert timeline.num_slots == 2  # b came in the picture in which a had gone; c takes a line that is free
    timeline.end_engine()
    assert not timeline.live
    assert timeline.num_finished == 3


def test_memory_is_bounded_and_the_newest_lanes_stay() -> None:
    timeline = Timeline(lanes=64)
    for number in range(1000):
        at_ms = 10 * number
        timeline.take_rows(at_ms * MS + 2 * MS, at_ms * MS, (row(f"r{number}", D, 101, 101),))
    assert len(timeline.finished) == 64
    assert timeline.lane_of("r998") is not None
    assert timeline.lane_of("r3") is None
    assert len(timeline.spans(0, 1 << 62)) <= 4 * 256 + 1


def test_hours_of_steps_in_bounded_memory() -> None:
    levels = StepLevels(capacity=1000, levels=3)
    many = 40_000
    levels.add([step(number, decode=number % 7, running=number % 9, ms=9.0) for number in range(1, many + 1)])
    assert len(levels) <= 1000
    fine = levels.view((many - 50) * 10 * MS, many * 10 * MS, 200)
    assert fine.exact
    assert 50 <= len(fine) <= 52
    coarse = levels.view(0, many * 10 * MS, 300)
    assert not coarse.exact
    assert len(coarse) <= many // FACTOR**2 + 2
    newest = coarse.table[-1]
    assert newest[Column.LAST_STEP] == many
    whole = coarse.table[:-1]
    assert (whole[:, Column.COUNT] == FACTOR**2).all()
    assert int(coarse.column(Column.COUNT).sum()) == many - int(coarse.table[0, Column.FIRST_STEP]) + 1
    assert int(coarse.column(Column.RUNNING).max()) == 8
    lot = coarse.at(many * 5 * MS)
    assert lot is not None
    assert lot[Column.BEGIN_NS] <= many * 5 * MS < lot[Column.END_NS] + 2 * MS


def test_steps_come_back_as_they_were() -> None:
    levels = StepLevels()
    steps = [step(number, prefill=number, decode=2 * number, running=3) for number in range(1, 40)]
    levels.add(steps)
    levels.add(steps[-5:])  # what is known already is left out
    assert list(levels.samples()) == steps
    assert levels.span_ns == (10 * MS, 400 * MS)
    assert StepLevels().span_ns is None
    assert StepLevels().view(0, 10, 5).at(3) is None


def _lane(serial: int, arrival_s: float, prompt: int, output: int, end_s: float) -> Lane:
    return Lane(serial, serial, 0, f"r{serial}", int(arrival_s * 1e9), prompt, num_tokens=prompt + output,
                end_ns=int(end_s * 1e9))  # fmt: skip


def test_static_batches_wait_for_their_longest_request() -> None:
    cost = StepCost(0.01, 0.001, 0.0)
    lanes = [_lane(1, 0.0, 10, 11, 1), _lane(2, 0.0, 10, 101, 1), _lane(3, 0.0, 10, 1, 1)]
    placed, busy_s = simulate(lanes, batch_size=2, budget=100, cost=cost)
    first, second, third = placed
    assert (first.begin_ns, second.begin_ns) == (0, 0)
    prefill_s = 0.01 + 20 * 0.001
    assert np.isclose(first.end_ns / 1e9, prefill_s + 10 * 0.01)
    assert np.isclose(second.end_ns / 1e9, prefill_s + 100 * 0.01)
    assert first.released_ns == second.released_ns == second.end_ns == third.begin_ns
    assert np.isclose(busy_s, prefill_s + 1.0 + 0.02)


def test_the_cost_of_a_step_is_found_again() -> None:
    levels = StepLevels()
    numbers = np.random.default_rng(3)
    for number in range(1, 300):
        prefill, decode = int(numbers.integers(0, 60)), int(numbers.integers(0, 16))
        levels.add([step(number, prefill=prefill, decode=decode, ms=4 + 0.1 * prefill + 0.2 * decode)])
    cost = fit(levels.recent(1000))
    assert cost is not None
    assert np.allclose((cost.step_s, cost.prefill_s, cost.decode_s), (0.004, 0.0001, 0.0002), rtol=0.02)
    assert fit(levels.recent(3)) is None


def test_continuous_batching_is_compared_on_what_ran() -> None:
    """Two short requests follow each other beside a long one: a static batch would have kept their place empty."""
    timeline = Timeline()
    lengths = {"long": (0, 40), "a": (0, 19), "b": (20, 40)}
    for number in range(1, 43):
        alive = {name: span for name, span in lengths.items() if span[0] < number <= span[1] + 1}
        rows = tuple(
            row(name, D, 99 + number - first, 99 + number - first, index=place, arrival_ms=1 + 10 * first)
            for place, (name, (first, _)) in enumerate(alive.items())
        )
        sample = step(number, decode=len(alive), running=len(alive), ms=9)
        timeline.take_rows(number * 10 * MS + MS, number * 10 * MS, rows, (sample,) if alive else ())
    timeline.take_rows(440 * MS, 430 * MS, ())
    found = compare(timeline)
    assert found is not None
    assert found.requests == 3
    assert found.batch_size == 2
    assert found.static_busy_s > found.busy_s * 1.2
    assert found.saved_s > 0
    assert len(found.lanes) == 3
    assert compare(Timeline()) is None
