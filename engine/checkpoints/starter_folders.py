"""What is on disk of the starter model: which variants are whole, half done, failed, and whether a build runs.

Nothing here needs torch, and nothing reads more than a few small files: a window may ask at any time.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import time
from typing import TYPE_CHECKING, Any

from engine.domain.checkpoint import StarterProgress, StarterVariant

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from engine.checkpoints.starter_recipe import Recipe

FACTS_FILE = "kvdeck.json"  # in a finished folder: recipe, source, quality, files with their sizes
FAILED_FILE = "failed.json"  # in a partial folder: why the variant was not shipped
MANIFEST_FILE = "manifest.json"  # in a partial folder: its fingerprint
LOCK_FILE = ".build.lock"
PROGRESS_FILE = ".build.progress.json"


def read_json(path: Path) -> dict[str, Any] | None:
    """The object in a JSON file, or None where there is none to read (missing, cut short, something else)."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def ready_facts(recipe: Recipe, destination: Path, key: str) -> dict[str, Any] | None:
    """The kvdeck.json of a whole variant of this recipe; None when it is absent, old, or damaged."""
    folder = recipe.folder(destination, key)
    facts = read_json(folder / FACTS_FILE)
    if facts is None or facts.get("recipe") != recipe.version or facts.get("layers") != recipe.layers:
        return None
    files = facts.get("files")
    if not isinstance(files, dict) or not files:
        return None
    for name, size in files.items():
        try:
            if (folder / name).stat().st_size != size:
                return None
        except OSError:
            return None
    return facts


def variant_on_disk(recipe: Recipe, destination: Path, key: str, building: str | None = None) -> StarterVariant:
    """One variant as it stands; `building` is the key that a running build is at."""
    folder, partial = recipe.folder(destination, key), recipe.partial_folder(destination, key)
    label = recipe.variant(key).label
    facts = ready_facts(recipe, destination, key)
    if facts is not None:
        size = sum(facts["files"].values())
        return StarterVariant(key, label, "ready", str(folder), size, quality_text(facts.get("quality")))
    if key == building:
        return StarterVariant(key, label, "building", str(folder))
    failed = read_json(partial / FAILED_FILE)
    if failed is not None:
        return StarterVariant(key, label, "failed", str(folder), detail=str(failed.get("message", "")))
    state = "partial" if (partial / MANIFEST_FILE).exists() else "absent"
    return StarterVariant(key, label, state, str(folder))


def quality_text(quality: object) -> str:
    """One line on a variant's measured quality, empty where none was measured (the source itself)."""
    if not isinstance(quality, dict) or not quality.get("kl"):
        return ""
    return f"KL {quality['kl']:.3f}, top-1 {quality['top1'] * 100:.0f} %, perplexity {quality['perplexity']:.1f}"


def status(recipe: Recipe, destination: Path) -> StarterProgress:
    """The starter model as it is on disk, with the progress of a build that runs in whichever process."""
    running = is_running(destination)
    progress = (read_json(destination / PROGRESS_FILE) or {}) if running else {}
    building = progress.get("variant")
    variants = tuple(variant_on_disk(recipe, destination, variant.key, building) for variant in recipe.variants)
    return StarterProgress(
        variants=variants,
        running=running,
        progress=progress.get("overall"),
        step=str(progress.get("step", "")),
        elapsed_s=progress.get("total_elapsed_s"),
        remaining_s=progress.get("total_remaining_s"),
    )


def is_running(destination: Path) -> bool:
    """Whether some process is building in this folder; true to the moment, since the kernel drops a dead one's lock."""
    try:
        with (destination / LOCK_FILE).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


@contextlib.contextmanager
def build_lock(destination: Path, wait_s: float = 2.0) -> Iterator[bool]:
    """Hold the folder's build lock; yields False when another build holds it for longer than `wait_s`."""
    destination.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (destination / LOCK_FILE).open("ab") as lock:
        deadline = time.monotonic() + wait_s  # a status query holds the lock for an instant
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > deadline:
                    yield False
                    return
                time.sleep(0.05)
        yield True


def free_bytes(folder: Path) -> int:
    """Bytes that this user may still write where `folder` is, or will be."""
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def folder_bytes(folder: Path) -> int:
    """Bytes of the files under `folder`, 0 when it does not exist."""
    return sum(entry.stat().st_size for entry in folder.rglob("*") if entry.is_file() and not entry.is_symlink())


def fsync_folder(folder: Path) -> None:
    """Make the names in `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
