"""A host that says anything at all, in the right form: the window draws it, or leaves it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from app.bridge.engine_feed import EngineFeed
from app.bridge.frame_clock import FrameClock
from engine.client.host_process import HostOptions
from engine.client.remote import RemoteEngine
from engine.domain.lifecycle import Lifecycle, LiveLimits, LogRecord, Phase, ServingStats
from tests.app.test_shell_window import window  # noqa: F401 - the fixture

if TYPE_CHECKING:
    import pytest

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from tests.app.conftest import Quiet

# What JSON can say: no NaN and no infinity, and integers of any size.
_WHOLE = st.integers(-(2**70), 2**70) | st.integers(0, 100_000)
_FLOATS = st.floats(allow_nan=False, allow_infinity=False) | st.floats(0, 1)
_TEXTS = st.text(max_size=20)
for _kind, _strategy in ((int, _WHOLE), (float, _FLOATS), (str, _TEXTS)):
    st.register_type_strategy(_kind, _strategy)
EVENTS = st.one_of(*(st.from_type(kind) for kind in (Lifecycle, LiveLimits, LogRecord, ServingStats)))


@settings(
    max_examples=int(os.environ.get("KVDECK_TEST_EXAMPLES", "6")),
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(st.lists(EVENTS, min_size=1, max_size=6))
def _publish(feed: EngineFeed, events: list[object]) -> None:
    for event in events:
        feed._take(event)  # type: ignore[arg-type]
        QApplication.processEvents()


def test_any_values_of_the_right_form_are_drawn(
    request: pytest.FixtureRequest, store: Store, tasks: Tasks, quiet: Quiet
) -> None:
    request.getfixturevalue("window")
    quiet.allow("")  # it may say what it thinks of them
    feed = EngineFeed(store, RemoteEngine(HostOptions(port=0)), FrameClock(store), tasks)
    _publish(feed)
    feed._take(Lifecycle(Phase.IDLE))
    QApplication.processEvents()
    assert store.lifecycle.phase is Phase.IDLE
