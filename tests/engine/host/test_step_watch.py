"""An engine that has requests and makes no step, as the host tells it."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from engine.domain.lifecycle import HostStatus, Lifecycle, Phase
from engine.host.events import EventHub
from engine.host.pulse import Pulse
from engine.host.stats import StatsWindow
from engine.host.step_watch import StepWatch
from tests.hand_clock import HandClock


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def watch(clock: HandClock) -> StepWatch:
    return StepWatch(clock)


def pass_by(watch: StepWatch, clock: HandClock, seconds: float, unfinished: int, steps: int) -> float | None:
    """So many seconds pass, with two looks in each; returns what the last one said."""
    told = None
    for _ in range(round(2 * seconds)):
        clock.now_s += 0.5
        told = watch.look(unfinished, steps)
    return told


def test_an_engine_that_hangs_is_told_until_it_goes_on(
    watch: StepWatch, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "engine.host.step_watch")
    assert pass_by(watch, clock, 60, 0, 7) is None, "it has nothing to do"
    assert pass_by(watch, clock, 9, 3, 7) is None, "a long prefill"
    assert pass_by(watch, clock, 3, 3, 7) == pytest.approx(12)
    assert watch.look(3, 8) is None
    assert pass_by(watch, clock, 9, 3, 8) is None
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
    assert "and has 3 requests" in caplog.text


def test_an_engine_is_not_blamed_for_what_nobody_asked_or_read(watch: StepWatch, clock: HandClock) -> None:
    pass_by(watch, clock, 8, 1, 1)
    assert pass_by(watch, clock, 1, 0, 1) is None, "its requests were aborted"
    assert pass_by(watch, clock, 8, 1, 1) is None
    clock.now_s += 20
    assert watch.look(1, 1) is None, "the host itself was stopped: it has not read what came meanwhile"
    assert pass_by(watch, clock, 8, 1, 1) is None


def test_an_engine_with_steps_as_long_is_told_of_once(watch: StepWatch, clock: HandClock) -> None:
    """A prefill of a large model without a GPU is no hang, each time anew."""
    assert pass_by(watch, clock, 20, 1, 1) is not None
    for step in range(2, 6):
        assert pass_by(watch, clock, 25, 1, step) is None
    assert pass_by(watch, clock, 60, 1, 5) is not None
    pass_by(watch, clock, 1000, 1, 5)
    watch.look(1, 6)
    assert pass_by(watch, clock, 121, 1, 6) is not None, "what was stopped for long is waited for, but not as long"


def test_an_engine_that_was_ended_or_died_does_not_go_on(
    watch: StepWatch, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "engine.host.step_watch")
    pass_by(watch, clock, 12, 1, 1)
    assert pass_by(watch, clock, 1, 0, 1) is None
    assert pass_by(watch, clock, 12, 1, 1) is not None, "the next one that hangs is told again"
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]


async def test_it_stands_with_the_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.host.step_watch._PATIENCE_S", 0.0)
    hub = EventHub(lambda: HostStatus("1", None, 1, "", Lifecycle(Phase.READY), None))
    service: Any = SimpleNamespace(running=SimpleNamespace(unfinished=2), tell_elapsed=lambda: None)
    pulse = Pulse(service, StatsWindow(), hub)
    reader = hub.subscribe()
    pulse.beat()
    hub.close()
    frames = [msgspec.json.decode(data) async for data in reader.frames()]
    assert frames[-1]["topic"] == "serving"
    assert frames[-1]["value"]["step_owed_s"] >= 0
