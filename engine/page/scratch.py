"""A host's private folder for what vLLM would leave in the temporary folder: its sockets and rendezvous files."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from engine.domain.paths import cache_dir
from engine.page.liveness import is_alive, own_identity

if TYPE_CHECKING:
    from collections.abc import MutableMapping

SCRATCH = "KVDECK_SCRATCH"

_NAME = re.compile(r"kvdeck-engine-(\d+)-(\d+)-[0-9a-f]{8}")
# A Unix socket's path has at most 107 bytes; vLLM's sockets are named by a UUID, multiprocessing's by two short words.
_LONGEST = 107 - len("/pymp-xxxxxxxx/listener-xxxxxxxx") - 12
_SEGMENT = re.compile(r"/dev/shm/(?:psm_|torch_|vllm|sem\.mp-)\S*")  # noqa: S108 - names that vLLM and Python give
_SHORT = Path("/tmp")  # noqa: S108 - only where the usual temporary folder's name is too long; the folder is private


def make_scratch() -> Path:
    """Make this process's folder, for its user alone. Its name tells whose it is, so that any of us may tidy up later.

    Raises OSError.
    """
    pid, ticks = own_identity()
    name = f"kvdeck-engine-{pid}-{ticks}-{secrets.token_hex(4)}"
    path = Path(tempfile.gettempdir()) / name
    if len(os.fsencode(path)) > _LONGEST:
        path = _SHORT / name
    path.mkdir(mode=0o700)
    return path


def use_scratch(path: Path, environment: MutableMapping[str, str]) -> None:
    """Tell vLLM and the engine's processes, which inherit this environment, to put their temporary files there.

    What Torch compiles is kept outside: it is worth it.
    """
    environment.setdefault("TORCHINDUCTOR_CACHE_DIR", str(cache_dir() / "torchinductor"))
    environment[SCRATCH] = environment["VLLM_RPC_BASE_PATH"] = environment["TMPDIR"] = str(path)


def remove_scratch(environment: MutableMapping[str, str]) -> None:
    """Remove the folder that this environment names, if it is one of ours; harmless when it is gone."""
    path = environment.get(SCRATCH)
    if path and _NAME.fullmatch(Path(path).name):
        shutil.rmtree(path, ignore_errors=True)


def remove_own_segments() -> None:
    """Unlink the shared memory that this process, an engine's, has mapped: for its end after the host's.

    Python's resource tracker removes what Python made, as long as nobody kills it, too; vLLM's own nobody does.
    """
    with contextlib.suppress(OSError):
        for name in set(_SEGMENT.findall(Path("/proc/self/maps").read_text(errors="replace"))):
            with contextlib.suppress(OSError):
                Path(name).unlink()


def remove_stale_scratch() -> tuple[Path, ...]:
    """Remove the folders of hosts that are dead; only this user's own. Returns what was removed."""
    removed = []
    for folder in {Path(tempfile.gettempdir()), _SHORT}:
        for path in folder.glob("kvdeck-engine-*") if folder.is_dir() else ():
            if _is_stale(path):
                shutil.rmtree(path, ignore_errors=True)
                removed.append(path)
    return tuple(removed)


def _is_stale(path: Path) -> bool:
    found = _NAME.fullmatch(path.name)
    if found is None or is_alive(int(found[1]), int(found[2])):
        return False
    try:
        status = path.lstat()
    except OSError:
        return False  # another process removed it first
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
