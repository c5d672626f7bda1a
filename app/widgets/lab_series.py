"""What the lab's charts draw: lines over time, and the moments at which a parameter was changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

    from engine.bench.result import Window

_STUMP_S = 0.4


@dataclass(frozen=True, slots=True)
class Series:
    """A line. `times` in seconds since the run's beginning, ascending; NaN in `values` is a gap.

    `colour` is its place in the theme's cycle; one that is `pale` stands behind the others (another run's, say).
    """

    name: str
    times: np.ndarray
    values: np.ndarray
    colour: int
    pale: bool = False


def rate_of(window: Window, key: str) -> float | None:
    """A count of a window per second; None for the stump at a run's end, which would only be noise."""
    return getattr(window, key) / window.seconds if window.seconds >= _STUMP_S else None


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment that divides before from after: its short text for the chart and the whole one for the hover."""

    at_s: float
    text: str
    details: str
