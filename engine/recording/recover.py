"""Recordings whose program ended before they were stopped: they get their names, and can be opened like others."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from typing import TYPE_CHECKING

from engine.domain.errors import RecordingInvalid
from engine.domain.pids import is_taken
from engine.recording.container import SUFFIX, UNFINISHED
from engine.recording.reader import RecordingReader
from engine.recording.writer import give_name

if TYPE_CHECKING:
    from pathlib import Path


def recover(folder: Path) -> list[Path]:
    """Give every readable, abandoned recording in `folder` its name; returns those. What is unreadable stays."""
    found = []
    for partial in sorted(folder.glob(f"*{SUFFIX}{UNFINISHED}")):
        if _writer_runs(partial):
            continue
        with contextlib.suppress(RecordingInvalid, OSError):
            RecordingReader(partial).close()
            found.append(give_name(partial, partial.with_name(partial.name.removesuffix(UNFINISHED))))
    return found


def _writer_runs(path: Path) -> bool:
    """Whether the program that writes this file may still be at it."""
    try:
        database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=rw", uri=True)
        try:
            row = database.execute("SELECT value FROM meta WHERE key = 'writer_pid'").fetchone()
        finally:
            database.close()
        return is_taken(int(json.loads(row[0])))
    except (sqlite3.Error, TypeError, ValueError, OverflowError):
        return False
