"""The scan: every checkpoint in every place becomes one Library value, at the price of a stat a file when nothing
changed."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from engine.checkpoints.describe import describe
from engine.checkpoints.description import Description
from engine.checkpoints.find import find
from engine.checkpoints.verdict import judge
from engine.domain.checkpoint import Library
from engine.domain.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.checkpoints.find import Found
    from engine.checkpoints.machine import Machine
    from engine.checkpoints.places import Place
    from engine.domain.checkpoint import Checkpoint

log = logging.getLogger(__name__)

_FORMAT = 2


class _Kept(msgspec.Struct):
    """The file of kept descriptions: by path, with the fingerprint of the files that they were read from."""

    format: int
    entries: dict[str, tuple[str, Description]]


class LibraryScanner:
    """Scans places and keeps what it read in `cache_file`, keyed by every file's name, size and time.

    Blocking: call `scan` in a thread, one call at a time. What cannot be read is listed with its problem; nothing on
    disk makes a scan fail.
    """

    def __init__(self, cache_file: Path) -> None:
        self._cache_file = cache_file
        self._kept: dict[str, tuple[str, Description]] | None = None

    def scan(
        self,
        places: Sequence[Place],
        machine: Machine,
        *,
        cancelled: Callable[[], bool] = lambda: False,
        progress: Callable[[Library], None] | None = None,
    ) -> Library:
        """All checkpoints, judged for `machine`, sorted by family and name.

        `progress` is called now and then with what was found so far (`scanning` true). A cancelled scan returns what
        it has and keeps nothing.
        """
        kept = self._load() if self._kept is None else self._kept
        fresh: dict[str, tuple[str, Description]] = {}
        searched = tuple(str(place.path) for place in places)
        found: dict[str, Checkpoint] = {}
        for place in places:
            for item in find(place, cancelled):
                key = str(item.path)
                if key in fresh:
                    continue
                entry = self._described(item, kept)
                fresh[key] = entry
                found[key] = judge(_with_surroundings(entry[1], item), machine)
                if progress is not None and len(found) % 50 == 0:
                    progress(Library(_sorted(found), searched, scanning=True))
        if not cancelled():
            if fresh != kept:
                self._save(fresh)
            self._kept = fresh
        return Library(_sorted(found), searched, scanning=False)

    def _described(self, item: Found, kept: dict[str, tuple[str, Description]]) -> tuple[str, Description]:
        text = f"{item.name}|{item.source}|{item.facts.fingerprint()}|{';'.join(item.facts.subfolders)}"
        fingerprint = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        before = kept.get(str(item.path))
        if before is not None and before[0] == fingerprint:
            return before
        return fingerprint, describe(item.path, source=item.source, name=item.name)

    def _load(self) -> dict[str, tuple[str, Description]]:
        try:
            kept = msgspec.json.decode(self._cache_file.read_bytes(), type=_Kept)
        except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
            return {}  # none yet, of another release, or damaged: everything is read again
        return kept.entries if kept.format == _FORMAT else {}

    def _save(self, entries: dict[str, tuple[str, Description]]) -> None:
        try:
            self._cache_file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._cache_file, msgspec.json.encode(_Kept(_FORMAT, entries)))
        except (OSError, UnicodeEncodeError) as error:
            # A name that is no text, or a full disk: the next scan reads again what this one has.
            log.info("The scan's result could not be kept: %s", error)


def _with_surroundings(description: Description, item: Found) -> Description:
    """The description with what only the place tells: a download that has not finished."""
    own = description.checkpoint.problem
    if item.problem is None or own is None:
        return description  # files of another revision may be on their way; this one is whole
    problem = f"{own} {item.problem}" if item.facts.files else item.problem
    return replace(description, checkpoint=replace(description.checkpoint, problem=problem))


def _sorted(found: dict[str, Checkpoint]) -> tuple[Checkpoint, ...]:
    return tuple(sorted(found.values(), key=lambda item: (item.family.lower(), item.name.lower(), item.path)))


def default_cache_file(cache_folder: Path) -> Path:
    """Where the scan's result is kept under KVDeck's cache folder."""
    return Path(cache_folder) / "library.json"
