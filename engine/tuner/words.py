"""Settings and figures in words, for explanations, logs and exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.bench.definitions import BY_KEY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.lifecycle import ParameterValue

_UNITS = {"tokens/s": " tokens/s", "1/s": " requests/s", "s": " s", "share": "", "count": ""}


def words_of(setting: Mapping[str, ParameterValue]) -> str:
    """A setting as "max_num_seqs 8, scheduling_policy fcfs"; "nothing changed" where it is empty."""
    return ", ".join(f"{name} {_value(value)}" for name, value in setting.items()) or "nothing changed"


def figure_words(key: str, value: float | None) -> str:
    """A figure with its unit, three significant digits."""
    if value is None:
        return "unknown"
    unit = BY_KEY[key].unit
    if unit == "s" and value < 1:
        return f"{value * 1000:.3g} ms"
    return f"{number(value)}{_UNITS.get(unit, '')}"


def number(value: float) -> str:
    """Three significant digits, never in powers of ten."""
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def seconds_words(seconds: float) -> str:
    """A time for a sentence."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _value(value: ParameterValue) -> str:
    if value is None:
        return "as vLLM decides"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)
