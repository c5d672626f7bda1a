"""The window's style sheet, filled in from a theme and a type scale."""

from __future__ import annotations

import re
from dataclasses import asdict
from functools import cache
from string import Template
from typing import TYPE_CHECKING

from app.resources import resource
from app.theme.tokens import DARK, LIGHT

if TYPE_CHECKING:
    from app.theme.fonts import TypeScale
    from app.theme.tokens import Theme

_HOVER = 0.05  # of the text's colour: more of it, and faint words could not be read there
SCOPE = "theme"  # the property of a window that has the name of the theme in force
_RULE = re.compile(r"([^{}]+)(\{[^}]*\})")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_WINDOWS = re.compile(r"QMainWindow|QDialog")


@cache
def _template() -> Template:
    return Template(resource("themes", "window.qss").read_text(encoding="utf-8"))


def mixed(first: str, second: str, share: float) -> str:
    """The colour "#rrggbb" that is `share` (0 to 1) of `second` and the rest of `first`."""
    pairs = ((int(first[i : i + 2], 16), int(second[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def stylesheet(theme: Theme, scale: TypeScale, *, mirrored: bool = False) -> str:
    """The style sheet of the whole application; `mirrored` where it is laid out from right to left.

    Qt mirrors where a control's parts stand, and neither paddings nor borders.
    """
    values: dict[str, object] = {key: value for key, value in asdict(theme).items() if isinstance(value, str)}
    values |= asdict(scale)
    values |= {
        "mono_family": f'"{scale.mono_family}"',
        "hover": mixed(theme.raised, theme.text, _HOVER),
        "field": theme.window,
        "line_soft": mixed(theme.surface, theme.line, 0.6),
        "text_disabled": mixed(theme.surface, theme.text, 0.42),
        "accent_hover": mixed(theme.accent, theme.text, 0.15),
        "check": "check-on-dark" if theme.is_dark else "check-on-light",
        "icons": resource("icons").as_posix(),
        "start": "right" if mirrored else "left",
        "end": "left" if mirrored else "right",
    }
    return _template().substitute(values)


def stylesheet_of_both(theme: Theme, scale: TypeScale, *, mirrored: bool = False) -> str:
    """The style sheet of `theme` for all windows but those that name the other theme in their property `SCOPE`.

    Each rule comes once more for that one. Since all of them do, and what leads to them counts the same, the rule that
    wins in the one theme is the rule that wins in the other.
    """
    other = LIGHT if theme.is_dark else DARK
    rest = _scoped(stylesheet(other, scale, mirrored=mirrored), f'[{SCOPE}="{other.name}"]')
    return stylesheet(theme, scale, mirrored=mirrored) + rest


def _scoped(sheet: str, scope: str) -> str:
    """The rules for widgets within a window that has the property, and for such windows themselves."""

    def rule(found: re.Match[str]) -> str:
        selectors = [selector.strip() for selector in found[1].split(",")]
        within = [f"*{scope} {selector}" for selector in selectors]
        own = [_WINDOWS.sub(lambda name: name[0] + scope, text, 1) for text in selectors if _WINDOWS.match(text)]
        return ", ".join(within + own) + f" {found[2]}\n"

    return _RULE.sub(rule, _COMMENT.sub("", sheet))
