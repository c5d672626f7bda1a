"""Gaps between ticks at known times."""

from __future__ import annotations

import pytest

from engine.metrics.gaps import NS_PER_MS, GapRecorder


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
