"""A setting into force: live where the scheduler takes it, by one reload where it does not; and back again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.domain.errors import EngineBusy, KVDeckError
from engine.domain.lifecycle import LoadRequest, Phase
from engine.parameters.catalog import CATALOG, LIVE_NAMES
from engine.parameters.changes import limits_request, live_capacity, live_value, plan_changes
from engine.parameters.values import deviations

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.client.engine import EngineClient
    from engine.domain.lifecycle import EngineFacts, HostStatus, LiveLimits, ParameterValue
    from engine.tuner.spec import Setting

_POLL_S = 0.25
_LOAD_S = 1800.0


class SettingRefused(KVDeckError):
    """The engine would not load with a setting; what it says is in the message."""

    kind = "setting_refused"


@dataclass(frozen=True, slots=True)
class Applied:
    """What a setting did: the setting that was in force before, and whether a reload was needed."""

    before: Setting
    reloaded: bool


def in_force(status: HostStatus) -> Setting:
    """Every catalog value of the ready engine, live ones as the scheduler has them now. Raises EngineBusy."""
    facts, limits = _ready(status)
    values = {name: value for name, value in facts.parameters.items() if name in CATALOG}
    for name in LIVE_NAMES:
        value = live_value(name, limits)
        if value is not None:
            values[name] = value
    return values


def needs_reload(setting: Mapping[str, ParameterValue], status: HostStatus) -> tuple[str, ...]:
    """The parameters of a setting that this engine takes only by a reload. Raises EngineBusy, ParameterInvalid."""
    facts, limits = _ready(status)
    return plan_changes(setting, facts, limits).reload_names


async def apply_setting(
    engine: EngineClient,
    setting: Mapping[str, ParameterValue],
    *,
    by: str,
    mode: str = "drain",
    capacity: Mapping[str, ParameterValue] | None = None,
    on_reload: Callable[[tuple[str, ...]], None] | None = None,
) -> Applied:
    """Bring `setting` into force and hand back what it replaced. `engine` has to be connected.

    Where a reload is needed, the checkpoint is loaded again with what it has and `setting` on top; `capacity` then says
    how large live limits may become later (its values are loaded, and the setting's lower ones set live afterwards).
    Raises EngineBusy where none is ready, ParameterInvalid, and SettingRefused where the load fails.
    """
    status = await read_status(engine)
    facts, limits = _ready(status)
    before = in_force(status)
    plan = plan_changes(setting, facts, limits)
    replaced = {change.name: before.get(change.name, CATALOG[change.name].default) for change in plan.changes}
    names = plan.reload_names
    if names:
        if on_reload is not None:
            on_reload(names)
        wanted = {**setting, **_room(before, setting, limits, capacity or {})}
        await load(engine, reload_request(facts, wanted))
        facts, limits = _ready(await read_status(engine))
        # A reload opened the live limits to their capacity: what was in force before is, again.
        kept = {name: before[name] for name in LIVE_NAMES & before.keys()}
        plan = plan_changes({**kept, **{n: v for n, v in setting.items() if n in LIVE_NAMES}}, facts, limits)
    live = {change.name: change.after for change in plan.changes if change.name not in plan.reload_names}
    if live:
        await engine.set_limits(limits_request(live, mode=mode, by=by))
    return Applied(replaced, bool(names))


def reload_request(facts: EngineFacts, changes: Mapping[str, ParameterValue]) -> LoadRequest:
    """The load that brought this engine, with these values on top."""
    if facts.request is None:  # a host of an older KVDeck
        return LoadRequest(facts.checkpoint, _loadable({**facts.parameters, **changes}))
    return replace(facts.request, parameters=_loadable({**facts.request.parameters, **changes}))


def _room(
    before: Setting, setting: Mapping[str, ParameterValue], limits: LiveLimits, capacity: Mapping[str, ParameterValue]
) -> Setting:
    """What live limits are loaded with: the largest of what is wished for, what is asked to fit, and what there was."""
    room: Setting = {}
    for name in ("max_num_seqs", "max_num_batched_tokens"):
        had = live_capacity(name, limits)
        sizes = [value for value in (setting.get(name), capacity.get(name), had) if isinstance(value, int)]
        if sizes and name in before:
            room[name] = max(sizes)
    return room


def _loadable(values: Mapping[str, ParameterValue]) -> Setting:
    """What a load is asked for: what deviates from the defaults and fits its row (an engine may report more)."""
    fitting: Setting = {}
    for name, value in values.items():
        try:
            fitting |= deviations({name: value})
        except KVDeckError:
            continue
    return fitting


async def load(engine: EngineClient, request: LoadRequest) -> EngineFacts:
    """Load a checkpoint and wait until it is ready. Raises SettingRefused with what the engine said against it.

    Cancelled while it waits, it ends the load that it began.
    """
    before = (await read_status(engine)).lifecycle.load_id
    asked = asyncio.ensure_future(engine.load(request))  # the host may have begun before its answer is here
    try:
        await asyncio.shield(asked)
        return await _until_ready(engine, before)
    except asyncio.CancelledError:
        await asyncio.gather(asked, return_exceptions=True)
        await asyncio.shield(engine.cancel_load())
        raise


async def unload(engine: EngineClient) -> None:
    """End the engine and wait until it is gone."""
    await engine.unload()
    await _until(engine, lambda status: status.lifecycle.phase in (Phase.IDLE, Phase.FAILED, Phase.CRASHED))


async def settled(engine: EngineClient) -> HostStatus:
    """The status once nothing is being loaded or unloaded any more: only then does a host take another load."""
    return await _until(engine, lambda status: status.lifecycle.phase not in (Phase.LOADING, Phase.UNLOADING))


async def read_status(engine: EngineClient) -> HostStatus:
    """The host's present status."""
    return await engine.status()


async def _until_ready(engine: EngineClient, load_id: int) -> EngineFacts:
    status = await _until(
        engine,
        lambda now: now.lifecycle.load_id != load_id
        and now.lifecycle.phase in (Phase.READY, Phase.FAILED, Phase.CRASHED, Phase.IDLE),
    )
    facts, failure = status.lifecycle.facts, status.lifecycle.failure
    if status.lifecycle.phase is Phase.READY and facts is not None:
        return facts
    if failure is not None:
        raise SettingRefused(failure.message, remedy=failure.remedy)
    raise SettingRefused("The load was ended from elsewhere.", remedy="Start again when the engine is free.")


async def _until(engine: EngineClient, reached: Callable[[HostStatus], bool]) -> HostStatus:
    try:
        async with asyncio.timeout(_LOAD_S):
            while not reached(status := await read_status(engine)):  # noqa: ASYNC110 - another process's state
                await asyncio.sleep(_POLL_S)
    except TimeoutError as error:
        raise SettingRefused("The engine did not get ready within half an hour.", remedy="See its log.") from error
    return status


def _ready(status: HostStatus) -> tuple[EngineFacts, LiveLimits]:
    facts, limits = status.lifecycle.facts, status.limits
    if status.lifecycle.phase is not Phase.READY or facts is None or limits is None:
        raise EngineBusy("No engine is ready.", remedy="Load a model first, and wait until it is ready.")
    return facts, limits
