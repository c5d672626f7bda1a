"""Edits, presets and the host's comings and goings: the real host process, no model loaded."""

from __future__ import annotations

import os
import signal
import socket
from typing import TYPE_CHECKING

import psutil
import pytest

from engine.client.engine import ChatMessage, ChatOptions
from engine.client.host_process import HostOptions
from engine.client.remote import RemoteEngine
from engine.domain.errors import EngineBusy, HostUnreachable, ParameterInvalid, PortInUse
from engine.domain.lifecycle import Lifecycle, Phase
from engine.page.liveness import start_ticks
from engine.parameters.preset import presets
from tests.app.bridging import Bridge, RunBridge, make_bridge
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

    import qasync
    from PySide6.QtCore import QSettings

    from app.bridge.store import Notice, Store
    from app.bridge.tasks import Tasks
    from engine.domain.checkpoint import StarterProgress
    from tests.app.conftest import Quiet


@pytest.fixture
def run_bridge(loop: qasync.QEventLoop) -> RunBridge:
    """Runs a test's coroutine on the window's loop and ends the bridge after it, whatever happened."""
    return RunBridge(loop)


@pytest.fixture
def bridge(store: Store, settings: QSettings, tasks: Tasks, tmp_path: Path, loop: qasync.QEventLoop) -> Bridge:
    """A bridge with a host of its own on a free port, not started yet."""
    return make_bridge(store, settings, tasks, tmp_path, RemoteEngine(HostOptions(port=0)))


def test_an_edit_is_checked_at_once(bridge: Bridge) -> None:
    commands, store = bridge.commands, bridge.store
    commands.edit("max_num_seqs", 8)
    assert store.edits.values == {"max_num_seqs": 8}
    with pytest.raises(ParameterInvalid):
        commands.edit("max_num_seqs", -3)
    with pytest.raises(ParameterInvalid):
        commands.edit("max_nun_seqs", 3)
    assert store.edits.values == {"max_num_seqs": 8}
    commands.edit("max_num_seqs", None)
    assert store.edits.values == {}, "an edit back to the default is none"
    commands.edit("block_size", 32)
    commands.revert_edits()
    assert store.edits.values == {}


@pytest.mark.parametrize("key", ["throughput", "latency"])
def test_a_preset_becomes_edits(bridge: Bridge, key: str) -> None:
    bridge.commands.apply_preset(key)
    assert bridge.store.edits.values == presets()[key].values("cpu")
    bridge.commands.apply_preset("defaults")
    assert bridge.store.edits.values == {}


def test_a_host_of_ones_own_comes_and_goes(bridge: Bridge, run_bridge: RunBridge, kvdeck_home: Path) -> None:
    async def work() -> None:
        phases: list[Phase] = []
        bridge.store.lifecycle_changed.connect(lambda lifecycle: phases.append(lifecycle.phase))
        await bridge.feed.connect_host()
        assert phases[0] is Phase.CONNECTING
        assert bridge.store.lifecycle.phase is Phase.IDLE
        assert bridge.store.address is not None
        assert bridge.store.address.url.startswith("http://127.0.0.1:")
        with pytest.raises(EngineBusy):
            await anext(bridge.commands.chat([ChatMessage("user", "hi")], ChatOptions()))

    run_bridge(bridge, work())
    assert bridge.engine.host_pid is not None
    assert start_ticks(bridge.engine.host_pid) is None, "the host must be gone when `close` returns"
    assert list((kvdeck_home / "run").iterdir()) == []


def test_a_killed_host_shows_and_one_click_brings_it_back(
    bridge: Bridge, run_bridge: RunBridge, quiet: Quiet, tmp_path: Path
) -> None:
    quiet.allow("The engine host was lost")
    quiet.allow("Load: ")
    notices: list[Notice] = []
    bridge.store.noticed.connect(notices.append)

    async def work() -> None:
        await bridge.feed.connect_host()
        first = bridge.engine.host_pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        await bridge.until(lambda: bridge.store.lifecycle.phase is Phase.OFFLINE, 2)
        failure = bridge.store.lifecycle.failure
        assert failure is not None
        assert "SIGKILL" in failure.message
        assert failure.remedy
        with pytest.raises(HostUnreachable):
            await bridge.engine.unload()
        bridge.commands.load(str(tmp_path / "no-checkpoint"))
        await bridge.until(lambda: bool(notices))
        assert bridge.store.lifecycle.phase is Phase.IDLE, "the click has started a new host"
        assert bridge.engine.host_pid != first
        assert "no-checkpoint" in notices[0].message
        assert notices[0].remedy

    run_bridge(bridge, work())


def test_an_engine_host_that_dies_under_a_running_engine_is_a_crash(
    bridge: Bridge, run_bridge: RunBridge, quiet: Quiet
) -> None:
    quiet.allow("The engine host was lost")

    async def work() -> None:
        await bridge.feed.connect_host()
        bridge.store.publish(Lifecycle(Phase.READY, checkpoint="/models/one"))
        assert bridge.engine.host_pid is not None
        os.kill(bridge.engine.host_pid, signal.SIGKILL)
        await bridge.until(lambda: bridge.store.lifecycle.phase is Phase.CRASHED, 2)
        assert bridge.store.lifecycle.previous_checkpoint == "/models/one"
        assert bridge.store.cache is None

    run_bridge(bridge, work())


