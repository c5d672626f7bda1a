"""Takes the pictures of the README and the guide anew, of the real window over a real engine.

`QT_QPA_PLATFORM=offscreen python packaging/pictures.py FOLDER` (docs/images; four minutes on two quiet cores). The
starter model has to be built. A load into a KV cache that is too small fails first; then the same model loads, answers,
takes a burst of 16 requests in both themes, and a load of the lab.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import qasync
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.options import Options
from app.panels.panel import Panel
from app.preferences import THEME
from app.tour.burst import Burst
from app.tour.chat_step import ask
from app.tour.report import TourReport
from app.tour.robot import Robot
from app.tour.scene import Scene, TourOptions
from engine.bench.workload import ClosedLoop, Fixed, Slos, Uniform, Workload
from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from app.panels.panel import PanelContext

SIZE = (1440, 900)
QUESTIONS = (
    "What is the capital of France? Answer in one sentence.",
    "Name three colours as a list.",
    "What is a cache? Answer in one short sentence.",
)
TOO_SMALL = {"cpu_kvcache_space_gib": 0.125, "max_model_len": 8192, "enforce_eager": True}
ENOUGH = {"cpu_kvcache_space_gib": 1.0, "max_model_len": 2048, "enforce_eager": True, "max_num_seqs": 16}
LOAD = Workload(
    name="24 clients, one long prompt", arrival=ClosedLoop(clients=24), system_prompt_tokens=512,
    prompt=Uniform(least=16, most=64), output=Fixed(tokens=32), requests=96, slos=Slos(ttft_s=20.0, tpot_s=1.0),
)  # fmt: skip
PATIENCE_S = 400.0


class Photographer:
    """One session with the window, from its first picture to its last."""

    def __init__(self, application: Application, folder: Path) -> None:
        self._application = application
        self._folder = folder
        window, store = application.window, application.store
        self._robot = Robot(window, folder)
        self._window, self._store = window, store

    async def take_all(self) -> None:
        """Bring the window into each state and take its picture."""
        await self._robot.until(self._is_filled, PATIENCE_S, "the window is filled")
        context = self._context
        assert context.charts is not None
        await context.charts.done()  # the timeline is drawn last
        self._window.resize(*SIZE)
        self._window.reset_layout()
        scene = Scene(self._window, self._store, None, self._robot, TourReport(), TourOptions(self._folder))  # type: ignore[arg-type]
        await self._robot.until(lambda: scene.checkpoint("bf16") is not None, 60, "the starter model is there")
        checkpoint = scene.checkpoint("bf16")
        assert checkpoint is not None
        await self._load(checkpoint.path, TOO_SMALL, Phase.FAILED)
        await self._take("kvdeck-failure-dark")
        await self._load(checkpoint.path, ENOUGH, Phase.READY)
        for question in QUESTIONS:
            await ask(scene, question)
        await self._burst(scene)
        await self._lab()

    async def _burst(self, scene: Scene) -> None:
        engine = await scene.client()
        burst = Burst(engine, shortest=96, step=6)
        try:
            await burst.send()
            await self._robot.until(lambda: self._running >= ENOUGH["max_num_seqs"], 120, "all requests run")
            await asyncio.sleep(4)
            await self._take("kvdeck-burst-dark")
            self._application.preferences.set(THEME, "light")
            await self._take("kvdeck-burst-light")
            self._application.preferences.set(THEME, "dark")
        finally:
            await burst.cancel()
            await engine.close()

    async def _lab(self) -> None:
        lab = self._context.lab
        assert lab is not None
        self._window.show_panel("lab")
        lab.desk.start(LOAD, LOAD.name)
        await self._robot.until(lambda: lab.desk.going, 60, "the load begins")
        await self._robot.until(lambda: not lab.desk.going, PATIENCE_S, "the load ends")
        await self._take("kvdeck-lab-dark")

    async def _load(self, checkpoint: str, values: dict[str, float], end: Phase) -> None:
        commands = self._context.commands
        await self._robot.until(
            lambda: self._store.lifecycle.phase in (Phase.IDLE, Phase.FAILED, Phase.READY), 120, "the host answers"
        )
        commands.revert_edits()
        for name, value in values.items():
            commands.edit(name, value)
        commands.load(checkpoint)
        await self._robot.until(lambda: self._store.lifecycle.phase is Phase.LOADING, 60, "the load begins")
        await self._robot.until(lambda: self._store.lifecycle.phase is end, PATIENCE_S, f"the load ends as {end}")

    async def _take(self, name: str) -> None:
        await asyncio.sleep(1.5)  # until everything that follows the state has been drawn
        path = self._folder / f"{name}.png"
        if not self._window.grab().save(str(path)):
            raise OSError(f"{path} could not be written")
        print(path, flush=True)

    def _is_filled(self) -> bool:
        return all(slot.panel is not None for slot in self._window.slots.values())

    @property
    def _running(self) -> int:
        return self._store.cache.counters.num_running if self._store.cache is not None else 0

    @property
    def _context(self) -> PanelContext:
        panel = self._window.slots["lab"].panel
        assert isinstance(panel, Panel)
        return panel.context


async def run(application: Application, folder: Path) -> int:
    """The window's whole session; its exit status is 1 where a picture is missing."""
    session = asyncio.ensure_future(application.run())
    work = asyncio.ensure_future(Photographer(application, folder).take_all())
    await asyncio.wait((session, work), return_when=asyncio.FIRST_COMPLETED)
    if not work.done():  # the window was closed meanwhile
        work.cancel()
    application.window.close()
    await session
    (failed,) = await asyncio.gather(work, return_exceptions=True)
    if failed is not None:
        print(f"Not all pictures were taken: {failed!r}", file=sys.stderr)
    return 1 if failed is not None else 0


def main() -> int:
    """Take the pictures into the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    qt = QApplication(sys.argv[:1])
    with qasync.QEventLoop(qt) as loop:
        return int(loop.run_until_complete(run(Application(qt, Options(theme="dark")), folder)))


if __name__ == "__main__":
    raise SystemExit(main())
