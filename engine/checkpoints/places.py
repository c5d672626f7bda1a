"""Where checkpoints are looked for: the Hugging Face caches of this environment, the starter model, user folders."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.domain.paths import cache_dir

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Place:
    """One folder to search. `source` is what its checkpoints are marked with: "starter", "hub" or "folder"."""

    path: Path
    source: str


def hub_caches(environment: Mapping[str, str] | None = None) -> tuple[Path, ...]:
    """The hub caches that huggingface_hub would use here, nearest first; only those that exist."""
    env = os.environ if environment is None else environment
    home = Path(env.get("HOME") or Path("~").expanduser())
    candidates = [env.get("HF_HUB_CACHE"), env.get("HUGGINGFACE_HUB_CACHE")]
    if env.get("HF_HOME"):
        candidates.append(str(Path(env["HF_HOME"]) / "hub"))
    if env.get("TRANSFORMERS_CACHE"):
        candidates.append(env["TRANSFORMERS_CACHE"])
    cache = Path(env.get("XDG_CACHE_HOME") or home / ".cache")
    candidates.append(str(cache / "huggingface" / "hub"))
    found: dict[Path, None] = {}
    for candidate in candidates:
        if candidate:
            path = Path(os.path.expandvars(candidate)).expanduser()
            if _is_dir(path):
                found.setdefault(path.resolve(), None)
    return tuple(found)


def starter_folder() -> Path:
    """Where the starter model's variants are built."""
    return cache_dir() / "starter"


def all_places(user_folders: Iterable[Path] = (), environment: Mapping[str, str] | None = None) -> tuple[Place, ...]:
    """Every folder to search, without duplicates: starter model, hub caches, then the user's own in their order."""
    places = [Place(starter_folder(), "starter")]
    places += [Place(path, "hub") for path in hub_caches(environment)]
    seen = {place.path.resolve() for place in places}
    for folder in user_folders:
        path = folder.expanduser()
        if path.resolve() not in seen:
            seen.add(path.resolve())
            places.append(Place(path, "folder"))
    return tuple(places)


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False