def test_a_port_in_use_is_said_once_before_any_load(
    store: Store, settings: QSettings, tasks: Tasks, tmp_path: Path, run_bridge: RunBridge, quiet: Quiet
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        bridge = make_bridge(store, settings, tasks, tmp_path, RemoteEngine(HostOptions(port=port)))

        async def work() -> None:
            with pytest.raises(PortInUse):
                await bridge.feed.connect_host()
            tasks.start(bridge.feed.connect_at_start(), "start")
            await bridge.until(lambda: store.lifecycle.phase is Phase.CONNECTING)
            await bridge.until(lambda: store.lifecycle.phase is Phase.OFFLINE)

            bridge.commands.reach_host(any_port=True)
            await bridge.until(lambda: store.lifecycle.phase is Phase.IDLE, timeout_s=PATIENCE_S)
            assert store.address is not None
            assert not store.address.url.endswith(f":{port}")

        said: list[Notice] = []
        store.noticed.connect(said.append)
        quiet.allow("No engine host: ")
        run_bridge(bridge, work())
    assert said == [], "what the failure panel shows is not said a second time"


def test_an_interpreter_without_the_engine_is_explained(
    store: Store, settings: QSettings, tasks: Tasks, tmp_path: Path, run_bridge: RunBridge, quiet: Quiet
) -> None:
    python = tmp_path / "python"  # fails as one without the package does
    python.write_text("#!/bin/sh\necho \"ModuleNotFoundError: No module named 'vllm'\" >&2\nexit 1\n")
    python.chmod(0o755)
    bridge = make_bridge(store, settings, tasks, tmp_path, RemoteEngine(HostOptions(port=0, python=str(python))))

    async def work() -> None:
        bridge.tasks.start(bridge.feed.connect_host(), "host")
        await bridge.until(lambda: bridge.store.lifecycle.failure is not None)

    quiet.allow("host: ")
    run_bridge(bridge, work())
    assert store.lifecycle.phase is Phase.OFFLINE
    assert store.lifecycle.failure is not None
    assert store.lifecycle.failure.kind == "engine_missing"
    assert "make run ENGINE=cpu" in store.lifecycle.failure.remedy


def test_folders_are_kept_and_scanned(bridge: Bridge, run_bridge: RunBridge, tmp_path: Path) -> None:
    broken = tmp_path / "models" / "broken"
    broken.mkdir(parents=True)
    (broken / "config.json").write_text('{"architectures": [')
    notices: list[Notice] = []
    bridge.store.noticed.connect(notices.append)

    async def work() -> None:
        bridge.commands.add_folder(str(tmp_path / "nowhere"))
        assert "nowhere" in notices[0].message
        bridge.commands.add_folder(str(tmp_path / "models"))
        await bridge.until(lambda: _names(bridge.store) == ["broken"])
        library = bridge.store.library
        assert library is not None
        assert library.checkpoints[0].problem
        second = tmp_path / "models" / "second"
        second.mkdir()
        (second / "config.json").write_text("{}")
        await bridge.until(lambda: "second" in _names(bridge.store))
        bridge.commands.remove_folder(str(tmp_path / "models"))
        await bridge.until(lambda: _names(bridge.store) == [])

    run_bridge(bridge, work())
    assert bridge.library.folders == ()


def _names(store: Store) -> list[str]:
    library = store.library
    return [] if library is None or library.scanning else [each.name for each in library.checkpoints]


def test_the_starter_model_is_offered_begun_and_stopped(bridge: Bridge, run_bridge: RunBridge) -> None:
    states: list[StarterProgress] = []
    bridge.store.starter_changed.connect(states.append)

    async def work() -> None:
        bridge.commands.rescan()
        await bridge.until(lambda: bool(states))
        assert {variant.state for variant in states[-1].variants} == {"absent"}
        assert not states[-1].running
        bridge.commands.build_starter(["bf16"])
        await bridge.until(lambda: states[-1].running)
        bridge.commands.cancel_starter()
        await bridge.until(lambda: not states[-1].running, 20)
        assert states[-1].error is None, "stopping is no failure"

    run_bridge(bridge, work())


def test_closing_in_the_middle_of_a_build_leaves_no_process(bridge: Bridge, run_bridge: RunBridge) -> None:
    async def work() -> None:
        bridge.commands.build_starter()
        await bridge.until(lambda: bridge.store.starter is not None and bridge.store.starter.running)
        await bridge.until(lambda: bool(_builders()))

    run_bridge(bridge, work())
    assert _builders() == []


def _builders() -> list[int]:
    family = psutil.Process().children(recursive=True)
    return [each.pid for each in family if "engine.quantize" in " ".join(each.cmdline())]
