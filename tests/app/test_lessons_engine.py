"""The lessons and the roofline on the real engine: what they send, what they find, what they put back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from app.bridge.roofline_feed import RooflineFeed
from app.lessons.desk import LessonDesk, lessons
from app.lessons.lesson import LessonPhase, LessonState
from engine.client.engine import ChatMessage, ChatOptions
from engine.client.host_process import HostAddress
from engine.client.remote import RemoteEngine
from engine.metrics.roofline_advice import Rule, findings
from tests.app.bridging import Bridge, RunBridge, make_bridge

if TYPE_CHECKING:
    from pathlib import Path

    import qasync
    from PySide6.QtCore import QSettings

    from app.bridge.store import Pointer, Store
    from app.bridge.tasks import Tasks
    from tests.engine.host.hosting import RunningHost

pytestmark = pytest.mark.engine

_LESSON_S = 240.0  # on a machine that does much else


@pytest.fixture
def bridge(
    store: Store, settings: QSettings, tasks: Tasks, tmp_path: Path, engine_host: RunningHost, loop: qasync.QEventLoop
) -> Bridge:
    """A bridge to the session's host, whose engine is ready."""
    address = HostAddress(engine_host.pid, engine_host.url, engine_host.token)
    return make_bridge(store, settings, tasks, tmp_path, RemoteEngine(address))


async def _connect(bridge: Bridge) -> LessonDesk:
    bridge.clock.start()
    await bridge.feed.connect_host()
    await bridge.until(lambda: bridge.store.cache is not None and bridge.store.limits is not None)
    return LessonDesk(bridge.store, bridge.commands, bridge.tasks)


async def _take(bridge: Bridge, desk: LessonDesk, key: str) -> LessonState:
    desk.start(next(lesson for lesson in lessons() if lesson.key == key))
    await bridge.until(lambda: desk.running is None, _LESSON_S)
    return desk.state(key)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("key", ["phases", "paging", "sharing", "batching"])
def test_a_lesson_comes_to_its_end_and_leaves_nothing(bridge: Bridge, loop: qasync.QEventLoop, key: str) -> None:
    store = bridge.store
    pointed: list[Pointer] = []
    store.pointed.connect(pointed.append)

    async def work() -> None:
        desk = await _connect(bridge)
        assert store.limits is not None
        before = store.limits.max_num_seqs
        state = await _take(bridge, desk, key)
        assert (state.phase, state.error) == (LessonPhase.DONE, "")
        assert state.result is not None
        assert len(state.result.figures) >= 3
        assert any(character.isdigit() for character in state.result.conclusion)
        assert [point.panel for point in pointed] == [lesson.panel for lesson in lessons() if lesson.key == key]
        assert store.limits.max_num_seqs == before
        await bridge.until(lambda: store.cache is not None and not store.cache.requests, _LESSON_S)
        if key == "sharing":
            cached = [figure.value for figure in state.result.figures]
            assert cached[0] == "0"  # nobody had sent this beginning before
            assert int(cached[1].replace(",", "")) >= 128
            assert cached[2] == "0"

    RunBridge(loop)(bridge, work(), 2 * _LESSON_S)


@pytest.mark.timeout(600)
def test_a_stopped_lesson_puts_the_limit_back_and_ends_its_requests(bridge: Bridge, loop: qasync.QEventLoop) -> None:
    store = bridge.store

    async def work() -> None:
        desk = await _connect(bridge)
        assert store.limits is not None
        before = store.limits.max_num_seqs
        batching = next(lesson for lesson in lessons() if lesson.key == "batching")
        desk.start(batching)
        desk.start(lessons()[0])  # one at a time
        limited = lambda: store.limits is not None and store.limits.max_num_seqs == 1  # noqa: E731
        await bridge.until(lambda: limited() or desk.running is None, _LESSON_S)
        assert desk.running is batching, desk.state("batching").error
        await bridge.until(lambda: store.cache is not None and len(store.cache.requests) > 1, _LESSON_S)
        desk.stop()
        await bridge.until(lambda: desk.running is None, _LESSON_S)
        assert desk.state("batching").phase is LessonPhase.STOPPED
        assert desk.state("phases").phase is LessonPhase.FRESH
        assert store.limits.max_num_seqs == before
        await bridge.until(lambda: store.cache is not None and not store.cache.requests, _LESSON_S)

    RunBridge(loop)(bridge, work(), 2 * _LESSON_S)


def test_a_lesson_that_would_hold_others_up_does_not_begin(bridge: Bridge, loop: qasync.QEventLoop) -> None:
    async def work() -> None:
        desk = await _connect(bridge)
        options = ChatOptions(max_tokens=1500, extra={"ignore_eos": True})
        stream = bridge.commands.chat([ChatMessage("user", "Count up.")], options)
        await anext(stream)
        await bridge.until(lambda: bridge.store.cache is not None and bool(bridge.store.cache.requests))
        state = await _take(bridge, desk, "batching")
        assert state.phase is LessonPhase.FAILED
        assert "in the engine (1)" in state.error
        await stream.aclose()

    RunBridge(loop)(bridge, work(), 2 * _LESSON_S)


def test_what_the_roofline_counts_is_what_the_engine_did(bridge: Bridge, loop: qasync.QEventLoop) -> None:
    """One request alone: its decode steps read the model's own weights, and a context as long as it was."""
    store = bridge.store

    async def work() -> None:
        await _connect(bridge)
        feed = RooflineFeed(store, bridge.tasks)
        feed.describe()
        await bridge.until(lambda: feed.cost is not None)
        assert feed.cost is not None
        facts = store.lifecycle.facts
        assert facts is not None
        element = {"bfloat16": 2, "float32": 4}[facts.dtype]  # a CPU without bfloat16 arithmetic is given float32
        assert feed.cost.step_bytes == 134_515_008 * element
        assert feed.cost.kv_bytes == 30 * 2 * 192 * element
        options = ChatOptions(max_tokens=40, extra={"ignore_eos": True})
        prompt, made = 0, 0
        async for delta in bridge.commands.chat([ChatMessage("user", "Tell me of the sea. " * 40)], options):
            prompt, made = delta.prompt_tokens or prompt, delta.completion_tokens or made
        await bridge.until(lambda: (standing := feed.standing()) is not None and standing.decode is not None)
        await asyncio.sleep(0.1)
        standing = feed.standing()
        assert standing is not None
        assert standing.decode is not None
        assert standing.decode.weight_bytes == feed.cost.step_bytes * standing.decode.steps
        assert standing.decode.context is not None
        assert prompt <= standing.decode.context <= prompt + made
        assert standing.decode.requests == pytest.approx(1.0)
        now = feed.situation()
        assert now is not None
        assert Rule.STANDS in [finding.rule for finding in findings(now)]

    RunBridge(loop)(bridge, work(), _LESSON_S)
