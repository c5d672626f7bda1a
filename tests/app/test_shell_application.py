"""The program itself, as a process of its own: how fast it opens, what it imports first, how it ends."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from app import display
from app.options import Options
from app.window_log import WindowLog
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

    from app.bridge.store import Store
    from engine.domain.lifecycle import LogRecord
    from tests.app.conftest import Quiet

WAIT_S = PATIENCE_S
LATE_MODULES = ("aiohttp", "keyring", "numpy", "pyqtgraph", "psutil", "msgspec", "markdown_it", "pygments")

AT_FIRST_PAINT = """
import sys
import qasync
from PySide6.QtWidgets import QApplication
from app.application import Application
from app.options import Options
qt = QApplication([])
loop = qasync.QEventLoop(qt)
application = Application(qt, Options())
application.window.painted.connect(lambda _: print("MODULES", *sorted(sys.modules)))
application.window.painted.connect(lambda _: application.window.close())
with loop:
    sys.exit(loop.run_until_complete(application.run()))
"""

WITH_FAULTS = """
import asyncio, sys, threading
import qasync
from PySide6.QtCore import QTimer, qWarning
from PySide6.QtWidgets import QApplication
from app.application import Application
from app.options import Options
qt = QApplication([])
loop = qasync.QEventLoop(qt)
application = Application(qt, Options())
notices = []
application.store.noticed.connect(lambda notice: notices.append(notice.message))
async def unowned():
    raise ValueError("of a future")
def fail():
    raise ValueError("of a slot")
def in_thread():
    raise ValueError("of a thread")
def provoke():
    QTimer.singleShot(0, fail)
    threading.Thread(target=in_thread).start()
    loop.call_soon(fail)
    application.tasks.start(unowned(), "Work")
    qWarning("of Qt")
    QTimer.singleShot(500, finish)
def finish():
    print("OPEN", application.window.isVisible())
    print("NOTICES", *sorted(notices), sep="|")
    application.window.close()
application.window.painted.connect(lambda _: provoke())
with loop:
    sys.exit(loop.run_until_complete(application.run()))
"""


def environment(home: Path) -> dict[str, str]:
    return {**os.environ, "QT_QPA_PLATFORM": "offscreen", "KVDECK_HOME": str(home)}


def run(code: str, home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], env=environment(home), capture_output=True, text=True, timeout=WAIT_S, check=False
    )


def line(output: str, word: str) -> str:
    return next(line.removeprefix(word).strip() for line in output.splitlines() if line.startswith(word))


def test_nothing_heavy_is_imported_before_the_window_is_painted(kvdeck_home: Path) -> None:
    result = run(AT_FIRST_PAINT, kvdeck_home)
    assert result.returncode == 0, result.stderr
    modules = set(line(result.stdout, "MODULES").split())
    assert modules & {"app.main_window"}
    assert modules & set(LATE_MODULES) == set()


def test_faults_are_told_and_the_window_stays(kvdeck_home: Path) -> None:
    result = run(WITH_FAULTS, kvdeck_home)
    assert result.returncode == 0, result.stderr
    assert line(result.stdout, "OPEN") == "True"
    notices = line(result.stdout, "NOTICES")
    for part in ("of a future", "of a slot", "of a thread"):
        assert part in notices
    log = (kvdeck_home / "log" / "window.log").read_text(encoding="utf-8")
    assert "WARNING qt: of Qt" in log
    assert log.count("ValueError: of a slot") == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_good_order(kvdeck_home: Path, number: int) -> None:
    kvdeck_home.mkdir(parents=True)
    report = kvdeck_home / "start.json"
    with subprocess.Popen(
        [sys.executable, "-m", "app", "--report-start", str(report)],
        env=environment(kvdeck_home), stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        deadline = time.monotonic() + WAIT_S
        while not report.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(number)
        _, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 0
    assert "Traceback" not in errors
    assert "never awaited" not in errors
    seen = json.loads(report.read_text(encoding="utf-8"))
    assert 0 < seen["window_visible_s"] < WAIT_S
    assert seen["cpu_s"] < 2.0  # half a second on a usual machine; benchmarks/window_start.py has the time on the clock
    assert list((kvdeck_home / "run").glob("*")) == []


def test_the_command_line_says_what_is_wrong_with_it() -> None:
    def answer(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "app", *arguments], capture_output=True, text=True, check=False)

    assert answer("--version").stdout.startswith("KVDeck ")
    refused = answer("--address", "http://127.0.0.1:8000")
    assert refused.returncode == 2
    assert "--token-file" in refused.stderr


def test_without_a_display_it_says_so(kvdeck_home: Path) -> None:
    bare = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    result = subprocess.run([sys.executable, "-m", "app"], env=bare, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "no display" in result.stderr


def test_a_home_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    elsewhere = {**os.environ, "KVDECK_HOME": str(tmp_path / "file" / "home")}
    command = [sys.executable, "-m", "app"]
    result = subprocess.run(command, env=elsewhere, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert str(tmp_path / "file") in result.stderr
    assert "KVDECK_HOME=" in result.stderr


def test_a_log_that_cannot_be_written_is_told_once(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], quiet: Quiet
) -> None:
    quiet.allow("first")
    quiet.allow("second")
    seen: list[LogRecord] = []
    store.logged.connect(seen.append)
    own = WindowLog(store, tmp_path / "nowhere")
    logging.getLogger("somebody").warning("first")
    logging.getLogger("somebody").warning("second")
    own.close()
    assert [record.text.split(":")[0] for record in seen] == ["somebody", "app.window_log", "somebody"]
    assert capsys.readouterr().err == ""


def test_a_display_that_does_not_answer_is_said_and_not_aborted_over(kvdeck_home: Path) -> None:
    """Where Qt's libraries for X11 are missing, that is said first. Qt itself would abort the process."""
    bare = {k: v for k, v in os.environ.items() if k not in ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}
    dead = {**bare, "DISPLAY": ":9753"}
    result = subprocess.run([sys.executable, "-m", "app"], env=dead, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    assert "does not answer" in result.stderr or "apt install lib" in result.stderr


def test_missing_libraries_are_named_by_their_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(display, "X11_LIBRARIES", {"libxcb.so.1": "here", "libxcb-nowhere.so.0": "libxcb-nowhere0"})
    monkeypatch.setattr(display, "QT_LIBRARIES", {"libEGL-nowhere.so.1": "libegl-nowhere1"})
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    with pytest.raises(SystemExit) as refused:
        display.refuse_without_display(Options())
    assert refused.value.code == 1
    assert "libxcb-nowhere0" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        display.refuse_without_qt(ImportError("libEGL-nowhere.so.1: cannot open shared object file"))
    told = capsys.readouterr().err
    assert "libEGL-nowhere.so.1: cannot open" in told
    assert "apt install libegl-nowhere1" in told
