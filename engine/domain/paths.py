"""Where KVDeck keeps its files. KVDECK_HOME moves all of them under one folder (tests, portable installs)."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import platformdirs

_APP = "kvdeck"


def _home(part: str, default: str) -> Path:
    home = os.environ.get("KVDECK_HOME")
    return Path(home) / part if home else Path(default)


def private_folder(path: Path) -> Path:
    """Create `path` and what is above it if need be, readable by this user alone, and return it."""
    for folder in (*reversed(path.parents), path):  # mkdir's own `parents` are made as the umask has it
        if not folder.is_dir():
            folder.mkdir(exist_ok=True, mode=0o700)
    return path


def config_dir() -> Path:
    """Settings and profiles."""
    return private_folder(_home("config", platformdirs.user_config_dir(_APP)))


def data_dir() -> Path:
    """Chats and benchmark runs (SQLite)."""
    return private_folder(_home("data", platformdirs.user_data_dir(_APP)))


def cache_dir() -> Path:
    """What can be made again: the starter model, scan results."""
    return private_folder(_home("cache", platformdirs.user_cache_dir(_APP)))


def log_dir() -> Path:
    """Log files of the window and of the host."""
    return private_folder(_home("log", platformdirs.user_log_dir(_APP)))


def runtime_dir() -> Path:
    """Telemetry pages and the running host's address file: short-lived, this user's alone.

    A plain folder on a memory file system where there is one; /dev/shm is only 64 MB in many containers, so the
    temporary folder serves when XDG_RUNTIME_DIR is not set. Raises PermissionError where somebody else has ours there.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime or os.environ.get("KVDECK_HOME"):
        return private_folder(_home("run", f"{runtime}/{_APP}"))
    folder = private_folder(Path(tempfile.gettempdir()) / f"{_APP}-{os.getuid()}")
    status = folder.lstat()  # anyone may have made a folder, or a link, of this name before us
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise PermissionError(f"{folder} belongs to another user: set XDG_RUNTIME_DIR, or have it removed")
    if status.st_mode & 0o077:
        folder.chmod(0o700)
    return folder
