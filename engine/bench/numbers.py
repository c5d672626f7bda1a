"""Figures as a terminal, a table and a report write them: in the unit that suits, unknown as a dash."""

from __future__ import annotations

DASH = "—"
_MINUTE, _HOUR = 60.0, 3600.0


def shown(value: float | None, unit: str) -> str:
    """A figure in its unit (see FigureDefinition.unit), three or four digits."""
    if value is None:
        return DASH
    if unit == "s":
        return duration(value)
    if unit == "share":
        return f"{value * 100:.1f} %"
    if unit == "count":
        return f"{value:,.0f}"
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"
    return f"{text}/s" if unit == "1/s" else f"{text} {unit}"


def duration(seconds: float) -> str:
    """Seconds in a unit that suits."""
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1.0:
        return f"{seconds * 1e3:.3g} ms"
    if seconds < _MINUTE:
        return f"{seconds:.2f} s"
    whole = round(seconds)
    if seconds < _HOUR:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def change(value: float | None) -> str:
    """A relative change: "+3.2 %"."""
    return DASH if value is None else f"{value * 100:+.1f} %"


def tick(value: float, unit: str) -> str:
    """A number on an axis, whose title says the unit; seconds, which change theirs, say it themselves."""
    value = float(f"{value:.4g}")
    if value == 0:
        return "0"
    if unit == "s":
        if value >= 2 * _MINUTE:
            return f"{value / _MINUTE:.4g} min"
        return f"{value:.3g} s" if value >= 1 else f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} µs"
    return f"{value * 100:.3g} %" if unit == "share" else f"{value:,.6g}"
