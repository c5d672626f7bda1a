"""Qt offscreen; and what a test of the window must not leave behind: messages of Qt, warnings, timers, threads."""

from __future__ import annotations

import gc
import logging
import os
import threading
import time
from functools import partialmethod
from typing import TYPE_CHECKING, Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
import qasync
import shiboken6
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bridge.store import Store
from app.bridge.tasks import Tasks
from app.preferences import Preferences
from app.theme.appearance import Appearance
from app.theme.themes import Themes
from tests.patience import PATIENCE_MS, PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from app.bridge.engine_commands import EngineCommands
    from app.bridge.lab import Lab
    from app.panels.panel import PanelContext

_OFFSCREEN = "This plugin does not support"  # said by Qt's offscreen platform of every window


class PatientBot(QtBot):
    """Waits as long as all tests do where no time is given."""

    waitUntil = partialmethod(QtBot.waitUntil, timeout=PATIENCE_MS)  # type: ignore[assignment]  # noqa: N815
    waitSignal = partialmethod(QtBot.waitSignal, timeout=PATIENCE_MS)  # type: ignore[assignment]  # noqa: N815
    waitSignals = partialmethod(QtBot.waitSignals, timeout=PATIENCE_MS)  # type: ignore[assignment]  # noqa: N815
    waitExposed = partialmethod(QtBot.waitExposed, timeout=PATIENCE_MS)  # type: ignore[assignment]  # noqa: N815


class Quiet:
    """Collects WARNING logs of a test; `allow` takes the ones that the test provokes on purpose."""

    def __init__(self) -> None:
        self.records: list[logging.LogRecord] = []
        self._allowed: list[str] = [_OFFSCREEN]

    def allow(self, part: str) -> None:
        """Records with this text in them are meant."""
        self._allowed.append(part)

    @property
    def unexpected(self) -> list[str]:
        """What was logged and not allowed."""
        texts = [f"{record.name}: {record.getMessage()}" for record in self.records]
        return [text for text in texts if not any(part in text for part in self._allowed)]


class _Collector(logging.Handler):
    def __init__(self, quiet: Quiet) -> None:
        super().__init__(logging.WARNING)
        self._quiet = quiet

    def emit(self, record: logging.LogRecord) -> None:
        self._quiet.records.append(record)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    """pytest-qt's, with more patience."""
    return PatientBot(request)


@pytest.fixture(autouse=True)
def kvdeck_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings, chats, caches and logs of one test, in its own folder."""
    home = tmp_path / "home"
    monkeypatch.setenv("KVDECK_HOME", str(home))
    return home


@pytest.fixture(autouse=True)
def collected_here() -> Iterator[None]:
    """As in the program, no other thread than the window's collects garbage: here it is done after each test."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(autouse=True)
def quiet(qapp: QApplication, qtlog: Any, collected_here: None) -> Iterator[Quiet]:
    """Fails the test that logs a warning, makes Qt complain, or leaves a window, timer or thread behind."""
    threads = set(threading.enumerate())
    timers = {id(timer) for timer in _active_timers()}
    windows = {id(widget) for widget in QApplication.topLevelWidgets()}
    collected = Quiet()
    handler = _Collector(collected)
    logging.getLogger().addHandler(handler)
    yield collected
    logging.getLogger().removeHandler(handler)
    _let_go(qapp)
    assert collected.unexpected == [], "a test that provokes a warning says so: quiet.allow(part of it)"
    assert [message for message in _complaints(qtlog) if not message.startswith(_OFFSCREEN)] == []
    assert [w for w in QApplication.topLevelWidgets() if w.isVisible() and id(w) not in windows] == []
    assert [timer for timer in _active_timers() if id(timer) not in timers] == []
    assert _threads_left(threads) == []


def _complaints(qtlog: Any) -> list[str]:
    return [record.message for record in qtlog.records if record.log_type_name != "QtDebugMsg"]


def _let_go(qapp: QApplication) -> None:
    qapp.clipboard().clear()  # Offscreen, what Python made is destroyed after the interpreter: a crash at the exit.
    gc.collect()
    qapp.sendPostedEvents(None, 52)  # QEvent.DeferredDelete
    qapp.processEvents()
    gc.collect()


def _active_timers() -> list[QTimer]:
    # Asked of Qt's bindings: of all objects, some of torch's warn when they are looked at.
    return [item for item in shiboken6.getAllValidWrappers() if isinstance(item, QTimer) and item.isActive()]


def _threads_left(before: set[threading.Thread]) -> list[threading.Thread]:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        left = [t for t in threading.enumerate() if t not in before and not t.name.startswith("asyncio_")]
        if not left:
            return []
        time.sleep(0.02)
    return left


@pytest.fixture
def settings(kvdeck_home: Path) -> QSettings:
    """An empty settings file."""
    kvdeck_home.mkdir(parents=True, exist_ok=True)
    return QSettings(str(kvdeck_home / "window.ini"), QSettings.Format.IniFormat)


@pytest.fixture
def store(qapp: QApplication) -> Store:
    """A store that nothing has been published to."""
    return Store()


@pytest.fixture
def preferences(settings: QSettings) -> Preferences:
    """The user's preferences, all at their defaults."""
    return Preferences(settings)


@pytest.fixture
def themes(qapp: QApplication, preferences: Preferences) -> Iterator[Themes]:
    """The themes with palette and style sheet on the application; taken off again."""
    font, palette = qapp.font(), qapp.palette()
    result = Themes()
    appearance = Appearance(qapp, result, preferences)
    yield result
    appearance.deleteLater()
    qapp.setStyleSheet("")
    qapp.setFont(font)
    qapp.setPalette(palette)


@pytest.fixture
def loop(qapp: QApplication, tasks: Tasks) -> Iterator[qasync.QEventLoop]:
    """The window's kind of event loop; use `run_until_complete`. What `tasks` still runs is stopped in the end."""
    result = qasync.QEventLoop(qapp)
    with result:
        yield result
        result.run_until_complete(tasks.stop())


@pytest.fixture
def tasks(store: Store) -> Tasks:
    """The task runner of `store`."""
    return Tasks(store)


@pytest.fixture
def commands(store: Store, settings: QSettings, tasks: Tasks, tmp_path: Path) -> EngineCommands:
    """The real commands, over a client that has started no host."""
    from app.bridge.engine_commands import EngineCommands
    from app.bridge.engine_feed import EngineFeed
    from app.bridge.frame_clock import FrameClock
    from app.bridge.library_watch import LibraryWatch
    from app.bridge.starter_build import StarterBuild
    from engine.client.host_process import HostOptions
    from engine.client.remote import RemoteEngine

    engine = RemoteEngine(HostOptions(port=0))
    library = LibraryWatch(store, settings, tasks)
    return EngineCommands(
        store=store,
        engine=engine,
        feed=EngineFeed(store, engine, FrameClock(store), tasks),
        tasks=tasks,
        library=library,
        starter=StarterBuild(store, library),
        profile_folder=tmp_path / "profiles",
    )


@pytest.fixture
def lab(store: Store, tasks: Tasks, tmp_path: Path) -> Iterator[Lab]:
    """The lab over a folder of its own, without an engine."""
    from app.bridge.lab import make_lab

    result = make_lab(store, tasks, None, tmp_path / "lab", None)
    yield result
    result.desk.runs.close()


@pytest.fixture
def context(
    store: Store, commands: EngineCommands, themes: Themes, settings: QSettings, tasks: Tasks, lab: Lab
) -> PanelContext:
    """What a panel is built from."""
    from app.panels.panel import PanelContext

    return PanelContext(store, commands, themes, settings, tasks, lab=lab)
