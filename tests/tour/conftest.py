"""A home of its own for each window that a test starts, with the starter model of this user's cache in it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path: Path, full_build: Path) -> Path:
    """KVDECK_HOME of one window: a free port, no chats, no settings; what is built of the starter model stays built."""
    home = tmp_path / "home"
    (home / "config").mkdir(parents=True)
    (home / "config" / "window.ini").write_text("[server]\nport=0\n", encoding="utf-8")
    (home / "cache").mkdir()
    (home / "cache" / "starter").symlink_to(full_build, target_is_directory=True)
    return home


@pytest.fixture
def environment(home: Path) -> dict[str, str]:
    """The environment of a window in a test: its own folders, nobody else's settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("VLLM_", "KVDECK_"))}
    return {**kept, "KVDECK_HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "HF_HUB_OFFLINE": "1"}
