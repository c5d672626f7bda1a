"""The optimizer on surfaces whose maximum is known: few trials, noise, figures that do not vary at all."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.tuner.optimizer import GridOptimizer
from engine.tuner.strategy import Strategy

_SEQS, _TOKENS, _THRESHOLDS = 6, 4, 2
_SURFACES = 40
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


def _found(seed: int, share: float) -> float:
    """The share of the maximum that the choice has, for the work of a fifth of the grid in whole runs.

    A whole run's figure is off by 4 % of its own, and a batch of requests is dearer or cheaper than another by 4 %.
    """
    surface, rng = _surface(seed), np.random.default_rng(1000 + seed)
    strategy = Strategy(_COORDINATES, work=len(surface) / 5, share=share, first=len(surface) - 1)
    batches: dict[int, float] = {}
    noise = 0.04 / np.sqrt(share)
    while (move := strategy.next(lambda _: 1.0, range(len(surface)))) is not None:
        dearer = batches.setdefault(move.batch, 1 + noise * rng.standard_normal())
        score = surface[move.index] * dearer * (1 + noise * rng.standard_normal())
        strategy.tell(move.index, max(0.0, float(score)), batch=move.batch)
    assert strategy.spent <= len(surface) / 5 + 1e-9
    assert strategy.best is not None
    return float(surface[strategy.best] / surface.max())


def test_a_fifth_of_the_work_finds_what_is_as_good_as_the_best() -> None:
    found = np.array([_found(seed, 0.25) for seed in range(_SURFACES)])
    assert found.mean() > 0.98
    assert (found >= 0.95).mean() >= 0.95
    random = np.array([_random_found(seed, 9) for seed in range(_SURFACES)])
    assert found.mean() > random.mean() + 0.1, "or choosing by lot would do"


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


def test_a_search_for_less_ends_once_it_is_decided() -> None:
    """A latency comes as its negative: what is worth another run is a share of it all the same."""
    points = np.linspace(0.0, 1.0, 12)[:, None]
    strategy = Strategy(points, work=200.0, share=0.25, least_gain=0.05)
    while (move := strategy.next(lambda _: 1.0, range(12))) is not None:
        strategy.tell(move.index, -1.0 - float(points[move.index, 0] - 0.4) ** 2 * 8, batch=move.batch)
    assert not strategy.exhausted
    assert strategy.best in (4, 5)


def test_a_failed_first_run_and_points_that_need_a_reload() -> None:
    strategy = Strategy(_COORDINATES, work=4.0, first=None)
    at_hand = {3, 4, 5}
    first = strategy.next(lambda _: 1.0, at_hand)
    assert first is not None
    assert (first.index, first.why) == (5, "largest"), "what the engine takes as it is"
    strategy.tell(first.index, 0.0)
    second = strategy.next(lambda index: 1.0 if index in at_hand else 60.0, at_hand)
    assert second is not None
    assert second.index in at_hand
    assert strategy.best == 5
