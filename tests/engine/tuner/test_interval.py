"""Confidence intervals of paired ratios: the right width, honest about nothing, and about missing values."""

from __future__ import annotations

import math
import random

import pytest

from engine.tuner.interval import difference_of, student_quantile


@pytest.mark.parametrize(
    ("share", "freedom", "table"),
    [(0.95, 1, 12.706), (0.95, 2, 4.3027), (0.95, 5, 2.5706), (0.99, 9, 3.2498), (0.9, 30, 1.6973)],
)
def test_students_t_as_in_the_tables(share: float, freedom: int, table: float) -> None:
    assert student_quantile(share, freedom) == pytest.approx(table, rel=2e-4)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    rng, held, tries = random.Random(1), 0, 400
    for _ in range(tries):
        drift = [rng.uniform(0.5, 2.0) for _ in range(6)]  # the machine's, the same for both of a pair
        a = [10 * each * math.exp(rng.gauss(0, 0.05)) for each in drift]
        b = [12 * each * math.exp(rng.gauss(0, 0.05)) for each in drift]
        found = difference_of("tokens_out_per_s", a, b, 0.9)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 1.2 <= found.high
    assert 0.86 <= held / tries <= 0.94


def test_what_is_better_depends_on_the_figure() -> None:
    faster = difference_of("tokens_out_per_s", [10, 11, 10, 10.5], [12, 13, 12.2, 12.6], 0.95)
    assert (faster.shown, faster.better) == (True, "b")
    assert "+1" in faster.sentence
    slower = difference_of("ttft.p50", [0.10, 0.11, 0.10, 0.105], [0.12, 0.13, 0.122, 0.126], 0.95)
    assert (slower.shown, slower.better) == (True, "a")
    assert "ms" in slower.sentence


def test_no_difference_is_said_to_be_none_shown() -> None:
    found = difference_of("tokens_out_per_s", [10, 12, 9, 11], [11, 10, 10, 11], 0.95)
    assert (found.shown, found.better) == (False, "")
    assert found.sentence.startswith("No difference in Output tokens/s is shown")


@pytest.mark.parametrize("values", [[1.0, None, None], [1.0, 2.0], [0.0, 1.0, 2.0, 3.0], []])
def test_without_values_there_is_no_verdict(values: list[float | None]) -> None:
    found = difference_of("goodput_per_s", values, values, 0.95)
    assert (found.shown, found.low, found.high) == (False, None, None)
    assert "too few pairs" in found.sentence
