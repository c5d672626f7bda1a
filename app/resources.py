"""Where the program's own data files are."""

from __future__ import annotations

from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent
RESOURCES = _ROOT / "resources"
GUIDE = _ROOT / "docs" / "guide.md"


def resource(*parts: str) -> Path:
    """The path of one of our data files, such as `resource("icons", "stop.svg")`."""
    return RESOURCES.joinpath(*parts)
