"""The steps that bring models up: the window itself, the starter model, the first load, the switch."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from app.tour.robot import StepFailed
from app.widgets.model_chip import VariantChip
from engine.domain.lifecycle import Phase
from engine.page.liveness import is_alive

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.tour.scene import Scene
    from engine.domain.checkpoint import StarterProgress
    from engine.domain.lifecycle import EngineProcess

SOURCE = "bf16"
_VISIBLE_S = 10.0
_LIBRARY_S = 60.0
_BUILD_S = 900.0
_LOAD_S = 300.0
_SWITCH_S = 300.0


async def see_window(scene: Scene) -> str:
    """The window is on screen, with its panels in it."""
    if QGuiApplication.platformName() == "offscreen":  # whose one screen is 800 × 800; nobody's desktop is
        scene.window.resize(1440, 900)
        scene.window.reset_layout()
    await scene.robot.until(lambda: scene.report.get("window_visible_s") is not None, _VISIBLE_S, "the first paint")
    await scene.robot.until(
        lambda: scene.store.library is not None and not scene.store.library.scanning, _LIBRARY_S, "the first scan"
    )
    return f"on screen {scene.report.get('window_visible_s')} s after the process began"


async def build_starter(scene: Scene) -> str:
    """All variants that the tour loads are there; built with the window's own button where they are not."""
    wanted = (SOURCE, *scene.options.variants)
    if all(scene.variant(key) is not None for key in wanted):
        return "already built"
    await scene.robot.click("startStarter", timeout_s=30)
    seen = 0

    def is_built() -> bool:
        nonlocal seen
        progress = scene.store.starter
        if progress is not None:
            seen = _tell(progress, seen)
            if progress.error is not None:
                raise StepFailed(f"The starter model could not be built: {progress.error} {progress.remedy or ''}")
        return all(scene.variant(key) is not None for key in wanted)

    took = await scene.robot.until(is_built, _BUILD_S, f"the variants {' and '.join(wanted)} are built")
    await scene.robot.picture("starter built")
    progress = scene.store.starter
    if progress is not None and progress.running:  # the rest would take the cores that the tour measures on
        await scene.robot.click("cancelStarter")
        await scene.robot.until(_stopped(scene), 30, "the build of the other variants stops")
    return f"{' and '.join(wanted)} built in {took:.0f} s"


def _stopped(scene: Scene) -> Callable[[], bool]:
    return lambda: scene.store.starter is None or not scene.store.starter.running


def _tell(progress: StarterProgress, seen: int) -> int:
    """Print each further tenth of the build; returns the tenth that it is at."""
    tenth = int((progress.progress or 0) * 10)
    if tenth > seen:
        print(f"    {tenth * 10} %  {progress.step}", flush=True)  # noqa: T201 - the tour speaks on standard output
    return max(tenth, seen)


async def load_first(scene: Scene) -> str:
    """Load the full-precision model with one click, and watch its stages until it is ready."""
    checkpoint = scene.variant(SOURCE)
    if checkpoint is None:
        raise StepFailed("The full-precision starter model is not in the list of models.")
    await scene.robot.until(lambda: scene.store.lifecycle.phase is Phase.IDLE, 60, "the engine host answers")
    start = time.monotonic()
    await scene.robot.click(chip_name(scene, checkpoint.path))  # Load would take what the last session ended with
    await scene.robot.until(lambda: scene.store.lifecycle.phase is Phase.LOADING, 60, "the load begins")
    await scene.robot.until(lambda: _is_past_start(scene), _LOAD_S, "the first stage of the load ends")
    await scene.robot.picture("loading")
    await scene.until_ready(checkpoint.path, _LOAD_S)
    took = time.monotonic() - start
    scene.report.set("load_s", took)
    stages = ", ".join(
        f"{timing.stage} {timing.ended_s - timing.started_s:.1f} s"
        for timing in scene.store.lifecycle.stages
        if timing.ended_s is not None
    )
    facts = scene.store.lifecycle.facts
    if facts is None:
        raise StepFailed("A ready engine reports no facts.")
    await scene.robot.until(lambda: scene.store.cache is not None, 10, "the KV cache is on screen")
    await scene.robot.picture("ready")
    return f"ready after {took:.1f} s ({stages}); {facts.num_blocks} blocks of {facts.block_size} tokens"


def _is_past_start(scene: Scene) -> bool:
    lifecycle = scene.store.lifecycle
    return lifecycle.phase is not Phase.LOADING or any(stage.ended_s is not None for stage in lifecycle.stages)


async def switch_variant(scene: Scene, key: str) -> str:
    """One click in the list of models; afterwards nothing of the old engine is left."""
    target, facts = scene.variant(key), scene.store.lifecycle.facts
    if target is None or facts is None:
        raise StepFailed(f"There is no {key} variant to switch to, or nothing to switch from.")
    old = facts.processes
    start = time.monotonic()
    await scene.robot.click(chip_name(scene, target.path))
    await scene.until_ready(target.path, _SWITCH_S)
    took = time.monotonic() - start
    left = await asyncio.to_thread(_still_there, old)
    check = scene.store.lifecycle.last_check
    reached = scene.store.lifecycle.facts
    if key == scene.options.variants[0]:  # the report has one switch
        scene.report.set("switch.from", facts.served_model_name)
        scene.report.set("switch.to", reached.served_model_name if reached else None)
        scene.report.set("switch.s", took)
        scene.report.set("switch.old_processes_left", len(left))
    await scene.robot.picture(f"switched {key}")
    if left:
        raise StepFailed(f"Processes of the old engine are still there: {left}")
    if not old:
        raise StepFailed("The engine had reported no processes, so nothing could be checked.")
    if check is None or check.processes_left or not check.page_removed:
        raise StepFailed(f"The host's own check of the old engine says {check}")
    to = reached.served_model_name if reached else "nothing"
    return f"{facts.served_model_name} to {to} in {took:.1f} s, {len(old)} old processes gone"


def chip_name(scene: Scene, checkpoint: str) -> str:
    """The object name of this checkpoint's chip in the list of models."""
    chips = scene.window.findChildren(VariantChip)
    names = [chip.objectName() for chip in chips if chip.variant.checkpoint.path == checkpoint]
    if not names:
        raise StepFailed(f"The list of models does not show {checkpoint}.")
    return names[0]


def _still_there(processes: tuple[EngineProcess, ...]) -> list[int]:
    """Those that still run: the same pid with the same start, so that a reused pid does not count."""
    return [process.pid for process in processes if is_alive(process.pid, process.start_ticks)]
