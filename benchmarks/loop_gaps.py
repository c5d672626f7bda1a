"""How long the window's event loop is ever away while a model loads: p50, p99, longest, and who held it up.

    python -m benchmarks.loop_gaps [--checkpoint FOLDER] [--json FILE]

Opens the real window (offscreen where there is no display) with settings of its own, clicks Load, and lets a timer tick
every 5 ms until the model is ready. A gap is the time between two ticks; the target is that none exceeds 50 ms. Exit
status 1 if one does. `waited_ms` is how much of a gap the window's thread was ready to run and had no core, which the
kernel counts: on a machine whose cores are all busy elsewhere that part is not the window's doing. A second thread
notes where the window's thread was at the end of 40 ms without a tick.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.application import Application

_SCHEDSTAT = Path("/proc/thread-self/schedstat")
TICK_MS = 5
LIMIT_MS = 50.0
_LATE_S = 0.040
_SHOWN_STACKS = 8
_SHOWN_FRAMES = 8
_LOAD_S = 600.0


class LateWatch(threading.Thread):
    """Looks at the window's thread whenever its last tick is 40 ms old, once a gap."""

    def __init__(self, watched: int) -> None:
        super().__init__(name="late-watch", daemon=True)
        self._watched = watched
        self._seen = 0.0
        self.last_tick = time.monotonic()
        self.places: Counter[str] = Counter()

    def run(self) -> None:
        """Until the program ends."""
        while True:
            time.sleep(0.005)
            last = self.last_tick
            if last != self._seen and time.monotonic() - last > _LATE_S:
                self._seen = last
                self.places[self._place()] += 1

    def _place(self) -> str:
        # No frame is kept beyond this call: it would keep the painter in it alive, and the widget that it paints.
        frame = sys._current_frames().get(self._watched)  # noqa: SLF001 - the interpreter's one way to ask
        lines = traceback.extract_stack(frame)[-_SHOWN_FRAMES:] if frame is not None else []
        return " < ".join(f"{Path(line.filename).name}:{line.lineno} {line.name}" for line in reversed(lines))


@dataclass(frozen=True, slots=True, order=True)
class Gap:
    """The time between two ticks, the part of it spent waiting for a core, when it ended, and the load's stage then."""

    length_s: float
    waited_s: float
    at_s: float
    stage: str


class Gaps:
    """Ticks every 5 ms on the window's loop and keeps each gap with its time and the load's stage."""

    def __init__(self, application: Application, watch: LateWatch) -> None:
        from PySide6.QtCore import Qt, QTimer

        self._application = application
        self._watch = watch
        self._last = 0.0
        self._waited = _run_delay_s()
        self.gaps: list[Gap] = []
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        """Begin to measure."""
        self._last = self._began = time.monotonic()
        self._waited = _run_delay_s()
        self._timer.start(TICK_MS)

    def stop(self) -> None:
        """End the measurement."""
        self._timer.stop()

    def _tick(self) -> None:
        now = time.monotonic()
        lifecycle = self._application.store.lifecycle
        stage = lifecycle.stages[-1].stage if lifecycle.stages else lifecycle.phase
        waited = _run_delay_s()
        self.gaps.append(Gap(now - self._last, waited - self._waited, now - self._began, str(stage)))
        self._last, self._waited = now, waited
        self._watch.last_tick = now


def _run_delay_s() -> float:
    """How long this thread has been ready to run and had no core so far; 0 where the kernel does not count it."""
    try:
        with _SCHEDSTAT.open("rb") as stream:
            return int(stream.read().split()[1]) / 1e9
    except OSError:
        return 0.0


async def _measure(application: Application, gaps: Gaps) -> float:
    """Load the one checkpoint by the window's own button; returns the seconds it took."""
    from app.tour.robot import Robot
    from engine.domain.lifecycle import Phase

    store, robot = application.store, Robot(application.window, Path(tempfile.gettempdir()))
    await robot.until(lambda: store.lifecycle.phase is Phase.IDLE, 60, "the engine host answers")
    await robot.until(lambda: store.library is not None and not store.library.scanning, 60, "the scan")
    gaps.start()
    began = time.monotonic()
    await robot.click("loadButton", 30)
    await robot.until(lambda: store.lifecycle.phase in (Phase.READY, Phase.FAILED), _LOAD_S, "the load ends")
    took = time.monotonic() - began
    gaps.stop()
    if store.lifecycle.phase is Phase.FAILED:
        raise SystemExit(f"The load failed: {store.lifecycle.failure}")
    return took


def _report(gaps: Gaps, watch: LateWatch, load_s: float) -> dict[str, object]:
    seconds = np.array([gap.length_s for gap in gaps.gaps])
    own = np.array([gap.length_s - gap.waited_s for gap in gaps.gaps])
    p50, p99 = (float(value) * 1000 for value in np.percentile(seconds, (50, 99)))
    longest = sorted(gaps.gaps, reverse=True)[:_SHOWN_STACKS]
    return {
        "load_s": round(load_s, 2),
        "ticks": len(gaps.gaps),
        "p50_ms": round(p50, 2),
        "p99_ms": round(p99, 2),
        "max_ms": round(float(seconds.max()) * 1000, 2),
        "over_50_ms": int((seconds * 1000 > LIMIT_MS).sum()),
        "max_without_waiting_for_a_core_ms": round(float(own.max()) * 1000, 2),
        "longest": [
            {
                "ms": round(gap.length_s * 1000, 1),
                "waited_ms": round(gap.waited_s * 1000, 1),
                "at_s": round(gap.at_s, 2),
                "stage": gap.stage,
            }
            for gap in longest
        ],
        "held_up_by": dict(watch.places.most_common(_SHOWN_STACKS)),
        "cores": os.cpu_count(),
    }


def _run(checkpoint: Path) -> dict[str, object]:
    import qasync
    from PySide6.QtCore import QSettings
    from PySide6.QtWidgets import QApplication

    from app.application import Application
    from app.options import Options
    from app.preferences import settings_file

    settings = QSettings(str(settings_file()), QSettings.Format.IniFormat)
    settings.setValue("library/folders", [str(checkpoint)])
    settings.setValue("server/port", 0)
    settings.sync()
    qt = QApplication(["loop-gaps"])
    qt.setQuitOnLastWindowClosed(False)
    watch = LateWatch(threading.get_ident())
    with qasync.QEventLoop(qt) as loop:
        application = Application(qt, Options())
        application.window.resize(1440, 900)
        gaps = Gaps(application, watch)
        watch.start()

        async def whole() -> float:
            running = asyncio.ensure_future(application.run())
            try:
                return await _measure(application, gaps)
            finally:
                application.window.close()
                await running

        load_s = loop.run_until_complete(whole())
    return _report(gaps, watch, load_s)


def main() -> int:
    """Measure once and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", type=Path, help="what to load (default: the starter model of this user)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures here too")
    options = parser.parse_args()
    from engine.domain.paths import cache_dir

    checkpoint = (options.checkpoint or cache_dir() / "starter" / "SmolLM2-135M-Instruct").resolve()
    if not (checkpoint / "config.json").is_file():
        parser.error(f"there is no checkpoint in {checkpoint}")
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory(prefix="kvdeck-gaps-") as home:
        os.environ["KVDECK_HOME"] = home
        figures = _run(checkpoint)
    text = json.dumps(figures, indent=2)
    print(text)
    if options.json is not None:
        options.json.write_text(text + "\n", encoding="utf-8")
    longest = figures["max_ms"]
    assert isinstance(longest, float)
    return 0 if longest <= LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
