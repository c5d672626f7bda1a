"""A disk that is full while the window and the lab write: a tmpfs of a few megabytes in a namespace of its own."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_ALONE = ["unshare", "--user", "--map-root-user", "--mount"]


def test_a_really_full_disk_loses_nothing_and_is_told(tmp_path: Path) -> None:
    try:
        allowed = subprocess.run([*_ALONE, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        allowed = False
    if not allowed:
        pytest.skip("this system lets no user mount a tmpfs in a namespace of its own")
    script = 'mount -t tmpfs -o size=3m tmpfs "$0" && exec "$@"'
    command = [*_ALONE, "sh", "-c", script, str(tmp_path), sys.executable, "-m", "tests.soak.full_disk", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
