"""How evenly the real window draws: while a model loads, under 512 streams, with a map of 60,000 blocks.

    python -m benchmarks.window_frames [ADDRESS_FILE] [--rate 60] [--seconds 8] [--streams 512] [--tokens 256]
        [--blocks 60000] [--checkpoint FOLDER] [--set NAME=VALUE ...] [--size WxH] [--json FILE]
        [--synthetic] [--tabs [NAME,...]] [--modes NAME,...] [--no-causes]

Starts an engine host of its own and opens the real window on it (offscreen where there is no display), loads a small
Llama shape with random weights (or CHECKPOINT) on which that many blocks of 16 tokens fit, and then keeps STREAMS
requests running from processes of their own, in every colour mode of the block map in turn. With ADDRESS_FILE, as
`python -m engine.host --address-file FILE --load CHECKPOINT` writes it, it takes that running engine as it is. With
--synthetic nothing is loaded and no GPU is needed: a page, events and GPU samples as an H200 would have them come from
`benchmarks.synthetic_host`. With --tabs the panels behind tabs are measured, too (all, or those that are named).

For each of these, in milliseconds: `began` is the time from the beginning of one frame to that of the next, as the
window's own frame clock has it; `apart` that from when one frame's picture has been read and handed on to the next,
so what a picture takes to read comes on top of it in one frame and is missing in the next (the goal: p99 under 20, none
over 50, at 60 a second); `late` the same without the time in which the window's thread was ready to run and had no
core, which the kernel counts: where all cores are busy that part is not the window's doing. `thread` is the
processor time of the window's thread from one frame to the next, `map` that of the block map in it. Exit status 1
where a gap that is not a wait for a core is over the goal. Under each line stands what the slowest hundredth of its
frames spent their time on, by Qt event and by function of ours (--no-causes leaves that out: to look costs
about a tenth of a millisecond a frame).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.frame_causes import CAUSES, application
from benchmarks.frame_meters import FrameMeter, MapMeter, causes_of, causes_text, heading, summary
from benchmarks.host_overhead import ask, idle_host
from benchmarks.http_load import Load, run_load
from benchmarks.shapes import LLAMA_8B, write_config
from benchmarks.synthetic_gpus import SyntheticSampler, fill_history
from benchmarks.synthetic_host import synthetic_host
from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from app.application import Application
    from app.tour.robot import Robot
    from benchmarks.frame_causes import Causes

_READY_S = 280.0
_SETTLE_S = 1.0
_P99_MS, _LONGEST_MS = 20.0, 50.0
_SHAPE = {
    **LLAMA_8B, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 1, "num_attention_heads": 1,
    "num_key_value_heads": 1, "head_dim": 64, "vocab_size": 49152, "rope_theta": 100000.0, "tie_word_embeddings": True,
}  # fmt: skip


class Traffic(threading.Thread):
    """Sends one batch of requests after the other until told to stop."""

    def __init__(self, load: Load) -> None:
        super().__init__(name="traffic", daemon=True)
        self._load = load
        self.ending = threading.Event()

    def run(self) -> None:
        """Until `ending` is set, and the present batch is over."""
        while not self.ending.is_set():
            run_load(self._load, processes=2)


class Measurement:
    """One window on one host; `rows` are the results by what was measured, `causes` of their slowest frames."""

    def __init__(
        self, application: Application, options: argparse.Namespace, url: str, token: str, causes: Causes | None
    ) -> None:
        from app.bridge.frame_clock import FrameClock
        from app.panels.cache import CachePanel
        from app.tour.robot import Robot

        self._store, self._options, self._url, self._token = application.store, options, url, token
        self._robot = Robot(application.window, Path(tempfile.gettempdir()))
        self._application, self._watch = application, causes
        self._types = FrameClock, CachePanel
        self.rows: dict[str, dict[str, float]] = {}
        self.causes: dict[str, dict[str, dict[str, float]]] = {}

    @property
    def robot(self) -> Robot:
        """What waits in the window's loop."""
        return self._robot

    async def whole(self, load: dict[str, Any] | None) -> None:
        """Measure the load (None: an engine runs already), then the streams."""
        store, robot = self._store, self._robot
        clock_type, panel_type = self._types
        await robot.until(lambda: self._application.findChild(clock_type) is not None, 60, "the frame clock")
        await robot.until(lambda: self._application.window.findChild(panel_type) is not None, 60, "the panels")
        clock = self._application.findChild(clock_type)
        panel = self._application.window.findChild(panel_type)
        assert clock is not None
        assert panel is not None
        clock.set_rate(self._options.rate)
        frames = FrameMeter(MapMeter(panel), self._watch)
        if self._watch is not None:
            self._watch.begin(store)
        clock.ticked.connect(frames.tick)
        if self._options.synthetic:
            await robot.until(lambda: store.hardware is not None, 10, "the first sample")
            fill_history(store)
        print(heading(), flush=True)
        try:
            if load is not None:
                await self._load(frames, load)
            await robot.until(lambda: store.lifecycle.phase is Phase.READY, 10, "the engine is ready")
            await self._streams(panel, frames)
        finally:
            if self._watch is not None:
                self._watch.end()

    async def _load(self, frames: FrameMeter, load: dict[str, Any]) -> None:
        store, robot = self._store, self._robot
        await robot.until(lambda: store.lifecycle.phase is Phase.IDLE, 60, "the engine host answers")
        await asyncio.sleep(_SETTLE_S)
        frames.restart()
        await asyncio.to_thread(ask, f"{self._url}/kvdeck/load", self._token, load)
        ended = (Phase.READY, Phase.FAILED)
        await robot.until(lambda: store.lifecycle.phase in ended, _READY_S, "the load ends")
        self._note("model load", frames)

    async def _streams(self, panel: Any, frames: FrameMeter) -> None:
        options, store = self._options, self._store
        traffic: Traffic | None = None
        if not options.synthetic:
            model = (await asyncio.to_thread(ask, f"{self._url}/v1/models", self._token))["data"][0]["id"]
            traffic = Traffic(Load(self._url, self._token, str(model), options.streams, 300, options.tokens))
            traffic.start()
        try:
            await self._robot.until(lambda: store.cache is not None, 60, "the first picture")
            assert store.cache is not None
            most = min(options.streams, store.cache.counters.max_num_seqs) // 2
            await self._robot.until(lambda: _running(store) >= most, 120, f"{most} requests run")
            size = f"{panel.map.width()}x{panel.map.height()}"
            print(f"{store.cache.num_blocks:,} blocks, {store.cache.num_groups} KV-cache groups, map {size}, "
                  f"{options.rate:g} Hz, {_running(store)} requests run")  # fmt: skip
            await self._modes(panel, frames)
            if options.tabs:
                await self._tabs(panel, frames)
        finally:
            if traffic is not None:
                traffic.ending.set()
                await asyncio.to_thread(traffic.join, 200)

    async def _modes(self, panel: Any, frames: FrameMeter) -> None:
        from app.widgets.block_map_palette import ColourMode

        for mode in ColourMode:
            asked = self._options.modes is None or mode.value in self._options.modes.split(",")
            if asked and not panel.toolbar.modes.button(mode.value).isHidden():
                panel.toolbar.mode_chosen.emit(mode.value)
                await self._watch_frames(f"{self._options.streams} streams, {mode.value}", frames)

    async def _tabs(self, panel: Any, frames: FrameMeter) -> None:
        """What stands behind tabs at first: the cache's details, then the panels one after the other."""
        wanted = self._options.tabs.split(",")
        tabs = panel.details.tabs
        for place in range(1, tabs.count()):
            if wanted == ["all"] or tabs.tabText(place) in wanted:
                tabs.setCurrentIndex(place)
                await self._watch_frames(f"tab {tabs.tabText(place)}", frames)
        tabs.setCurrentIndex(0)
        window = self._application.window
        for key in window.slots:
            if wanted == ["all"] or key in wanted:
                window.show_panel(key)
                await self._watch_frames(f"panel {key}", frames)

    async def _watch_frames(self, name: str, frames: FrameMeter) -> None:
        await asyncio.sleep(_SETTLE_S)
        frames.restart()
        await asyncio.sleep(self._options.seconds)
        self._note(name, frames)

    def _note(self, name: str, frames: FrameMeter) -> None:
        self.rows[name], text = summary(name, frames.frames)
        print(text, flush=True)
        if self._watch is not None:
            slow = frames.slowest()
            self.causes[name] = causes_of(slow)
            print(causes_text(slow), flush=True)


