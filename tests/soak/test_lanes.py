"""Several soaks at once: a lane ends with those who give it orders, and finds what is its own alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.shared_memory import OwnSegments
from tests.soak.lane import LaneSettings
from tests.soak.leftovers import Leftovers
from tests.soak.report import Report, Result

if TYPE_CHECKING:
    from tests.soak.machine import Identity

_MAKES_A_SEGMENT = """
from multiprocessing import resource_tracker, shared_memory
segment = shared_memory.SharedMemory(create=True, size=64)
resource_tracker.unregister(segment._name, "shared_memory")
print(segment.name, flush=True)
input()
"""


@pytest.mark.parametrize(("orders", "code", "answer"), [("close\n", 0, '{"left": []}\n'), ("", 1, "")])
def test_a_lane_ends_with_its_orders_and_leaves_nothing(
    orders: str, code: int, answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    settings = LaneSettings(str(tmp_path / "home"), str(tmp_path), {}, 1, ("host",), 1, "Worker", True, False)
    done = subprocess.run(settings.command(), input=orders, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (code, answer), done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_shared_memory_of_others_is_not_ours(tmp_path: Path) -> None:
    nobody: tuple[Identity, ...] = ()
    # A child of a child, as an engine is one of a window's.
    outer = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]], check=True)"
    own = OwnSegments(lambda: child.pid)
    whole, shared = Leftovers(tmp_path, tmp_path, None), Leftovers(tmp_path, tmp_path, own)
    with subprocess.Popen(
        [sys.executable, "-c", outer, _MAKES_A_SEGMENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        name = child.stdout.readline().strip()
        shared.look()
        assert shared.files(nobody) == []  # somebody has it
        child.communicate("\n")
    foreign = SharedMemory(create=True, size=64)
    try:
        assert shared.files(nobody) == [f"/dev/shm/{name}"]
        assert f"/dev/shm/{name}" in whole.files(nobody)
    finally:
        own.stop()
        foreign.close()
        foreign.unlink()
        Path(f"/dev/shm/{name}").unlink()


def test_a_temporary_file_is_left_over_unless_its_host_lives(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder)
        ticks = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
        for name in (f"kvdeck-engine-{os.getpid()}-{ticks}-0a", f"kvdeck-engine-{os.getpid()}-1-0a", "vllm_dist_x"):
            (temporary / name).mkdir()
        found = Leftovers(tmp_path, temporary, None).files(())
        assert sorted(Path(each).name for each in found) == [f"kvdeck-engine-{os.getpid()}-1-0a", "vllm_dist_x"]


def test_the_sum_of_a_report_is_for_programs_too(tmp_path: Path) -> None:
    report = Report(tmp_path / "soak.jsonl")
    for number, told_s in ((1, 0.1), (4, 0.2), (2, 0.6)):
        report.add(Result(number, 7, "host", "serving", told_s=told_s).as_json())
    report.add(Result(3, 7, "window", "loading", faults=["told after 3 s"]).as_json())
    again = Report(tmp_path / "soak.jsonl")
    figures = json.loads(json.dumps(again.figures()))
    assert (figures["rounds"], figures["failed"]) == (4, 1)
    assert figures["targets"]["host"]["told_s"] == {"least": 0.1, "median": 0.2, "most": 0.6}
    assert figures["targets"]["window"]["told_s"] is None
    assert figures["faults"] == ["round 3 (window, loading): told after 3 s"]
    assert again.open_numbers(6) == [5, 6]
    assert again.seed(1) == 7
