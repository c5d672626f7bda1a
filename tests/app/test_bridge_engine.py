"""The bridge on the real engine: its state, its cache, its limits, its chat and its death, as the Store shows them."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from engine.client.engine import ChatMessage, ChatOptions
from engine.client.host_process import HostAddress
from engine.client.remote import RemoteEngine
from engine.domain.blocks import BlockState
from engine.domain.errors import ContextTooLong, EngineCrashed
from engine.domain.lifecycle import LimitsRequest, LogRecord, Phase
from tests.app.bridging import Bridge, RunBridge, make_bridge

if TYPE_CHECKING:
    from pathlib import Path

    import qasync
    from PySide6.QtCore import QSettings

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.client.engine import ChatDelta
    from tests.app.conftest import Quiet
    from tests.engine.host.hosting import RunningHost

pytestmark = pytest.mark.engine

_ENDLESS = ChatOptions(max_tokens=2000, temperature=0.7, extra={"ignore_eos": True})
_PROMPT = [ChatMessage("user", "Write a very long story about a lighthouse.")]
_LOAD_S = 240.0


@pytest.fixture
def run_bridge(loop: qasync.QEventLoop) -> RunBridge:
    """Runs a test's coroutine on the window's loop and ends the bridge after it, whatever happened."""
    return RunBridge(loop)


@pytest.fixture
def bridge(
    store: Store, settings: QSettings, tasks: Tasks, tmp_path: Path, engine_host: RunningHost, loop: qasync.QEventLoop
) -> Bridge:
    """A bridge to the session's host, whose engine is ready."""
    address = HostAddress(engine_host.pid, engine_host.url, engine_host.token)
    return make_bridge(store, settings, tasks, tmp_path, RemoteEngine(address))


async def _connect(bridge: Bridge) -> None:
    bridge.clock.start()
    await bridge.feed.connect_host()
    await bridge.until(lambda: bridge.store.cache is not None)


def _running(bridge: Bridge) -> int:
    assert bridge.store.cache is not None
    return bridge.store.cache.counters.num_running


def test_what_runs_is_in_the_store(bridge: Bridge, run_bridge: RunBridge, starter_checkpoint: Path) -> None:
    records: list[LogRecord] = []
    bridge.store.logged.connect(records.append)

    async def work() -> None:
        await _connect(bridge)
        store = bridge.store
        assert store.lifecycle.phase is Phase.READY
        assert store.lifecycle.checkpoint == str(starter_checkpoint)
        assert store.limits is not None
        assert store.limits.max_num_seqs_capacity == 32
        facts, cache = store.lifecycle.facts, store.cache
        assert facts is not None
        assert cache is not None
        assert (cache.num_blocks, cache.block_size) == (facts.num_blocks, facts.block_size)
        assert cache.states[0] == BlockState.NULL
        await bridge.until(lambda: len(records) > 10)
        numbers = [record.sequence for record in records]
        assert numbers == sorted(set(numbers)), "the log before the connection comes once, in order"

    run_bridge(bridge, work())
    assert bridge.clock.page_path is None, "the page is closed with the bridge"


def test_stopping_a_chat_ends_the_request_in_the_engine(bridge: Bridge, run_bridge: RunBridge) -> None:
    async def work() -> None:
        await _connect(bridge)
        answer = bridge.commands.chat(_PROMPT, _ENDLESS)
        async with contextlib.aclosing(answer):
            assert (await anext(answer)).request_id.startswith("chatcmpl-")
            await bridge.until(lambda: _running(bridge) == 1)
        await bridge.until(lambda: _running(bridge) == 0, 2)

        named = bridge.commands.chat(_PROMPT, _ENDLESS, request_id="the-one")
        await anext(named)
        await bridge.until(lambda: _running(bridge) == 1)
        bridge.commands.abort("chatcmpl-the-one")
        reasons = [delta.finish_reason async for delta in named]
        assert reasons[-1] == "abort"
        await bridge.until(lambda: _running(bridge) == 0, 2)

    run_bridge(bridge, work())