def _running(store: Any) -> int:
    return store.cache.counters.num_running if store.cache is not None else 0


def _run(options: argparse.Namespace, url: str, token: str, load: dict[str, Any] | None, home: Path) -> Measurement:
    import qasync

    from app.application import Application
    from app.options import Options

    if options.synthetic:
        from app.bridge import hardware_watch

        hardware_watch.HardwareSampler = SyntheticSampler  # type: ignore[misc]
    token_file = home / "token"
    token_file.touch(0o600)
    token_file.write_text(token)
    qt = application("window-frames", metered=options.causes)
    qt.setQuitOnLastWindowClosed(False)
    width, height = map(int, options.size.split("x"))
    with qasync.QEventLoop(qt) as loop:
        window = Application(qt, Options(address=url, token_file=token_file))
        window.window.resize(width, height)
        measurement = Measurement(window, options, url, token, CAUSES if options.causes else None)

        async def whole() -> None:
            running = asyncio.ensure_future(window.run())
            try:
                await measurement.whole(load)
            finally:
                window.window.close()
                await running

        loop.run_until_complete(whole())
    return measurement


def load_request(options: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """What to load: the user's checkpoint, or a shape of our own with the starter model's tokenizer."""
    from engine.domain.paths import cache_dir
    from engine.parameters.values import spec_of

    values: dict[str, Any] = {"max_num_seqs": min(1024, max(256, options.streams)), "enforce_eager": True}
    checkpoint = options.checkpoint
    if checkpoint is None:
        source = cache_dir() / "starter" / "SmolLM2-135M-Instruct"
        checkpoint = write_config(folder / "shape", _SHAPE, source)
        values |= {"load_format": "dummy", "block_size": 16, "num_gpu_blocks_override": options.blocks}
    for item in options.set:
        name, text = item.split("=", 1)
        is_plain = text[:1].isdigit() or text in ("true", "false")
        values[name] = spec_of(name).check(json.loads(text) if is_plain else text)
    return {"checkpoint": str(checkpoint), "parameters": values}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address_file", type=Path, nargs="?")
    parser.add_argument("--rate", type=float, default=60.0)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--streams", type=int, default=512)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--blocks", type=int, default=60_000)
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--size", default="1920x1200")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--synthetic", action="store_true")
    parser.add_argument("--tabs", nargs="?", const="all")
    parser.add_argument("--modes", help="these colour modes alone; usually all")
    parser.add_argument("--no-causes", dest="causes", action="store_false")
    return parser.parse_args()


def main() -> int:
    """Measure and print."""
    options = _arguments()
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory(prefix="kvdeck-frames-") as name, ExitStack() as stack:
        folder = Path(name)
        if options.address_file is not None:
            found, load = json.loads(options.address_file.read_text()), None
            url, token = found["address"], found["token"]
        elif options.synthetic:
            url, token = stack.enter_context(synthetic_host(folder, options.blocks, options.streams))
            load = {"checkpoint": "/models/llama-8b"}
        else:
            load = load_request(options, folder)
            url, token = stack.enter_context(idle_host(folder))
        os.environ["KVDECK_HOME"] = name
        measured = _run(options, url, token, load, folder)
    rows = measured.rows
    if options.json is not None:
        found = {name: {**row, **measured.causes.get(name, {})} for name, row in rows.items()}
        options.json.write_text(json.dumps(found, indent=1))
    return int(any(row["late_p99"] > _P99_MS or row["late_max"] > _LONGEST_MS for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
