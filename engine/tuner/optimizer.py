"""What is expected of every point of a grid after some noisy figures: Gaussian-process regression.

The method of Jones, Schonlau and Welch ("Efficient Global Optimization of Expensive Black-Box Functions", 1998) with a
Matérn 5/2 kernel and a length scale for each axis; for noisy figures with the augmented expected improvement of Huang
et al. ("Global Optimization of Stochastic Black-Box Systems", 2006), so that a promising point is measured again where
that tells more than a new one. Runs of the same requests share what those requests cost. Why not Optuna:
docs/decisions/0010.
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
_MOST_AXES_APART = 4  # above, one length scale serves all: the search for them grows with its power
# Of the spread between points: the noise of a whole run, and how much dearer one batch of requests is than another.
# Less is not believed: a few figures that agree by chance would end the search for better ones.
_NOISES = (0.08, 0.15, 0.3)
_REQUESTS = (0.0, 0.15, 0.4)
_JITTER = 1e-8
_NEGLIGIBLE = 0.02  # of the weight of the likeliest length scales
_ROUNDS = 2  # of fitting length scales and noise in turns


@dataclass(frozen=True, slots=True)
class Prediction:
    """What is expected of a point, in the objective's unit: mean, standard deviation, expected gain over the best."""

    index: int
    mean: float
    deviation: float
    gain: float


@dataclass(frozen=True, slots=True)
class Duel:
    """The best measured point and the one likeliest to beat it, with the probability that it does by a margin."""

    leader: int
    challenger: int
    probability: float


@dataclass(frozen=True, slots=True)
class _Belief:
    """The posterior over all points: means, deviations, and the noise (deviation) of a whole run.

    It is a mixture over several length scales, each with its weight: `across` holds their solved covariances to what is
    known (scales, known, points) and `apart` how far their means lie from the mixture's (scales, points), both in units
    of `spread`. A covariance of all points with all would not fit for a grid of thousands.
    """

    points: Vector
    mean: Vector
    deviation: Vector
    noise: float
    spread: float
    scales: Vector
    weights: Vector
    across: Vector
    apart: Vector

    def covariance(self, index: int) -> Vector:
        """Of one point with every point."""
        prior = _matern(self.points[index : index + 1], self.points, self.scales)[:, 0, :]
        shared = np.einsum("sk,skp->sp", self.across[:, :, index], self.across)
        between = self.apart[:, index : index + 1] * self.apart
        found: Vector = self.spread**2 * (self.weights @ (prior - shared + between))
        return found


