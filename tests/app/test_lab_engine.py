"""The lab on the real engine, through the real bridge: loads, live changes, searches; and what goes wrong meanwhile."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import psutil
import pytest

from app.bridge.lab import Lab, make_lab
from app.panels.lab import LabPanel
from app.panels.panel import PanelContext
from engine.bench.result import RunState
from engine.bench.workload import ClosedLoop, Fixed, Slos, Workload
from engine.client.host_process import HostAddress
from engine.client.remote import RemoteEngine
from engine.domain.lifecycle import Lifecycle, LimitsRequest, Phase
from engine.tuner.spec import Axis, SweepSpec
from tests.app.bridging import Bridge, RunBridge, make_bridge

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import qasync
    from PySide6.QtCore import QSettings
    from pytestqt.qtbot import QtBot

    from app.bridge.lab_state import LabRun
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.theme.themes import Themes
    from tests.app.conftest import Quiet
    from tests.engine.host.hosting import RunningHost

pytestmark = pytest.mark.engine

_SMALL = Workload(
    name="small", arrival=ClosedLoop(clients=6), system_prompt_tokens=48, prompt=Fixed(tokens=16),
    output=Fixed(tokens=8), requests=12, slos=Slos(ttft_s=60.0),
)  # fmt: skip
_ENDLESS = Workload(
    name="endless", arrival=ClosedLoop(clients=8), prompt=Fixed(tokens=16), output=Fixed(tokens=400), requests=5000
)
_RUN_S = 60.0


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


@pytest.fixture
def lab(bridge: Bridge, tmp_path: Path) -> Lab:
    """The lab over this bridge, with a folder of its own."""
    return make_lab(bridge.store, bridge.tasks, bridge.engine, tmp_path / "lab", None)


@pytest.fixture
def panel(bridge: Bridge, lab: Lab, themes: Themes, settings: QSettings, qtbot: QtBot) -> Iterator[LabPanel]:
    """The lab's panel over the real bridge."""
    context = PanelContext(bridge.store, bridge.commands, themes, settings, bridge.tasks, lab=lab)
    result = LabPanel(context)
    result.resize(1000, 620)
    result.show()
    qtbot.waitExposed(result)
    yield result
    result.hide()
    result.deleteLater()


async def _connect(bridge: Bridge) -> None:
    bridge.clock.start()
    await bridge.feed.connect_host()
    await bridge.until(lambda: bridge.store.cache is not None and bridge.store.limits is not None)


def _run(bridge: Bridge) -> LabRun:
    assert bridge.store.lab_run is not None
    return bridge.store.lab_run


def _load_processes() -> list[psutil.Process]:
    return [child for child in psutil.Process().children(recursive=True) if _sends_a_load(child)]


def _sends_a_load(process: psutil.Process) -> bool:
    try:
        return any("engine.bench.load" in word for word in process.cmdline())
    except psutil.Error:  # it has just ended
        return False


def test_a_load_is_sent_measured_drawn_and_kept(
    bridge: Bridge, lab: Lab, panel: LabPanel, run_bridge: RunBridge, starter_checkpoint: Path
) -> None:
    async def work() -> None:
        await _connect(bridge)
        form = panel.run.page.form
        form.fields.show_workload(_SMALL)
        assert panel.run.page.start.isEnabled()
        panel.run.page.start.click()
        await bridge.until(lambda: bridge.store.lab_run is not None and not bridge.store.lab_run.going, _RUN_S)
        run = _run(bridge)
        assert (run.state, run.message) == ("finished", "")
        assert run.result is not None
        assert run.result.figures.successful == 12
        assert run.result.figures.good == 12
        assert len(run.samples) == 12
        assert [len(series.times) for series in panel.run.page.view.charts.tokens.series] == [len(run.windows)] * 2
        assert _load_processes() == [], "nothing of it is left behind"
        assert run.run_id is not None
        kept = lab.desk.runs.run(run.run_id)
        assert kept.state is RunState.FINISHED
        assert kept.setup.checkpoint == str(starter_checkpoint)
        assert kept.setup.max_num_seqs == 32
        panel.run.page.view.distributions.choice.choose("itl")
        panel.run.page.view.show_view("distributions")
        histogram = panel.run.page.view.distributions.histogram
        await bridge.until(lambda: len(list(histogram.rows())) > 1)
        await lab.close()

    run_bridge(bridge, work(), 120)


def test_a_live_change_is_flagged_with_who_and_what_and_nothing_is_lost(
    bridge: Bridge, lab: Lab, panel: LabPanel, run_bridge: RunBridge
) -> None:
    load = Workload(name="live", arrival=ClosedLoop(clients=8), prompt=Fixed(tokens=16), output=Fixed(tokens=48),
                    requests=24)  # fmt: skip

    async def work() -> None:
        await _connect(bridge)
        store = bridge.store
        lab.desk.start(load, "live")
        await bridge.until(lambda: store.lab_run is not None and store.lab_run.origin_ns is not None, _RUN_S)
        await bridge.until(lambda: store.cache is not None and store.cache.counters.num_running >= 6, _RUN_S)
        bridge.commands.apply_limits(LimitsRequest(max_num_seqs=2, mode="preempt", by="window"))
        await bridge.until(lambda: len(_run(bridge).changes) == 1, 20)
        bridge.commands.apply_limits(LimitsRequest(max_num_seqs=32, by="window"))
        await bridge.until(lambda: len(_run(bridge).changes) == 2, 20)
        down, up = _run(bridge).changes
        assert (down.text, up.text) == ("max_num_seqs 32 → 2", "max_num_seqs 2 → 32")
        assert down.values["by"] == "window"
        assert down.values["preempted"] >= 4  # type: ignore[operator]
        assert 0 < down.at_s < up.at_s
        await bridge.until(lambda: not _run(bridge).going, _RUN_S)
        run = _run(bridge)
        assert run.result is not None
        assert (run.result.figures.successful, run.result.figures.failed) == (24, 0), "nothing is lost"
        marks = panel.run.page.view.charts.tokens.marks
        assert "by this window" in marks[0].details
        assert run.run_id is not None
        assert lab.desk.runs.run(run.run_id).annotations == (down, up)
        await lab.close()

    run_bridge(bridge, work(), 120)


