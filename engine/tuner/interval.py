"""The ratio of paired figures and its confidence interval: Student's t over the logarithms of the pairs' ratios."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from engine.bench.definitions import BY_KEY
from engine.tuner.outcome import Difference
from engine.tuner.words import figure_words

if TYPE_CHECKING:
    from collections.abc import Sequence

_FEWEST = 3
_STEPS = 2000


@cache
def student_quantile(share: float, freedom: int) -> float:
    """The two-sided quantile of Student's t: |t| stays below it with probability `share`. By bisection."""
    low, high = 0.0, 1.0
    while _between(high, freedom) < share:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        if _between(middle, freedom) < share:
            low = middle
        else:
            high = middle
    return high


def _between(t: float, freedom: int) -> float:
    """P(|T| <= t), integrated with x = sqrt(n) tan(a), which makes the integrand cos(a)^(n - 1): smooth and bounded."""
    end = math.atan(t / math.sqrt(freedom))
    width = end / _STEPS
    total = 0.0
    for step in range(_STEPS + 1):
        weight = 1 if step in (0, _STEPS) else 4 if step % 2 else 2
        total += weight * math.cos(step * width) ** (freedom - 1)
    area = total * width / 3
    whole = math.sqrt(math.pi) * math.gamma(freedom / 2) / math.gamma((freedom + 1) / 2)
    return 2 * area / whole


def difference_of(key: str, a: Sequence[float | None], b: Sequence[float | None], confidence: float) -> Difference:
    """B over A for one figure over pairs of runs, and in words whether there is a difference."""
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if x is not None and y is not None]
    mean_a, mean_b = _mean([x for x, _ in pairs]), _mean([y for _, y in pairs])
    logs = [math.log(y / x) for x, y in pairs if x > 0 and y > 0]
    if len(logs) < _FEWEST or len(logs) < len(pairs):
        ratio = mean_b / mean_a if mean_a and mean_b is not None else None
        sentence = f"{_both(key, mean_a, mean_b)}; too few pairs have a value to say how sure that is."
        return Difference(
            key=key, mean_a=mean_a, mean_b=mean_b, ratio=ratio, low=None, high=None, shown=False, better="",
            sentence=sentence,
        )  # fmt: skip
    ratio, low, high = _interval(logs, confidence)
    shown = not low <= 1 <= high
    better = ""
    if shown and BY_KEY[key].better:
        better = "b" if (ratio > 1) == (BY_KEY[key].better == "more") else "a"
    sentence = _sentence(key, (mean_a, mean_b), (ratio, low, high), confidence, shown=shown)
    return Difference(
        key=key, mean_a=mean_a, mean_b=mean_b, ratio=ratio, low=low, high=high, shown=shown, better=better,
        sentence=sentence,
    )  # fmt: skip


def ratio_interval(a: Sequence[float], b: Sequence[float], confidence: float = 0.95) -> tuple[float, float, float]:
    """B over A for positive figures of at least two pairs: the ratio, and the ends of its interval."""
    return _interval([math.log(y / x) for x, y in zip(a, b, strict=True)], confidence)


def _interval(logs: Sequence[float], confidence: float) -> tuple[float, float, float]:
    centre = sum(logs) / len(logs)
    variance = sum((one - centre) ** 2 for one in logs) / (len(logs) - 1)
    half = student_quantile(confidence, len(logs) - 1) * math.sqrt(variance / len(logs))
    return math.exp(centre), math.exp(centre - half), math.exp(centre + half)


def _sentence(
    key: str,
    means: tuple[float | None, float | None],
    interval: tuple[float, float, float],
    confidence: float,
    *,
    shown: bool,
) -> str:
    ratio, low, high = interval
    sure = f"{100 * confidence:g} % interval {_change(low)} to {_change(high)}"
    if shown:
        return f"B has {_change(ratio)} {BY_KEY[key].label} against A ({sure}): {_both(key, *means)}."
    return f"No difference in {BY_KEY[key].label} is shown: B is at {_change(ratio)} against A ({sure})."


def _both(key: str, mean_a: float | None, mean_b: float | None) -> str:
    return f"A {figure_words(key, mean_a)}, B {figure_words(key, mean_b)}"


def _change(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.1f} %".replace("-", "−")


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None
