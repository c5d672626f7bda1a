"""Another process that holds an SQLite file as a stuck window or a backup would."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_HOLDER = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
other.execute("PRAGMA locking_mode = " + sys.argv[2])
other.execute("BEGIN " + sys.argv[3])
print("held", flush=True)
sys.stdin.readline()
"""


@contextmanager
def held_by_another_process(path: Path, *, whole: bool = False) -> Iterator[None]:
    """Nobody else can write the file meanwhile; with `whole` nobody can read it, either."""
    modes = ("EXCLUSIVE", "EXCLUSIVE") if whole else ("NORMAL", "IMMEDIATE")
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(path), *modes], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        try:
            yield
        finally:
            holder.communicate("")
