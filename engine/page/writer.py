"""The writing side of the telemetry page: makes the file, and brackets every publication with the seqlock."""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import time
from typing import TYPE_CHECKING

from engine.domain.blocks import BlockState
from engine.domain.errors import DiskFull
from engine.page.layout import HEADER_BYTES, PageGeometry, pack_header
from engine.page.liveness import own_identity
from engine.page.tables import TableWriter
from engine.page.views import PageViews, map_views

if TYPE_CHECKING:
    from pathlib import Path

    from engine.page.layout import Change


class PageWriter:
    """One writer of one page. Not for several threads.

    Between `begin` and `commit` the sequence number is odd and readers keep away; whatever happens in between, even
    the writer's death, they see either the last publication or none.
    """

    def __init__(self, path: Path, geometry: PageGeometry) -> None:
        """Make the page at `path`, mode 0600, under a temporary name first. Raises DiskFull, OSError.

        All of it is allocated at once: a page that grew into a full file system would end the engine with a bus error.
        """
        self.path = path
        self.geometry = geometry
        sections, total = geometry.sections()
        self._map = _create_file(path, total, pack_header(geometry, *own_identity()))
        self.views: PageViews = map_views(self._map, geometry, {s.tag: s for s in sections})
        self.tables = TableWriter(self.views)
        self._seq = self.views.seq.data
        self._changes = self.views.changes.data
        self._published = self.views.published_ns.data
        self.views.states[0] = BlockState.NULL
        _publish_name(path)

    def begin(self) -> None:
        """Start a publication: from here to `commit` readers wait."""
        self._seq[0] |= 1

    def commit(self, *changed: Change) -> None:
        """End the publication and say which parts of the page it changed."""
        changes = self._changes
        for part in changed:
            changes[part] += 1
        self._published[0] = time.monotonic_ns()
        self._seq[0] += 1

    def close(self, *, unlink: bool = True) -> None:
        """Unmap the page and, unless told otherwise, remove it. Harmless when it is called twice."""
        if unlink:
            with contextlib.suppress(OSError):
                self.path.unlink()
        del self.views, self.tables, self._seq, self._changes, self._published
        with contextlib.suppress(BufferError):  # somebody still holds a view; the mapping ends with it
            self._map.close()


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.new")


def _create_file(path: Path, total: int, header: bytes) -> mmap.mmap:
    temporary = _temporary(path)
    temporary.unlink(missing_ok=True)
    fd = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(fd, 0, total)
        os.pwrite(fd, header.ljust(HEADER_BYTES, b"\0"), 0)
        return mmap.mmap(fd, total)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise DiskFull(
                f"The telemetry page needs {total:,} bytes in {path.parent}, and there is no room for them.",
                remedy="Free some space there, or set XDG_RUNTIME_DIR to a folder on another file system.",
            ) from error
        raise
    finally:
        os.close(fd)


def _publish_name(path: Path) -> None:
    _temporary(path).rename(path)
