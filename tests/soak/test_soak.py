"""The short form of `make soak`: a real window with a real engine under load, whose host is killed.

The deaths of the window, the EngineCore and a worker have tests of their own in tests/tour and tests/engine/host.
"""

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
def test_a_killed_host_leaves_everything_as_it_should_be(tmp_path: Path, starter_checkpoint: Path) -> None:
    report = tmp_path / "soak.jsonl"
    command = [sys.executable, "-m", "tests.soak", "--rounds", "1", "--seed", "4", "--report", str(report)]
    command += ["--tokenizer", str(starter_checkpoint), "--target", "host", "--busy-machine"]  # the other lane is
    done = subprocess.run(command, capture_output=True, text=True, timeout=380, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rounds = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    assert [(each["ok"], each["moment"]) for each in rounds] == [(True, "serving")]
