"""What a replay can become: an animation, tables, and two recordings in step."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image
from pyarrow import parquet
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QWidget

from app.animation.files import animation_file
from app.animation.plan import MOST_FRAMES, AnimationPlan
from app.animation.render import render_animation
from app.bridge.replay import SPEEDS, Replay
from app.bridge.replay_pair import ReplayPair
from app.bridge.store import Notice, Store
from app.dialogs.animation import AnimationDialog
from app.main_window import MainWindow
from app.options import SAMPLE, AnimationOptions, parse
from app.panels.registry import PANELS
from app.replay_session import ReplaySession
from app.widgets.log_book import LogBook
from app.widgets.scrubber_bar import ScrubberBar
from engine.domain.errors import Cancelled, DiskFull, ParameterInvalid
from engine.recording.reader import RecordingReader
from tests.app.answering import answer
from tests.engine.recording.making import Made, make

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import qasync
    from PySide6.QtCore import QSettings
    from PySide6.QtGui import QPaintEvent
    from pytestqt.qtbot import QtBot

    from app.bridge.tasks import Tasks
    from app.theme.themes import Themes

_S = 1_000_000_000


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(tmp_path_factory.mktemp("outputs"), seconds=4, num_blocks=600)


@pytest.fixture(scope="module")
def longer(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(tmp_path_factory.mktemp("longer"), seconds=7, num_blocks=600)


@pytest.fixture
def opened() -> Iterator[Callable[[Made, Store], Replay]]:
    """Opens replays, and closes them."""
    replays: list[Replay] = []

    def open_one(made: Made, store: Store) -> Replay:
        replay = Replay(store, RecordingReader(made.path))
        replay.begin()
        replay.pause()
        replays.append(replay)
        return replay

    yield open_one
    for replay in replays:
        replay.follow(None)
        replay.stop()
        replay.close()


@pytest.fixture
def window(store: Store, themes: Themes, settings: QSettings, qtbot: QtBot) -> Iterator[MainWindow]:
    result = MainWindow(store, themes, settings, LogBook(store), PANELS)
    qtbot.addWidget(result)
    yield result
    result.allow_close()


# Files


def _frames() -> list[Image.Image]:
    """Flat colours, of which a part changes; one frame changes nothing."""
    noise = np.random.default_rng(3)
    picture = np.zeros((40, 60, 3), np.uint8)
    picture[:, :30] = (30, 90, 200)
    frames = [Image.fromarray(picture)]
    for number in range(4):
        picture[5 + number : 20, 10:25] = noise.choice([[255, 0, 0], [0, 255, 0], [9, 9, 9]], (15 - number, 15))
        frames.append(Image.fromarray(picture))
    return [*frames, frames[-1].copy()]


def _read(path: Path) -> tuple[list[np.ndarray], list[int]]:
    with Image.open(path) as found:
        pictures, times = [], []
        for number in range(found.n_frames):  # type: ignore[attr-defined]
            found.seek(number)
            pictures.append(np.asarray(found.convert("RGB")).astype(int))
            times.append(round(found.info.get("duration", 0)))
    return pictures, times


@pytest.mark.parametrize("suffix", [".gif", ".png"])
def test_frames_come_back_from_a_streamed_file(tmp_path: Path, suffix: str) -> None:
    frames, path = _frames(), tmp_path / f"a{suffix}"
    file = animation_file(path, len(frames), 120)
    for frame in frames:
        file.add(frame)
    assert not path.exists()
    file.finish()
    assert [one.name for one in tmp_path.iterdir()] == [path.name]
    pictures, times = _read(path)
    assert times == [120] * len(frames)
    for found, wanted in zip(pictures, frames, strict=True):
        assert np.abs(found - np.asarray(wanted)).max() <= (0 if suffix == ".png" else 8)


def test_webp_and_what_is_given_up(tmp_path: Path) -> None:
    frames = _frames()
    file = animation_file(tmp_path / "a.webp", len(frames), 100)
    for frame in frames:
        file.add(frame)
    file.finish()
    pictures, _ = _read(tmp_path / "a.webp")
    assert (pictures[0] == np.asarray(frames[0])).all()
    assert (pictures[-1] == np.asarray(frames[-1])).all()
    left = animation_file(tmp_path / "b.gif", 2, 100)
    left.add(frames[0])
    left.discard()
    assert [one.name for one in tmp_path.iterdir()] == ["a.webp"]


def test_what_cannot_be_made_is_said(tmp_path: Path) -> None:
    plan = AnimationPlan(tmp_path / "a.gif", "", 1.0, 3.0, 10, 2.0)
    assert plan.num_frames == 11
    assert plan.moments_ns(5)[:2] == [1 * _S + 5, 1 * _S + 200_000_005]
    plan.check(1280, 800)
    for wrong, part in (
        (dataclasses.replace(plan, path=tmp_path / "a.mov"), "ends in none of"),
        (dataclasses.replace(plan, end_s=0.5), "nothing to show"),
        (dataclasses.replace(plan, end_s=MOST_FRAMES / 5 + 2), "are the most"),
        (dataclasses.replace(plan, path=tmp_path / "a.webp", end_s=600.0), "GiB of RAM"),
    ):
        with pytest.raises(ParameterInvalid, match=part):
            wrong.check(1280, 800)


# Rendering


class _Place(QWidget):
    """Shows where the replay stands, as a colour."""

    def __init__(self, replay: Replay) -> None:
        super().__init__()
        self._replay = replay
        self.resize(50, 20)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        from PySide6.QtGui import QColor, QPainter

        with QPainter(self) as painter:
            tenths = (self._replay.position_ns - self._replay.begin_ns) // (_S // 10)
            painter.fillRect(self.rect(), QColor(int(tenths), 0, 0))


def test_an_animation_shows_each_moment(
    made: Made, store: Store, opened: Callable[[Made, Store], Replay], loop: qasync.QEventLoop, tmp_path: Path,
    qtbot: QtBot,
) -> None:  # fmt: skip
    replay = opened(made, store)
    replay.seek(made.end_ns - _S)
    stood = replay.position_ns
    place = _Place(replay)
    qtbot.addWidget(place)
    place.show()
    told: list[int] = []
    plan = AnimationPlan(tmp_path / "a.png", "", 0.5, 2.5, 5, 2.0)
    count = loop.run_until_complete(render_animation(place, replay, plan, lambda done: not told.append(done)))
    pictures, times = _read(plan.path)
    assert count == len(pictures) == 6
    assert [picture[3, 3, 0] for picture in pictures] == [5, 9, 13, 17, 21, 25]
    assert times == [200] * 6
    assert told == [1, 2, 3, 4, 5, 6]
    assert replay.position_ns == stood
    gone = dataclasses.replace(plan, path=tmp_path / "b.gif")
    with pytest.raises(Cancelled):
        loop.run_until_complete(render_animation(place, replay, gone, lambda done: done < 3))
    nowhere = dataclasses.replace(plan, path=tmp_path / "no" / "b.gif")
    with pytest.raises(DiskFull, match="could not be written"):
        loop.run_until_complete(render_animation(place, replay, nowhere))
    assert [one.name for one in tmp_path.iterdir() if one.suffix] == ["a.png"]
    assert replay.position_ns == stood


def test_the_dialog_makes_one_and_can_be_cancelled(
    made: Made, store: Store, tasks: Tasks, window: MainWindow, opened: Callable[[Made, Store], Replay],
    loop: qasync.QEventLoop, tmp_path: Path, qtbot: QtBot,
) -> None:  # fmt: skip
    replay = opened(made, store)
    notices: list[Notice] = []
    store.noticed.connect(notices.append)
    window.resize(1024, 640)
    window.show()

    async def make_one(name: str, *, cancel: bool) -> AnimationDialog:
        dialog = AnimationDialog(window, store, tasks, replay)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        qtbot.addWidget(dialog)
        dialog.open()
        dialog.begin.setValue(1.0)
        dialog.end.setValue(2.0)
        dialog.fps.setCurrentIndex(0)
        assert dialog.told.text().startswith("6 pictures of 1,024 × ".replace(",", ""))
        dialog.buttons.button(QDialogButtonBox.StandardButton.Save).click()
        answer(dialog, tmp_path / name)
        assert not dialog.form.isEnabled()
        if cancel:
            while not dialog.progress.value():  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            dialog.buttons.button(QDialogButtonBox.StandardButton.Cancel).click()
        while dialog.isVisible():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return dialog

    loop.run_until_complete(asyncio.wait_for(make_one("a", cancel=False), 60))
    with Image.open(tmp_path / "a.gif") as found:
        assert (found.n_frames, found.width) == (6, 1024)  # type: ignore[attr-defined]
    assert notices[-1].message.startswith("Saved a.gif: 6 pictures")
    loop.run_until_complete(asyncio.wait_for(make_one("b.gif", cancel=True), 60))
    assert not (tmp_path / "b.gif").exists()
    assert len(notices) == 1


# Two in step


def test_two_recordings_in_step(
    made: Made, longer: Made, store: Store, themes: Themes, opened: Callable[[Made, Store], Replay], qtbot: QtBot
) -> None:
    first, other_store = opened(made, store), Store()
    second = opened(longer, other_store)
    bars = [ScrubberBar(store, first, themes, SPEEDS), ScrubberBar(other_store, second, themes, SPEEDS)]
    for bar in bars:
        qtbot.addWidget(bar)
    first.seek(first.begin_ns + _S)
    pair = ReplayPair(first, second)
    assert not bars[0].in_step.isHidden()
    bars[0].in_step.click()
    assert pair.in_step

    def places() -> tuple[float, float]:
        return (first.position_ns - first.begin_ns) / _S, (second.position_ns - second.begin_ns) / _S

    assert places() == (1.0, 1.0)
    assert bars[1].in_step.isChecked()
    second.seek(second.begin_ns + 2 * _S)
    assert places() == (2.0, 2.0)
    first.seek(first.begin_ns + 3 * _S)
    assert places() == (3.0, 3.0)
    first.set_speed(4.0)
    assert (first.speed, second.speed) == (4.0, 4.0)
    first.play()
    assert first.playing
    assert second.playing
    qtbot.waitUntil(lambda: not second.playing)
    assert first.position_ns == first.end_ns  # the shorter one waits at its end
    assert second.position_ns == second.end_ns
    assert not first.playing
    first.to_begin()
    assert places() == (0.0, 0.0)
    first.step(1)
    assert places()[0] == pytest.approx(places()[1], abs=1e-6)
    bars[1].in_step.click()
    assert not pair.in_step
    first.seek(first.begin_ns + _S)
    assert places()[1] < 1.0
    pair.end()
    assert bars[0].in_step.isHidden()
    assert store.replay is not None
    assert store.replay.speed == 4.0


def test_a_second_recording_opens_beside_the_first(
    made: Made, longer: Made, store: Store, themes: Themes, settings: QSettings, tasks: Tasks, window: MainWindow,
    loop: qasync.QEventLoop, tmp_path: Path,
) -> None:  # fmt: skip
    session = ReplaySession(window, store, themes, settings, tasks, window)
    window.show()

    async def nothing(*_: object) -> None:
        return None

    async def compare() -> None:
        first = await session.open(made.path, nothing)
        assert first is not None
        first.pause()
        await session.open_second(longer.path)
        second = session.second
        assert second is not None
        assert second.window.isVisible()
        assert second.window.windowTitle() == "made.kvdeck – KVDeck"
        assert second.pair is not None
        assert second.pair.in_step
        first.seek(first.begin_ns + 2 * _S)
        assert second.store.cache is not None
        assert second.store.replay is not None
        assert second.store.replay.position_ns - second.store.replay.begin_ns == 2 * _S
        assert second.window.slots["cache"].panel is not None
        second.window.close_asked.emit()
        while session.second is not None or second.window.isVisible():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        first.seek(first.begin_ns + _S)  # goes on alone
        await session.open_second(tmp_path / "nowhere.kvdeck")
        assert session.second is not None
        assert session.second.store.lifecycle.failure is not None
        await session.stop()
        session.close()

    loop.run_until_complete(asyncio.wait_for(compare(), 60))


# Tables


def test_tables_from_the_menu(
    made: Made, store: Store, themes: Themes, settings: QSettings, tasks: Tasks, window: MainWindow,
    loop: qasync.QEventLoop, tmp_path: Path,
) -> None:  # fmt: skip
    session = ReplaySession(window, store, themes, settings, tasks, window)
    notices: list[Notice] = []
    store.noticed.connect(notices.append)

    async def export() -> None:
        async def nothing(*_: object) -> None:
            return None

        first = await session.open(made.path, nothing)
        assert first is not None
        first.pause()
        by_text = {action.text(): action for _, action in window.menus.all_actions()}
        assert {"Play or pause", "Compare with another recording…", "Save as an animation…"} <= set(by_text)
        for suffix in ("CSV", "Parquet"):
            by_text[f"as {suffix}…"].trigger()
            answer(window, tmp_path / "out")
            count = len(notices)
            while len(notices) == count:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await session.stop()
        session.close()

    loop.run_until_complete(asyncio.wait_for(export(), 60))
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == sorted(f"{name}.{suffix}" for name in ("requests", "steps", "events", "stalls", "samples")
                           for suffix in ("csv", "parquet"))  # fmt: skip
    steps = parquet.read_table(tmp_path / "out" / "steps.parquet")
    assert steps.num_rows == sum(len(picture.steps) for _, picture in made.pictures)
    assert "steps.parquet" in notices[-1].message


# The command line


def test_options(capsys: pytest.CaptureFixture[str]) -> None:
    two = parse(["--replay", "a", "b"], "1")
    assert (two.replay, two.second) == (Path("a"), Path("b"))
    assert parse(["--replay", "--export", "out", "--format", "parquet"], "1").replay == SAMPLE
    made = parse(["--replay", "a", "--animate", "b.gif", "--panel", "cache", "--to", "3", "--size", "800x600"], "1")
    assert made.animation == AnimationOptions(Path("b.gif"), "cache", 0.0, 3.0, 10, 1.0, (800, 600))
    for wrong, part in (
        (["--replay", "a", "b", "c"], "two side by side"), (["--animate", "x.gif"], "needs --replay"),
        (["--replay", "a", "b", "--export", "x"], "takes one recording"),
        (["--replay", "--animate", "x.gif", "--size", "big"], "WIDTHxHEIGHT"),
        (["--replay", "--animate", "x.gif", "--fps", "0"], "over 0"), (["--panel", "cache"], "need --animate"),
    ):  # fmt: skip
        with pytest.raises(SystemExit):
            parse(wrong, "1")
        assert part in capsys.readouterr().err


def _kvdeck(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The program as a user without a display starts it."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return subprocess.run(
        [sys.executable, "-m", "app", "--replay", *map(str, arguments)],
        env={name: value for name, value in os.environ.items() if name not in hidden},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_an_animation_without_a_display(made: Made, tmp_path: Path) -> None:
    done = _kvdeck(made.path, "--animate", tmp_path / "a.gif", "--panel", "cache", "--to", 1, "--fps", 4)
    assert done.returncode == 0, done.stderr
    with Image.open(tmp_path / "a.gif") as found:
        assert found.n_frames == 5  # type: ignore[attr-defined]
        assert len(found.convert("RGB").getcolors(1 << 20)) > 8  # a panel, and no empty picture
    wrong = _kvdeck(made.path, "--animate", tmp_path / "b.gif", "--panel", "kitchen")
    assert wrong.returncode == 1
    assert "There is no panel kitchen" in wrong.stderr


def test_tables_without_a_display(made: Made, tmp_path: Path) -> None:
    done = _kvdeck(made.path, "--export", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "steps.csv" in done.stdout
    wrong = _kvdeck(tmp_path / "no.kvdeck", "--export", tmp_path / "out")
    assert wrong.returncode == 1
    assert "There is no recording" in wrong.stderr
