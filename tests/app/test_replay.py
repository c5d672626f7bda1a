"""Recording in the window, and replaying what was recorded: the desk, the replay, its bar and its window."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt

from app.bridge.adapter_state import AdaptersState
from app.bridge.recording_desk import RecordingDesk
from app.bridge.replay import SPEEDS, Replay
from app.bridge.replay_commands import ReplayCommands
from app.bridge.store import Notice, RecordingState
from app.options import SAMPLE, parse
from app.panels.gpu import GpuPanel
from app.widgets.record_button import RecordButton, clock_text
from app.widgets.scrubber_bar import ScrubberBar
from benchmarks.page_traffic import PageTraffic
from engine.client.engine import ChatOptions
from engine.domain.adapter import EngineAdapters, LoadedAdapter
from engine.domain.errors import EngineBusy
from engine.domain.lifecycle import LimitsRequest, Phase
from engine.page.reader import PageReader
from engine.recording.export import steps_of
from engine.recording.player import Player
from engine.recording.reader import RecordingReader
from engine.recording.tables import events_of
from tests.app.answering import answer
from tests.engine.recording.making import LIFECYCLE, Made, hardware, limits, make
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    import qasync
    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.panels.panel import PanelContext
    from app.theme.themes import Themes
    from tests.app.conftest import Quiet

WAIT_S = PATIENCE_S
_ADAPTERS = EngineAdapters(True, (LoadedAdapter("law", "/a/law", 1, 16),), 32, 4, {"one": "law"})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(tmp_path_factory.mktemp("replayed"), seconds=5)


@pytest.fixture
def replay(made: Made, store: Store) -> Iterator[Replay]:
    result = Replay(store, RecordingReader(made.path))
    yield result
    result.stop()
    result.close()


# Recording


def test_what_the_store_was_told_is_in_the_file(
    store: Store, tasks: Tasks, loop: qasync.QEventLoop, tmp_path: Path, qtbot: QtBot
) -> None:
    desk = RecordingDesk(store, tasks, tmp_path / "recordings", "test")
    button = RecordButton(store)
    qtbot.addWidget(button)
    button.use()
    button.asked.connect(desk.toggle)
    traffic = PageTraffic(tmp_path / "page", 300)
    traffic.add("one", 100)
    store.publish(LIFECYCLE)
    store.publish(traffic.publish())  # before the start: what is known counts

    async def record() -> Path:
        qtbot.mouseClick(button.button, Qt.MouseButton.LeftButton)
        while store.recording.path is None:  # noqa: ASYNC110 - a topic of the store is no asyncio event
            await asyncio.sleep(0.01)
        assert desk.recording
        assert "·" in button.words.text()
        store.publish(limits(1, 6))
        store.publish(hardware(time.monotonic_ns()))
        store.publish(AdaptersState(_ADAPTERS, busy="law"))  # not what the engine has said since
        store.publish(AdaptersState(_ADAPTERS))
        for _ in range(20):
            traffic.grow("one")
            store.publish(traffic.publish())
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        store.publish(traffic.publish())
        await asyncio.sleep(1.1)  # a part is written every second
        store.clear_engine()
        path = await desk.stop()
        assert path is not None
        return path

    path = loop.run_until_complete(record())
    traffic.close()
    assert store.recording == RecordingState()
    assert not button.words.isVisibleTo(button)
    reader = RecordingReader(path)
    player = Player(reader)
    first = player.seek(reader.begin_ns)
    assert LIFECYCLE in first.values
    store.publish(AdaptersState())
    replay = Replay(store, reader)
    replay.seek(reader.end_ns - 1_000_000_000)
    assert store.adapters == AdaptersState(_ADAPTERS)
    replay.seek(reader.end_ns)
    assert not store.adapters.engine.enabled
    replay.stop()
    steps = list(first.cache.steps) if first.cache is not None else []
    while not player.at_end:
        moment = player.advance(player.position_ns + 50_000_000)
        steps += moment.cache.steps if moment.cache is not None else ()
    assert [step.step for step in steps] == list(range(1, 23))
    player.seek(reader.begin_ns)
    assert player.advance(reader.end_ns).gone
    reader.close()


def test_a_stalled_window_loses_no_step(
    store: Store, tasks: Tasks, loop: qasync.QEventLoop, tmp_path: Path
) -> None:
    traffic = PageTraffic(tmp_path / "page", 3000)
    traffic.add("one", 100)
    store.publish(traffic.publish())
    desk = RecordingDesk(store, tasks, tmp_path, "test", steps_since=traffic.reader.steps_since)
    slow = PageReader(tmp_path / "page")

    async def record() -> Path:
        slow.snapshot()
        await desk.start()
        for _ in range(700):  # nobody looks
            traffic.grow("one")
            traffic.publish()
        traffic.writer.commit()  # what is between publications is no picture
        snapshot = slow.snapshot()
        assert snapshot is not None
        assert len(snapshot.steps) == 256
        store.publish(snapshot)
        path = await desk.stop()
        assert path is not None
        return path

    reader = RecordingReader(loop.run_until_complete(record()))
    slow.close()
    traffic.close()
    assert [step.step for step in steps_of(reader)][-700:] == list(range(2, 702))
    reader.close()


@pytest.mark.parametrize("parts", [0, 1])
def test_a_disk_that_fills_up_ends_the_recording_with_a_notice(
    store: Store, tasks: Tasks, loop: qasync.QEventLoop, tmp_path: Path, quiet: Quiet, parts: int
) -> None:
    quiet.allow("no room")
    desk = RecordingDesk(store, tasks, tmp_path, "test")
    notices: list[Notice] = []
    store.noticed.connect(notices.append)

    async def record() -> None:
        await desk.start()
        assert desk._recorder is not None
        writer = desk._recorder._writer
        assert writer is not None
        while writer.num_parts < parts:
            store.publish(limits(1, 8))
            await asyncio.sleep(0.01)
        (pages,) = writer._database.execute("PRAGMA page_count").fetchone()
        writer._database.execute(f"PRAGMA max_page_count = {pages}")  # from now on the disk is full
        while desk.recording:
            for _ in range(20):
                store.publish(hardware(time.monotonic_ns()))
            await asyncio.sleep(0.001)
        while not notices:  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    loop.run_until_complete(asyncio.wait_for(record(), 60))
    assert "no room left to record" in notices[0].message
    assert not list(tmp_path.glob("*.part*"))
    found = list(tmp_path.glob("*.kvdeck"))
    assert len(found) == parts
    if found:
        assert "is kept" in notices[0].remedy
        RecordingReader(found[0]).close()
    else:
        assert "Nothing had been recorded" in notices[0].remedy


def test_a_folder_that_cannot_be_written_is_a_notice(
    store: Store, tasks: Tasks, loop: qasync.QEventLoop, tmp_path: Path, quiet: Quiet
) -> None:
    quiet.allow("cannot be written")
    (tmp_path / "file").write_text("")
    desk = RecordingDesk(store, tasks, tmp_path / "file", "test")
    notices: list[str] = []
    store.noticed.connect(lambda notice: notices.append(notice.message))

    async def record() -> None:
        desk.toggle()
        while not notices:  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    loop.run_until_complete(asyncio.wait_for(record(), 30))
    assert not desk.recording


# Replaying


def test_a_replay_publishes_what_was_recorded(replay: Replay, store: Store, made: Made) -> None:
    replay.begin()
    assert replay.playing
    replay.pause()
    assert store.lifecycle == LIFECYCLE
    replay.seek(made.end_ns)
    assert store.cache is not None
    assert store.cache.counters == made.pictures[-1][1].counters
    assert store.limits == limits(60, 6)
    replay.to_begin()
    assert store.limits == limits(0, 16)
    assert store.serving is None
    assert store.replay is not None
    assert store.replay.position_ns == store.replay.begin_ns


def test_it_plays_by_the_clock_and_stops_at_the_end(replay: Replay, store: Store, qtbot: QtBot) -> None:
    replay.set_speed(16)
    replay.begin()
    qtbot.waitUntil(lambda: store.replay is not None and not store.replay.playing)
    assert store.replay is not None
    assert store.replay.position_ns == store.replay.end_ns
    replay.play()  # from the beginning again
    assert store.replay.position_ns < store.replay.end_ns
    replay.pause()


def test_steps_and_speeds(replay: Replay, store: Store) -> None:
    replay.begin()
    replay.step(1)
    assert not replay.playing
    assert store.cache is not None
    first = store.cache.published_ns
    replay.step(1)
    second = store.cache.published_ns
    assert second > first
    replay.step(-1)
    assert store.cache.published_ns == first
    for _ in range(20):
        replay.step_speed(1)
    assert store.replay is not None
    assert store.replay.speed == SPEEDS[-1]
    replay.rest()
    replay.resume()
    assert not replay.playing


def test_the_memory_history_goes_back_with_the_replay(
    replay: Replay, context: PanelContext, made: Made, qtbot: QtBot
) -> None:
    panel = GpuPanel(context)
    qtbot.addWidget(panel)
    replay.seek(made.end_ns)
    replay.seek(made.end_ns - 3_000_000_000)
    hardware_now = context.store.hardware
    assert hardware_now is not None
    assert panel.host_card.history.newest is not None
    assert panel.host_card.history.newest.monotonic_ns == hardware_now.host.monotonic_ns


def test_the_timeline_of_the_whole_recording(replay: Replay, made: Made, loop: qasync.QEventLoop) -> None:
    loop.run_until_complete(replay.read_timeline())
    assert replay.timeline is not None
    ids = {request.request_id for _, picture in made.pictures for request in picture.requests}
    assert {lane.request_id for lane in (*replay.timeline.finished, *replay.timeline.live)} == ids
    assert len(list(replay.steps())) == len(replay.timeline.steps)


def test_the_bar(replay: Replay, store: Store, themes: Themes, made: Made, qtbot: QtBot) -> None:
    replay.begin()
    replay.pause()
    bar = ScrubberBar(store, replay, themes, SPEEDS)
    qtbot.addWidget(bar)
    bar.resize(1200, 44)
    bar.show()
    begin, end = made.pictures[0][0], made.end_ns
    assert bar.time.text() == "00:00.0 / 00:05"
    track = bar.track
    qtbot.mouseClick(track, Qt.MouseButton.LeftButton, pos=QPoint(track.width() // 2, 10))
    assert store.replay is not None
    assert store.replay.position_ns == pytest.approx((begin + end) / 2, rel=0, abs=1e8)
    track.setFocus()
    before = store.replay.position_ns
    qtbot.keyClick(track, Qt.Key.Key_Right)
    assert store.replay.position_ns == before + 1_000_000_000
    qtbot.keyClick(track, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert store.replay.position_ns == before + 900_000_000
    qtbot.keyClick(track, Qt.Key.Key_Space)
    assert replay.playing
    assert bar.play.accessibleName().startswith("Pause")
    bar.play.click()
    assert not replay.playing
    qtbot.keyClick(track, Qt.Key.Key_End)
    assert store.replay.position_ns == end
    bar.speed.setCurrentIndex(0)
    bar.speed.activated.emit(0)
    assert store.replay.speed == 0.25
    assert "running" in track._told(end)
    bar.grab()


def test_a_file_that_is_damaged_on_the_way_is_a_notice(
    made: Made, store: Store, tmp_path: Path, quiet: Quiet
) -> None:
    import sqlite3

    quiet.allow("damaged")
    path = tmp_path / "bad.kvdeck"
    path.write_bytes(made.path.read_bytes())
    database = sqlite3.connect(path)
    database.execute("UPDATE part SET records = x'00' WHERE id = 4")
    database.commit()
    database.close()
    notices: list[str] = []
    store.noticed.connect(lambda notice: notices.append(notice.message))
    replay = Replay(store, RecordingReader(path))
    replay.begin()
    replay.seek(made.end_ns)
    assert "damaged" in notices[0]
    assert not replay.playing
    replay.to_begin()  # what comes before the damage can still be seen
    assert store.cache is not None or store.lifecycle == LIFECYCLE
    replay.stop()
    replay.close()


def test_commands_say_that_nothing_runs(store: Store, loop: qasync.QEventLoop) -> None:
    notices: list[str] = []
    store.noticed.connect(lambda notice: notices.append(notice.message))
    commands = ReplayCommands(store)
    commands.load("x")
    commands.reload()
    commands.unload()
    commands.apply_limits(LimitsRequest())
    commands.edit("max_num_seqs", 3)
    commands.abort("r")
    commands.build_starter()
    assert len(notices) == 7
    assert len(set(notices)) == 1

    async def chat() -> None:
        async for _ in commands.chat([], ChatOptions()):
            raise AssertionError("an answer without an engine")

    with pytest.raises(EngineBusy, match="replays a recording"):
        loop.run_until_complete(chat())


def test_clock_texts() -> None:
    assert clock_text(61.25) == "01:01"
    assert clock_text(61.25, tenths=True) == "01:01.2"
    assert clock_text(3725) == "1:02:05"


# The whole window

REPLAYING = """
import asyncio, json, sys
from pathlib import Path
import qasync
from PySide6.QtWidgets import QApplication
from app.application import Application
from app.options import Options
qt = QApplication([])
loop = qasync.QEventLoop(qt)
application = Application(qt, Options(replay=Path(sys.argv[1])))
window, store = application.window, application.store
async def look():
    for _ in range(600):
        await asyncio.sleep(0.05)
        panel = window.slots["timeline"].panel
        if store.lifecycle.failure or (panel and panel.context.replay and panel.context.replay.timeline):
            break
    panel = window.slots["timeline"].panel
    if panel.context.replay:
        panel.context.replay.pause()
        panel.context.replay.seek(panel.context.replay._reader.end_ns)
        for _ in range(5):
            await asyncio.sleep(0.02)
        for _ in range(600):  # what draws is imported beside the window
            if panel.view is not None:
                break
            await asyncio.sleep(0.05)
    print(json.dumps({
        "title": window.windowTitle(),
        "failure": store.lifecycle.failure.message if store.lifecycle.failure else None,
        "headline": window._failure._title.text() if window._failure else None,
        "lanes": len(panel.timeline.finished) + len(panel.timeline.live),
        "drawn": panel.view is not None and panel.isVisible(),
        "step": store.cache.counters.step if store.cache else None,
        "chat_hidden": window.slots["chat"].isHidden(),
        "host": application._side is not None,
        "modules": [name for name in ("vllm", "torch", "aiohttp") if name in sys.modules],
        "actions": [action.text() for _, action in window.menus.all_actions()],
    }))
    window.close()
