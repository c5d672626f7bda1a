"""SIGKILL of the window: the host, the engine and what they held end (how soon, the soak measures)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import psutil
import pytest

from tests.engine.host.hosting import pages, wait_gone
from tests.shared_memory import held, wait_for_none

if TYPE_CHECKING:
    from pathlib import Path

# The real window, with its Load button clicked; says which processes there are as soon as the engine is ready.
_WINDOW = """
import asyncio, json, sys
from pathlib import Path
import qasync
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication
from app.application import Application
from app.options import Options
from app.preferences import settings_file
from app.tour.robot import Robot
from engine.domain.lifecycle import Phase
settings = QSettings(str(settings_file()), QSettings.Format.IniFormat)
settings.setValue("library/folders", [sys.argv[1]])
settings.sync()
qt = QApplication([])
loop = qasync.QEventLoop(qt)
application = Application(qt, Options())
async def drive():
    store, robot = application.store, Robot(application.window, Path("."))
    running = asyncio.ensure_future(application.run())
    await robot.until(lambda: store.library is not None and bool(store.library.checkpoints), 60, "the scan")
    await robot.click("loadButton", 60)
    await robot.until(lambda: store.lifecycle.phase is Phase.READY, 300, "ready")
    print(json.dumps([process.pid for process in store.lifecycle.facts.processes]), flush=True)
    await running
with loop:
    loop.run_until_complete(drive())
"""


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.timeout(420)
def test_sigkill_of_the_window_ends_everything(
    home: Path, environment: dict[str, str], starter_checkpoint: Path
) -> None:
    command = [sys.executable, "-c", _WINDOW, str(starter_checkpoint)]
    environment["VLLM_CPU_KVCACHE_SPACE"] = "1"
    window = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert window.stdout is not None
        engines = json.loads(window.stdout.readline())
        family = [process.pid for process in psutil.Process(window.pid).children(recursive=True)]
        assert set(engines) < set(family), "host and engine are the window's descendants"
        assert len(pages(home)) == 1
        shared = held(family)
        assert shared
        os.kill(window.pid, signal.SIGKILL)
        window.wait()
        wait_gone(family)
    finally:
        if window.poll() is None:
            window.kill()
        with window:
            pass
    assert pages(home) == []
    wait_for_none(shared)
