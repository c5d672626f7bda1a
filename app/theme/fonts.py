"""Type: the system's sans at its size, one larger size for numbers, monospace for ids and logs."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QFont, QFontDatabase

TEXT_SIZES: tuple[float, ...] = (0.85, 1.0, 1.15, 1.3, 1.5, 1.75)
_SMALLEST_PT = 9.0


@dataclass(frozen=True, slots=True)
class TypeScale:
    """The sizes in force, in points, and the monospace family's name."""

    text_pt: float
    small_pt: float
    medium_pt: float
    large_pt: float
    mono_family: str


def type_scale(text_size: float, system_pt: float) -> TypeScale:
    """Sizes for a text size (1.0 is the system's own), from the system font's size in points."""
    text = max(system_pt, _SMALLEST_PT) * text_size
    return TypeScale(
        text_pt=round(text, 2),
        small_pt=round(text * 0.92, 2),
        medium_pt=round(text * 1.1, 2),
        large_pt=round(text * 1.3, 2),
        mono_family=mono_family(),
    )


def mono_family() -> str:
    """The system's monospace family."""
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()


def tabular(font: QFont) -> QFont:
    """A copy of `font` whose figures all have the same width, where the font has such figures."""
    copy = QFont(font)
    copy.setFeature(QFont.Tag("tnum"), 1)
    return copy


def mono(font: QFont) -> QFont:
    """A monospace font of the same size as `font`."""
    copy = QFont(font)
    copy.setFamilies([mono_family()])
    copy.setStyleHint(QFont.StyleHint.Monospace)
    return copy
