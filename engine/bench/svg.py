"""Small charts as SVG text: lines, histograms, heat maps, bars, points. Colours come from the page's style sheet."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from engine.bench.numbers import tick

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.bench.figures import HeatMap, Histogram

_WIDTH, _HEIGHT = 640, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 14, 14, 34
_INNER_WIDTH, _INNER_HEIGHT = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM


@dataclass(frozen=True, slots=True)
class Series:
    """One line: points (x, y) with None where the line breaks. `style` is a class of the style sheet ("a" to "d")."""

    label: str
    points: Sequence[tuple[float, float | None]]
    style: str = "a"


@dataclass(frozen=True, slots=True)
class Mark:
    """A vertical line at `x` with a sentence to hover."""

    x: float
    text: str


def line_chart(
    title: str, unit: str, series: Sequence[Series], marks: Sequence[Mark] = (), *, x_unit: str = "s"
) -> str:
    """Lines over seconds, or over what else `x_unit` says; the y axis begins at 0."""
    values = [y for one in series for _, y in one.points if y is not None]
    right = max((x for one in series for x, _ in one.points), default=1.0) or 1.0
    ticks = nice_ticks(0.0, max(values, default=1.0) or 1.0)
    top = ticks[-1]

    def x_of(x: float) -> float:
        return _LEFT + x / right * _INNER_WIDTH

    def y_of(y: float) -> float:
        return _TOP + (1 - y / top) * _INNER_HEIGHT

    parts = _y_axis(ticks, y_of, lambda value: tick(value, unit))
    parts += _x_axis(nice_ticks(0.0, right), x_of, right, lambda value: tick(value, x_unit))
    for mark in marks:
        parts.append(f'<line class="mark" x1="{x_of(mark.x):.1f}" x2="{x_of(mark.x):.1f}" y1="{_TOP}" '
                     f'y2="{_HEIGHT - _BOTTOM}"><title>{escape(mark.text)}</title></line>')  # fmt: skip
    for one in series:
        path = _path(one, x_of, y_of)
        if path:
            parts.append(f'<path class="line {one.style}" d="{path}"/>')
    return _figure(title, parts, [(one.label, one.style) for one in series])


def histogram_chart(title: str, unit: str, sides: Sequence[tuple[str, Histogram, str]]) -> str:
    """One histogram, or several with the same edges laid over each other; the y axis is the share of the values."""
    shares = [hist.counts / max(1, hist.counts.sum()) for _, hist, _ in sides]
    ticks = nice_ticks(0.0, max((float(share.max()) for share in shares if share.size), default=1.0) or 1.0)
    edges = sides[0][1].edges
    left, right = float(edges[0]), float(edges[-1])

    def x_of(x: float) -> float:
        return _LEFT + (x - left) / ((right - left) or 1.0) * _INNER_WIDTH

    def y_of(y: float) -> float:
        return _TOP + (1 - y / ticks[-1]) * _INNER_HEIGHT

    parts = _y_axis(ticks, y_of, lambda value: tick(value, "share"))
    parts += _x_axis([at for at in nice_ticks(left, right) if at >= left], x_of, right, lambda value: tick(value, unit))
    for share, (_, hist, style) in zip(shares, sides, strict=True):
        bars = []
        for value, begin, end in zip(share.tolist(), hist.edges[:-1].tolist(), hist.edges[1:].tolist(), strict=True):
            if value:
                wide = max(0.5, x_of(end) - x_of(begin) - 0.5)
                bars.append(f"M{x_of(begin):.1f} {y_of(0):.1f}h{wide:.1f}V{y_of(value):.1f}h{-wide:.1f}z")
        if bars:
            parts.append(f'<path class="bar {style}" d="{"".join(bars)}"/>')
    return _figure(title, parts, [(label, style) for label, _, style in sides if label])


def heat_chart(title: str, unit: str, heat: HeatMap) -> str:
    """Time from left to right, values on a logarithmic axis, darker where more fell."""
    rows, columns = heat.counts.shape
    wide, high = _INNER_WIDTH / columns, _INNER_HEIGHT / rows
    most = math.log1p(float(heat.counts.max(initial=0))) or 1.0
    cells: dict[int, list[str]] = {}
    for row, column in zip(*heat.counts.nonzero(), strict=True):
        level = max(1, math.ceil(math.log1p(float(heat.counts[row, column])) / most * 8))
        x, y = _LEFT + column * wide, _HEIGHT - _BOTTOM - (row + 1) * high
        cells.setdefault(level, []).append(f"M{x:.1f} {y:.1f}h{wide + 0.2:.1f}v{high + 0.2:.1f}h{-wide - 0.2:.1f}z")
    parts = [f'<path class="heat" style="opacity:{level / 8:.2f}" d="{"".join(d)}"/>' for level, d in cells.items()]
    low, top = math.log(heat.value_edges[0] or 1e-9), math.log(heat.value_edges[-1])

    def y_of(value: float) -> float:
        return _TOP + (1 - (math.log(value) - low) / ((top - low) or 1.0)) * _INNER_HEIGHT

    shown_edges = [float(heat.value_edges[place]) for place in (0, rows // 3, 2 * rows // 3, rows)]
    right = float(heat.time_edges[-1])
    parts += _y_axis(shown_edges, y_of, lambda value: tick(value, unit))
    seconds = nice_ticks(0.0, right)
    parts += _x_axis(seconds, lambda x: _LEFT + x / right * _INNER_WIDTH, right, lambda value: tick(value, "s"))
    return _figure(title, parts, [])


@dataclass(frozen=True, slots=True)
class Dot:
    """A point of a scatter chart: `text` to hover, `style` a class of the style sheet."""

    x: float
    y: float
    text: str
    style: str = "a"


def bar_chart(title: str, bars: Sequence[tuple[str, float | None, str]]) -> str:
    """A bar from 0 for each name, with its value in words at its end; None is a name without a bar."""
    most = max((value for _, value, _ in bars if value is not None), default=1.0) or 1.0
    row, left, room = 30, 150, 130
    parts = []
    for at, (name, value, text) in enumerate(bars):
        y = _TOP + at * row
        wide = 0.0 if value is None else max(1.0, value / most * (_WIDTH - left - room))
        parts.append(f'<text class="name end" x="{left - 10}" y="{y + 16}">{escape(name)}</text>')
        parts.append(f'<path class="bar {"a" if at else "b"}" d="M{left} {y + 2}h{wide:.1f}v18h{-wide:.1f}z"/>')
        parts.append(f'<text class="tick" x="{left + wide + 8:.1f}" y="{y + 16}">{escape(text)}</text>')
    return _figure(title, parts, [], _TOP + row * len(bars) + 6)


def scatter_chart(title: str, units: tuple[str, str], dots: Sequence[Dot], line: Sequence[tuple[float, float]]) -> str:
    """Points, both axes from 0, and a line through some of them; `units` are those of x and y."""
    across = nice_ticks(0.0, max((dot.x for dot in dots), default=1.0) or 1.0)
    up = nice_ticks(0.0, max((dot.y for dot in dots), default=1.0) or 1.0)

    def x_of(x: float) -> float:
        return _LEFT + x / across[-1] * _INNER_WIDTH

    def y_of(y: float) -> float:
        return _TOP + (1 - y / up[-1]) * _INNER_HEIGHT

    parts = _y_axis(up, y_of, lambda value: tick(value, units[1]))
    parts += _x_axis(across, x_of, across[-1], lambda value: tick(value, units[0]))
    path = _path(Series("", list(line), "c"), x_of, y_of)
    if path:
        parts.append(f'<path class="line c" d="{path}"/>')
    for dot in dots:
        at = f'cx="{x_of(dot.x):.1f}" cy="{y_of(dot.y):.1f}"'
        parts.append(f'<circle class="dot {dot.style}" {at} r="5"><title>{escape(dot.text)}</title></circle>')
    return _figure(title, parts, [])


def nice_ticks(low: float, high: float, count: int = 4) -> list[float]:
    """Round numbers from at most `low` to at least `high`."""
    step = (high - low) / count or 1.0
    power = 10.0 ** math.floor(math.log10(step))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= step * 0.999)
    begin = math.floor(low / step)
    end = math.ceil(high / step - 1e-9)
    return [place * step for place in range(begin, max(end, begin + 1) + 1)]


def _path(series: Series, x_of: Callable[[float], float], y_of: Callable[[float], float]) -> str:
    words, pen = [], "M"
    for x, y in series.points:
        if y is None:
            pen = "M"
            continue
        words.append(f"{pen}{x_of(x):.1f} {y_of(y):.1f}" + ("h0" if pen == "M" else ""))  # a point alone is a dot
        pen = "L"
    return "".join(words)


def _y_axis(ticks: Sequence[float], y_of: Callable[[float], float], text: Callable[[float], str]) -> list[str]:
    parts = []
    for at in ticks:
        y = y_of(at)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="tick end" x="{_LEFT - 6}" y="{y + 4:.1f}">{escape(text(at))}</text>')
    return parts


def _x_axis(
    ticks: Sequence[float], x_of: Callable[[float], float], right: float, text: Callable[[float], str]
) -> list[str]:
    return [
        f'<text class="tick middle" x="{x_of(at):.1f}" y="{_HEIGHT - _BOTTOM + 18}">{escape(text(at))}</text>'
        for at in ticks
        if at <= right * 1.0001
    ]


def _figure(title: str, parts: Sequence[str], legend: Sequence[tuple[str, str]], height: int = _HEIGHT) -> str:
    keys = "".join(f'<span class="key {style}">{escape(label)}</span>' for label, style in legend)
    return (
        f'<figure><figcaption>{escape(title)}{keys}</figcaption><svg viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="{escape(title, quote=True)}">{"".join(parts)}</svg></figure>'
    )
