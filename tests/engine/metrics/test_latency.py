"""The figures of an answer, from deltas at known times."""

from __future__ import annotations

import pytest

from engine.client.engine import ChatDelta
from engine.metrics.gaps import NS_PER_MS, GapRecorder
from engine.metrics.latency import AnswerClock
from engine.metrics.process_age import process_age_s


class Clock:
    """Time that the test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_figures_of_a_whole_answer() -> None:
    clock = Clock()
    answer = AnswerClock(clock)
    for at, delta in [
        (0.1, ChatDelta("r", "")),  # the role: no text, so not the first token
        (0.5, ChatDelta("r", "a")),
        (1.0, ChatDelta("r", "b c")),
        (1.5, ChatDelta("r", "d")),
        (1.6, ChatDelta("r", "", "stop", prompt_tokens=9, completion_tokens=5, cached_tokens=3)),
    ]:
        clock.now = at
        answer.observe(delta)
    figures = answer.figures()
    assert figures.ttft_s == pytest.approx(0.5)
    assert figures.tokens_per_s == pytest.approx(4 / 1.0)
    assert (figures.prompt_tokens, figures.completion_tokens, figures.cached_tokens) == (9, 5, 3)
    assert figures.finish_reason == "stop"
    assert figures.counted_by_engine


def test_nothing_known_is_none_and_never_zero() -> None:
    figures = AnswerClock(Clock()).figures()
    assert figures.ttft_s is None
    assert figures.tokens_per_s is None
    assert figures.completion_tokens is None


def test_a_single_token_has_no_rate() -> None:
    clock = Clock()
    answer = AnswerClock(clock)
    clock.now = 0.2
    answer.observe(ChatDelta("r", "x"))
    assert answer.figures().tokens_per_s is None
    assert not answer.figures().counted_by_engine


def test_gaps_count_all_and_keep_the_newest() -> None:
    gaps, now = GapRecorder(limit_ms=50, capacity=4), 0
    for step_ms in (0, 90, 10, 10, 10, 10, 30):
        now += step_ms * NS_PER_MS
        gaps.tick(now)
    summary = gaps.summary()
    assert (summary.count, summary.over_limit, summary.max_ms) == (6, 1, 90)
    assert summary.p50_ms == pytest.approx(10)


def test_a_pause_is_no_gap() -> None:
    gaps = GapRecorder()
    gaps.tick(0)
    gaps.pause()
    assert gaps.tick(10_000 * NS_PER_MS) is None
    assert gaps.summary().max_ms is None


def test_process_age_is_in_seconds() -> None:
    age = process_age_s()
    assert age is not None
    assert 0 < age < 24 * 3600