def test_an_answer_has_its_figures_and_its_prefix_is_found_again(bridge: Bridge, run_bridge: RunBridge) -> None:
    system = ChatMessage("system", "You answer in one word. " + "The harbour has a lamp and a book. " * 60)

    async def ask(question: str) -> list[ChatDelta]:
        options = ChatOptions(max_tokens=8, temperature=0)
        return [delta async for delta in bridge.commands.chat([system, ChatMessage("user", question)], options)]

    async def work() -> None:
        await _connect(bridge)
        first, second = await ask("What has the harbour?"), await ask("What else?")
        assert "".join(delta.text for delta in first).strip()
        for last in (first[-1], second[-1]):
            assert last.finish_reason in ("stop", "length")
            assert last.prompt_tokens is not None
            assert last.prompt_tokens > 400
            assert last.completion_tokens is not None
            assert 0 < last.completion_tokens <= 8
        block_size = bridge.store.cache.block_size if bridge.store.cache else 0
        assert second[-1].cached_tokens is not None
        assert second[-1].cached_tokens >= 3 * block_size
        bridge.commands.reset_prefix_cache()
        await bridge.until(lambda: bridge.store.cache is not None and bridge.store.cache.counters.num_cached == 0)

    run_bridge(bridge, work())


def test_a_chat_longer_than_the_context_says_so(bridge: Bridge, run_bridge: RunBridge) -> None:
    async def work() -> None:
        await _connect(bridge)
        with pytest.raises(ContextTooLong) as caught:
            await anext(bridge.commands.chat([ChatMessage("user", "lamp " * 9000)], ChatOptions()))
        assert "8192" in caught.value.message
        assert "parameter=" not in caught.value.message
        assert caught.value.remedy

    run_bridge(bridge, work())


def test_live_limits_drop_the_edits_that_they_fulfil(bridge: Bridge, run_bridge: RunBridge) -> None:
    async def work() -> None:
        await _connect(bridge)
        store, commands = bridge.store, bridge.commands
        commands.edit("max_num_seqs", 2)
        commands.edit("block_size", 64)
        assert store.edits.values == {"max_num_seqs": 2, "block_size": 64}
        commands.apply_limits(LimitsRequest(max_num_seqs=2))
        await bridge.until(lambda: store.limits is not None and store.limits.max_num_seqs == 2)
        assert store.edits.values == {"block_size": 64}
        commands.edit("max_num_seqs", 2)
        assert "max_num_seqs" not in store.edits.values, "what is in force is no edit"
        commands.apply_limits(LimitsRequest(max_num_seqs=32))
        await bridge.until(lambda: store.limits is not None and store.limits.max_num_seqs == 32)

    run_bridge(bridge, work())


def test_a_limit_over_the_capacity_is_refused_and_nothing_changes(
    bridge: Bridge, run_bridge: RunBridge, quiet: Quiet
) -> None:
    quiet.allow("Apply limits: ")
    notices: list[str] = []
    bridge.store.noticed.connect(lambda notice: notices.append(notice.message))

    async def work() -> None:
        await _connect(bridge)
        bridge.commands.apply_limits(LimitsRequest(max_num_seqs=33))
        await bridge.until(lambda: bool(notices))
        assert "32" in notices[0]
        assert bridge.store.limits is not None
        assert bridge.store.limits.max_num_seqs == 32

    run_bridge(bridge, work())


def test_a_killed_engine_core_shows_within_a_second_and_comes_back(bridge: Bridge, run_bridge: RunBridge) -> None:
    async def work() -> None:
        await _connect(bridge)
        store = bridge.store
        facts = store.lifecycle.facts
        assert facts is not None
        core = next(process for process in facts.processes if process.name == "EngineCore")
        page = bridge.clock.page_path
        answer = bridge.commands.chat(_PROMPT, _ENDLESS)
        await anext(answer)
        await bridge.until(lambda: _running(bridge) == 1)
        crashes: list[float] = []
        store.lifecycle_changed.connect(
            lambda lifecycle: crashes.append(time.monotonic()) if lifecycle.phase is Phase.CRASHED else None
        )
        os.kill(core.pid, signal.SIGKILL)
        killed = time.monotonic()
        with pytest.raises(EngineCrashed):
            async for _ in answer:
                pass
        await bridge.until(lambda: bool(crashes), 1)
        assert crashes[0] - killed < 1.0
        # The host brings a new engine by itself, once; until then the panels are empty and the reason is shown.
        assert store.cache is None
        assert store.limits is None
        assert store.lifecycle.failure is not None
        await bridge.until(lambda: store.lifecycle.phase is Phase.READY, _LOAD_S)
        await bridge.until(lambda: store.cache is not None)
        assert bridge.clock.page_path not in (None, page)
        reasons = [delta.finish_reason async for delta in bridge.commands.chat(_PROMPT, ChatOptions(max_tokens=4))]
        assert reasons[-1] == "length"

    run_bridge(bridge, work(), _LOAD_S + 60)
