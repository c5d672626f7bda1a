"""Tables in Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.bench.numbers import DASH

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER = re.compile(r"[+−-]?×?\d")


def table_lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table; columns of numbers, with or without units, stand at the right."""
    aligned = ("---:" if _holds_numbers([row[at] for row in rows]) else "---" for at in range(len(head)))
    return [_line(head), f"|{'|'.join(aligned)}|", *(_line(row) for row in rows)]


def cell(text: str) -> str:
    """A text on one line that ends no cell."""
    return " ".join(text.replace("|", "\\|").split())


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(cell, cells))} |"


def _holds_numbers(cells: Sequence[str]) -> bool:
    """Most of those that say something: a failed row has its reason where a number would stand."""
    said = [text for text in cells if text and text != DASH]
    return 2 * sum(_NUMBER.match(text) is not None for text in said) > len(said)
