"""What a checkpoint is called in the window: its family and how its weights are stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.checkpoints.find import name_of
from engine.domain.checkpoint import VerdictKind

if TYPE_CHECKING:
    from engine.domain.checkpoint import Checkpoint, Library


def find(library: Library | None, path: str | None) -> Checkpoint | None:
    """The library's entry for a path, None where it has none."""
    if library is None or path is None:
        return None
    return next((checkpoint for checkpoint in library.checkpoints if checkpoint.path == path), None)


def checkpoint_label(library: Library | None, path: str) -> str:
    """ "SmolLM2-135M-Instruct · AWQ", or the folder's (or repository's) name where the library does not know it."""
    checkpoint = find(library, path)
    if checkpoint is None:
        return name_of(path)
    return f"{checkpoint.family} · {checkpoint.quantization.label}"


def loadable(library: Library | None) -> tuple[Checkpoint, ...]:
    """The whole checkpoints that can run here, in the library's order."""
    if library is None:
        return ()
    return tuple(
        checkpoint
        for checkpoint in library.checkpoints
        if checkpoint.problem is None and checkpoint.verdict.kind is not VerdictKind.REFUSED
    )