def test_pause_stop_and_a_crash_of_the_load_are_told_and_kept(
    bridge: Bridge, lab: Lab, panel: LabPanel, run_bridge: RunBridge, quiet: Quiet
) -> None:
    quiet.allow("load process")

    async def work() -> None:
        await _connect(bridge)
        store, head = bridge.store, panel.run.page.view.head
        lab.desk.start(_ENDLESS, "endless")
        await bridge.until(head.pause.isEnabled, _RUN_S)
        head.pause.click()
        await bridge.until(lambda: _phase(bridge) == "paused" and head.pause.text() == "Go on")
        head.pause.click()
        await bridge.until(lambda: _phase(bridge) == "running")
        await bridge.until(lambda: len(_run(bridge).windows) > 0)
        head.stop.click()
        assert _run(bridge).stopping
        await bridge.until(lambda: not _run(bridge).going, 20)
        assert _run(bridge).state == "stopped"
        assert _run(bridge).result is not None
        await bridge.until(lambda: store.cache is not None and store.cache.counters.num_running == 0, 30)

        lab.desk.start(_ENDLESS, "killed")
        await bridge.until(lambda: _run(bridge).title == "killed" and len(_run(bridge).windows) > 0, _RUN_S)
        for process in _load_processes():
            os.kill(process.pid, signal.SIGKILL)
        await bridge.until(lambda: not _run(bridge).going, 20)
        run = _run(bridge)
        assert run.state == "failed"
        assert "load process" in run.message
        assert head._message.isVisible()
        assert run.windows, "what was seen until then stays"
        await bridge.until(lambda: store.cache is not None and store.cache.counters.num_running == 0, 20)
        await lab.close()

    run_bridge(bridge, work(), 180)


def _phase(bridge: Bridge) -> str:
    progress = _run(bridge).progress
    return progress.phase if progress is not None else ""


def test_closing_the_lab_ends_the_load_in_good_order(bridge: Bridge, lab: Lab, run_bridge: RunBridge) -> None:
    async def work() -> None:
        await _connect(bridge)
        lab.desk.start(_ENDLESS, "left")
        await bridge.until(lambda: bridge.store.lab_run is not None and len(_run(bridge).windows) > 0, _RUN_S)
        await lab.close()
        assert _load_processes() == []
        run = _run(bridge)
        assert (run.state, run.message) == ("stopped", "The window was closed.")
        assert run.run_id is not None
        lab.desk.runs.open()
        kept = lab.desk.runs.run(run.run_id)
        lab.desk.runs.close()
        assert kept.state is RunState.STOPPED
        assert kept.result is not None, "what was measured until then is kept"

    run_bridge(bridge, work(), 120)


def test_an_engine_that_goes_takes_the_run_with_it_and_says_so(
    bridge: Bridge, lab: Lab, panel: LabPanel, run_bridge: RunBridge
) -> None:
    async def work() -> None:
        await _connect(bridge)
        lab.desk.start(_ENDLESS, "unloaded")
        await bridge.until(lambda: bridge.store.lab_run is not None and len(_run(bridge).windows) > 0, _RUN_S)
        ready = bridge.store.lifecycle
        bridge.store.publish(Lifecycle(Phase.UNLOADING, ready.checkpoint))  # as the host tells it; the engine stays
        await bridge.until(lambda: not _run(bridge).going, 20)
        assert _run(bridge).state == "stopped"
        assert "unloaded" in _run(bridge).message
        assert not panel.run.page.start.isEnabled()
        bridge.store.publish(ready)
        assert panel.run.page.start.isEnabled()
        await lab.close()

    run_bridge(bridge, work(), 120)


def test_a_sweep_is_followed_applied_and_rolled_back(
    bridge: Bridge, lab: Lab, panel: LabPanel, run_bridge: RunBridge
) -> None:
    spec = SweepSpec(workload=_SMALL, axes=(Axis("max_num_seqs", (2, 8)),), title="small")

    async def work() -> None:
        await _connect(bridge)
        store = bridge.store
        panel.show_page("search")
        lab.search.start(spec)
        await bridge.until(lambda: store.lab_job is not None and not store.lab_job.going, _RUN_S)
        job = store.lab_job
        assert job is not None
        assert job.state == "ended", job.message
        assert [trial.setting for trial in job.trials] == [{"max_num_seqs": 2}, {"max_num_seqs": 8}]
        await bridge.until(lambda: store.limits is not None and store.limits.max_num_seqs == 32)
        view = panel.search.view  # type: ignore[union-attr]
        view._choose(job.trials[0].number)
        view.apply.click()
        await bridge.until(lambda: store.lab_applied.before == {"max_num_seqs": 32})
        await bridge.until(lambda: store.limits is not None and store.limits.max_num_seqs == 2)
        view.roll_back.click()
        await bridge.until(lambda: store.limits is not None and store.limits.max_num_seqs == 32)
        await bridge.until(lambda: store.lab_jobs is not None and len(store.lab_jobs.jobs) == 1)
        assert len(lab.desk.runs.runs()) == 2, "each trial's run is kept"
        await lab.close()

    run_bridge(bridge, work(), 180)
