"""What a frame costs the window's thread while a real engine runs: `python -m benchmarks.window_frames ADDRESS_FILE`.

    python -m benchmarks.window_frames ADDRESS_FILE [--rate 60] [--seconds 8] [--streams 32] [--tokens 256] [--size WxH]

ADDRESS_FILE is what a running engine host wrote (`python -m engine.host --address-file FILE --load CHECKPOINT`). Opens
the real window (offscreen where there is no display) on that host, sends it requests from processes of their own
all the time, and takes every colour mode in turn. Prints, in milliseconds a frame at p50 and p99, the processor time
of the window's thread for the block map alone (taking the snapshot over, colouring, painting, fading) and for all that
the thread did from one frame to the next (reading the page, every panel, events, the log), and by the clock how far
apart the frames were. Processor time leaves out waiting for a core, not what other programs do to the caches.
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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.http_load import Load, run_load

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.application import Application
    from app.panels.cache import CachePanel

_READY_S = 60.0


class MapMeter:
    """Sums the processor time that the block map takes."""

    def __init__(self, panel: CachePanel) -> None:
        self.taken_s = 0.0
        view = panel.map
        self.paints = 0
        panel.stage.show_snapshot = self._timed(panel.stage.show_snapshot)  # type: ignore[method-assign]
        view.image.fade = self._timed(view.image.fade)  # type: ignore[method-assign]
        view.paint = self._timed(view.paint, paint=True)  # type: ignore[method-assign]

    def _timed(self, call: Callable[..., Any], *, paint: bool = False) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Any:
            began = time.thread_time()
            try:
                return call(*arguments)
            finally:
                self.taken_s += time.thread_time() - began
                self.paints += paint

        return timed


class FrameMeter:
    """Notes at every tick of the frame clock what the thread, and the map in it, took since the last."""

    def __init__(self, meter: MapMeter) -> None:
        self._meter = meter
        self._last = (0.0, 0.0, 0.0)
        self.frames: list[tuple[float, float, float]] = []

    def restart(self) -> None:
        """Begin a new measurement."""
        self.frames = []
        self._last = (time.thread_time(), self._meter.taken_s, time.perf_counter())

    def tick(self, _now_ns: object) -> None:
        """A frame begins."""
        now = (time.thread_time(), self._meter.taken_s, time.perf_counter())
        self.frames.append((now[0] - self._last[0], now[1] - self._last[1], now[2] - self._last[2]))
        self._last = now


async def _measure(application: Application, options: argparse.Namespace) -> None:
    from app.bridge.frame_clock import FrameClock
    from app.panels.cache import CachePanel
    from app.tour.robot import Robot
    from app.widgets.block_map_palette import ColourMode
    from engine.domain.lifecycle import Phase

    store, robot = application.store, Robot(application.window, Path(tempfile.gettempdir()))
    await robot.until(lambda: store.lifecycle.phase is Phase.READY, _READY_S, "the engine is ready")
    await robot.until(lambda: store.cache is not None, _READY_S, "the first picture")
    panel = application.window.findChild(CachePanel)
    assert panel is not None
    clock = application.findChild(FrameClock)
    assert clock is not None
    clock.set_rate(options.rate)
    map_meter = MapMeter(panel)
    frames = FrameMeter(map_meter)
    clock.ticked.connect(frames.tick)
    assert store.cache is not None
    print(f"{store.cache.num_blocks:,} blocks, {store.cache.num_groups} KV-cache groups, map {panel.map.width()}x"
          f"{panel.map.height()}, {options.rate} Hz, {options.streams} requests at once")  # fmt: skip
    print("mode       frames painted running    map p50    p99   thread p50    p99   apart p50    p99")
    for mode in ColourMode:
        if panel.toolbar.modes.button(mode.value).isHidden():
            continue
        panel.toolbar.mode_chosen.emit(mode.value)
        await asyncio.sleep(0.5)
        frames.restart()
        painted = map_meter.paints
        await asyncio.sleep(options.seconds)
        taken = np.array(frames.frames) * 1000
        running = store.cache.counters.num_running if store.cache is not None else 0
        columns = (taken[taken[:, 1] > 0, 1], taken[:, 0], taken[:, 2])  # of the map, where it had something to do
        own, thread, apart = (np.percentile(one, (50, 99)) if len(one) else (0.0, 0.0) for one in columns)
        drawn = map_meter.paints - painted
        print(f"{mode.value:<10}{len(taken):>7}{drawn:>8}{running:>8}   {own[0]:>8.2f}{own[1]:>7.2f}"
              f"   {thread[0]:>10.2f}{thread[1]:>7.2f}   {apart[0]:>9.2f}{apart[1]:>7.2f}", flush=True)  # fmt: skip


class Traffic(threading.Thread):
    """Sends one batch of requests after the other until told to stop."""

    def __init__(self, load: Load) -> None:
        super().__init__(name="traffic", daemon=True)
        self._load = load
        self.ending = threading.Event()

    def run(self) -> None:
        """Until `ending` is set, and the present batch is over."""
        while not self.ending.is_set():
            run_load(self._load, processes=1)


def _run(options: argparse.Namespace, address: str, token: str, token_file: Path) -> None:
    import qasync
    from PySide6.QtWidgets import QApplication

    from app.application import Application
    from app.options import Options

    qt = QApplication(["window-frames"])
    qt.setQuitOnLastWindowClosed(False)
    width, height = map(int, options.size.split("x"))
    with qasync.QEventLoop(qt) as loop:
        application = Application(qt, Options(address=address, token_file=token_file))
        application.window.resize(width, height)

        async def whole() -> None:
            running = asyncio.ensure_future(application.run())
            traffic = Traffic(Load(address, token, _model(address, token), options.streams, 300, options.tokens))
            try:
                traffic.start()
                await _measure(application, options)
            finally:
                traffic.ending.set()
                application.window.close()
                await running
                await asyncio.to_thread(traffic.join, 120)

        loop.run_until_complete(whole())


def _model(address: str, token: str) -> str:
    from benchmarks.host_overhead import ask

    return str(ask(f"{address}/v1/models", token)["data"][0]["id"])


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address_file", type=Path)
    parser.add_argument("--rate", type=float, default=60.0)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--streams", type=int, default=32)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--size", default="1920x1200")
    options = parser.parse_args()
    found = json.loads(options.address_file.read_text())
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory(prefix="kvdeck-frames-") as home:
        os.environ["KVDECK_HOME"] = home
        token_file = Path(home) / "token"
        token_file.touch(0o600)
        token_file.write_text(found["token"])
        _run(options, found["address"], found["token"], token_file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
