"""Colours of the block map: for each colour mode a table of 256 entries."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import cos, pi, sin
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor

from engine.domain.blocks import BlockState

if TYPE_CHECKING:
    from app.theme.tokens import Theme

REQUEST_COLOURS = 40
AGE_STEPS = 12  # one colour for each doubling of the age, the last for everything older
OWNER_STEPS = 6

_GLOW = 0.6  # less than white, so that a new used block does not pass for a shared one
_GOLDEN_ANGLE = pi * (3 - 5**0.5)


class ColourMode(StrEnum):
    """What a block's colour says."""

    STATE = "state"
    REQUEST = "request"
    AGE = "age"
    OWNERS = "owners"


@dataclass(frozen=True, slots=True)
class Palette:
    """A colour table: `levels` bands of `bases` colours each, so that band * bases + base picks an entry.

    Band 0 is a block's plain colour and the last band its brightest glow; with a selection band 0 is dimmed and the
    last band is the plain colour. `colours` are 256 ARGB numbers; `plain` are the base colours.
    """

    bases: int
    levels: int
    plain: tuple[QColor, ...]
    colours: tuple[int, ...]


def base_colours(mode: ColourMode, theme: Theme) -> tuple[QColor, ...]:
    """The colours of a mode: the five states first, then the mode's own."""
    states = tuple(
        QColor(text)
        for text in (theme.block_free, theme.block_cached, theme.block_used, theme.block_shared, theme.block_null)
    )
    if mode is ColourMode.REQUEST:
        return states + tuple(request_colour(row, theme) for row in range(REQUEST_COLOURS))
    if mode is ColourMode.AGE:
        return states + _ramp(theme.block_shared, theme.block_used, theme.block_cached, AGE_STEPS)
    if mode is ColourMode.OWNERS:
        return states + _ramp(theme.block_used, theme.prefill, theme.block_shared, OWNER_STEPS)
    return states


def request_colour(row: int, theme: Theme) -> QColor:
    """The colour of the request on this page row: neighbours differ in hue by the golden angle and in lightness."""
    index = row % REQUEST_COLOURS
    lightness = ((0.74, 0.62, 0.84) if theme.is_dark else (0.58, 0.68, 0.46))[index % 3]
    return _oklch(lightness, 0.13, index * _GOLDEN_ANGLE + 0.6)


def build_palette(mode: ColourMode, theme: Theme, *, selecting: bool) -> Palette:
    """The table for one mode and theme; `selecting` dims what is not lit instead of fading a glow."""
    plain = base_colours(mode, theme)
    bases = len(plain)
    levels = min(12, 256 // bases)
    glow = QColor("#ffffff") if theme.is_dark else QColor(theme.text)
    background = QColor(theme.surface)
    colours = []
    for level in range(levels):
        share = level / (levels - 1)
        for base, colour in enumerate(plain):
            if selecting:
                shown = mixed(colour, background, 0.72 * (1 - share)) if base != BlockState.NULL else colour
            else:
                shown = mixed(colour, glow, _GLOW * share)
            colours.append(shown.rgb())
    colours.extend([background.rgb()] * (256 - len(colours)))
    return Palette(bases, levels, plain, tuple(colours))


def owner_step(count: int) -> int:
    """Which colour of the owners mode stands for this number of owners: 1, 2, 3-4, 5-8, 9-16, 17 and more."""
    return min(OWNER_STEPS - 1, max(0, count - 1).bit_length())


def age_step(age: int) -> int:
    """Which colour of the age mode stands for this many steps: 0-1, 2-3, 4-7, ... each twice the last."""
    return min(AGE_STEPS - 1, max(0, age.bit_length() - 1))


def mixed(colour: QColor, other: QColor, share: float) -> QColor:
    """A colour with a share (0 to 1) of another in it."""
    keep = 1 - share
    return QColor(
        round(colour.red() * keep + other.red() * share),
        round(colour.green() * keep + other.green() * share),
        round(colour.blue() * keep + other.blue() * share),
    )


def _ramp(first: str, middle: str, last: str, count: int) -> tuple[QColor, ...]:
    ends = (QColor(first), QColor(middle), QColor(last))
    colours = []
    for step in range(count):
        place = 2 * step / (count - 1)
        low = min(1, int(place))
        colours.append(mixed(ends[low], ends[low + 1], place - low))
    return tuple(colours)


def _oklch(lightness: float, chroma: float, hue: float) -> QColor:
    """Oklch to sRGB: equal steps of its lightness look equal, which HSV's do not."""
    a, b = chroma * cos(hue), chroma * sin(hue)
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return QColor.fromRgbF(*(_gamma(min(1.0, max(0.0, value))) for value in linear))


def _gamma(linear: float) -> float:
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055
