"""Pages that outlived their writer: SIGKILL leaves no chance to remove one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.page.layout import HEADER_BYTES, MAGIC, HeaderInvalid, unpack_header
from engine.page.liveness import is_alive, start_ticks

if TYPE_CHECKING:
    from pathlib import Path

_UNFINISHED = re.compile(r"\..+\.(\d+)\.new")


def remove_stale_pages(runtime_dir: Path) -> tuple[Path, ...]:
    """Remove every page in this folder whose writer is dead, and return their paths. Other files are left alone."""
    removed = []
    for path in sorted(runtime_dir.iterdir()) if runtime_dir.is_dir() else ():
        try:
            if path.is_file() and not path.is_symlink() and _is_stale(path):
                path.unlink()
                removed.append(path)
        except OSError:
            continue  # another process removed it first, or it is not ours
    return tuple(removed)


def _is_stale(path: Path) -> bool:
    unfinished = _UNFINISHED.fullmatch(path.name)
    if unfinished:
        return start_ticks(int(unfinished[1])) is None
    with path.open("rb") as file:
        data = file.read(HEADER_BYTES)
        if data[: len(MAGIC)] != MAGIC:
            return False
    try:
        # A page cut short has its writer's identity all the same.
        header = unpack_header(data, file_bytes=1 << 62)
    except HeaderInvalid:
        return False  # another version's page: its own program removes it
    return not is_alive(header.writer_pid, header.writer_ticks)
