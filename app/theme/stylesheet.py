"""The window's style sheet, filled in from a theme and a type scale."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from string import Template
from typing import TYPE_CHECKING

from app.resources import resource

if TYPE_CHECKING:
    from app.theme.fonts import TypeScale
    from app.theme.tokens import Theme


@cache
def _template() -> Template:
    return Template(resource("themes", "window.qss").read_text(encoding="utf-8"))


def mixed(first: str, second: str, share: float) -> str:
    """The colour "#rrggbb" that is `share` (0 to 1) of `second` and the rest of `first`."""
    pairs = ((int(first[i : i + 2], 16), int(second[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def stylesheet(theme: Theme, scale: TypeScale) -> str:
    """The style sheet of the whole application."""
    values: dict[str, object] = {key: value for key, value in asdict(theme).items() if isinstance(value, str)}
    values |= asdict(scale)
    values |= {
        "mono_family": f'"{scale.mono_family}"',
        "hover": mixed(theme.raised, theme.text, 0.07),
        "field": theme.window,
        "line_soft": mixed(theme.surface, theme.line, 0.6),
        "text_disabled": mixed(theme.surface, theme.text, 0.42),
        "accent_hover": mixed(theme.accent, theme.text, 0.15),
        "check": "check-on-dark" if theme.is_dark else "check-on-light",
        "icons": resource("icons").as_posix(),
    }
    return _template().substitute(values)
