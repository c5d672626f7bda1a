"""Steps from overlapping snapshots, kept once each and in bounded memory."""

from __future__ import annotations

from engine.domain.telemetry import StepSample
from engine.metrics.step_history import StepHistory


def _steps(first: int, last: int, duration_ns: int = 5) -> tuple[StepSample, ...]:
    return tuple(StepSample(n, n, duration_ns, 1, 0, 0, 1, 9, 0, 0, 8, 64) for n in range(first, last + 1))


def test_overlaps_are_taken_once() -> None:
    history = StepHistory()
    assert history.add(_steps(1, 5)) == 5
    assert history.add(_steps(3, 7)) == 2
    assert history.add(_steps(3, 7)) == 0
    assert [step.step for step in history.view(100)] == [1, 2, 3, 4, 5, 6, 7]


def test_the_newest_is_replaced_when_its_duration_is_known() -> None:
    history = StepHistory()
    history.add(_steps(1, 2, duration_ns=0))
    history.add(_steps(2, 3))
    assert [step.duration_ns for step in history.view(3)] == [0, 5, 5]


def test_a_new_engine_begins_anew() -> None:
    history = StepHistory()
    history.add(_steps(100, 120))
    assert history.add(_steps(1, 3)) == 3
    assert len(history) == 3
    assert history.newest is not None
    assert history.newest.step == 3


def test_memory_is_bounded_and_the_newest_stay() -> None:
    history = StepHistory(capacity=100)
    for begin in range(1, 2000, 10):
        history.add(_steps(begin, begin + 9))
    assert 100 <= len(history) <= 113
    assert [step.step for step in history.view(2)] == [1999, 2000]
    assert [step.step for step in history.view(2, back=3)] == [1996, 1997]
    assert history.view(5, back=10_000) == []


def test_a_step_is_found_by_its_number() -> None:
    history = StepHistory()
    history.add((*_steps(3, 4), *_steps(9, 9)))
    found = history.find(4)
    assert found is not None
    assert found.step == 4
    assert [history.find(number) for number in (2, 5, 10)] == [None] * 3
