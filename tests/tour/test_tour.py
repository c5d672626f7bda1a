"""The whole window, once: `python -m app --tour`, and whether its report tells what was promised."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtGui import QImage

from app.tour.report import KEYS
from tests.shared_memory import OwnSegments, wait_for_none

if TYPE_CHECKING:
    from pathlib import Path

_TOUR_S = 1500


def _flat(report: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in report.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {prefix + key: value}
    return flat


@pytest.mark.tour
@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.timeout(_TOUR_S + 60)
def test_the_tour_holds(tmp_path: Path, home: Path, environment: dict[str, str], starter_checkpoint: Path) -> None:
    folder = tmp_path / "tour"
    command = [sys.executable, "-m", "app", "--tour", "--tour-dir", str(folder)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as tour:
        own = OwnSegments(lambda: tour.pid, every_s=1.0)
        try:
            output, errors = tour.communicate(timeout=_TOUR_S)
        finally:
            own.stop()
            tour.kill()
    assert tour.returncode == 0, f"{output}\n{errors}"
    whole = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    steps = whole.pop("steps")
    assert [step["outcome"] for step in steps] == ["held"] * 7
    assert all(step["message"] and step["seconds"] >= 0 for step in steps)
    report = _flat(whole)
    assert tuple(report) == KEYS
    assert report["chat.text"].strip()
    assert report["window_visible_s"] > 0
    assert report["chat.ttft_ms"] > 0
    assert report["chat.tokens_per_s"] > 0
    assert report["burst.requested"] == report["burst.finished"] == 16
    assert report["burst.shared_blocks_max"] >= 4
    assert 0.5 < report["burst.prefix_hit_rate"] <= 1
    assert report["live.running_max_before"] == 16
    assert report["live.running_max_after"] == 4
    assert report["live.steps_to_effect"] == 1
    assert report["live.lost_requests"] == 0
    assert report["switch.from"] != report["switch.to"]
    assert report["switch.old_processes_left"] == 0
    assert report["blocks.checked_steps"] >= 10
    assert report["blocks.mismatches"] == 0
    assert 0 < report["frames.p50_ms"] <= report["frames.p99_ms"] <= report["frames.max_ms"]
    pictures = sorted(folder.glob("*.png"))
    assert len(pictures) >= 8
    assert all(_is_drawn(picture) for picture in pictures)
    # What is over is gone: no page, no address file, no shared memory.
    assert list((home / "run").iterdir()) == []
    assert own.names
    wait_for_none(own.names)


def _is_drawn(picture: Path) -> bool:
    """Whether the picture shows more than one flat colour."""
    image = QImage(str(picture))
    if image.width() < 800 or image.height() < 600:
        return False
    return len({image.pixel(x, y) for x in range(0, image.width(), 40) for y in range(0, image.height(), 40)}) > 5