class GridOptimizer:
    """Maximizes a noisy figure over points whose coordinates lie between 0 and 1, shape (points, axes)."""

    def __init__(self, points: Vector) -> None:
        self._points = points
        self._indices: list[int] = []
        self._scores: list[float] = []
        self._shares: list[float] = []
        self._batches: list[int] = []
        self._belief: _Belief | None = None
        axes = points.shape[1]
        together = axes > _MOST_AXES_APART
        chosen = ([scale] * axes for scale in _SCALES) if together else itertools.product(_SCALES, repeat=axes)
        self._scales: Vector = np.array(list(chosen), dtype=float)
        self._noises: Vector = np.array(list(itertools.product(_NOISES, _REQUESTS)), dtype=float)

    @property
    def told(self) -> int:
        """How many scores it knows."""
        return len(self._scores)

    @property
    def measured(self) -> list[int]:
        """The points that have a score."""
        return sorted(set(self._indices))

    def times(self, index: int) -> int:
        """How often a point was measured."""
        return self._indices.count(index)

    def tell(self, index: int, score: float, *, share: float = 1.0, batch: int = 0) -> None:
        """A point's figure was measured (once more), by this share of a whole run, on this batch of requests."""
        self._indices.append(index)
        self._scores.append(score)
        self._shares.append(share)
        self._batches.append(batch)
        self._belief = None

    def size(self, index: int) -> float:
        """How large a point's coordinates are together."""
        return float(self._points[index].sum())

    def middle(self, candidates: Iterable[int]) -> int:
        """The candidate nearest to the middle of all points: the best second look when one corner is known."""
        centre = self._points.mean(axis=0)
        return min(candidates, key=lambda index: (float(((self._points[index] - centre) ** 2).sum()), index))

    def predict(self, candidates: Iterable[int], *, share: float = 1.0) -> list[Prediction]:
        """What is expected of these points, and what such a run of them is expected to gain. Needs two scores."""
        wanted = list(candidates)
        belief = self._posterior()
        mean, deviation = belief.mean[wanted], belief.deviation[wanted]
        measured = self.measured
        # The best by what is sure of it: one lucky run must not set the level that others have to beat.
        level = belief.mean[measured][np.argmax(belief.mean[measured] - belief.deviation[measured])]
        noise = belief.noise / math.sqrt(share)
        gain = _expected_gain(mean - level, deviation) * (1 - noise / np.sqrt(noise**2 + deviation**2))
        columns = zip(wanted, mean, deviation, gain, strict=True)
        return [Prediction(index, float(m), float(d), float(g)) for index, m, d, g in columns]

    def best(self) -> int:
        """The measured point with the highest expected figure. Needs two scores."""
        belief, measured = self._posterior(), self.measured
        return measured[int(np.argmax(belief.mean[measured]))]

    def duel(self, candidates: Iterable[int], margin: float = 0.0) -> Duel | None:
        """The best, and who of these is likeliest to be better than it; None where there is no other."""
        belief, leader = self._posterior(), self.best()
        rivals = [index for index in candidates if index != leader]
        if not rivals:
            return None
        lead = belief.mean[rivals] - belief.mean[leader]
        shared = belief.covariance(leader)
        variance = belief.deviation[rivals] ** 2 + shared[leader] - 2 * shared[rivals]
        apart = np.sqrt(np.maximum(1e-12, variance))
        at = int(np.argmax(lead / apart))
        z = float((lead[at] - margin) / apart[at])
        return Duel(leader, rivals[at], 0.5 * math.erfc(-z / math.sqrt(2)))

    def _posterior(self) -> _Belief:
        if self._belief is None:
            self._belief = self._fit()
        return self._belief

    def _fit(self) -> _Belief:
        """The likeliest length scales, then the likeliest noise for them, and again; and what follows of them.

        Few figures fit many scales: each counts by its likelihood.
        """
        scores = np.array(self._scores)
        centre, spread = float(scores.mean()), float(scores.std())
        if spread == 0:  # nothing varies so far: unknown points may still be as far off as the figure is large
            spread = abs(centre) / 10 or 1.0
        levels = (scores - centre) / spread
        known = self._points[self._indices]
        likeness = _matern(known, known, self._scales)
        # A mild preference for the middle length scales while little is known.
        prior = -0.5 * (np.log(self._scales / 0.8) ** 2).sum(axis=1)
        covers = np.array([self._noise(*pair) for pair in self._noises])
        noise_at = len(_REQUESTS)
        for _ in range(_ROUNDS):
            likelihoods = _likelihood(likeness + covers[noise_at], levels) + prior
            noise_at = int(np.argmax(_likelihood(likeness[int(np.argmax(likelihoods))] + covers, levels)))
        weights = np.exp(likelihoods - likelihoods.max())
        kept = np.flatnonzero(weights > _NEGLIGIBLE)
        weights = weights[kept] / weights[kept].sum()
        factors = np.linalg.cholesky(likeness[kept] + covers[noise_at])
        across = np.linalg.solve(factors, _matern(known, self._points, self._scales[kept]))
        solved = np.linalg.solve(factors, np.broadcast_to(levels[:, None], (len(factors), len(levels), 1)))
        means = (across * solved).sum(axis=1)
        mean = weights @ means
        variance = weights @ (1.0 - (across**2).sum(axis=1) + (means - mean) ** 2)
        return _Belief(
            points=self._points,
            mean=centre + spread * mean,
            deviation=spread * np.sqrt(np.maximum(1e-12, variance)),
            noise=spread * float(self._noises[noise_at][0]),
            spread=spread,
            scales=self._scales[kept],
            weights=weights,
            across=across,
            apart=means - mean,
        )

    def _noise(self, noise: float, requests: float) -> Vector:
        """What a run's figure has beside its point's: its own noise, and that of its batch of requests."""
        batches = np.array(self._batches)
        shared = requests**2 * (batches[:, None] == batches[None, :])
        own: Vector = np.diag(noise**2 / np.array(self._shares) + _JITTER)
        return own + shared if len(set(self._batches)) > 1 else own


def _likelihood(covariances: Vector, levels: Vector) -> Vector:
    """The logarithm of the likelihood of these values under each covariance, but for a constant."""
    factors = np.linalg.cholesky(covariances)
    solved = np.linalg.solve(factors, np.broadcast_to(levels[:, None], (*factors.shape[:-1], 1)))[..., 0]
    log_diagonals = np.log(np.diagonal(factors, axis1=-2, axis2=-1)).sum(axis=-1)
    found: Vector = -0.5 * (solved**2).sum(axis=-1) - log_diagonals
    return found


def _matern(left: Vector, right: Vector, scales: Vector) -> Vector:
    """The Matérn 5/2 kernel between two sets of points for each row of length scales."""
    apart = (left[None, :, None, :] - right[None, None, :, :]) / scales[:, None, None, :]
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
