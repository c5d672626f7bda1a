"""Where the program's own data files are."""

from __future__ import annotations

from pathlib import Path

RESOURCES = Path(__file__).resolve().parent.parent / "resources"


def resource(*parts: str) -> Path:
    """The path of one of our data files, such as `resource("icons", "stop.svg")`."""
    return RESOURCES.joinpath(*parts)
