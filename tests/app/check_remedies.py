"""Loads that fail for real, and the first change that the window offers for each, clicked: the engine answers then.

Part of `make soak` alone (it takes a dozen loads), hence its name.
"""

from __future__ import annotations

import os
import shutil
import signal
from typing import TYPE_CHECKING, Any

import pytest

from app.bridge.adapter_desk import AdapterDesk
from app.bridge.store import Edits
from app.widgets.failure_panel import FailurePanel
from app.widgets.icon import PlainButton
from app.widgets.notice_bar import NoticeBar
from benchmarks.adapters import write_adapter, write_tiny
from benchmarks.shapes import LLAMA_8B, write_config
from engine.client.engine import ChatMessage, ChatOptions
from engine.client.host_process import HostAddress
from engine.client.remote import RemoteEngine
from engine.domain.lifecycle import Phase
from tests.app.bridging import Bridge, RunBridge, make_bridge
from tests.engine.host.hosting import RunningHost, start_host

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import qasync
    from PySide6.QtCore import QSettings
    from PySide6.QtWidgets import QWidget
    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from tests.app.conftest import Quiet

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(900)]

_LOAD_S = 240.0
_GENTLE = {"load_format": "dummy", "enforce_eager": True, "cpu_kvcache_space_gib": 0.125, "max_num_seqs": 4}
# 32 KiB a token: an eighth of a GiB holds half of the model's 8,192.
_DEEP = {
    **LLAMA_8B, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 16, "num_attention_heads": 8,
    "num_key_value_heads": 8, "head_dim": 64, "vocab_size": 49152, "tie_word_embeddings": True,
}  # fmt: skip


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningHost]:
    """A host on a machine without a C++ compiler."""
    running = start_host(tmp_path_factory.mktemp("host"), variables={"CXX": "/nowhere/g++"})
    yield running
    assert running.stop() == 0


class Desk:
    """What the window has of a load: its commands, the failure in the centre, the notices above."""

    def __init__(self, bridge: Bridge) -> None:
        self.bridge, self.store = bridge, bridge.store
        self.failure, self.notices = FailurePanel(self.store, bridge.commands), NoticeBar(self.store)
        self.adapters = AdapterDesk(self.store, bridge.tasks, bridge.engine, lambda: ())
        self.store.lifecycle_changed.connect(self.failure.show_lifecycle)
        self.notices.offer_taken.connect(bridge.commands.load_as)

    def load(self, folder: Path, **values: Any) -> None:
        """As the button Load does with these edits in the table."""
        self.store.publish(Edits({**_GENTLE, **values}))
        self.bridge.commands.load(str(folder))

    async def arrives(self, phase: Phase = Phase.READY) -> None:
        """Wait until the load is over."""
        await self.bridge.until(lambda: self.store.lifecycle.phase is Phase.LOADING)
        await self.bridge.until(lambda: self.store.lifecycle.phase is not Phase.LOADING, _LOAD_S)
        assert self.store.lifecycle.phase is phase, self.store.lifecycle

    async def fails(self) -> None:
        """Wait until the load has failed."""
        await self.arrives(Phase.FAILED)

    async def is_refused(self) -> None:
        """Wait until a notice offers something."""
        await self.bridge.until(lambda: bool(self.notices.notice and self.notices.notice.offers), 60)

    async def mends(self, place: QWidget, number: int = 0) -> str:
        """Click the button with this number, and see the engine answer; the button's words."""
        before = self.store.lifecycle.load_id
        buttons = [each for each in place.findChildren(PlainButton) if each.text() and not each.isHidden()]
        button = [each for each in buttons if each.property("kind") != "link"][number]
        words = button.text()
        button.click()
        await self.bridge.until(lambda: self.store.lifecycle.load_id > before, 60)
        await self.bridge.until(lambda: self.store.lifecycle.phase is not Phase.LOADING, _LOAD_S)
        assert self.store.lifecycle.phase is Phase.READY, (words, self.store.lifecycle)
        answer = self.bridge.commands.chat([ChatMessage("user", "Hello")], ChatOptions(max_tokens=4))
        assert [delta.finish_reason async for delta in answer][-1] in ("length", "stop"), words
        return words


