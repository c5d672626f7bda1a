"""How evenly the real window draws: while a model loads, under 512 streams, with a map of 60,000 blocks.

    python -m benchmarks.window_frames [ADDRESS_FILE] [--rate 60] [--seconds 8] [--streams 512] [--tokens 256]
        [--blocks 60000] [--checkpoint FOLDER] [--set NAME=VALUE ...] [--size WxH] [--json FILE]

Starts an engine host of its own and opens the real window on it (offscreen where there is no display), loads a small
Llama shape with random weights (or CHECKPOINT) on which that many blocks of 16 tokens fit, and then keeps STREAMS
requests running from processes of their own, in every colour mode of the block map in turn. With ADDRESS_FILE, as
`python -m engine.host --address-file FILE --load CHECKPOINT` writes it, it takes that running engine as it is.

For each of these, in milliseconds: `apart` is the time from one frame to the next (the goal: p99 under 20, none over
50, at 60 a second), `late` the same without the time in which the window's thread was ready to run and had no core,
which the kernel counts: on a machine whose cores are all busy that part is not the window's doing. `thread` is the
processor time of the window's thread from one frame to the next, `map` that of the block map in it. Exit status 1
where a gap that is not a wait for a core is over the goal.
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

from benchmarks.frame_meters import FrameMeter, MapMeter, heading, summary
from benchmarks.host_overhead import ask, idle_host
from benchmarks.http_load import Load, run_load
from benchmarks.shapes import LLAMA_8B, write_config

if TYPE_CHECKING:

    from app.application import Application
    from app.tour.robot import Robot

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
    """One window on one host; `rows` are the results by what was measured."""

    def __init__(self, application: Application, options: argparse.Namespace, url: str, token: str) -> None:
        from app.bridge.frame_clock import FrameClock
        from app.panels.cache import CachePanel
        from app.tour.robot import Robot

        self._store, self._options, self._url, self._token = application.store, options, url, token
        self._robot = Robot(application.window, Path(tempfile.gettempdir()))
        self._application = application
        self._types = FrameClock, CachePanel
        self.rows: dict[str, dict[str, float]] = {}

    @property
    def robot(self) -> Robot:
        """What waits in the window's loop."""
        return self._robot

    async def whole(self, load: dict[str, Any] | None) -> None:
        """Measure the load (None: an engine runs already), then the streams."""
        from engine.domain.lifecycle import Phase

        store, robot = self._store, self._robot
        clock_type, panel_type = self._types
        await robot.until(lambda: self._application.findChild(clock_type) is not None, 60, "the frame clock")
        await robot.until(lambda: self._application.window.findChild(panel_type) is not None, 60, "the panels")
        clock = self._application.findChild(clock_type)
        panel = self._application.window.findChild(panel_type)
        assert clock is not None
        assert panel is not None
        clock.set_rate(self._options.rate)
        maps = MapMeter(panel)
        frames = FrameMeter(maps)
        clock.ticked.connect(frames.tick)
        print(heading(), flush=True)
        if load is not None:
            await robot.until(lambda: store.lifecycle.phase is Phase.IDLE, 60, "the engine host answers")
            await asyncio.sleep(_SETTLE_S)
            frames.restart()
            await asyncio.to_thread(ask, f"{self._url}/kvdeck/load", self._token, load)
            ended = (Phase.READY, Phase.FAILED)
            await robot.until(lambda: store.lifecycle.phase in ended, _READY_S, "the load ends")
            self._note("model load", frames)
        await robot.until(lambda: store.lifecycle.phase is Phase.READY, 10, "the engine is ready")
        await self._streams(panel, frames)

    async def _streams(self, panel: Any, frames: FrameMeter) -> None:
        from app.widgets.block_map_palette import ColourMode

        options, store = self._options, self._store
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
            for mode in ColourMode:
                if panel.toolbar.modes.button(mode.value).isHidden():
                    continue
                panel.toolbar.mode_chosen.emit(mode.value)
                await asyncio.sleep(_SETTLE_S)
                frames.restart()
                await asyncio.sleep(options.seconds)
                self._note(f"{options.streams} streams, {mode.value}", frames)
        finally:
            traffic.ending.set()
            await asyncio.to_thread(traffic.join, 200)

    def _note(self, name: str, frames: FrameMeter) -> None:
        self.rows[name], text = summary(name, frames.frames)
        print(text, flush=True)


def _running(store: Any) -> int:
    return store.cache.counters.num_running if store.cache is not None else 0


def _run(options: argparse.Namespace, url: str, token: str, load: dict[str, Any] | None, home: Path) -> dict[str, Any]:
    import qasync
    from PySide6.QtWidgets import QApplication

    from app.application import Application
    from app.options import Options

    token_file = home / "token"
    token_file.touch(0o600)
    token_file.write_text(token)
    qt = QApplication(["window-frames"])
    qt.setQuitOnLastWindowClosed(False)
    width, height = map(int, options.size.split("x"))
    with qasync.QEventLoop(qt) as loop:
        application = Application(qt, Options(address=url, token_file=token_file))
        application.window.resize(width, height)
        measurement = Measurement(application, options, url, token)

        async def whole() -> None:
            running = asyncio.ensure_future(application.run())
            try:
                await measurement.whole(load)
            finally:
                application.window.close()
                await running

        loop.run_until_complete(whole())
    return measurement.rows


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
        else:
            load = load_request(options, folder)
            url, token = stack.enter_context(idle_host(folder))
        os.environ["KVDECK_HOME"] = name
        rows = _run(options, url, token, load, folder)
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1))
    return int(any(row["late_p99"] > _P99_MS or row["late_max"] > _LONGEST_MS for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
