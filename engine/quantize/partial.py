"""The folder of a half-done build: what is in it is whole, survives a kill, and is used again by the next build."""

from __future__ import annotations

import hashlib
import json
import shutil
from typing import TYPE_CHECKING, Any

from engine.checkpoints.starter_folders import FAILED_FILE, MANIFEST_FILE, fsync_folder, read_json
from engine.domain.whole_file import write_whole
from engine.quantize.tensor_file import read_tensors, write_tensors

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from torch import Tensor

CHECKPOINT = "checkpoint"
_REPLACED = "replaced"


class Partial:
    """A partial folder. Opening one of another `fingerprint`, or of a failed build, empties it.

    Each kept file is listed in the manifest with its SHA-256; a file that is not listed, or differs, is removed.
    Every method that writes raises OSError (ENOSPC among them) and then leaves what was there before.
    """

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self.folder = folder
        manifest = read_json(folder / MANIFEST_FILE) or {}
        if manifest.get("fingerprint") != fingerprint or (folder / FAILED_FILE).exists():
            remove_folder(folder)
            manifest = {"fingerprint": fingerprint, "files": {}}
        self._manifest: dict[str, Any] = manifest
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._sweep()
        self._save()

    @property
    def kept(self) -> frozenset[str]:
        """Names of the files that earlier builds finished."""
        return frozenset(self._manifest["files"])

    def _sweep(self) -> None:
        files: dict[str, str] = self._manifest["files"]
        for path in self.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name != MANIFEST_FILE and files.get(path.name) != _digest(path):
                path.unlink()
        for name in [name for name in files if not (self.folder / name).exists()]:
            del files[name]

    def keep(self, name: str, tensors: Mapping[str, Tensor]) -> None:
        """Write `tensors` durably under `name`."""
        temporary, path = self.folder / f"{name}.tmp", self.folder / name
        try:
            write_tensors(temporary, tensors)
            self._manifest["files"][name] = _digest(temporary)
            temporary.replace(path)
        except BaseException:
            self._manifest["files"].pop(name, None)
            temporary.unlink(missing_ok=True)
            raise
        self._save()

    def read(self, name: str) -> dict[str, Tensor]:
        """The tensors kept under `name`."""
        return read_tensors(self.folder / name)

    def checkpoint_folder(self) -> Path:
        """An empty folder to assemble the checkpoint in."""
        folder = self.folder / CHECKPOINT
        remove_folder(folder)
        folder.mkdir(mode=0o700)
        return folder

    def publish(self, final: Path) -> None:
        """Give the assembled checkpoint its name, in one step, and remove the rest.

        The files in it must be durable already. A checkpoint of that name, of an older recipe, is replaced.
        """
        fsync_folder(self.folder / CHECKPOINT)
        if final.exists():
            final.rename(self.folder / _REPLACED)
        (self.folder / CHECKPOINT).rename(final)
        fsync_folder(final.parent)
        remove_folder(self.folder)

    @staticmethod
    def discard_checkpoint(folder: Path) -> None:
        """Remove what was assembled in a partial folder, and keep the finished layers."""
        remove_folder(folder / CHECKPOINT)

    def fail(self, reason: Mapping[str, str]) -> None:
        """Keep nothing but the reason why this variant is not shipped."""
        for name in [*self._manifest["files"]]:
            (self.folder / name).unlink(missing_ok=True)
        self._manifest["files"] = {}
        remove_folder(self.folder / CHECKPOINT)
        write_whole(self.folder / FAILED_FILE, json.dumps(dict(reason)).encode(), durable=True)

    def _save(self) -> None:
        write_whole(self.folder / MANIFEST_FILE, json.dumps(self._manifest).encode(), durable=True)


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that is in it, if it is there."""
    if folder.exists():
        shutil.rmtree(folder)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