@pytest.fixture
def desk(
    store: Store, settings: QSettings, tasks: Tasks, tmp_path: Path, host: RunningHost, loop: qasync.QEventLoop,
    qtbot: QtBot, quiet: Quiet,
) -> Desk:  # fmt: skip
    """The window's parts over the host."""
    quiet.allow("")
    engine = RemoteEngine(HostAddress(host.pid, host.url, host.token))
    made = Desk(make_bridge(store, settings, tasks, tmp_path, engine))
    qtbot.addWidget(made.failure)
    qtbot.addWidget(made.notices)
    return made


@pytest.fixture
def deep(tmp_path: Path, starter_checkpoint: Path) -> Path:
    """A model whose cache is short."""
    return write_config(tmp_path / "Deep", _DEEP, starter_checkpoint)


@pytest.mark.parametrize(("number", "words"), [(0, "Set max_model_len to "), (1, "Reserve 0.")])
def test_a_cache_too_short_for_the_model(
    desk: Desk, loop: qasync.QEventLoop, deep: Path, number: int, words: str
) -> None:
    async def work() -> None:
        desk.load(deep)
        await desk.fails()
        assert (await desk.mends(desk.failure, number)).startswith(words)

    RunBridge(loop)(desk.bridge, work(), 500)


def test_no_compiler(desk: Desk, loop: qasync.QEventLoop, deep: Path) -> None:
    async def work() -> None:
        desk.load(deep, max_model_len=1024, enforce_eager=False)
        await desk.fails()
        assert (await desk.mends(desk.failure)).startswith("Load without compiling")

    RunBridge(loop)(desk.bridge, work(), 500)


def test_damaged_files_and_an_engine_that_is_killed_twice(desk: Desk, loop: qasync.QEventLoop, deep: Path) -> None:
    """The way back is the model of before; the second time the engine does not come back by itself."""
    broken = shutil.copytree(deep, deep.parent / "Broken")
    (broken / "tokenizer.json").write_text('{"version": "1.0", "model": ')

    async def work() -> None:
        desk.load(deep, max_model_len=1024)
        await desk.arrives()
        desk.load(broken, max_model_len=1024)
        await desk.fails()
        assert await desk.mends(desk.failure, 1) == "Back to Deep"
        await _kill(desk, comes_back=True)
        await _kill(desk, comes_back=False)
        assert await desk.mends(desk.failure) == "Start again"

    RunBridge(loop)(desk.bridge, work(), 800)


async def _kill(desk: Desk, *, comes_back: bool) -> None:
    """End the engine; it comes back by itself once, and then no more."""
    store = desk.store
    facts, before = store.lifecycle.facts, store.lifecycle.load_id
    assert facts is not None
    os.kill(next(each.pid for each in facts.processes if each.name == "EngineCore"), signal.SIGKILL)
    await desk.bridge.until(lambda: store.lifecycle.phase is not Phase.READY)
    if comes_back:
        await desk.bridge.until(lambda: store.lifecycle.phase is Phase.READY, _LOAD_S)
        assert store.lifecycle.load_id > before
    else:
        await desk.bridge.until(lambda: store.lifecycle.last_check is not None, 60)
        assert store.lifecycle.phase is Phase.CRASHED


def test_refused_loads_are_mended_by_their_first_button(
    desk: Desk, loop: qasync.QEventLoop, deep: Path, starter_checkpoint: Path
) -> None:
    """A head that no FP8 cache is kept for, a length over the model's, a draft that is gone, an adapter's rank."""
    odd = write_config(deep.parent / "Odd", {**_DEEP, "head_dim": 80}, starter_checkpoint)
    tiny = write_tiny(deep.parent / "Tiny", starter_checkpoint)
    high = write_adapter(deep.parent / "high", rank=32)

    async def refused(words: str) -> None:
        await desk.is_refused()
        assert await desk.mends(desk.notices) == words

    async def work() -> None:
        desk.load(odd, max_model_len=512, kv_cache_dtype="fp8")
        await refused("Set kv_cache_dtype to auto")
        desk.load(tiny, max_model_len=9000)
        await refused("Set max_model_len to 8192")
        gone = '{"method": "draft_model", "model": "/nowhere", "num_speculative_tokens": 2}'
        desk.load(tiny, max_model_len=512, speculative_config=gone, enable_lora=True, max_lora_rank=8)
        await refused("Guess by n-grams of the request")
        desk.adapters.load(str(high))
        await refused("Set max_lora_rank to 32")
        await desk.bridge.until(lambda: bool(desk.store.adapters.engine.loaded), 60)

    RunBridge(loop)(desk.bridge, work(), 800)