application.window.painted.connect(lambda _: loop.create_task(look()))
with loop:
    sys.exit(loop.run_until_complete(application.run()))
"""


def run_window(path: Path, home: Path) -> dict[str, object]:
    import json

    done = subprocess.run(
        [sys.executable, "-c", REPLAYING, str(path)],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "KVDECK_HOME": str(home)},
        capture_output=True, text=True, timeout=WAIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_a_window_replays_without_engine_or_host(made: Made, kvdeck_home: Path) -> None:
    found = run_window(made.path, kvdeck_home)
    ids = {request.request_id for _, picture in made.pictures for request in picture.requests}
    assert found["title"] == "made.kvdeck – KVDeck"
    assert found["failure"] is None
    assert found["lanes"] == len(ids)
    assert found["drawn"]
    assert found["step"] == made.pictures[-1][1].counters.step
    assert found["chat_hidden"]
    assert not found["host"]
    assert found["modules"] == []
    actions = found["actions"]
    assert isinstance(actions, list)
    assert {"Play or pause", "The next picture"} <= set(actions)


def test_a_window_says_what_is_wrong_with_a_file(tmp_path: Path, kvdeck_home: Path) -> None:
    path = tmp_path / "letter.kvdeck"
    path.write_text("Dear Sir")
    found = run_window(path, kvdeck_home)
    assert found["failure"] == "letter.kvdeck is not a recording."
    assert found["headline"] == "The recording cannot be shown"


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert parse(["--replay"], "1").replay == SAMPLE
    assert parse(["--replay", "a.kvdeck"], "1").replay == Path("a.kvdeck")
    assert parse([], "1").replay is None
    with pytest.raises(SystemExit):
        parse(["--replay", "a", "--tour"], "1")
    assert "alone" in capsys.readouterr().err


def test_recordings_open_in_windows_of_their_own(
    store: Store, themes: Themes, tasks: Tasks, settings: object, tmp_path: Path, qtbot: QtBot,
) -> None:  # fmt: skip
    from app.file_actions import FileActions
    from app.main_window import MainWindow
    from app.panels.registry import PANELS
    from app.widgets.log_book import LogBook

    window = MainWindow(store, themes, settings, LogBook(store), PANELS)  # type: ignore[arg-type]
    qtbot.addWidget(window)
    opened: list[Path] = []

    def launch(path: Path) -> bool:
        opened.append(path)
        return len(opened) < 3

    actions = FileActions(window, store, tasks, launch)
    notices: list[str] = []
    store.noticed.connect(lambda notice: notices.append(notice.message))
    by_text = {action.text(): action for _, action in window.menus.all_actions()}
    by_text["Open a recording…"].trigger()
    answer(window, tmp_path / "x.kvdeck")
    by_text["Open the sample recording"].trigger()
    assert opened == [tmp_path / "x.kvdeck", SAMPLE]
    by_text["Open a recording…"].trigger()
    answer(window, tmp_path / "x.kvdeck")
    assert "could not be opened" in notices[0]
    actions.save_picture("", tmp_path / "window.png")
    actions.save_picture("gpu", tmp_path / "gpu.svg")
    assert (tmp_path / "window.png").stat().st_size > 1000
    assert "<svg" in (tmp_path / "gpu.svg").read_text()
    actions.save_picture("gpu", tmp_path / "no" / "gpu.png")
    assert "could not be written" in notices[-1]
    assert not by_text["Record"].isEnabled()
    window.allow_close()


def test_the_sample_is_a_real_run_with_everything_in_it() -> None:
    from engine.recording.export import timeline_of

    reader = RecordingReader(SAMPLE)
    moment = Player(reader).seek(reader.end_ns)
    lifecycle = next(value for value in moment.values if type(value) is type(LIFECYCLE))
    assert lifecycle.phase in (Phase.READY, Phase.UNLOADING, Phase.IDLE)
    timeline = timeline_of(reader)
    lanes = timeline.finished
    assert 16 <= len(lanes) <= 40
    assert any(lane.num_cached_tokens for lane in lanes)
    assert any(lane.num_preemptions for lane in lanes)
    assert all(lane.output_tokens for lane in lanes)
    assert sum(part.limits_changed for part in reader.parts) >= 1
    assert sum(part.preemptions for part in reader.parts) >= 2
    kinds = {type(event).__name__ for event in events_of(reader)}
    assert {"Admitted", "Preempted", "Evicted"} <= kinds
    assert moment.cache is not None
    told = {type(value).__name__ for value in moment.values}
    assert {"PrefixTree", "BlockTimes", "LiveLimits", "HardwareSample", "ServingStats"} <= told
    assert SAMPLE.stat().st_size < 1_000_000
    reader.close()
