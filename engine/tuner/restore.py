"""What was there before a job, and putting it back: the loaded model with its parameters, and the live limits."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from engine.domain.errors import EngineBusy, KVDeckError
from engine.domain.lifecycle import Phase
from engine.parameters.catalog import LIVE_NAMES
from engine.parameters.changes import limits_request, live_value
from engine.tuner.apply import load, reload_request, settled, unload
from engine.tuner.jobs import Found

if TYPE_CHECKING:
    from engine.client.engine import EngineClient
    from engine.domain.lifecycle import HostStatus
    from engine.tuner.spec import Setting

log = logging.getLogger(__name__)


def found_in(status: HostStatus) -> Found:
    """What is there now. Raises EngineBusy while a model is being loaded or unloaded."""
    lifecycle, limits = status.lifecycle, status.limits
    if lifecycle.phase in (Phase.LOADING, Phase.UNLOADING):
        raise EngineBusy("A model is being loaded or unloaded.", remedy="Start again when that is done.")
    if lifecycle.phase is not Phase.READY or lifecycle.facts is None or limits is None:
        return Found()
    values: Setting = {name: live_value(name, limits) for name in sorted(LIVE_NAMES)}
    live: Setting = {name: value for name, value in values.items() if value is not None}
    return Found(live=live, request=lifecycle.facts.request or reload_request(lifecycle.facts, {}))


async def put_back(engine: EngineClient, before: Found, by: str) -> bool:
    """Bring back what was there; False, with a line in the log, where that fails."""
    try:
        await _put_back(engine, before, by)
    except KVDeckError:
        log.exception("What was in force before could not be put back")
        return False
    return True


async def _put_back(engine: EngineClient, before: Found, by: str) -> None:
    status = await settled(engine)  # a load that was cancelled takes a moment to end
    if before.request is None:
        if status.lifecycle.phase is Phase.READY:
            await unload(engine)
        return
    facts = status.lifecycle.facts if status.lifecycle.phase is Phase.READY else None
    if facts is None or (facts.request or reload_request(facts, {})) != before.request:
        await load(engine, before.request)
        status = await engine.status()
    limits = status.limits
    if limits is None:
        raise EngineBusy("The engine has gone again.", remedy="Load it again.")
    changed = {name: value for name, value in before.live.items() if live_value(name, limits) != value}
    if changed:
        await engine.set_limits(limits_request(changed, by=by))
