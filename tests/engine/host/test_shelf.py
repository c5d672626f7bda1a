"""The engines that wait: who goes when there are too many, one that dies, and one that does not wake."""

from __future__ import annotations

import asyncio
import inspect
import signal
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from engine.domain.errors import Cancelled
from engine.domain.sleepers import Gone, Keep, KeepPolicy, Sleepers
from engine.gpu.nvml import Nvml
from engine.host.family import Family
from engine.host.journal import Journal
from engine.host.memory import MemoryMeter
from engine.host.mount import Mount
from engine.host.processes import is_alive
from engine.host.rest_meter import RestMeter
from engine.host.serving import Serving
from engine.host.shelf import Shelf
from engine.host.sleeping import CannotWake, Served
from engine.host.state import HostState
from engine.host.stats import StatsWindow
from tests.engine.host.resting import RestingClient, RestingRun, SleepingClient, resting_engine
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from engine.domain.lifecycle import EngineProcess
    from tests.vllm_child import VllmChild


class OwnFamily(Family):
    """The processes of these engines alone: the tests have other children, which are nobody's engine here."""

    def of(self, owner: Any) -> tuple[EngineProcess, ...]:
        return tuple(each for each in owner.processes if is_alive(each))


class Told:
    """A shelf, and the trays that it has announced."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self.trays: asyncio.Queue[Sleepers] = asyncio.Queue()
        meter = RestMeter(MemoryMeter(Nvml()), Journal())
        self.shelf = Shelf(OwnFamily(), meter, self.trays.put_nowait, patience_s)
        self.engines: dict[str, Served] = {}

    def set_policy(self, most: int) -> None:
        self.shelf.set_policy(KeepPolicy(Keep.ON, most, 1 << 50))

    async def rest(self, name: str) -> RestingRun:
        """One more waits."""
        served = self.engines[name] = resting_engine(name)
        await self.shelf.rest(served)
        return self.run(name)

    def run(self, name: str) -> RestingRun:
        run: object = self.engines[name].run
        assert isinstance(run, RestingRun)
        return run

    async def use(self, name: str) -> None:
        """Wake it, and let it rest again."""
        await self.shelf.take(self.engines[name])
        await self.shelf.rest(self.engines[name])

    async def ended(self, count: int) -> Sleepers:
        """The tray once so many have gone."""
        async with asyncio.timeout(PATIENCE_S):
            while len((tray := await self.trays.get()).ended) < count:
                pass
        return tray


@pytest.fixture
async def told() -> AsyncIterator[Told]:
    told = Told()
    yield told
    await told.shelf.close()


def _waiting(tray: Sleepers) -> list[str]:
    return [each.name for each in tray.waiting]


async def test_the_one_used_least_recently_ends_over_the_limit_whatever_the_clock_says(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.set_policy(3)
    wall = time.time
    for number, name in enumerate("abc"):
        monkeypatch.setattr(time, "time", lambda back=number: wall() - 5000 * back)  # somebody sets it, again and again
        await told.rest(name)
    await told.use("a")
    assert _waiting(told.shelf.tray) == ["a", "c", "b"]
    told.set_policy(2)
    tray = await told.ended(1)
    assert (tray.ended[0].name, tray.ended[0].why) == ("b", Gone.LIMIT)
    assert tray.ended[0].message == "b was ended: at most 2 at once may wait, and it was used least."
    assert [told.run(name).runs for name in "abc"] == [True, False, True]
    await told.rest("d")
    tray = await told.ended(2)
    assert (tray.ended[1].name, _waiting(tray)) == ("c", ["d", "a"])
    assert not told.run("c").runs


async def test_a_limit_of_no_bytes_keeps_nobody(told: Told) -> None:
    told.set_policy(3)
    await told.rest("a")
    await told.shelf.measure()
    told.shelf.set_policy(KeepPolicy(Keep.ON, 3, 0))
    tray = await told.ended(1)
    assert tray.ended[0].message == "a was ended: at most 0.0 GiB together may wait, and it was used least."
    assert _waiting(tray) == []


async def test_an_engine_that_is_being_woken_does_not_wait_any_more(told: Told) -> None:
    """Two may wait: at a switch among three nobody has to go, though for a moment all three are on the shelf."""
    told.set_policy(2)
    for name in "ab":
        await told.rest(name)
    told.engines["c"] = resting_engine("c")
    await told.shelf.begin_to_take(told.engines["a"], told.engines["c"])
    await told.shelf.rest(told.engines["c"])
    told.set_policy(2)  # the limits are seen to once more
    await asyncio.sleep(0.5)
    assert (await told.shelf.take(told.engines["a"])).same_answer
    tray = told.shelf.tray
    assert (sorted(_waiting(tray)), tray.ended) == (["b", "c"], ())
    await told.run("a").stop()


async def test_a_killed_sleeper_is_named_and_its_row_goes_before_it_is_cleaned_up(told: Told) -> None:
    told.set_policy(3)
    run = await told.rest("a")
    await told.rest("b")
    allowed = asyncio.Event()
    stop = run.stop

    async def stop_when_allowed(grace_s: float | None = None) -> Any:
        await allowed.wait()
        return await stop(grace_s)

    run.stop = stop_when_allowed  # type: ignore[method-assign]
    while not told.trays.empty():
        told.trays.get_nowait()
    run.signal(signal.SIGKILL)
    async with asyncio.timeout(PATIENCE_S):
        while _waiting(tray := await told.trays.get()) != ["b"]:
            pass
    assert not tray.ended
    allowed.set()
    tray = await told.ended(1)
    assert tray.ended[0].why is Gone.DIED
    assert tray.ended[0].message == f"a died while it waited: EngineCore (pid {run.process.pid}) was ended by SIGKILL."


@pytest.mark.parametrize("how", [signal.SIGSTOP, signal.SIGKILL])
async def test_one_that_does_not_wake_is_ended_and_says_why(how: signal.Signals) -> None:
    told = Told(patience_s=0.3)
    told.set_policy(3)
    run = await told.rest("a")
    place = told.shelf._places["a"]
    place.busy = True  # it is in somebody's hands: nobody else looks after its death
    run.signal(how)
    with pytest.raises(CannotWake):
        await told.shelf.take(told.engines["a"])
    tray = await told.ended(1)
    died = f"EngineCore (pid {run.process.pid}) was ended by SIGKILL."
    why = "It did not wake within 0 s." if how is signal.SIGSTOP else died
    assert (tray.ended[0].why, tray.ended[0].message) == (Gone.NO_WAKE, f"a did not wake: {why}")
    assert not run.runs
    assert tray.waiting == ()
    await told.shelf.close()


def signatures(names: list[str]) -> dict[str, list[str]]:
    """The parameters of these methods of vLLM's client."""
    from vllm.v1.engine.async_llm import AsyncLLM

    return {name: sorted(inspect.signature(getattr(AsyncLLM, name)).parameters) for name in names}


