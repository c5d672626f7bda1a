"""What a checkpoint was last loaded with, on disk; both block, and belong into a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.lifecycle import ParameterValue
    from engine.parameters.profile_store import SavedProfile


def read_parameters(folder: Path, checkpoint: str) -> SavedProfile:
    """The saved parameters, with notes on what could not be read of them."""
    from engine.parameters.profile_store import ProfileStore  # late: in the thread, after the window is on screen

    return ProfileStore(folder).load(checkpoint)


def save_parameters(folder: Path, checkpoint: str, parameters: dict[str, ParameterValue]) -> None:
    """Keep them for the next load. Raises DiskFull."""
    from engine.parameters.profile_store import ProfileStore

    ProfileStore(folder).save(checkpoint, parameters)
