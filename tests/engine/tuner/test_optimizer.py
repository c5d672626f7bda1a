"""The optimizer on surfaces whose maximum is known: few trials, noise, figures that do not vary at all."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.tuner.optimizer import GridOptimizer

_SEQS, _TOKENS, _THRESHOLDS = 6, 4, 2
_POINTS = np.array(list(itertools.product(range(_SEQS), range(_TOKENS), range(_THRESHOLDS))), dtype=float)
_COORDINATES = _POINTS / np.array([_SEQS - 1, _TOKENS - 1, 1])


def _surface(seed: int) -> np.ndarray:
    """Goodput as batching makes it: it saturates with the batch, then falls as latency breaks the target."""
    rng = np.random.default_rng(seed)
    knee, penalty, best, width = rng.uniform(2, 24), rng.uniform(0, 1.5), rng.integers(_TOKENS), rng.uniform(0.02, 0.12)
    batch = 2.0 ** _POINTS[:, 0]
    over = np.maximum(0.0, np.log2(batch / knee))
    height = batch / (batch + knee / 2) * np.exp(-penalty * over**2 / 2)
    return height * np.exp(-width * (_POINTS[:, 1] - best) ** 2) * (1 + rng.uniform(-0.15, 0.15) * _POINTS[:, 2])


def _best_found(seed: int, trials: int) -> float:
    """The share of the maximum that the best of so many noisy trials has."""
    surface, rng = _surface(seed), np.random.default_rng(1000 + seed)
    optimizer, seen, scores = GridOptimizer(_COORDINATES), list[int](), list[float]()
    for number in range(trials):
        rest = [index for index in range(len(surface)) if index not in seen]
        if number == 0:
            index = int(_COORDINATES.sum(axis=1).argmax())
        elif number == 1:
            index = optimizer.middle(rest)
        else:
            index = max(optimizer.predict(rest), key=lambda one: one.gain).index
        score = surface[index] * (1 + 0.04 * rng.standard_normal())
        optimizer.tell(index, score)
        seen.append(index)
        scores.append(score)
    return float(surface[seen[int(np.argmax(scores))]] / surface.max())


def test_a_fifth_of_the_grid_comes_near_the_best() -> None:
    found = np.array([_best_found(seed, 9) for seed in range(40)])  # 9 of 48 points
    assert found.mean() > 0.95
    assert (found >= 0.95).mean() > 0.7
    random = np.array([_random_found(seed, 9) for seed in range(40)])
    assert found.mean() > random.mean() + 0.05, "or choosing by lot would do"


def _random_found(seed: int, trials: int) -> float:
    surface, rng = _surface(seed), np.random.default_rng(1000 + seed)
    chosen = rng.permutation(len(surface))[:trials]
    measured = surface[chosen] * (1 + 0.04 * rng.standard_normal(trials))
    return float(surface[chosen[int(measured.argmax())]] / surface.max())


def test_predictions_know_what_was_measured() -> None:
    optimizer = GridOptimizer(_COORDINATES)
    surface = _surface(3)
    for index in range(0, len(surface), 2):
        optimizer.tell(index, float(surface[index]))
    known, unknown = optimizer.predict([0, 1])
    assert known.mean == pytest.approx(surface[0], abs=0.1)
    assert known.deviation < unknown.deviation
    assert known.gain >= 0


def test_equal_figures_are_no_fault() -> None:
    optimizer = GridOptimizer(_COORDINATES)
    optimizer.tell(0, 0.0)
    optimizer.tell(5, 0.0)
    assert all(np.isfinite([one.mean, one.deviation, one.gain]).all() for one in optimizer.predict(range(10)))
    optimizer.tell(0, 0.0)  # the same point twice makes the matrix no worse
    assert optimizer.predict([7])[0].index == 7


def test_many_axes_share_one_length_scale() -> None:
    points = np.random.default_rng(0).random((60, 7))
    optimizer = GridOptimizer(points)
    for index in range(12):
        optimizer.tell(index, float(points[index].sum()))
    best = max(optimizer.predict(range(12, 60)), key=lambda one: one.mean)
    assert points[best.index].sum() > np.median(points.sum(axis=1))
