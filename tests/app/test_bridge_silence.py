"""A host that is there and says nothing, as the window tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.bridge.silence_watch import SilenceWatch
from app.widgets.state_light import StateLight
from engine.domain.lifecycle import Lifecycle, Phase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store
    from app.theme.themes import Themes


class Clock:
    """A clock that is set by hand, in seconds."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def watch(store: Store, clock: Clock) -> Iterator[SilenceWatch]:
    watch = SilenceWatch(store, clock=clock)
    watch.start()
    yield watch
    watch.stop()


def test_silence_is_told_and_taken_back(
    watch: SilenceWatch, store: Store, clock: Clock, themes: Themes, qtbot: QtBot
) -> None:
    light = StateLight(store, themes)
    qtbot.addWidget(light)
    store.publish(Lifecycle(Phase.READY))
    clock.now_s += 4
    watch.look()
    assert store.silence.seconds is None, "a busy host may take a moment"
    said = light.words.text()
    clock.now_s += 8
    watch.look()
    assert store.silence.seconds == 12
    assert light.words.text() == f"{said} · no answer for 12 s"
    assert light.toolTip()
    watch.heard()
    assert store.silence.seconds is None
    assert light.words.text() == said
    assert not light.toolTip()


def test_what_explains_a_silence_is_not_told(watch: SilenceWatch, store: Store, clock: Clock) -> None:
    clock.now_s += 20
    for phase in (Phase.IDLE, Phase.LOADING, Phase.FAILED, Phase.OFFLINE):
        store.publish(Lifecycle(phase))
        watch.look()
        assert store.silence.seconds is None, phase
    store.publish(Lifecycle(Phase.READY))
    watch.look()
    assert store.silence.seconds == 20
    watch.stop()
    assert store.silence.seconds is None
