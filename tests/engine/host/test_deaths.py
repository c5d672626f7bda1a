"""What the host notices of an engine's end: a process that is gone, and an engine that gives up while its live on."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from engine.domain.lifecycle import EngineProcess
from engine.host.deaths import DeathWatch
from engine.page.liveness import start_ticks
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def engine() -> Iterator[list[tuple[subprocess.Popen[bytes], EngineProcess]]]:
    """Two processes that wait."""
    found = []
    for name in ("EngineCore", "Worker"):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        ticks = start_ticks(child.pid)
        assert ticks is not None
        found.append((child, EngineProcess(child.pid, name, ticks)))
    yield found
    for child, _ in found:
        child.kill()
        child.communicate()


async def first_told(watch: DeathWatch, told: asyncio.Queue[EngineProcess]) -> str:
    """The name of the process that is reported; nothing is reported after it."""
    name = (await asyncio.wait_for(told.get(), PATIENCE_S)).name
    await asyncio.sleep(0.3)
    assert told.empty()
    watch.stop()
    return name


async def test_an_engine_that_gives_up_is_told_while_its_processes_live(
    engine: list[tuple[subprocess.Popen[bytes], EngineProcess]],
) -> None:
    told: asyncio.Queue[EngineProcess] = asyncio.Queue()
    watch, given_up = DeathWatch(told.put_nowait), False
    watch.start([process for _, process in engine], lambda: given_up)
    await asyncio.sleep(0.25)
    assert told.empty()
    given_up = True
    assert await first_told(watch, told) == "EngineCore"
    assert all(child.poll() is None for child, _ in engine)


@pytest.mark.parametrize("also_gives_up", [False, True])
async def test_the_process_that_died_is_told_and_not_the_one_that_gave_up_for_it(
    engine: list[tuple[subprocess.Popen[bytes], EngineProcess]], also_gives_up: bool
) -> None:
    told: asyncio.Queue[EngineProcess] = asyncio.Queue()
    watch = DeathWatch(told.put_nowait)
    worker, _ = engine[1]
    if also_gives_up:  # it is dead before anybody looks
        worker.kill()
        worker.wait()
    watch.start([process for _, process in engine], lambda: also_gives_up)
    worker.kill()
    assert await first_told(watch, told) == "Worker"


async def test_nothing_is_told_after_the_end_is_expected(
    engine: list[tuple[subprocess.Popen[bytes], EngineProcess]],
) -> None:
    told: asyncio.Queue[EngineProcess] = asyncio.Queue()
    watch, given_up = DeathWatch(told.put_nowait), False
    watch.start([process for _, process in engine], lambda: given_up)
    watch.stop()
    given_up = True
    for child, _ in engine:
        child.kill()
        child.wait()
    await asyncio.sleep(0.3)
    assert told.empty()
