"""Which point of a grid to try next: Gaussian-process regression with expected improvement for its cost.

The method of Jones, Schonlau and Welch ("Efficient Global Optimization of Expensive Black-Box Functions", 1998), with
a Matérn 5/2 kernel, a length scale for each axis and a noise of its own, both by maximum marginal likelihood. Why not
Optuna: docs/decisions/0010.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    Vector = NDArray[np.floating[Any]]

# Length scales in units of the whole axis: the figure turns within a third of it, follows it, or hardly depends on it.
_SCALES = (0.35, 0.8, 2.5)
_NOISES = (0.03, 0.1, 0.3)  # of the spread between points
_MOST_AXES_APART = 4  # above, one length scale serves all: the search for them grows with its power


@dataclass(frozen=True, slots=True)
class Prediction:
    """What is expected of a point, in the objective's unit: mean, standard deviation, expected gain over the best."""

    index: int
    mean: float
    deviation: float
    gain: float


@dataclass(frozen=True, slots=True)
class _Model:
    scales: Vector
    noise: float
    factor: Vector
    weights: Vector


class GridOptimizer:
    """Maximizes a noisy figure over points whose coordinates lie between 0 and 1, shape (points, axes)."""

    def __init__(self, points: Vector) -> None:
        self._points = points
        self._indices: list[int] = []
        self._scores: list[float] = []

    @property
    def told(self) -> int:
        """How many scores it knows."""
        return len(self._scores)

    def tell(self, index: int, score: float) -> None:
        """A point's figure was measured (once more)."""
        self._indices.append(index)
        self._scores.append(score)

    def middle(self, candidates: Iterable[int]) -> int:
        """The candidate nearest to the middle of all points: the best second look when one corner is known."""
        centre = self._points.mean(axis=0)
        return min(candidates, key=lambda index: (float(((self._points[index] - centre) ** 2).sum()), index))

    def predict(self, candidates: Iterable[int]) -> list[Prediction]:
        """What is expected of these points. Needs at least two scores."""
        wanted = list(candidates)
        scores = np.array(self._scores)
        centre, spread = float(scores.mean()), float(scores.std())
        if spread == 0:  # nothing varies so far: unknown points may still be as far off as the figure is large
            spread = abs(centre) / 10 or 1.0
        known = self._points[self._indices]
        levels = (scores - centre) / spread
        model = self._fit(known, levels)
        across = _matern(self._points[wanted], known, model.scales)
        mean = across @ model.weights
        solved = np.linalg.solve(model.factor, across.T)
        deviation = np.sqrt(np.maximum(1e-10, 1.0 - (solved**2).sum(axis=0)))
        best = float(np.max(_matern(known, known, model.scales) @ model.weights))
        gain = _expected_gain(mean - best, deviation)
        return [
            Prediction(index, centre + spread * float(m), spread * float(d), spread * float(g))
            for index, m, d, g in zip(wanted, mean, deviation, gain, strict=True)
        ]

    def _fit(self, known: Vector, levels: Vector) -> _Model:
        """The likeliest length scales and noise, with a mild preference for the middle ones while little is known."""
        axes = known.shape[1]
        together = axes > _MOST_AXES_APART
        choices = ([scale] * axes for scale in _SCALES) if together else itertools.product(_SCALES, repeat=axes)
        best: tuple[float, _Model] | None = None
        for chosen in choices:
            scales = np.array(chosen, dtype=float)
            likeness = _matern(known, known, scales)
            prior = -0.5 * float((np.log(scales / 0.8) ** 2).sum())
            for noise in _NOISES:
                factor: Vector = np.linalg.cholesky(likeness + (noise**2 + 1e-8) * np.eye(len(levels)))
                weights: Vector = np.linalg.solve(factor.T, np.linalg.solve(factor, levels))
                likelihood = -0.5 * float(levels @ weights) - float(np.log(np.diag(factor)).sum()) + prior
                if best is None or likelihood > best[0]:
                    best = likelihood, _Model(scales, noise, factor, weights)
        assert best is not None
        return best[1]


def _matern(left: Vector, right: Vector, scales: Vector) -> Vector:
    """The Matérn 5/2 kernel between two sets of points."""
    apart = (left[:, None, :] - right[None, :, :]) / scales
    distance = np.sqrt(5.0 * (apart**2).sum(axis=-1))
    value: Vector = (1.0 + distance + distance**2 / 3.0) * np.exp(-distance)
    return value


def _expected_gain(lead: Vector, deviation: Vector) -> Vector:
    """The mean of max(0, x) for x normal with this mean and deviation."""
    z = lead / deviation
    below = np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in z])
    density = np.exp(-0.5 * z**2) / math.sqrt(2 * math.pi)
    gain: Vector = lead * below + deviation * density
    return gain
