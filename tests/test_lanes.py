"""The two lanes of `make test`: what they print, what they make of the exit codes, and that nothing is left of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import psutil
import pytest

from tests.engine.host.hosting import wait_gone
from tests.lanes import Lane, make_lanes, run, verdict
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def _program(words: str, code: int = 0) -> list[str]:
    return [sys.executable, "-c", f"print({words!r}, flush=True); raise SystemExit({code})"]


def _lane(folder: Path, name: str, *commands: Sequence[str], makes_way: bool = False) -> Lane:
    return Lane(name, tuple(map(list, commands)), folder / name, makes_way=makes_way)


def test_what_each_prints_is_kept_apart_and_in_order(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    first = _lane(tmp_path, "first", _program("one"))
    second = _lane(tmp_path, "second", _program("two"), _program("three"), makes_way=True)
    assert run(first, second) == 0
    told = capfdbinary.readouterr().out.decode().split()
    assert told[:3] == ["one", "two", "three"]
    assert told.count("passed") == 2
    assert "once" not in told


def test_a_failure_is_told_again_at_the_end_and_the_rest_still_runs(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    first = _lane(tmp_path, "first", _program("begins\n===== FAILURES =====\nwhy", 1))
    second = _lane(tmp_path, "second", _program("mypy", 2), _program("tests"), makes_way=True)
    assert run(first, second) == 1
    out = capfdbinary.readouterr().out.decode()
    assert out.count("why") == 2
    assert out.count("begins") == 1
    assert out.index("tests") < out.rindex("why")
    assert out.count("FAILED") == 2


@pytest.mark.parametrize(
    ("engine", "beside", "code"),
    [
        ([0], [0, 0, 0], 0),
        ([5], [0, 0, 0], 0),
        ([0], [0, 0, 5], 0),
        ([5], [0, 0, 5], 5),
        ([5], [0, 1, 5], 1),
        ([0], [2, 0, 0], 2),
        ([-9], [0, 0, 0], -9),
        ([1], [0, 0, 5], 1),
    ],
)
def test_the_verdict(tmp_path: Path, engine: list[int], beside: list[int], code: int) -> None:
    first, second = make_lanes(tmp_path, [])
    assert len(second.commands) == 3
    first.codes, second.codes = engine, beside
    assert verdict(first, second) == code


def test_the_lane_beside_runs_with_less_weight(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    weight = [sys.executable, "-c", "import os, time; time.sleep(0.5); print('nice', os.nice(0), os.getsid(0))"]
    assert run(_lane(tmp_path, "first", weight), _lane(tmp_path, "second", weight, makes_way=True)) == 0
    (_, usual, session), (_, less, other) = (
        line.split() for line in capfdbinary.readouterr().out.decode().splitlines() if line.startswith("nice")
    )
    assert int(usual) == os.nice(0)
    assert int(less) == max(10, os.nice(0))
    assert len({int(session), int(other), os.getsid(0)}) == 3, "Ctrl+C reaches them once, by way of the lanes"


def test_each_test_is_on_one_lane(tmp_path: Path) -> None:
    """And those of the engine are on its own, also those that say so only by a fixture."""
    where = ["tests/engine/host/test_adapters.py", "tests/app/test_bridge_frame_clock.py", "tests/engine/page"]
    lanes = make_lanes(tmp_path, ["--collect-only", "-q", *where])
    every = _collected([sys.executable, "-m", "pytest", "--collect-only", "-q", *where])
    engine, beside = (_collected(lane.commands[-1]) for lane in lanes)
    assert engine | beside == every
    assert not engine & beside
    assert any("test_adapters" in name for name in engine)
    assert not any("test_adapters" in name or "frame_clock" in name for name in beside)
    assert beside


def _collected(command: list[str]) -> set[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return {line for line in done.stdout.splitlines() if "::" in line}


def test_without_a_choice_all_folders_are_looked_at(tmp_path: Path) -> None:
    """An option whose value is the name of a folder here would be taken for a choice of tests (`--lane engine`)."""
    for lane in make_lanes(tmp_path, []):
        (option,) = (word for word in lane.commands[-1] if word.startswith("--lane"))
        assert "=" in option


def test_an_end_from_outside_ends_both(tmp_path: Path) -> None:
    code = (
        "import sys, time, pathlib\n"
        "from tests import lanes\n"
        "sleeps = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "lanes.make_lanes = lambda _, __: (\n"
        "    lanes.Lane('a', (sleeps,), folder / 'a'), lanes.Lane('b', (sleeps,), folder / 'b', makes_way=True))\n"
        "raise SystemExit(lanes.main([]))\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stderr=subprocess.PIPE) as process:
        try:
            while len(children := psutil.Process(process.pid).children()) < 2:
                assert process.poll() is None
                threading.Event().wait(0.02)
            process.send_signal(signal.SIGTERM)
            assert process.wait(PATIENCE_S) == 130
        finally:
            process.kill()
    wait_gone([child.pid for child in children])
