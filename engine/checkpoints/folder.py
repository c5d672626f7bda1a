"""One look at a folder: its files with size and time, and what kind of thing it is."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_PICKLE = re.compile(r"\.(bin|pt|pth|ckpt|pkl|pickle)$", re.IGNORECASE)
# What a model's weights are called; a lone safetensors file of another name is somebody's own tensors.
_WEIGHTS = re.compile(r"^(model|pytorch_model|consolidated)\b.*\.safetensors(\.index\.json)?$")
# What training leaves behind: pickles, but no loader opens them.
_LEFTOVER = re.compile(r"^(training_args|optimizer|scheduler|rng_state.*|trainer_state|scaler)\.(bin|pt|pth)$")


class FolderKind(StrEnum):
    """What a folder holds, as its file names tell."""

    CHECKPOINT = "checkpoint"
    GGUF = "gguf"
    MISTRAL = "mistral"  # params.json and consolidated weights, Mistral's own layout
    ADAPTER = "adapter"  # LoRA weights without a model
    PIPELINE = "pipeline"  # a diffusers pipeline: several models in subfolders
    WEIGHTS_ONLY = "weights_only"  # safetensors, and no configuration
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Size in bytes and time of change in nanoseconds, of the file that a link leads to. `broken`: it leads nowhere."""

    size: int
    mtime_ns: int
    broken: bool = False


@dataclass(frozen=True, slots=True)
class FolderFacts:
    """The plain files of a folder, by name, and its subfolders' names."""

    files: Mapping[str, FileFacts]
    subfolders: tuple[str, ...]

    @property
    def kind(self) -> FolderKind:
        """What this folder is."""
        names = self.files
        if "model_index.json" in names:
            return FolderKind.PIPELINE
        if "config.json" in names:
            return FolderKind.CHECKPOINT
        if "params.json" in names and any(name.startswith("consolidated") for name in names):
            return FolderKind.MISTRAL
        if "adapter_config.json" in names:
            return FolderKind.ADAPTER
        if any(name.lower().endswith(".gguf") for name in names):
            return FolderKind.GGUF
        if any(_WEIGHTS.match(name) for name in names):
            return FolderKind.WEIGHTS_ONLY
        return FolderKind.NOTHING

    @property
    def size_bytes(self) -> int:
        """Bytes of all files."""
        return sum(facts.size for facts in self.files.values())

    @property
    def broken_links(self) -> tuple[str, ...]:
        """Links whose target is gone: what a partial download or a cleaned cache leaves."""
        return tuple(sorted(name for name, facts in self.files.items() if facts.broken))

    @property
    def pickles(self) -> tuple[str, ...]:
        """Files that can run code when they are loaded."""
        return tuple(sorted(name for name in self.files if _PICKLE.search(name) and not _LEFTOVER.match(name)))

    def fingerprint(self) -> str:
        """Changes with every file that is added, removed, resized or rewritten."""
        parts = sorted((name, facts.size, facts.mtime_ns) for name, facts in self.files.items())
        return ";".join(f"{name}|{size}|{mtime}" for name, size, mtime in parts)


def look(folder: Path | str) -> FolderFacts:
    """List a folder. An unreadable one, or one that is gone meanwhile, is empty."""
    files: dict[str, FileFacts] = {}
    subfolders: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                _sort(entry, files, subfolders)
    except OSError:
        return FolderFacts({}, ())
    return FolderFacts(files, tuple(sorted(subfolders)))


def _sort(entry: os.DirEntry[str], files: dict[str, FileFacts], subfolders: list[str]) -> None:
    try:
        if entry.is_dir():
            subfolders.append(entry.name)
            return
        if not entry.is_file():
            if entry.is_symlink():
                files[entry.name] = FileFacts(0, 0, broken=True)
            return  # a device, a socket or a pipe: opening one could wait for ever
        status = entry.stat()
    except OSError:
        if entry.is_symlink():
            files[entry.name] = FileFacts(0, 0, broken=True)
        return
    files[entry.name] = FileFacts(status.st_size, status.st_mtime_ns)