@pytest.mark.parametrize("stand_in", [RestingClient, SleepingClient])
def test_the_stand_in_client_is_asked_as_vllm_s_own(vllm_child: VllmChild, stand_in: type[RestingClient]) -> None:
    names = [name for name in vars(stand_in) if not name.startswith("_")]
    theirs = vllm_child.ask("tests.engine.host.test_shelf:signatures", names)
    for name in names:
        ours = inspect.signature(getattr(stand_in, name)).parameters
        assert set(ours) <= set(theirs[name]), name


def _serving(told: Told) -> Serving:
    return Serving(HostState("0", 1, "", lambda *_told: None), Mount(), Journal(), StatsWindow(), told.shelf)


async def test_one_that_dies_between_its_waking_and_its_serving_leaves_nothing(told: Told) -> None:
    """Nobody watches over it then: it is off the shelf, and does not serve yet."""
    told.set_policy(2)
    load: Any = SimpleNamespace(enter=lambda _stage: None, elapsed_s=0.0)
    for name in "ab":
        run, serving = await told.rest(name), _serving(told)
        run.broken = True
        served = told.engines[name]
        arrived = serving._wake_and_serve(load, served, None) if name == "a" else serving._bring_back(served, load)
        assert not await arrived
        assert not run.runs
    assert told.shelf.tray.waiting == ()


async def test_a_cancelled_switch_brings_back_the_one_of_before_however_few_may_wait(told: Told) -> None:
    """For a moment both are on the shelf, and the limits are seen to."""
    told.set_policy(1)
    run = await told.rest("wanted")
    told.engines["before"] = resting_engine("before")
    wanted, before = told.engines["wanted"], told.engines["before"]
    await told.shelf.begin_to_take(wanted, before)
    await told.shelf.rest(before)
    pause = run.client.pause_generation

    async def when_the_limits_have_been_seen_to(**how: Any) -> None:
        told.set_policy(1)
        await asyncio.gather(*told.shelf._tasks)
        await pause(**how)

    run.client.pause_generation = when_the_limits_have_been_seen_to  # type: ignore[method-assign]
    load: Any = SimpleNamespace(enter=lambda _stage: None, elapsed_s=0.0, is_cancelled=True)
    with pytest.raises(Cancelled):
        await _serving(told)._wake_and_serve(load, wanted, before)
    assert told.shelf.holds(before)
    await told.shelf.take(before)
    tray = told.shelf.tray
    assert (_waiting(tray), tray.ended) == (["wanted"], ())
    await told.run("before").stop()
