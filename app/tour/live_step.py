"""The burst, with max_num_seqs lowered and raised in the parameters panel while its requests run."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton

from app.tour.burst import REQUESTS, Burst, CacheWatch
from app.tour.crowd import Crowd
from app.tour.robot import StepFailed
from app.widgets.parameter_apply import ApplyBar
from app.widgets.segmented import Segmented
from engine.domain.errors import KVDeckError
from engine.domain.lifecycle import LimitsRequest

if TYPE_CHECKING:
    from app.tour.scene import Scene
    from engine.domain.lifecycle import LiveLimits
    from engine.domain.telemetry import StepSample

_RUNNING_S = 60.0
_PATIENCE_S = 60.0
_APPLY_S = 30.0  # a host that streams to hundreds answers later
_UNDER_STEPS = 20
_SHOWN = 5  # complaints
_PROMPT_ROOM = 1100  # tokens: the system prompt by any tokenizer, and a question


async def burst_with_live_limits(scene: Scene) -> str:
    """Send 16 requests (or have as many streams as was asked), lower the limit to a quarter and raise it again while
    they run; all of them must finish."""
    limits, facts = scene.store.limits, scene.store.lifecycle.facts
    if limits is None or facts is None:
        raise StepFailed("The engine reports no limits.")
    engine, streams = await scene.client(), scene.options.streams
    watch = CacheWatch(scene.store, scene.clock, engine)
    room = max(1, facts.max_model_len - _PROMPT_ROOM)
    burst = Burst(engine) if streams == REQUESTS else Crowd(scene.store, streams, room)
    watch.start()
    try:
        await burst.send()
        fell_short = await _lower_and_raise(scene, watch, burst, limits)
        result = await burst.result(lambda: watch.last_step, _PATIENCE_S)
    except BaseException:
        with contextlib.suppress(KVDeckError):  # the steps that follow are not to be under this one's limit
            await engine.set_limits(LimitsRequest(max_num_seqs=limits.max_num_seqs))
        raise
    finally:
        async with contextlib.AsyncExitStack() as ending:  # each of them, whatever becomes of the others
            ending.push_async_callback(engine.close)
            ending.push_async_callback(watch.stop)
            ending.push_async_callback(burst.cancel)
    report = scene.report
    report.set("burst.requested", result.requested)
    report.set("burst.finished", result.finished)
    report.set("burst.shared_blocks_max", watch.shared_max)
    report.set("burst.prefix_hit_rate", watch.prefix_hit_rate)
    report.set("live.lost_requests", result.requested - result.finished)
    report.set("blocks.checked_steps", len(watch.checked))
    report.set("blocks.mismatches", watch.mismatches)
    _require(not fell_short, fell_short)
    _require(not result.errors, f"{len(result.errors)} complaints of lost requests: {_some(result.errors)}")
    _require(result.finished == result.requested, f"{result.finished} of {result.requested} requests finished")
    _require(watch.shared_max > 0, "no block was ever shared")
    _require(bool(watch.prefix_hit_rate), "the prefix cache was never hit")
    # A full scan of a GPU's 370,000 blocks takes as long as many steps: few of them fit into the burst there.
    _require(len(watch.checked) >= 3, f"only {len(watch.checked)} steps were compared with the full scan")
    _require(watch.mismatches == 0, f"{watch.mismatches} blocks differed from the full scan")
    return (
        f"{result.finished} of {result.requested} finished, {result.tokens} tokens, up to {watch.shared_max} blocks "
        f"shared, {watch.prefix_hit_rate:.0%} of the prompts from the prefix cache, {len(watch.checked)} steps exact"
    )


async def _lower_and_raise(scene: Scene, watch: CacheWatch, burst: Burst | Crowd, limits: LiveLimits) -> str:
    """Returns what fell short although the rest could be shown; "" where nothing did."""
    robot, streams = scene.robot, scene.options.streams
    wanted, lowered_to = min(streams, limits.max_num_seqs), streams // 4
    ran = await _until_running(scene, watch, burst, wanted, lowered_to)
    scene.report.set("live.running_max_before", ran)
    await robot.picture("burst")
    lowered = await _set_limit(scene, lowered_to)
    await robot.until(lambda: watch.last_step >= lowered.step + _UNDER_STEPS, _RUNNING_S, "steps under the limit")
    await robot.picture("limit lowered")
    _require(burst.unfinished > lowered_to, "too few requests were left to show that the limit holds")
    under = [step for step in watch.steps if step.step >= lowered.step]
    scene.report.set("live.steps_to_effect", _steps_to_effect(watch.steps, lowered))
    scene.report.set("live.running_max_after", watch.running_max(under))
    _require(all(step.num_waiting for step in under), "no request had to wait, so the limit was not put to the test")
    await _set_limit(scene, limits.max_num_seqs)
    most = watch.running_max(under)
    _require(most == lowered_to, f"{most} requests ran under a limit of {lowered_to}")
    _require(scene.report.get("live.steps_to_effect") == 1, "the limit was not in force within one step")
    return "" if ran >= wanted else f"{ran} requests ran at one time, not {wanted}"


async def _until_running(scene: Scene, watch: CacheWatch, burst: Burst | Crowd, wanted: int, lowered_to: int) -> int:
    """Wait until as many requests run as are `wanted`; returns how many did at most. Raises StepFailed where they were
    too few to show a limit of `lowered_to` with."""

    def most() -> int:
        return watch.running_max(watch.steps) or 0

    def soon_too_few() -> bool:
        return most() > 0 and burst.unfinished <= 2 * lowered_to

    def enough_or_late() -> bool:
        return most() >= wanted or soon_too_few()

    with contextlib.suppress(StepFailed):  # what is wrong is said below, with how many ran
        await scene.robot.until(enough_or_late, _RUNNING_S, f"{wanted} requests run")
    _require(_newest_running(watch) > lowered_to, f"only {_newest_running(watch)} requests run, {most()} did at most")
    return most()


async def _set_limit(scene: Scene, value: int) -> LiveLimits:
    """Type the value into the panel's row and click Apply; returns what the engine then reports.

    A lower limit is applied by preempting the surplus, which is what brings it into force at once.
    """
    store, robot = scene.store, scene.robot
    falls = store.limits is not None and value < store.limits.max_num_seqs
    field = await robot.type_text("param_max_num_seqs", str(value))
    await robot.press(field, Qt.Key.Key_Return)
    await robot.wait_for("applyButton", QAbstractButton)
    if falls:
        modes = (await robot.wait_for("applyBar", ApplyBar)).findChild(Segmented)
        assert isinstance(modes, Segmented)
        await robot.click_button(modes.button("preempt"))
    await robot.click("applyButton")
    await robot.until(
        lambda: store.limits is not None and store.limits.max_num_seqs == value, _APPLY_S, f"the engine reports {value}"
    )
    assert store.limits is not None
    return store.limits


def _steps_to_effect(steps: list[StepSample], limits: LiveLimits) -> int:
    """How many steps after the change the limit was in force: 1 is the very next one.

    The engine answers with the first step that it promises to run under the limit; the ring of steps tells, from
    inside the scheduler, which step really was the first with that limit and with no more requests than it allows.
    """
    most = limits.max_num_seqs
    first = next((step.step for step in steps if step.max_num_seqs == most and step.num_running <= most), None)
    if first is None:
        raise StepFailed("No step ran under the lowered limit.")
    return first - limits.step + 1


def _some(errors: tuple[str, ...]) -> str:
    """The different ones of hundreds, a few of them."""
    different = dict.fromkeys(errors)
    return "; ".join([*list(different)[:_SHOWN], *(["…"] if len(different) > _SHOWN else [])])


def _newest_running(watch: CacheWatch) -> int:
    return watch.steps[-1].num_running if watch.steps else 0


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise StepFailed(otherwise[:1].upper() + otherwise[1:] + ".")
