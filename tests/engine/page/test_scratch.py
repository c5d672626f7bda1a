"""The folder of a host's temporary files: private, told from others' by its name, removed when its host is dead."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from engine.page.scratch import SCRATCH, make_scratch, remove_scratch, remove_stale_scratch, use_scratch


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of this test's own."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("KVDECK_HOME", str(tmp_path / "home"))
    return tmp_path


def test_it_is_private_and_removed_by_its_name_alone(temporary: Path) -> None:
    path, environment = make_scratch(), {"TMPDIR": "/elsewhere"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    use_scratch(path, environment)
    assert environment[SCRATCH] == environment["TMPDIR"] == environment["VLLM_RPC_BASE_PATH"] == str(path)
    assert "torchinductor" in environment["TORCHINDUCTOR_CACHE_DIR"]
    (path / "vllm_dist_x").write_text("x")
    remove_scratch({SCRATCH: str(temporary)})  # not a name of ours
    remove_scratch({})
    assert path.exists()
    remove_scratch(environment)
    remove_scratch(environment)
    assert not path.exists()
    assert temporary.exists()


def test_a_long_temporary_folder_still_leaves_room_for_a_socket(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = temporary / ("x" * 80)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    path = make_scratch()
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(path / "01234567-0123-0123-0123-0123456789ab"))
    finally:
        remove_scratch({SCRATCH: str(path)})
    assert not path.exists()


def test_only_folders_of_the_dead_are_stale(temporary: Path) -> None:
    made = subprocess.run(
        [sys.executable, "-c", "from engine.page.scratch import make_scratch; print(make_scratch())"],
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=True,
    )
    dead, living = Path(made.stdout.strip()), make_scratch()
    (dead / "socket").write_text("")
    other = temporary / "kvdeck-engine-notes"
    other.mkdir()
    link = temporary / dead.name.replace(dead.name[-8:], "00000000")
    link.symlink_to(other)
    assert dead in remove_stale_scratch()
    assert not dead.exists()
    assert living.exists()
    assert other.exists()
    assert link.is_symlink()
    remove_scratch({SCRATCH: str(living)})
