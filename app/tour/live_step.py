"""The burst, with max_num_seqs lowered and raised in the parameters panel while its requests run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.tour.burst import REQUESTS, Burst, CacheWatch
from app.tour.robot import StepFailed

if TYPE_CHECKING:
    from app.tour.scene import Scene
    from engine.domain.lifecycle import LiveLimits
    from engine.domain.telemetry import StepSample

LOWERED = 4
_RUNNING_S = 60.0
_FINISH_S = 180.0


async def burst_with_live_limits(scene: Scene) -> str:
    """Send 16 requests, lower the limit to 4 and raise it again while they run; all of them must finish."""
    engine = await scene.client()
    watch, burst = CacheWatch(scene.store, scene.clock, engine), Burst(engine)
    watch.start()
    try:
        burst.send()
        await _lower_and_raise(scene, watch, burst)
        result = await burst.result(_FINISH_S)
    finally:
        await burst.cancel()
        await watch.stop()
        await engine.close()
    report = scene.report
    report.set("burst.requested", result.requested)
    report.set("burst.finished", result.finished)
    report.set("burst.shared_blocks_max", watch.shared_max)
    report.set("burst.prefix_hit_rate", watch.prefix_hit_rate)
    report.set("live.lost_requests", result.requested - result.finished)
    report.set("blocks.checked_steps", len(watch.checked))
    report.set("blocks.mismatches", watch.mismatches)
    _require(not result.errors, f"requests were lost: {'; '.join(result.errors)}")
    _require(result.finished == REQUESTS, f"{result.finished} of {REQUESTS} requests finished")
    _require(watch.shared_max > 0, "no block was ever shared")
    _require(bool(watch.prefix_hit_rate), "the prefix cache was never hit")
    _require(len(watch.checked) >= 10, f"only {len(watch.checked)} steps were compared with the full scan")
    _require(watch.mismatches == 0, f"{watch.mismatches} blocks differed from the full scan")
    return (
        f"{result.finished} of {result.requested} finished, {result.tokens} tokens, up to {watch.shared_max} blocks "
        f"shared, {watch.prefix_hit_rate:.0%} of the prompts from the prefix cache, {len(watch.checked)} steps exact"
    )


async def _lower_and_raise(scene: Scene, watch: CacheWatch, burst: Burst) -> None:
    limits = scene.store.limits
    _require(limits is not None, "the engine reports no limits")
    assert limits is not None
    before = min(REQUESTS, limits.max_num_seqs)
    await scene.robot.until(lambda: _newest_running(watch) >= before, _RUNNING_S, f"{before} requests run")
    scene.report.set("live.running_max_before", max(step.num_running for step in watch.steps))
    await scene.robot.picture("burst")
    lowered = await _set_limit(scene, LOWERED)
    await scene.robot.until(lambda: _newest_running(watch) <= LOWERED, _RUNNING_S, f"at most {LOWERED} requests run")
    _require(burst.unfinished > LOWERED, "too few requests were left to show that the limit holds")
    under = [step for step in watch.steps if step.step >= lowered.step]
    first = next(step for step in under if step.num_running <= LOWERED)
    await scene.robot.until(lambda: watch.steps[-1].step >= first.step + 10, _RUNNING_S, "ten steps under the limit")
    await scene.robot.picture("limit lowered")
    kept = [step for step in watch.steps if step.step >= first.step]
    scene.report.set("live.running_max_after", watch.running_max(kept))
    scene.report.set("live.steps_to_effect", _steps_to_effect(watch.steps, lowered))
    await _set_limit(scene, limits.max_num_seqs)
    _require(watch.running_max(kept) == LOWERED, f"{watch.running_max(kept)} requests ran under a limit of {LOWERED}")
    _require(scene.report.get("live.steps_to_effect") == 1, "the limit was not in force within one step")


async def _set_limit(scene: Scene, value: int) -> LiveLimits:
    """Type the value into the panel's row and click Apply; returns what the engine then reports."""
    field = await scene.robot.type_text("param_max_num_seqs", str(value))
    await scene.robot.press(field, Qt.Key.Key_Tab)
    await scene.robot.click("applyButton")
    store = scene.store
    await scene.robot.until(
        lambda: store.limits is not None and store.limits.max_num_seqs == value, 10, f"the engine reports {value}"
    )
    assert store.limits is not None
    return store.limits


def _steps_to_effect(steps: list[StepSample], limits: LiveLimits) -> int:
    """How many steps after the change the first step ran under the new limit: 1 is the very next one.

    The engine answers with the first step that it promises to run under the limit; the ring of steps tells, from
    inside the scheduler, which step really was the first.
    """
    first = next((step.step for step in steps if step.max_num_seqs == limits.max_num_seqs), None)
    if first is None:
        raise StepFailed("No step ran under the lowered limit.")
    return first - limits.step + 1


def _newest_running(watch: CacheWatch) -> int:
    return watch.steps[-1].num_running if watch.steps else 0


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise StepFailed(otherwise[:1].upper() + otherwise[1:] + ".")


__all__ = ["LOWERED", "QWidget", "burst_with_live_limits"]
