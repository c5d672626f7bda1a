"""How numbers are written: by locale, with their unit, three significant digits, "—" for unknown."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLocale

UNKNOWN = "—"
_MIB = 1024**2
_GIB = 1024**3
_THIN = "\u202f"
_COUNTED = 2**63
_AS_MS = 0.9995  # from here on it would be 1,000 ms


def count(value: float | None) -> str:
    """A whole number with the locale's grouping."""
    if value is None:
        return UNKNOWN
    # Beyond what Qt counts to, only the size matters: it is a fault, or somebody's joke.
    return QLocale().toString(round(value)) if abs(value) < _COUNTED else QLocale().toString(float(value), "g", 4)


def significant(value: float | None, digits: int = 3) -> str:
    """A number with so many significant digits; whole from there on, and never in powers of ten."""
    if value is None:
        return UNKNOWN
    if value == 0:
        return QLocale().toString(0)
    decimals = max(0, digits - _whole_digits(value))
    decimals = max(0, digits - _whole_digits(round(value, decimals)))  # 99.98 is 100, not 100.0
    return QLocale().toString(float(value), "f", decimals)


def _whole_digits(value: float) -> int:
    return len(str(int(abs(value)))) if abs(value) >= 1 else 0


def percent(share: float | None) -> str:
    """A share of 0 to 1 as a percentage."""
    if share is None:
        return UNKNOWN
    return f"{QLocale().toString(share * 100, 'f', 0)}{_THIN}%"


def gib(size_bytes: float | None, *, unit: bool = True) -> str:
    """Bytes as GiB."""
    if size_bytes is None:
        return UNKNOWN
    return significant(size_bytes / _GIB) + (f"{_THIN}GiB" if unit else "")


def size(size_bytes: float | None) -> str:
    """Bytes of a file: MiB up to a GiB, then GiB."""
    if size_bytes is None or size_bytes >= _GIB:
        return gib(size_bytes)
    return f"{count(size_bytes / _MIB)}{_THIN}MiB"


def duration(seconds: float | None) -> str:
    """A time span in the unit that suits it: ms, s, or minutes and seconds."""
    if seconds is None:
        return UNKNOWN
    if seconds < _AS_MS:
        return f"{significant(seconds * 1000)}{_THIN}ms"
    if seconds < 100:
        return f"{QLocale().toString(seconds, 'f', 1)}{_THIN}s"
    minutes, rest = divmod(round(seconds), 60)
    return QCoreApplication.translate("Figures", "{minutes} min {seconds} s").format(minutes=minutes, seconds=rest)


def per_second(rate: float | None, unit: str) -> str:
    """A rate in `unit` (already translated) per second."""
    if rate is None:
        return UNKNOWN
    text = count(rate) if rate >= 100 else significant(rate)
    return f"{text}{_THIN}{unit}/s"
