"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def write_whole(path: Path, content: bytes, *, durable: bool = False, mode: int = 0o666) -> None:
    """Replace `path` by `content` in one act; readers see the old file or the new one. Raises OSError.

    `durable`: the content is on the disk before the name stands for it, so that a power cut leaves one of the two.
    `mode` is the file's from its first byte on, less the umask. The temporary file beside it carries this process's
    and thread's ids, so that two writers never write into the same one.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_native_id()}.part")
    with contextlib.suppress(FileNotFoundError):
        temporary.unlink()
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
