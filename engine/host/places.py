"""Whether the host can write where it has to, asked before it begins."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from engine.domain.errors import KVDeckError
from engine.domain.paths import cache_dir, runtime_dir

if TYPE_CHECKING:
    from pathlib import Path


def require_places(address_file: Path | None) -> None:
    """Raises KVDeckError that names the folder, or the address file, that cannot be made or written."""
    for own in (runtime_dir, cache_dir):
        try:
            _require_writable(own())
        except OSError as error:
            raise KVDeckError(
                f"KVDeck cannot write its folder {error.filename}: {error.strerror}.",
                remedy="Make it writable for you, or name another place with KVDECK_HOME.",
            ) from error
    if address_file is None:
        return
    try:
        if address_file.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        _require_writable(address_file.absolute().parent)
    except OSError as error:
        raise KVDeckError(
            f"The address file {address_file} cannot be written: {error.strerror}.",
            remedy="Name one in a folder that is there, and writable for you.",
        ) from error


def _require_writable(folder: Path) -> None:
    """Raises OSError."""
    code = 0
    if not folder.is_dir():
        code = errno.ENOTDIR if folder.exists() else errno.ENOENT
    elif not os.access(folder, os.W_OK | os.X_OK):
        code = errno.EROFS if os.statvfs(folder).f_flag & os.ST_RDONLY else errno.EACCES
    if code:
        raise OSError(code, os.strerror(code), str(folder))
