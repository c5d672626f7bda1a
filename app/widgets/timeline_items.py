"""What the timeline draws inside pyqtgraph's plots: spans of requests as bars, and steps as bars, stairs and lines.

Horizontal values are seconds since `origin_ns`: nanoseconds of a monotonic clock do not fit into a float.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from app.widgets.timeline_raster import BarRaster
from app.widgets.timeline_toolbar import span_colours
from engine.metrics.step_levels import Column
from engine.metrics.timeline import SpanKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from app.theme.tokens import Theme
    from engine.metrics.static_batching import StaticLane
    from engine.metrics.step_levels import StepLots
    from engine.metrics.timeline import Spans

_BAR = 0.82
_GHOST = 0.18


class LanesItem(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """Spans as bars on their slots; the chosen lane is framed and the others are dimmed."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._spans: Spans | None = None
        self._ghosts: dict[int, tuple[StaticLane, int]] = {}
        self._origin = 0
        self._chosen: frozenset[int] = frozenset()
        self._bounds = QRectF(0, 0, 1, 1)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.update()

    def show_spans(self, spans: Spans, origin_ns: int, num_slots: int) -> None:
        """Draw these."""
        end = float(spans.end_ns.max() - origin_ns) / 1e9 if len(spans) else 1.0
        begin = float(spans.begin_ns.min() - origin_ns) / 1e9 if len(spans) else 0.0
        bounds = QRectF(begin, 0, max(1e-6, end - begin), max(1, num_slots))
        if bounds != self._bounds:
            self.prepareGeometryChange()
            self._bounds = bounds
        self._spans, self._origin = spans, origin_ns
        self.update()

    def show_ghosts(self, ghosts: dict[int, tuple[StaticLane, int]]) -> None:
        """Draw, under the lanes, where static batches would have had them: by serial, with its slot. Empty: nothing."""
        self._ghosts = ghosts
        self.update()

    def choose(self, serials: frozenset[int]) -> None:
        """These lanes are chosen; none: nothing is dimmed."""
        if serials != self._chosen:
            self._chosen = serials
            self.update()

    def boundingRect(self) -> QRectF:
        """All spans shown, in seconds and slots."""
        return self._bounds

    def paint(self, painter: QPainter, _option: object, _widget: object = None) -> None:
        """Draw what is shown, a kind at a time."""
        spans = self._spans
        if spans is None or not len(spans):
            return
        pixel = self.pixelWidth() or 1e-9
        lefts = (spans.begin_ns - self._origin) / 1e9
        widths = np.maximum((spans.end_ns - spans.begin_ns) / 1e9, pixel)
        painter.setPen(Qt.PenStyle.NoPen)
        self._paint_ghosts(painter)
        raster = BarRaster(painter, self.viewRect() & self._bounds)
        lit = np.isin(spans.lane, list(self._chosen)) if self._chosen else np.ones(len(spans), bool)
        for kind, name in span_colours(self._theme).items():
            waits = kind in (SpanKind.QUEUED, SpanKind.PREEMPTED)
            inset, height = (0.28, _BAR - 0.38) if waits else (0.0, _BAR)  # who waits is thin, who computes is thick
            for chosen, alpha in ((False, 70), (True, 255)):
                picked = np.flatnonzero((spans.kind == kind) & (lit == chosen))
                if picked.size:
                    colour = QColor(name)
                    colour.setAlpha(alpha)
                    tops = spans.slot[picked].astype(np.float64) + 0.09 + inset
                    raster.fill(lefts[picked], tops, widths[picked], np.full(len(picked), height), colour)
        if pixel < 0.02:  # a line where a chunk of a prefill begins
            begins = np.flatnonzero((spans.kind == SpanKind.PREFILL) | (spans.kind == SpanKind.RECOMPUTE))
            tops = spans.slot[begins].astype(np.float64) + 0.09
            raster.mark(lefts[begins], tops, np.full(len(begins), _BAR), QColor(self._theme.surface))
        raster.paint()

    def _paint_ghosts(self, painter: QPainter) -> None:
        colour, idle = QColor(self._theme.text), QColor(self._theme.text)
        colour.setAlpha(110)
        idle.setAlpha(45)
        for lane, slot in self._ghosts.values():
            begin, end, released = ((at - self._origin) / 1e9 for at in (lane.begin_ns, lane.end_ns, lane.released_ns))
            y = slot + 1 - _GHOST
            painter.fillRect(QRectF(begin, y, end - begin, _GHOST), colour)
            painter.fillRect(QRectF(end, y, released - end, _GHOST), idle)


