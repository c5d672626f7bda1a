"""A host that is there and says nothing, as the window tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.bridge.silence_watch import SilenceWatch
from app.bridge.store import HostSilence
from app.widgets.state_light import StateLight
from engine.domain.lifecycle import Lifecycle, Phase, ServingStats
from tests.hand_clock import HandClock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store
    from app.theme.themes import Themes


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def asked() -> list[float]:
    """When the host was asked another way."""
    return []


@pytest.fixture
def watch(store: Store, clock: HandClock, asked: list[float]) -> Iterator[SilenceWatch]:
    watch = SilenceWatch(store, clock=clock, ask=lambda: asked.append(clock.now_s))
    watch.start()
    yield watch
    watch.stop()


def _pass(watch: SilenceWatch, clock: HandClock, seconds: int) -> None:
    """So many seconds pass, with a look in each."""
    for _ in range(seconds):
        clock.now_s += 1
        watch.look()


def test_silence_is_told_and_taken_back(
    watch: SilenceWatch, store: Store, clock: HandClock, themes: Themes, qtbot: QtBot
) -> None:
    light = StateLight(store, themes)
    qtbot.addWidget(light)
    store.publish(Lifecycle(Phase.READY))
    _pass(watch, clock, 4)
    assert store.silence.seconds is None, "a busy host may take a moment"
    said = light.words.text()
    _pass(watch, clock, 8)
    assert store.silence.seconds == 12
    assert light.words.text() == f"{said} · no answer for 12 s"
    assert light.toolTip()
    watch.heard()
    assert store.silence.seconds is None
    assert light.words.text() == said
    assert not light.toolTip()


def test_what_explains_a_silence_is_not_told(watch: SilenceWatch, store: Store, clock: HandClock) -> None:
    _pass(watch, clock, 20)
    for phase in (Phase.IDLE, Phase.LOADING, Phase.FAILED, Phase.OFFLINE):
        store.publish(Lifecycle(phase))
        watch.look()
        assert store.silence.seconds is None, phase
    store.publish(Lifecycle(Phase.READY))
    watch.look()
    assert store.silence.seconds == 20
    watch.stop()
    assert store.silence.seconds is None


def test_the_host_is_asked_before_its_silence_is_told(
    watch: SilenceWatch, store: Store, clock: HandClock, asked: list[float]
) -> None:
    _pass(watch, clock, 20)
    assert not asked, "no model runs: it need not say anything"
    store.publish(Lifecycle(Phase.READY))
    watch.heard()
    _pass(watch, clock, 3)
    assert not asked
    _pass(watch, clock, 1)
    assert asked == [clock.now_s]
    assert store.silence.seconds is None


def test_a_window_that_was_held_up_itself_does_not_blame_the_host(
    watch: SilenceWatch, store: Store, clock: HandClock, asked: list[float]
) -> None:
    store.publish(Lifecycle(Phase.READY))
    clock.now_s += 30
    watch.look()
    assert store.silence.seconds is None
    assert not asked
    _pass(watch, clock, 6)
    assert store.silence.seconds == 7


def test_an_engine_that_makes_no_step_is_told_beside_its_state(store: Store, themes: Themes, qtbot: QtBot) -> None:
    def serving(owed_s: float | None) -> ServingStats:
        return ServingStats(1, 10.0, 0, 0, 0, None, None, None, None, None, None, 1, 0, 0.0, 0, 0, None, (), owed_s)

    light = StateLight(store, themes)
    qtbot.addWidget(light)
    store.publish(Lifecycle(Phase.READY))
    store.publish(serving(None))
    said = light.words.text()
    store.publish(serving(12.4))
    assert light.words.text() == f"{said} · no step for 12 s"
    assert "makes no step" in light.toolTip()
    store.publish(HostSilence(7))
    assert light.words.text() == f"{said} · no answer for 7 s", "of the engine nothing is known then"
    store.publish(HostSilence())
    store.publish(Lifecycle(Phase.UNLOADING))
    assert "no step" not in light.words.text()
    store.publish(Lifecycle(Phase.READY))
    store.publish(serving(None))
    assert light.words.text() == said
