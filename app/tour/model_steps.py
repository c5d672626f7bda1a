"""The steps that bring models up: the window itself, the starter model, the first load, the switch."""

from __future__ import annotations

import asyncio
import contextlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication

from app.tour.robot import StepFailed
from app.tour.scene import SOURCE
from app.widgets.model_chip import VariantChip
from engine.domain.lifecycle import Phase
from engine.domain.sleepers import Keep, KeepPolicy
from engine.page.liveness import is_alive

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.tour.scene import Scene
    from engine.domain.checkpoint import StarterProgress
    from engine.domain.lifecycle import EngineProcess
    from engine.domain.sleepers import Sleeper

_VISIBLE_S = 10.0
_LIBRARY_S = 60.0
_BUILD_S = 900.0
_LOAD_S = 300.0
_SWITCH_S = 300.0
_WAKE_S = 150.0  # an engine that does not wake is loaded anew
_TOLD_S = 10.0
_PARTS = ("EngineCore", "Worker", "VLLM::")


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
    if all(scene.checkpoint(key) is not None for key in wanted):
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
        return all(scene.checkpoint(key) is not None for key in wanted)

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


async def find_models(scene: Scene) -> str:
    """The models that were asked for are in the list."""
    for name in scene.options.names:
        what = f"{name} is in the list of models, whole"
        await scene.robot.until(lambda name=name: scene.checkpoint(name) is not None, _LIBRARY_S, what)  # type: ignore[misc]
    if scene.options.keep:
        await keep_engines(scene)
    return ", ".join(Path(name).name for name in scene.options.names)


async def keep_engines(scene: Scene) -> None:
    """From now on a switch leaves the old engine asleep, for this host alone: the user's own setting stays."""
    await scene.robot.until(lambda: scene.store.lifecycle.phase is Phase.IDLE, 60, "the engine host answers")
    engine = await scene.client()
    try:
        await engine.keep(KeepPolicy(Keep.ON))
    finally:
        await engine.close()


async def load_first(scene: Scene) -> str:
    """Load the first model (the full-precision one of the starter) with one click, and watch its stages until ready."""
    checkpoint = scene.checkpoint(scene.options.names[0])
    if checkpoint is None:
        raise StepFailed(f"{scene.options.names[0]} is not in the list of models.")
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


async def switch_to(scene: Scene, name: str) -> str:
    """One click in the list of models; afterwards nothing of the old engine is left, or it is asleep as was asked."""
    target, facts = scene.checkpoint(name), scene.store.lifecycle.facts
    if target is None:
        raise StepFailed(f"There is no {name} to switch to.")
    old = () if facts is None else facts.processes
    took = await _click_until_ready(scene, target.path, _SWITCH_S)
    left = await asyncio.to_thread(_still_there, old)
    check = scene.store.lifecycle.last_check
    reached = scene.store.lifecycle.facts
    to = reached.served_model_name if reached else "nothing"
    await scene.robot.picture(f"switched {Path(name).name}")
    if facts is None:  # what was to be switched from had failed in an earlier step
        return f"no engine served; {to} loaded in {took:.1f} s"
    if scene.report.get("switch.to") is None:  # the report has one switch
        scene.report.set("switch.from", facts.served_model_name)
        scene.report.set("switch.to", to)
        scene.report.set("switch.s", took)
        scene.report.set("switch.old_processes_left", 0 if scene.options.keep else len(left))
    if scene.options.keep:
        return f"{facts.served_model_name} to {to} in {took:.2f} s; {await _asleep(scene, facts.checkpoint)}"
    if left:
        raise StepFailed(f"Processes of the old engine are still there: {left}")
    if not old:
        raise StepFailed("The engine had reported no processes, so nothing could be checked.")
    if check is None or check.processes_left or not check.page_removed:
        raise StepFailed(f"The host's own check of the old engine says {check}")
    return f"{facts.served_model_name} to {to} in {took:.1f} s, {len(old)} old processes gone"


async def wake(scene: Scene, name: str) -> str:
    """One click on a model that waits; it serves without a load, and the one that it takes the place of waits."""
    target, facts, before = scene.checkpoint(name), scene.store.lifecycle.facts, scene.store.sleepers.last_switch
    if target is None or facts is None:
        raise StepFailed(f"There is no {name} to wake, or nothing to switch from.")
    if facts.checkpoint == target.path:
        raise StepFailed(f"{facts.served_model_name} serves already: an earlier step has not switched away from it.")
    if scene.store.sleepers.of(target.path) is None:
        ended = [each.message for each in scene.store.sleepers.ended]
        raise StepFailed(f"{Path(name).name} does not wait: {ended}")
    took = await _click_until_ready(scene, target.path, _WAKE_S)
    await scene.robot.picture(f"woken {Path(name).name}")

    def is_told() -> bool:
        told = scene.store.sleepers.last_switch
        return told is not None and told is not before and told.checkpoint == target.path

    await scene.robot.until(is_told, _TOLD_S, f"{Path(name).name} was loaded anew, not woken: the host tells of it")
    switch = scene.store.sleepers.last_switch
    assert switch is not None
    if switch.same_answer is False:
        raise StepFailed(f"{switch.name} answers its first prompt otherwise than before its sleep.")
    return (
        f"{facts.served_model_name} to {switch.name} in {took:.2f} s (by the host {switch.seconds:.2f}: sleep "
        f"{switch.sleep_s:.2f}, wake {switch.wake_s:.2f}, first token {switch.first_token_s:.2f}); "
        f"{await _asleep(scene, facts.checkpoint)}"
    )


async def _click_until_ready(scene: Scene, checkpoint: str, timeout_s: float) -> float:
    start = time.monotonic()
    await scene.robot.click(chip_name(scene, checkpoint))
    await scene.until_ready(checkpoint, timeout_s)
    return time.monotonic() - start


async def _asleep(scene: Scene, checkpoint: str) -> str:
    """What the engine of this checkpoint holds while it waits. Raises StepFailed where it does not wait."""

    def sleeper() -> Sleeper | None:
        return scene.store.sleepers.of(checkpoint)

    def is_measured() -> bool:
        return (waiting := sleeper()) is None or waiting.ram_bytes is not None

    with contextlib.suppress(StepFailed):  # it is measured after the switch; the step holds without the figure
        await scene.robot.until(is_measured, _TOLD_S, "what it holds is measured")
    found = sleeper()
    if found is None:
        ended = [each.message for each in scene.store.sleepers.ended]
        raise StepFailed(f"{checkpoint} was to be kept and is not: {ended}")
    parts = [process for process in found.processes if process.name.startswith(_PARTS)]  # compilers may have ended
    gone = [process.pid for process in parts if not is_alive(process.pid, process.start_ticks)]
    if gone or not parts:
        raise StepFailed(f"{checkpoint} waits without its processes {gone or found.processes}.")
    ram, vram = (_gib(count) for count in (found.ram_bytes, found.vram_bytes))
    return f"the old one waits ({found.rest}; {ram} of RAM, {vram} of VRAM)"


def _gib(count: int | None) -> str:
    return "—" if count is None else f"{count / 2**30:.1f} GiB"


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
