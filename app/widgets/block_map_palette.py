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

REQUEST_COLOURS = 39  # a multiple of three, so that the first one differs in lightness from the last
AGE_STEPS = 12  # one colour for each doubling of the age, the last for everything older
OWNER_STEPS = 6
REUSE_STEPS = 6
GROUP_COLOURS = 16  # as many KV-cache groups as the telemetry page tells of

_GROUPS_DARK = ("#56b4e9", "#e69f00", "#f0e442", "#cc79a7", "#009e73", "#d55e00", "#3f7fd0", "#c8ccd2")
_GROUPS_LIGHT = ("#2f7fc1", "#b36f00", "#5b3a8c", "#c0447e", "#00a37a", "#6b3300", "#8fb8dc", "#5e6a79")
_ONLY_CACHED = 0.55  # how much of the background is in a cached block's colour
_GLOW = 0.6  # less than white, so that a new used block does not pass for a shared one
_GOLDEN_ANGLE = pi * (3 - 5**0.5)


class ColourMode(StrEnum):
    """What a block's colour says."""

    STATE = "state"
    REQUEST = "request"
    AGE = "age"
    OWNERS = "owners"
    REUSE = "reuse"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Palette:
    """A colour table: `levels` bands of `bases` colours each, so that band * bases + base picks an entry.

    Band 0 is a block's plain colour and the last band its brightest glow; with a selection band 0 is dimmed and the
    last band is the plain colour. `colours` are 256 ARGB numbers; `plain` are the base colours, of which the last is
    for blocks of another KV-cache group than the one that is shown.
    """

    bases: int
    levels: int
    plain: tuple[QColor, ...]
    colours: tuple[int, ...]


def base_colours(mode: ColourMode, theme: Theme) -> tuple[QColor, ...]:
    """The colours of a mode: the five states first, then the mode's own, then that of other groups' blocks."""
    return (*_states_and_own(mode, theme), QColor(theme.block_elsewhere))


def _states_and_own(mode: ColourMode, theme: Theme) -> tuple[QColor, ...]:
    states = tuple(
        QColor(text)
        for text in (theme.block_free, theme.block_cached, theme.block_used, theme.block_shared, theme.block_null)
    )
    if mode is ColourMode.REQUEST:
        return states + tuple(request_colour(row, theme) for row in range(REQUEST_COLOURS))
    if mode is ColourMode.AGE:
        return states + _ramp(theme.block_shared, theme.block_used, theme.block_cached, AGE_STEPS)
    if mode is ColourMode.OWNERS:
        return states + _ladder(theme, OWNER_STEPS)
    if mode is ColourMode.REUSE:
        return (*states, QColor(theme.block_cached), *_ladder(theme, REUSE_STEPS - 1))
    if mode is ColourMode.GROUP:
        own = tuple(group_colour(group, theme) for group in range(GROUP_COLOURS))
        return states + own + tuple(mixed(colour, QColor(theme.surface), _ONLY_CACHED) for colour in own)
    return states


def request_colour(row: int, theme: Theme) -> QColor:
    """The colour of the request on this page row: neighbours differ in hue by the golden angle and in lightness."""
    index = row % REQUEST_COLOURS
    lightness = ((0.74, 0.62, 0.84) if theme.is_dark else (0.56, 0.70, 0.44))[index % 3]
    return _oklch(lightness, 0.13, index * _GOLDEN_ANGLE + 0.6)


def group_colour(group: int, theme: Theme) -> QColor:
    """The colour of a KV-cache group's blocks in use: after Okabe and Ito, lighter or darker from the ninth."""
    hues = _GROUPS_DARK if theme.is_dark else _GROUPS_LIGHT
    colour = QColor(hues[group % len(hues)])
    return mixed(colour, QColor(theme.text), 0.35 * (group // len(hues) % 2))


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


def reuse_step(count: int) -> int:
    """Which colour of the reuse mode stands for this number of reuses: 0, 1, 2-3, 4-7, 8-15, 16 and more."""
    return min(REUSE_STEPS - 1, count.bit_length())


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


def _ladder(theme: Theme, count: int) -> tuple[QColor, ...]:
    """From blue to yellow or brown in steps of lightness, which every kind of colour vision tells apart."""
    first, last = (0.54, 0.97) if theme.is_dark else (0.70, 0.33)
    ends = ((0.11, 4.4), (0.09, 1.75)) if theme.is_dark else ((0.11, 4.4), (0.09, 0.9))
    colours = []
    for step in range(count):
        share = step / (count - 1)
        a, b = (sum(weight * chroma * turn(hue) for weight, (chroma, hue) in zip((1 - share, share), ends, strict=True))
                for turn in (cos, sin))  # fmt: skip
        colours.append(_oklab(first + (last - first) * share, a, b))
    return tuple(colours)


def _oklch(lightness: float, chroma: float, hue: float) -> QColor:
    """Oklch to sRGB: equal steps of its lightness look equal, which HSV's do not."""
    return _oklab(lightness, chroma * cos(hue), chroma * sin(hue))


def _oklab(lightness: float, a: float, b: float) -> QColor:
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
