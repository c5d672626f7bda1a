"""The telemetry pages of data-parallel engines: the first has the page that the window reads, each other its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def page_of_rank(page: Path, rank: int) -> Path:
    """Where the engine of this data-parallel rank publishes: they would overwrite each other in one page."""
    return page if rank == 0 else page.with_name(f"{page.name}-rank{rank}")


def pages_of_others(page: Path, ranks: int) -> set[Path]:
    """The pages of all ranks but the first."""
    return {page_of_rank(page, rank) for rank in range(1, ranks)}
