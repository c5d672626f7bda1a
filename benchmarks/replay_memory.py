"""Whether the window's memory stays steady over an hour of full-rate telemetry: `python -m benchmarks.replay_memory`.

    python -m benchmarks.replay_memory [--minutes 60] [--blocks 60000] [--requests 256] [--json FILE]

Plays so many minutes of telemetry into the real window (offscreen where there is no display), as an engine would send
it: 30 pictures a second through a real telemetry page, in each of which requests grow, end and arrive, blocks change
hands and are evicted; once a second a sample of this machine's hardware, serving figures and lines of the log. It goes
as fast as the machine can, not by the clock, and every picture is really painted before the next: the number of the
block map's paints is printed beside that of the pictures. Only what is drawn by the clock and not by pictures (the
timeline, ten times a second) is drawn less often than in an hour. The colour modes, the tabs below the map and the
pages take turns, a request is chosen now and then.

Prints the process's resident memory, Python's objects and Qt's every simulated minute, the slope over the second half
(in the first the bounded histories fill up), and what kinds of objects there came to be more of. Exit status 1 where
memory grows by more than 24 MiB an hour there.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.page_traffic import PageTraffic

if TYPE_CHECKING:
    from app.application import Application
    from app.panels.cache import CachePanel
    from engine.domain.telemetry import CacheSnapshot

_PICTURES_PER_S = 30
_STEP_NS = 1_000_000_000 // _PICTURES_PER_S
_LIMIT_MIB_PER_HOUR = 24.0
_ENDS_A_PICTURE = 0.3  # so that 16,384 finished requests, as many as are kept, are reached in half an hour
_EVICTIONS = 4  # events a picture


@dataclass(frozen=True, slots=True)
class Sample:
    """The process at one simulated minute."""

    minute: float
    pictures: int
    paints: int
    rss_mib: float
    python_objects: int
    qt_objects: int


class Player:
    """Makes the telemetry and hands it to the window, a picture at a time."""

    def __init__(self, application: Application, panel: CachePanel, traffic: PageTraffic, requests: int) -> None:
        self._store, self._panel, self._traffic = application.store, panel, traffic
        self._requests, self._dice = requests, np.random.default_rng(5)
        self._prompt = max(16, traffic.writer.views.states.size // 2 * traffic.block_size // requests)
        self._named = self._sequence = 0
        self._now_ns = time.monotonic_ns()
        self.pictures = self.paints = 0
        paint = panel.map.paint

        def counted(painter: object) -> None:
            self.paints += 1
            paint(painter)  # type: ignore[arg-type]

        panel.map.paint = counted  # type: ignore[method-assign]

    def play(self) -> None:
        """One picture, as of a thirtieth of a second later."""
        traffic, dice = self._traffic, self._dice
        live = list(traffic.live)
        for name in live:
            traffic.grow(name)
        if len(live) >= self._requests and dice.random() < _ENDS_A_PICTURE:
            traffic.finish(live[int(dice.integers(len(live)))])
        for _ in range(max(1, (self._requests - len(traffic.live)) // 16) if len(traffic.live) < self._requests else 0):
            self._named += 1
            traffic.add(f"chatcmpl-{self._named}-0123abcd", int(self._prompt * dice.uniform(0.3, 1.2)))
        self._now_ns += _STEP_NS
        self.pictures += 1
        self._store.publish(self._dated(traffic.publish(_STEP_NS)))
        if self.pictures % _PICTURES_PER_S == 0:
            self._second()

    def _dated(self, snapshot: CacheSnapshot) -> CacheSnapshot:
        from engine.domain.cache_events import Evicted

        now, step = self._now_ns, snapshot.counters.step
        events = []
        for _ in range(_EVICTIONS):
            self._sequence += 1
            block = int(self._dice.integers(1, snapshot.num_blocks))
            events.append(Evicted(self._sequence, step, now, f"chatcmpl-{self._sequence % 977}-0123abcd", block, 40, 3))
        return replace(
            snapshot, published_ns=now, counters=replace(snapshot.counters, monotonic_ns=now), events=tuple(events),
            steps=tuple(replace(one, monotonic_ns=now - (step - one.step) * _STEP_NS) for one in snapshot.steps),
        )  # fmt: skip

    def _second(self) -> None:
        from app.bridge.store import Selection
        from engine.domain.lifecycle import LogRecord, ServingStats

        second, running = self.pictures // _PICTURES_PER_S, len(self._traffic.live)
        self._store.publish(ServingStats(
            self._now_ns, 10.0, 5000.0, 7000.0 + second % 90, 9.0, 0.2, 0.4, 0.03, 0.05, 8.0, 0.1, running, 0, 0.5,
            self._named, 0,
        ))  # fmt: skip
        hardware = self._store.hardware
        if hardware is not None:
            host = replace(hardware.host, monotonic_ns=self._now_ns)
            self._store.publish(replace(hardware, host=host))
        for line in range(3):
            text = f"INFO: request {self._named + line} finished after {second} s"
            self._store.publish(LogRecord(second * 3 + line, time.time(), "INFO", "engine", text))
        if second % 20 == 0:
            self._panel.toolbar.mode_chosen.emit(self._panel.toolbar.next_mode(self._panel.map.image.mode).value)
            tabs = self._panel.details.tabs
            tabs.setCurrentIndex((tabs.currentIndex() + 1) % tabs.count())
        if second % 7 == 0:
            chosen = next(iter(self._traffic.live)) if second % 14 else None
            self._store.publish(Selection(chosen))


def _rss_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def _kinds() -> Counter[str]:
    gc.collect()
    return Counter(type(one).__name__ for one in gc.get_objects())


async def _replay(application: Application, options: argparse.Namespace, folder: Path) -> list[Sample]:
    from PySide6.QtCore import QEvent, QObject
    from PySide6.QtWidgets import QApplication

    from app.panels.cache import CachePanel

    side = await application.fill_window()
    await application.charts.done()
    side.hardware.start()
    panel = application.window.findChild(CachePanel)
    assert panel is not None
    traffic = PageTraffic(folder / "page", options.blocks)
    player = Player(application, panel, traffic, options.requests)
    samples: list[Sample] = []
    before: Counter[str] = Counter()
    total, a_minute = round(options.minutes * 60 * _PICTURES_PER_S), 60 * _PICTURES_PER_S
    began = time.monotonic()
    print(f"{'minute':>7}{'pictures':>10}{'paints':>9}{'RSS MiB':>10}{'Python':>9}{'Qt':>7}{'speed':>8}", flush=True)
    for number in range(1, total + 1):
        player.play()
        for kind in (QEvent.Type.LayoutRequest, QEvent.Type.UpdateRequest):  # painted before the next one comes
            QApplication.sendPostedEvents(None, kind.value)
        await asyncio.sleep(0)  # timers, sampling, tasks
        if number % a_minute == 0 or number == total:
            kinds = _kinds()
            if len(samples) == options.minutes // 2:
                before = kinds
            qt = len(application.window.findChildren(QObject))
            sample = Sample(number / a_minute, number, player.paints, _rss_mib(), kinds.total(), qt)
            samples.append(sample)
            speed = number / _PICTURES_PER_S / (time.monotonic() - began)
            print(f"{sample.minute:>7.1f}{number:>10,}{sample.paints:>9,}{sample.rss_mib:>10.1f}"
                  f"{sample.python_objects:>9,}{qt:>7,}{speed:>7.1f}x", flush=True)  # fmt: skip
    more = (_kinds() - before).most_common(6)
    print("more since half-time:", ", ".join(f"{name} +{count}" for name, count in more) or "nothing")
    traffic.close()
    return samples


def slope(samples: list[Sample]) -> float:
    """Growth of the resident memory over the second half, in MiB an hour."""
    half = samples[len(samples) // 2 :]
    if len(half) < 2:
        return 0.0
    return float(np.polyfit([one.minute / 60 for one in half], [one.rss_mib for one in half], 1)[0])


def _run(options: argparse.Namespace, folder: Path) -> list[Sample]:
    import qasync
    from PySide6.QtWidgets import QApplication

    from app.application import Application
    from app.options import Options

    qt = QApplication(["replay-memory"])
    found: list[Sample] = []
    with qasync.QEventLoop(qt) as loop:
        application = Application(qt, Options())
        application.window.resize(1920, 1200)

        async def whole() -> None:
            application.window.show()
            try:
                found.extend(await _replay(application, options, folder))
            finally:
                await application.end()

        loop.run_until_complete(whole())
    return found


def main() -> int:
    """Replay and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=int, default=60)
    parser.add_argument("--blocks", type=int, default=60_000)
    parser.add_argument("--requests", type=int, default=256)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory(prefix="kvdeck-replay-") as name:
        os.environ["KVDECK_HOME"] = name
        samples = _run(options, Path(name))
    growth = slope(samples)
    print(f"second half: {growth:+.1f} MiB an hour; at most {_LIMIT_MIB_PER_HOUR:g} are allowed")
    if options.json is not None:
        figures = {"samples": [asdict(one) for one in samples], "mib_per_hour": growth}
        options.json.write_text(json.dumps(figures, indent=1))
    return int(growth > _LIMIT_MIB_PER_HOUR)


if __name__ == "__main__":
    sys.exit(main())
