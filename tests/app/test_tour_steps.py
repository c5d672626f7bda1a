"""How the tour goes on after a step that did not hold, and what its report keeps; without an engine."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QWidget

from app.bridge.frame_clock import FrameClock
from app.bridge.store import Address
from app.tour.crowd import Crowd
from app.tour.robot import StepFailed
from app.tour.runner import Step, Tour
from app.tour.scene import Scene, TourOptions
from engine.bench.workload import ClosedLoop, Uniform
from engine.domain.lifecycle import Lifecycle, Phase

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import qasync
    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store
    from tests.app.conftest import Quiet

    MakeTour = Callable[..., Tour]


async def _holds(_scene: Scene) -> str:
    return "fine"


async def _fails(_scene: Scene) -> str:
    raise StepFailed("Not this time.")


async def _breaks(_scene: Scene) -> str:
    raise KeyError("a fault of the tour's own")


async def _hangs(_scene: Scene) -> str:
    await asyncio.Event().wait()
    return ""


@pytest.fixture
def make_tour(qtbot: QtBot, store: Store, tmp_path: Path) -> MakeTour:
    """A tour of these steps, in a window of nothing."""

    def make(*steps: Step, limit_s: float = 60.0) -> Tour:
        window = QWidget()
        qtbot.addWidget(window)
        window.show()
        tour = Tour(window, store, FrameClock(store), TourOptions(tmp_path, limit_s=limit_s))  # type: ignore[arg-type]
        tour._steps = steps
        return tour

    return make


def _outcomes(folder: Path) -> list[tuple[str, str]]:
    told = json.loads((folder / "report.json").read_text(encoding="utf-8"))["steps"]
    return [(step["outcome"], step["message"]) for step in told]


def test_the_tour_goes_on_where_that_makes_sense(
    make_tour: MakeTour, store: Store, tmp_path: Path, loop: qasync.QEventLoop, quiet: Quiet
) -> None:
    quiet.allow("The tour's step Break broke")

    async def load(_scene: Scene) -> str:
        store.publish(Lifecycle(Phase.READY))
        return "loaded"

    tour = make_tour(
        Step("Start", _holds, vital=True, serves=False),
        Step("Load", _fails, serves=False),
        Step("Ask", _holds),
        Step("Switch", load, serves=False),
        Step("Break", _breaks),
        Step("Ask again", _holds),
    )
    loop.run_until_complete(tour.run())
    assert [outcome for outcome, _ in _outcomes(tmp_path)] == ["held", "failed", "left out", "held", "failed", "held"]
    messages = [message for _, message in _outcomes(tmp_path)]
    assert messages[1] == "Not this time."
    assert "no engine serves" in messages[2]
    assert "a fault of the tour's own" in messages[4]
    assert tour.conclude(0) == 1


def test_nothing_goes_on_without_a_vital_step(make_tour: MakeTour, tmp_path: Path, loop: qasync.QEventLoop) -> None:
    tour = make_tour(Step("Start", _fails, vital=True, serves=False), Step("Load", _holds, serves=False))
    loop.run_until_complete(tour.run())
    assert _outcomes(tmp_path) == [("failed", "Not this time.")]


def test_a_tour_that_is_out_of_time_keeps_what_it_has(
    make_tour: MakeTour, tmp_path: Path, loop: qasync.QEventLoop, capsys: pytest.CaptureFixture[str]
) -> None:
    tour = make_tour(Step("Start", _holds, serves=False), Step("Hang", _hangs, serves=False), limit_s=0.5)
    loop.run_until_complete(tour.run())
    assert _outcomes(tmp_path) == [("held", "fine")]
    assert tour.conclude(0) == 1
    assert "the whole tour took more than" in capsys.readouterr().out


def test_a_crowd_is_shared_by_processes(store: Store) -> None:
    store.publish(Address("http://127.0.0.1:1", "key"))
    workloads = [part.workload for part in Crowd(store, 512, 3000)._parts]
    assert len(workloads) == 4
    assert len({workload.seed for workload in workloads}) == 4
    arrivals = [workload.arrival for workload in workloads]
    assert sum(arrival.clients for arrival in arrivals if isinstance(arrival, ClosedLoop)) > 512
    assert sum(workload.requests or 0 for workload in workloads) == 768
    assert {workload.output for workload in workloads} == {Uniform(1024, 1536)}
    small = [part.workload for part in Crowd(store, 40, 60)._parts]
    assert [(workload.requests, workload.output) for workload in small] == [(60, Uniform(60, 60))]
