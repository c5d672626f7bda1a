"""What a frame of the block map costs in the window: `python -m benchmarks.block_map [blocks ...]`.

A frame is all that the GUI thread does for one new snapshot: take it over, find what changed, colour every block, let
the glows fade, and have Qt paint what changed into the window's buffer. Snapshots come through the real telemetry
page, with up to 256 requests that grow and leave after a while, so that block tables, states and glows change from
frame to frame. Reading the page is not part of it. Prints p50 and p99 in milliseconds, by the clock and in processor
time (which other programs lengthen only by what they do to the caches), and exits 1 where the latter's p99 at 250,000
blocks is over 2 ms in any colour mode.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QPointF
from PySide6.QtWidgets import QApplication

from app.collector import set_aside
from app.theme.tokens import DARK
from app.widgets.block_map import BlockMap
from app.widgets.block_map_palette import ColourMode
from benchmarks.page_traffic import PageTraffic
from engine.metrics.block_owners import BlockOwners

_SIZE = (1600, 900)
_FRAMES = 200
_REQUESTS = 256
_LIMIT_MS = 2.0
_CASES = (
    *((mode.value, mode, 0, False) for mode in ColourMode),
    ("state, a request chosen", ColourMode.STATE, 0, True),
    ("state, zoomed 12 steps", ColourMode.STATE, 12, False),
)


def measure(num_blocks: int, mode: ColourMode, *, zoom: int = 0, choose: bool = False) -> list[tuple[float, float]]:
    """Milliseconds of each frame at this pool's size: by the clock, and of this thread's processor time."""
    with tempfile.TemporaryDirectory() as folder:
        traffic = PageTraffic(Path(folder) / "page", num_blocks)
        requests = max(4, min(_REQUESTS, num_blocks // 64))
        prompt = num_blocks // 2 * traffic.block_size // requests
        for number in range(requests):
            traffic.add(f"r{number}", prompt, share="r0" if number == 1 else None)
        frames = _frames(traffic, mode, zoom, choose, prompt)
        traffic.close()
    return frames


def _frames(traffic: PageTraffic, mode: ColourMode, zoom: int, choose: bool, prompt: int) -> list[tuple[float, float]]:
    view = BlockMap(DARK)
    view.resize(*_SIZE)
    view.use_mode(mode)
    view.show()
    QApplication.processEvents()
    view.fading.setInterval(1 << 30)  # it fades once a frame here, and the timer shall not add to it
    set_aside()  # as the window does when it is filled
    names, frames = list(traffic.live), []
    owners = BlockOwners((), 1)
    for frame in range(_FRAMES + 20):
        for name in names[frame % 4 :: 4]:
            traffic.grow(name)
        if frame % 3 == 0:  # one leaves, and another takes its blocks with a whole prompt
            oldest = names.pop(0)
            traffic.finish(oldest)
            names.append(f"n{frame}")
            traffic.add(names[-1], prompt)
        snapshot = traffic.publish()
        began, began_cpu = time.perf_counter(), time.thread_time()
        if owners.requests is not snapshot.requests:
            owners = BlockOwners(snapshot.requests, snapshot.block_size)
            if choose:
                view.light(owners.blocks_of(names[-1]))
        view.fading.fade_soon()  # the timer's slot: the glows fade with the snapshot
        view.show_snapshot(snapshot, owners)
        QApplication.sendPostedEvents(None, QEvent.Type.UpdateRequest.value)
        frames.append(((time.perf_counter() - began) * 1000, (time.thread_time() - began_cpu) * 1000))
        if frame == 10 and zoom:
            view.zoom(zoom, QPointF(200, 200))
    view.close()
    view.deleteLater()
    return frames[20:]


def main() -> int:
    """Measure and print."""
    application = QApplication.instance() or QApplication(sys.argv[:1])
    sizes = [int(argument) for argument in sys.argv[1:]] or [300, 4_000, 60_000, 250_000]
    failed = False
    print(f"block map, {_SIZE[0]}x{_SIZE[1]} pixels, {_FRAMES} frames; milliseconds a frame")
    print(f"{'blocks':>8}  {'view':<22}{'p50':>9}{'p99':>7}{'cpu p50':>10}{'p99':>7}")
    for num_blocks in sizes:
        for name, mode, zoom, choose in _CASES:
            wall, processor = zip(*measure(num_blocks, mode, zoom=zoom, choose=choose), strict=True)
            p50, p99 = np.percentile(wall, (50, 99))
            cpu50, cpu99 = np.percentile(processor, (50, 99))
            print(f"{num_blocks:>8,}  {name:<24}{p50:>7.2f}{p99:>7.2f}{cpu50:>10.2f}{cpu99:>7.2f}", flush=True)
            failed |= num_blocks >= 250_000 and name in set(ColourMode) and cpu99 > _LIMIT_MS
    application.processEvents()
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
