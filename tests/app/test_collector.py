"""Nothing of Qt is made or destroyed beside the window's thread: each of these crashed the program without the cure."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
import weakref
from typing import TYPE_CHECKING

from app.collector import Collector

if TYPE_CHECKING:
    from pathlib import Path

    from app.bridge.store import Store

_TIMEOUT_S = 120

GARBAGE_OF_ALL_THREADS = """
import gc, threading
from PySide6.QtCore import QTimer, QVariantAnimation
from PySide6.QtWidgets import QApplication, QMenu
from app.bridge.store import Store
from app.collector import Collector
qt = QApplication([])
store = Store()
collector = Collector(store)
gc.set_threshold(1)  # whoever is allowed to collect does it all the time
where, gone, done = set(), [], threading.Event()
gc.callbacks.append(lambda phase, info: where.add(threading.get_ident()))
class Marked:
    def __del__(self):
        gone.append(threading.get_ident())
def make():
    for one in (QTimer(interval=1), QVariantAnimation(startValue=0.0, endValue=1.0), QMenu()):
        one.itself, one.mark = one, Marked()
        if not isinstance(one, QMenu):
            one.start()
def allocate():
    while not done.wait(0.001):
        for _ in range(500):
            cycle = []
            cycle.append(cycle)
beside = threading.Thread(target=allocate)
beside.start()
made = 0
while len(gone) < 100:
    make()
    made += 3
    qt.processEvents()
done.set()
beside.join()
collector.release()
print(where == {threading.get_ident()}, set(gone) == where, len(gc.get_objects()) < 500_000)
"""

TYPES_IN_TWO_THREADS = """
import asyncio, sys, threading
from PySide6 import QtCore, QtGui, QtWidgets
from app.bridge.qt_types import make_types
asyncio.run(make_types())
sys.setswitchinterval(1e-5)
def ask():
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            getattr(module, name)
beside = threading.Thread(target=ask)
beside.start()
import app.widgets.timeline_view
ask()
beside.join()
print("both")
"""


def answer(code: str, home: Path) -> str:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "KVDECK_HOME": str(home), "PYTHONFAULTHANDLER": "1"}
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_garbage_of_all_threads_is_collected_on_the_windows(kvdeck_home: Path) -> None:
    assert answer(GARBAGE_OF_ALL_THREADS, kvdeck_home) == "True True True"


def test_types_of_qt_are_there_before_two_threads_ask_for_them(kvdeck_home: Path) -> None:
    assert answer(TYPES_IN_TWO_THREADS, kvdeck_home) == "both"


class _Cycle:
    def __init__(self) -> None:
        self.itself = self


def test_young_objects_are_collected_by_their_number_and_old_ones_at_rest(qapp: object, store: Store) -> None:
    collector = Collector(store)
    try:
        gc.collect()
        garbage = weakref.ref(_Cycle())
        collector.look()
        assert garbage() is not None
        kept = [[number] for number in range(3_000)]
        collector.look()
        assert garbage() is None
        assert len(kept) == 3_000

        gc.collect(1)
        old = gc.get_count()[2]
        store.cache_changed.emit(None)
        collector._collected_s -= 60
        collector.look()
        assert gc.get_count()[2] >= old > 0  # pictures come
        collector._pictured_s -= 60
        collector.look()
        assert gc.get_count()[2] == 0
        assert time.monotonic() - collector._collected_s < 60
    finally:
        collector.release()
