"""Two runs, or two settings of several runs each: differences with bootstrap confidence intervals.

Requests are drawn anew with replacement (all gaps of a request together, since they are not independent), rates from
blocks of neighbouring windows of time. The interval is of the relative change from the first side to the second.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from engine.bench.definitions import BY_KEY, value_of
from engine.bench.figures import latency_of
from engine.bench.sample import Outcome
from engine.bench.tally import figures_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from engine.bench.result import Figures, Window
    from engine.bench.sample import Sample
    from engine.bench.workload import Slos

DEFAULT_KEYS = (
    "requests_per_s", "tokens_out_per_s", "goodput_per_s", "ttft.mean", "ttft.p50", "ttft.p95", "tpot.mean", "tpot.p50",
    "tpot.p95", "itl.mean", "itl.p50", "itl.p95", "itl.p99", "e2e.mean", "e2e.p50", "e2e.p95", "queue.p50", "queue.p95",
    "prefill.p50", "decode.p50",
)  # fmt: skip
_RATES = {"requests_per_s": "successful", "tokens_out_per_s": "tokens_out", "tokens_in_per_s": "tokens_in"}
_SHARES = {"p50": 50.0, "p90": 90.0, "p95": 95.0, "p99": 99.0}
_FEWEST = 5  # of fewer requests (or windows) no interval is worth showing
_MOST_CELLS = 4_000_000
_BLOCK = 3  # windows: neighbours depend on each other


@dataclass(frozen=True, slots=True)
class Side:
    """One side: all samples and windows of one setting, of one run or of several, and its figures (None: computed)."""

    samples: Sequence[Sample]
    windows: Sequence[Window] = ()
    figures: Figures | None = None
    slos: Slos | None = None

    def known_figures(self) -> Figures:
        """The figures given, or those of the samples over the windows' time (else from first to last)."""
        if self.figures is not None:
            return self.figures
        seconds = sum(window.seconds for window in self.windows) if self.windows else None
        return figures_of(self.samples, self.slos, seconds)


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure on both sides, in its unit. `change` is second / first - 1, `low` and `high` bound it.

    `verdict` is "better", "worse" (for the second side), "unclear" where the interval holds 0, or "" where there is
    none: too few requests, or a figure of which neither way is better.
    """

    key: str
    first: float | None
    second: float | None
    change: float | None = None
    low: float | None = None
    high: float | None = None
    verdict: str = ""


@dataclass(slots=True)
class Bootstrap:
    """How to draw: `resamples` times, from `seed`; the interval holds `confidence` of the results."""

    resamples: int = 2000
    confidence: float = 0.95
    seed: int = 0
    _random: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self._random = np.random.default_rng(self.seed)

    def latency(self, samples: Sequence[Sample], key: str, part: str) -> NDArray[np.float64] | None:
        """The statistic `part` of a latency, of each resample; None where there are too few requests."""
        good = [sample for sample in samples if sample.outcome is Outcome.SUCCESSFUL]
        if key == "itl":
            return self._gaps([sample.gaps_s for sample in good if sample.gaps], part)
        values = np.array([value for sample in good if (value := latency_of(sample, key)) is not None])
        if values.size < _FEWEST:
            return None
        found = []
        for rows in self._batches(values.size):
            drawn = values[self._random.integers(0, values.size, (rows, values.size))]
            found.append(drawn.mean(axis=1) if part == "mean" else np.percentile(drawn, _SHARES[part], axis=1))
        return np.asarray(np.concatenate(found), dtype=np.float64)

    def rate(self, windows: Sequence[Window], name: str) -> NDArray[np.float64] | None:
        """A rate of each resample of blocks of windows; None where there are too few."""
        blocks = [windows[begin : begin + _BLOCK] for begin in range(0, len(windows), _BLOCK)]
        if len(blocks) < _FEWEST:
            return None
        counts = np.array([sum(getattr(window, name) or 0 for window in block) for block in blocks], dtype=np.float64)
        seconds = np.array([sum(window.seconds for window in block) for block in blocks])
        drawn = self._random.integers(0, len(blocks), (self.resamples, len(blocks)))
        return np.asarray(counts[drawn].sum(axis=1) / seconds[drawn].sum(axis=1), dtype=np.float64)

    def _gaps(self, gaps: list[NDArray[np.float32]], part: str) -> NDArray[np.float64] | None:
        """Whole requests are drawn: a sorted gap counts as often as its request was."""
        if len(gaps) < _FEWEST:
            return None
        owner = np.repeat(np.arange(len(gaps)), [each.size for each in gaps])
        values = np.concatenate(gaps).astype(np.float64)
        order = np.argsort(values)
        values, owner = values[order], owner[order]
        resamples = min(self.resamples, max(200, _MOST_CELLS // values.size))
        found = np.empty(resamples)
        for number in range(resamples):
            weights = np.bincount(self._random.integers(0, len(gaps), len(gaps)), minlength=len(gaps))[owner]
            if part == "mean":
                found[number] = (values * weights).sum() / weights.sum()
                continue
            cumulative = np.cumsum(weights)
            found[number] = values[np.searchsorted(cumulative, _SHARES[part] / 100 * cumulative[-1])]
        return found

    def _batches(self, size: int) -> Iterable[int]:
        rows = max(1, _MOST_CELLS // size)
        for begin in range(0, self.resamples, rows):
            yield min(rows, self.resamples - begin)

    def interval(self, first: NDArray[np.float64], second: NDArray[np.float64]) -> tuple[float, float] | None:
        """Bounds of the relative change between two bootstrapped statistics."""
        count = min(first.size, second.size)
        first, second = first[:count], second[:count]
        kept = first > 0
        if not kept.any():
            return None
        changes = second[kept] / first[kept] - 1.0
        tail = (1.0 - self.confidence) / 2 * 100
        low, high = np.percentile(changes, (tail, 100 - tail))
        return float(low), float(high)


def compare(
    first: Side, second: Side, keys: Sequence[str] = DEFAULT_KEYS, bootstrap: Bootstrap | None = None
) -> tuple[Difference, ...]:
    """How the second side differs from the first, one row a figure in the order of `keys`. Takes up to some seconds for
    thousands of requests: call it in a thread. Raises KeyError for an unknown key.
    """
    bootstrap = bootstrap or Bootstrap()
    figures = first.known_figures(), second.known_figures()
    return tuple(_difference(key, (first, second), figures, bootstrap) for key in keys)


def _difference(
    key: str, sides: tuple[Side, Side], figures: tuple[Figures, Figures], bootstrap: Bootstrap
) -> Difference:
    one, other = value_of(figures[0], key), value_of(figures[1], key)
    if one is None or other is None:
        return Difference(key, one, other)
    change = other / one - 1.0 if one else None
    drawn = [_drawn(key, side, bootstrap) for side in sides]
    bounds = None if drawn[0] is None or drawn[1] is None else bootstrap.interval(drawn[0], drawn[1])
    if bounds is None:
        return Difference(key, one, other, change)
    return Difference(key, one, other, change, *bounds, verdict=_verdict(key, *bounds))


def _drawn(key: str, side: Side, bootstrap: Bootstrap) -> NDArray[np.float64] | None:
    name, _, part = key.partition(".")
    if part:
        return bootstrap.latency(side.samples, name, part)
    if key in _RATES:
        return bootstrap.rate(side.windows, _RATES[key])
    if key == "goodput_per_s" and side.windows and side.windows[0].good is not None:
        return bootstrap.rate(side.windows, "good")
    return None


def _verdict(key: str, low: float, high: float) -> str:
    better = BY_KEY[key].better
    if not better:
        return ""
    if low <= 0.0 <= high:
        return "unclear"
    return "better" if (low > 0) == (better == "more") else "worse"