class StepBars(pg.GraphicsObject):  # type: ignore[misc]
    """Tokens of each step: decode below, prefill on top of it, each bar as wide as its step was long."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._table: NDArray[np.int64] | None = None
        self._origin = 0
        self._bounds = QRectF(0, 0, 1, 1)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.update()

    def show_lots(self, lots: StepLots, origin_ns: int) -> None:
        """Draw these steps; of a lot, the mean of its steps."""
        self._table, self._origin = lots.table, origin_ns
        self.prepareGeometryChange()
        if len(lots):
            begin = float(lots.table[0, Column.BEGIN_NS] - origin_ns) / 1e9
            end = float(lots.table[-1, Column.END_NS] - origin_ns) / 1e9
            self._bounds = QRectF(begin, 0, max(1e-6, end - begin), max(1.0, float(step_tokens(lots).max())))
        self.update()

    def boundingRect(self) -> QRectF:
        """All steps shown, in seconds and tokens."""
        return self._bounds

    def paint(self, painter: QPainter, _option: object, _widget: object = None) -> None:
        """Draw the bars."""
        table = self._table
        if table is None or not len(table):
            return
        pixel = self.pixelWidth() or 1e-9
        lefts = (table[:, Column.BEGIN_NS] - self._origin) / 1e9
        spans = (table[:, Column.END_NS] - table[:, Column.BEGIN_NS]) / 1e9
        widths = np.maximum(spans - np.where(spans > 4 * pixel, pixel, 0.0), pixel)
        count = np.maximum(1, table[:, Column.COUNT])
        decode, prefill = table[:, Column.DECODE_TOKENS] / count, table[:, Column.PREFILL_TOKENS] / count
        raster = BarRaster(painter, self.viewRect() & self._bounds)
        raster.fill(lefts, np.zeros(len(table)), widths, decode, QColor(self._theme.decode))
        raster.fill(lefts, decode, widths, prefill, QColor(self._theme.prefill))
        raster.paint()


def step_tokens(lots: StepLots) -> NDArray[np.float64]:
    """Tokens a step of each lot."""
    tokens = lots.column(Column.PREFILL_TOKENS) + lots.column(Column.DECODE_TOKENS)
    mean: NDArray[np.float64] = tokens / np.maximum(1, lots.column(Column.COUNT))
    return mean


def stairs(
    lots: StepLots, values: NDArray[np.float64] | NDArray[np.int64], origin_ns: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A value of each lot as a line that is level while the lot lasts, and broken where no step ran."""
    begin = (lots.column(Column.BEGIN_NS) - origin_ns) / 1e9
    end = (lots.column(Column.END_NS) - origin_ns) / 1e9
    x = np.stack((begin, end, end), axis=1)
    y = np.stack((values, values, values), axis=1).astype(float)
    if len(lots) > 1:
        gaps = np.append(begin[1:] > end[:-1] + 0.05, False)
        y[gaps, 2] = np.nan
    return _turns(x.reshape(-1), y.reshape(-1))


def _turns(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same line without the points in the middle of what is level: mostly it is, and Qt strokes each point."""
    keep = np.ones(len(y), bool)
    keep[1:-1] = (y[1:-1] != y[:-2]) | (y[1:-1] != y[2:])
    return x[keep], y[keep]
