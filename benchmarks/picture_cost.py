"""What a picture of the engine costs the window's thread: `python -m benchmarks.picture_cost [--streams 512]`.

A real page with STREAMS requests that decode, read by the window's own reader, a picture after each token (as the page
has them ten times a second), and handed to everything that follows requests: the timeline, the roofline's contexts, the
block map's tables, the list of requests, and the alerts. Some requests end and others come, as under load. Times are
processor time of the thread in milliseconds a picture, median and 99th percentile: no window is drawn, and what other
programs do hardly counts. The last line is their sum.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.page_traffic import PageTraffic
from engine.page.layout import Change

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.domain.telemetry import CacheSnapshot

_PROMPT, _SHORTEST, _LONGEST = 300, 128, 384
_SETTLE = 20  # pictures before what is measured


class Load:
    """Requests on a page; each picture has one more token of each."""

    def __init__(self, page: Path, blocks: int, streams: int) -> None:
        self._chance = np.random.default_rng(7)
        self.traffic = PageTraffic(page, blocks, max_rows=max(1024, streams))
        self._ends: dict[str, int] = {}
        self._made = 0
        for _ in range(streams):
            self._add(int(self._chance.integers(_LONGEST)))

    def _add(self, generated: int = 0) -> None:
        self._made += 1
        request_id = f"cmpl-{self._made:08x}-0-{int(self._chance.integers(1 << 32)):08x}"
        self.traffic.add(request_id, _PROMPT)
        self._ends[request_id] = _PROMPT + generated + int(self._chance.integers(_SHORTEST, _LONGEST))
        if generated:
            self.traffic.grow(request_id, generated)

    def step(self) -> None:
        """One token for all; who has enough of them leaves, and another one comes."""
        live = self.traffic.live
        for request_id in [one for one in live if live[one].tokens >= self._ends[one]]:
            self.traffic.finish(request_id)
            del self._ends[request_id]
            self._add()
        for request_id in live:
            self.traffic.grow(request_id)
        self.traffic.note_step()
        self.traffic.writer.commit(*Change)

    def read(self) -> CacheSnapshot:
        """What the window reads."""
        snapshot = self.traffic.reader.snapshot()
        assert snapshot is not None
        return snapshot


def followers() -> dict[str, Callable[[CacheSnapshot], Any]]:
    """All that takes every picture's requests in the window, by name."""
    from PySide6.QtGui import QColor

    from app.tables.requests import RequestsModel
    from app.widgets.block_map_tables import TableFollower
    from engine.metrics.roofline_contexts import ContextWatch
    from engine.metrics.stalls import StallWatch
    from engine.metrics.timeline import Timeline

    timeline, contexts, stalls = Timeline(), ContextWatch(), StallWatch()
    model = RequestsModel(lambda _row: QColor())
    tables = TableFollower(lambda request, _group: 1 + request.row % 250)
    return {
        "timeline": timeline.take,
        "contexts": lambda snapshot: contexts.take(snapshot.requests),
        "map's tables": tables.follow,
        "list": lambda snapshot: model.show_requests(snapshot.requests, snapshot.published_ns),
        "alerts": stalls.take,
    }


def measure(blocks: int, streams: int, pictures: int) -> dict[str, list[float]]:
    """Milliseconds of each picture by what took them."""
    taken: dict[str, list[float]] = {"reading": []}
    with tempfile.TemporaryDirectory(prefix="kvdeck-picture-") as folder:
        load, each = Load(Path(folder) / "page", blocks, streams), followers()
        taken |= {name: [] for name in each}
        gc.collect()
        gc.disable()  # the window collects while it rests
        for number in range(_SETTLE + pictures):
            if number == _SETTLE:
                for times in taken.values():
                    times.clear()
            load.step()
            began = time.thread_time_ns()
            snapshot = load.read()
            taken["reading"].append((time.thread_time_ns() - began) / 1e6)
            for name, follow in each.items():
                began = time.thread_time_ns()
                follow(snapshot)
                taken[name].append((time.thread_time_ns() - began) / 1e6)
            load.traffic.writer.begin()
        gc.enable()
        load.traffic.close()
    return taken


def main() -> int:
    """Print a table, or JSON with --json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, nargs="*", default=[512])
    parser.add_argument("--blocks", type=int, default=60_000)
    parser.add_argument("--pictures", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtWidgets import QApplication

    application = QApplication(["picture-cost"])
    found = {streams: measure(options.blocks, streams, options.pictures) for streams in options.streams}
    if options.json:
        json.dump({streams: {name: float(np.median(times)) for name, times in taken.items()}
                   for streams, taken in found.items()}, sys.stdout)  # fmt: skip
    for streams, taken in () if options.json else found.items():
        print(f"{streams} streams, {options.blocks:,} blocks; ms a picture: median, p99")
        for name, times in (*taken.items(), ("in all", np.sum(list(taken.values()), axis=0))):
            print(f"  {name:<14}{np.median(times):>7.3f}{np.percentile(times, 99):>8.3f}", flush=True)
    del application
    return 0


if __name__ == "__main__":
    sys.exit(main())
