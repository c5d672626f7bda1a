"""Finds the folders that hold checkpoints: by walking plain folders, and by the layout of a Hugging Face cache."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.checkpoints.folder import FolderFacts, FolderKind, look

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from engine.checkpoints.places import Place

_MAX_DEPTH = 8
_LISTED = (FolderKind.CHECKPOINT, FolderKind.GGUF, FolderKind.MISTRAL, FolderKind.WEIGHTS_ONLY)
_REPOSITORY = "models--"


@dataclass(frozen=True, slots=True)
class Found:
    """A folder that holds a checkpoint, or should. `problem` is what its surroundings tell (an unfinished download)."""

    path: Path
    name: str
    source: str
    facts: FolderFacts
    problem: str | None = None


def find(place: Place, cancelled: Callable[[], bool]) -> Iterator[Found]:
    """Everything under `place`. Follows links, once each; stops when `cancelled` says so."""
    visited: set[tuple[int, int]] = set()
    yield from _walk(place.path, place.source, 0, visited, cancelled)


def _walk(
    folder: Path, source: str, depth: int, visited: set[tuple[int, int]], cancelled: Callable[[], bool]
) -> Iterator[Found]:
    if cancelled() or not _first_visit(folder, visited):
        return
    facts = look(folder)
    kind = facts.kind
    if kind in _LISTED:
        yield Found(folder, folder.name, source, facts)
        return
    if kind is not FolderKind.NOTHING or depth >= _MAX_DEPTH:
        return
    repositories = [name for name in facts.subfolders if name.startswith(_REPOSITORY)]
    for name in repositories:
        yield from _repository(folder / name, cancelled)
    for name in facts.subfolders:
        if not name.startswith((".", "datasets--", "spaces--", _REPOSITORY)) and name != "__pycache__":
            yield from _walk(folder / name, source, depth + 1, visited, cancelled)


def _repository(folder: Path, cancelled: Callable[[], bool]) -> Iterator[Found]:
    """One repository of a hub cache: every revision that has files, the main one without its commit in the name."""
    name = folder.name[len(_REPOSITORY) :].replace("--", "/")
    snapshots = look(folder / "snapshots").subfolders
    partial = [file for file in look(folder / "blobs").files if file.endswith(".incomplete")]
    main = _reference(folder)
    unfinished = f"{len(partial)} of its files are still being downloaded, or the download was cut off."
    shown = 0
    for revision in snapshots:
        if cancelled():
            return
        facts = look(folder / "snapshots" / revision)
        if facts.kind not in _LISTED:
            continue
        shown += 1
        is_main = len(snapshots) == 1 or revision == main
        title = name if is_main else f"{name}@{revision[:8]}"
        yield Found(folder / "snapshots" / revision, title, "hub", facts, unfinished if partial and is_main else None)
    if not shown and partial:
        yield Found(folder, name, "hub", FolderFacts({}, ()), "Its download was begun and has not finished.")


def _reference(folder: Path) -> str | None:
    try:
        with (folder / "refs" / "main").open(encoding="ascii", errors="replace") as file:
            return file.read(200).strip() or None
    except OSError:
        return None


def _first_visit(folder: Path, visited: set[tuple[int, int]]) -> bool:
    try:
        status = os.stat(folder)  # noqa: PTH116 - one call for both numbers, on the scan's hot path
    except OSError:
        return False
    key = (status.st_dev, status.st_ino)
    if key in visited:
        return False
    visited.add(key)
    return True


def name_of(path: str) -> str:
    """What a checkpoint at `path` is called: its folder's name, or the repository's for a hub cache's snapshot.

    "…/models--org--name/snapshots/1a2b…" gives "org/name", where the folder's own name would be a commit.
    """
    parts = Path(path).parts
    if len(parts) >= 3 and parts[-2] == "snapshots" and parts[-3].startswith(_REPOSITORY):
        return parts[-3][len(_REPOSITORY) :].replace("--", "/")
    file = Path(path)
    return file.stem if file.suffix.lower() == ".gguf" else file.name
