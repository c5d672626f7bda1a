"""Where KVDeck keeps its files. KVDECK_HOME moves all of them under one folder (tests, portable installs)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import platformdirs

_APP = "kvdeck"


def _home(part: str, default: str) -> Path:
    home = os.environ.get("KVDECK_HOME")
    return Path(home) / part if home else Path(default)


def private_folder(path: Path) -> Path:
    """Create `path` if need be, readable by this user alone, and return it."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
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
    temporary folder serves when XDG_RUNTIME_DIR is not set.
    """
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    default = f"{runtime}/{_APP}" if runtime else f"{tempfile.gettempdir()}/{_APP}-{os.getuid()}"
    return private_folder(_home("run", default))
