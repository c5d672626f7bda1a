"""What was in force comes back, whatever the host is in the middle of: a host of the tests, by the real one's rules."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

import pytest

from engine.domain.errors import EngineBusy
from engine.domain.lifecycle import EngineFacts, HostStatus, Lifecycle, LiveLimits, LoadRequest, Phase
from engine.tuner.apply import load
from engine.tuner.restore import found_in, put_back
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from engine.client.engine import EngineClient

BEFORE, TRIAL = LoadRequest("/m", {"block_size": 16}), LoadRequest("/m", {"block_size": 32})


class Host:
    """Loads as the engine host does: one load at a time, and a cancelled one ends a moment later."""

    def __init__(self) -> None:
        self.lifecycle = Lifecycle(Phase.READY, "/m", 1, facts=_facts(BEFORE))
        self.deciding_s = 0.0
        self.loaded: list[LoadRequest] = []
        self._work: asyncio.Task[None] | None = None

    async def status(self) -> HostStatus:
        await asyncio.sleep(0)
        limits = LiveLimits(1, 4, 4, 512, 512) if self.lifecycle.phase is Phase.READY else None
        return HostStatus("0", "0", 1, "", self.lifecycle, limits)

    async def load(self, request: LoadRequest) -> Lifecycle:
        if self.lifecycle.phase in (Phase.LOADING, Phase.UNLOADING):
            raise EngineBusy("A model is being loaded.", remedy="Wait.")
        await asyncio.shield(asyncio.ensure_future(self._begin(request)))  # it goes on when its client has gone
        return self.lifecycle

    async def _begin(self, request: LoadRequest) -> None:
        await asyncio.sleep(self.deciding_s)
        number = self.lifecycle.load_id + 1
        self.lifecycle = Lifecycle(Phase.LOADING, "/m", number)
        self._work = asyncio.create_task(self._carry_out(request, number))

    async def _carry_out(self, request: LoadRequest, number: int) -> None:
        try:
            await asyncio.sleep(0.3)
        except asyncio.CancelledError:
            await asyncio.sleep(0.3)
            self.lifecycle = Lifecycle(Phase.IDLE, None, number)
        else:
            self.lifecycle = Lifecycle(Phase.READY, "/m", number, facts=_facts(request))
            self.loaded.append(request)

    async def cancel_load(self) -> None:
        if self.lifecycle.phase is Phase.LOADING and self._work is not None:
            self._work.cancel()


def _facts(request: LoadRequest) -> EngineFacts:
    return EngineFacts(
        "0.32.0", "/m", "m", "cpu", "bfloat16", None, 8192, 16, 1000, 4, 512, False, "", (), {}, request=request
    )


@pytest.mark.parametrize("deciding_s", [0.0, 0.3])
async def test_a_reload_that_is_cancelled_is_undone(deciding_s: float) -> None:
    host = Host()
    host.deciding_s = deciding_s
    engine = cast("EngineClient", host)
    before = found_in(await host.status())
    trial = asyncio.create_task(load(engine, TRIAL))
    await asyncio.sleep(0.1)  # the host decides, or loads
    trial.cancel()
    with pytest.raises(asyncio.CancelledError):
        await trial
    async with asyncio.timeout(PATIENCE_S):
        assert await put_back(engine, before, "tests")
    assert host.lifecycle.phase is Phase.READY
    assert host.loaded == [BEFORE]
