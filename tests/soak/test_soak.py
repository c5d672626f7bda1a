"""The short form of `make soak`: a real window with a real engine under load, whose processes are killed."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_two_kills_under_load_leave_everything_as_it_should_be(tmp_path: Path, starter_checkpoint: Path) -> None:
    report = tmp_path / "soak.jsonl"
    command = [sys.executable, "-m", "tests.soak", "--rounds", "2", "--seed", "1", "--report", str(report)]
    command += ["--tokenizer", str(starter_checkpoint), "--target", "EngineCore", "--target", "host"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=380, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rounds = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    assert [each["ok"] for each in rounds] == [True, True]
    assert all(each["told_s"] is not None for each in rounds)
