"""What is asked of the service in the moment after a load has arrived, while it still measures what it has."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from engine.domain.lifecycle import Lifecycle, Phase
from engine.gpu.nvml import Nvml
from engine.host.journal import Journal
from engine.host.memory import MemoryMeter
from engine.host.mount import Mount
from engine.host.rest_meter import RestMeter
from engine.host.service import EngineService
from engine.host.shelf import Shelf
from engine.host.state import HostState
from engine.host.stats import StatsWindow
from tests.engine.host.resting import RestingRun, resting_engine
from tests.engine.host.test_shelf import OwnFamily


@pytest.fixture
async def service() -> EngineService:
    """It serves, and its load is not done with yet."""
    nobody: Any = SimpleNamespace()
    family, meter, journal = OwnFamily(), MemoryMeter(Nvml()), Journal()
    shelf = Shelf(family, RestMeter(meter, journal), lambda _tray: None)
    state = HostState("0", 1, "", lambda *_told: None)
    more: dict[str, Any] = {"stats": StatsWindow(), "times": nobody, "family": family, "shelf": shelf}
    more |= {"rest_meter": nobody, "adapters": nobody}
    service = EngineService(state, nobody, nobody, meter, journal, Mount(), **more)
    state.set_lifecycle(Lifecycle(Phase.READY))
    service._served = resting_engine("a")
    load: Any = SimpleNamespace(is_lost=False, cancel=lambda: None)

    async def measure() -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        service._load = None

    service._load, service._work = load, asyncio.ensure_future(measure())
    return service


@pytest.mark.parametrize("way", ["unload", "sleep"])
async def test_an_engine_that_is_ready_can_be_ended_and_put_to_rest(service: EngineService, way: str) -> None:
    served = service._served
    assert served is not None
    run: object = served.run
    assert isinstance(run, RestingRun)
    told = await (service.unload() if way == "unload" else service.sleep())
    assert told.phase is Phase.UNLOADING, "it is neither refused nor forgotten"
    assert service._work is not None
    await service._work
    assert service._state.phase is (Phase.IDLE if way == "unload" else Phase.ASLEEP)
    await service._shelf.close()
    assert not run.runs
