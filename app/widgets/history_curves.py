"""From a MemoryHistory's table to what a chart draws of it: outlines of stacked areas, and the line of utilization."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QPolygonF

from engine.metrics.memory_history import PARTS, Column

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_GAP_NS = 10_000_000_000  # no sample for so long: the line breaks instead of inventing what was between
_FINE = 8  # heights are told apart to so small a part of a pixel, and level stretches drawn as one


@dataclass(frozen=True, slots=True)
class Curves:
    """One stretch without a gap. `areas` are outlines by the number of the part in PARTS, `lines` are unbroken ones."""

    areas: tuple[tuple[int, QPolygonF], ...]
    lines: tuple[QPolygonF, ...]


def curves(table: NDArray[np.float64], plot: QRect, begin_ns: int, span_ns: int) -> Iterator[Curves]:
    """What is to be drawn of these samples in `plot`, whose left edge is `begin_ns`."""
    breaks = np.flatnonzero(np.diff(table[:, Column.NS]) > _GAP_NS) + 1
    for run in np.split(table, breaks):
        if len(run):
            x = plot.left() + plot.width() * (run[:, Column.NS] - begin_ns) / span_ns
            x = np.maximum(x, plot.left())
            yield Curves(tuple(_areas(run, x, plot)), tuple(_lines(run[:, Column.UTILIZATION], x, plot)))


def _areas(run: NDArray[np.float64], x: NDArray[np.float64], plot: QRect) -> Iterator[tuple[int, QPolygonF]]:
    total = run[:, Column.TOTAL]
    shares = run[:, PARTS] / np.where(total > 0, total, np.inf)[:, None]
    edges = np.zeros((len(PARTS) + 1, len(run)))
    np.cumsum(shares.T, axis=0, out=edges[1:])
    y = np.round(_y(plot, edges) * _FINE) / _FINE
    for part in range(len(PARTS)):
        if shares[:, part].any():
            floor, top = _corners(x, y[part]), _corners(x, y[part + 1])
            yield part, QPolygonF([*top, *reversed(floor)])


def _corners(x: NDArray[np.float64], y: NDArray[np.float64]) -> list[QPointF]:
    """The points where a line turns: in between it is level."""
    turns = np.ones(len(y), bool)
    turns[1:-1] = (y[1:-1] != y[:-2]) | (y[1:-1] != y[2:])
    return [QPointF(*place) for place in zip(x[turns].tolist(), y[turns].tolist(), strict=True)]


def _lines(shares: NDArray[np.float64], x: NDArray[np.float64], plot: QRect) -> Iterator[QPolygonF]:
    known = np.flatnonzero(~np.isnan(shares))
    y = _y(plot, np.minimum(1.0, shares))
    for piece in np.split(known, np.flatnonzero(np.diff(known) > 1) + 1):
        if len(piece):
            yield QPolygonF([QPointF(*place) for place in zip(x[piece].tolist(), y[piece].tolist(), strict=True)])


def _y(plot: QRect, share: NDArray[np.float64]) -> NDArray[np.float64]:
    heights: NDArray[np.float64] = plot.bottom() + 1 - plot.height() * np.minimum(1.0, share)
    return heights
