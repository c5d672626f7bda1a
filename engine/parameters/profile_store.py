"""Parameters saved per checkpoint, and named profiles beside them: one small TOML file a checkpoint."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tomlkit
from tomlkit.exceptions import TOMLKitError

from engine.domain.errors import DiskFull, KVDeckError, ParameterInvalid
from engine.domain.whole_file import write_whole
from engine.parameters.catalog import CATALOG
from engine.parameters.values import deviations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.domain.lifecycle import ParameterValue

# TOML has no null: this word stands for "vLLM decides" in rows whose default is something else.
_UNSET = "vllm decides"
_HEADER = "What was changed from the defaults for this checkpoint. Names are those of `vllm serve`."


@dataclass(frozen=True, slots=True)
class SavedProfile:
    """Deviations from the defaults; `notes` say in a sentence each what could not be read."""

    values: dict[str, ParameterValue]
    notes: tuple[str, ...] = ()


class ProfileStore:
    """Reads and writes profiles under `folder`. The profile named "" is the one that a checkpoint loads with.

    Files are written whole or not at all. A damaged one is set aside (never deleted, never overwritten), and said so.
    What a newer KVDeck or the user wrote into a file (comments, unknown names) stays in it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path_of(self, checkpoint: str) -> Path:
        """The file of a checkpoint, by its full path or hub name."""
        words = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(checkpoint).name).strip("-.")[:80]
        digest = hashlib.sha256(checkpoint.encode("utf-8", "surrogateescape")).hexdigest()[:10]
        return self._folder / f"{words or 'checkpoint'}-{digest}.toml"

    def load(self, checkpoint: str, name: str = "") -> SavedProfile:
        """The saved deviations; empty where nothing was saved. Never raises for a damaged file: see `notes`."""
        document, notes = self._read(self.path_of(checkpoint))
        table = _table(document, name)
        values: dict[str, ParameterValue] = {}
        for key, raw in table.items():
            if key not in CATALOG:
                notes.append(f"{key} was left out: this KVDeck has no parameter of that name.")
                continue
            try:
                values[key] = CATALOG[key].check(None if raw == _UNSET else raw)
            except ParameterInvalid as error:
                notes.append(f"{key} was left out: {error.message}")
        return SavedProfile(deviations(values), tuple(notes))

    def names(self, checkpoint: str) -> tuple[str, ...]:
        """The named profiles of a checkpoint, sorted."""
        document, _ = self._read(self.path_of(checkpoint))
        named = document.get("profiles")
        return tuple(sorted(str(name) for name in named)) if isinstance(named, dict) else ()

    def save(self, checkpoint: str, values: Mapping[str, ParameterValue], name: str = "") -> None:
        """Save the deviations among `values`. Raises ParameterInvalid for a bad value, DiskFull, KVDeckError."""
        changed = deviations(values)
        path = self.path_of(checkpoint)
        document, _ = self._read(path)
        if not document:
            document.add(tomlkit.comment(_HEADER))
        document["checkpoint"] = checkpoint.encode("utf-8", "replace").decode()
        if name:
            if not isinstance(document.get("profiles"), dict):
                document["profiles"] = tomlkit.table(is_super_table=True)
            holder, key = document["profiles"], name
        else:
            holder, key = document, "values"
        old = holder.get(key)
        table = old if isinstance(old, dict) else tomlkit.table()
        for gone in [known for known in table if known in CATALOG and known not in changed]:
            del table[gone]
        for known, value in changed.items():
            table[known] = _UNSET if value is None else value
        holder[key] = table
        self._write(path, tomlkit.dumps(document))

    def forget(self, checkpoint: str, name: str = "") -> None:
        """Remove one profile; the file goes with the last of them."""
        path = self.path_of(checkpoint)
        document, _ = self._read(path)
        named = document.get("profiles")
        if name and isinstance(named, dict):
            named.pop(name, None)
        elif not name:
            document.pop("values", None)
        if document.get("values") or document.get("profiles"):
            self._write(path, tomlkit.dumps(document))
        else:
            path.unlink(missing_ok=True)

    def _read(self, path: Path) -> tuple[tomlkit.TOMLDocument, list[str]]:
        try:
            return tomlkit.parse(path.read_text(encoding="utf-8")), []
        except FileNotFoundError:
            return tomlkit.document(), []
        except OSError as error:
            return tomlkit.document(), [f"{path} could not be read ({error.strerror}); defaults are used."]
        except (TOMLKitError, UnicodeDecodeError, ValueError, RecursionError):
            aside = _set_aside(path)
            return tomlkit.document(), [
                f"The saved parameters were damaged and are kept as {aside}; defaults are used."
            ]

    def _write(self, path: Path, text: str) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(path, text.encode(), durable=True, mode=0o600)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise DiskFull(f"No room to save {path}.", remedy="Free some disk space and save again.") from error
            raise KVDeckError(
                f"{path} could not be written: {error.strerror}.", remedy="Check the folder's permissions."
            ) from error


def _table(document: tomlkit.TOMLDocument, name: str) -> Mapping[str, ParameterValue]:
    found: object = document.get("values")
    if name:
        named = document.get("profiles")
        found = named.get(name) if isinstance(named, dict) else None
    return {str(key): _plain(value) for key, value in found.items()} if isinstance(found, dict) else {}


def _plain(value: object) -> ParameterValue:
    unwrapped = value.unwrap() if hasattr(value, "unwrap") else value
    return unwrapped if isinstance(unwrapped, bool | int | float | str) else str(unwrapped)


def _set_aside(path: Path) -> Path:
    for number in range(1, 1000):
        aside = path.with_suffix(f".damaged-{number}")
        if not aside.exists():
            with contextlib.suppress(OSError):
                path.replace(aside)
            return aside
    return path
