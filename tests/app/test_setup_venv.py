"""The installer's ways out: what it refuses, and what it leaves alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "packaging" / "setup_venv.py"


def setup(target: Path) -> subprocess.CompletedProcess[str]:
    """Run it as make does."""
    command = [sys.executable, str(SCRIPT), "--venv", str(target), "--engine", "none"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    precious = tmp_path / "thesis.txt"
    precious.write_text("all of it")
    refused = setup(tmp_path)
    assert refused.returncode == 1
    assert "something else than a virtual environment" in refused.stderr
    assert precious.read_text() == "all of it"


def test_a_place_where_nothing_can_be_written_is_said() -> None:
    refused = setup(Path("/dev/full/venv"))
    assert refused.returncode == 1
    assert "/dev/full" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_another_python_is_refused_by_make(tmp_path: Path) -> None:
    old = tmp_path / "python"
    old.write_text('#!/bin/sh\n[ "$1" = -V ] && echo "Python 3.9.18" && exit\nexit 1\n')
    old.chmod(0o755)
    command = ["make", "-C", str(SCRIPT.parents[1]), f"PYTHON={old}", "python"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert "needs Python 3.11 to 3.13; this is Python 3.9.18" in told.stderr
