"""Switches among engines that sleep: what comes back beside the one that falls asleep, and what waits for it."""

from __future__ import annotations

import asyncio
import signal
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from engine.domain.sleepers import Gone, Keep, KeepPolicy
from engine.gpu.nvml import Nvml
from engine.host import rest_meter, room
from engine.host.journal import Journal
from engine.host.memory import MemoryMeter
from engine.host.rest_meter import RestMeter
from engine.host.shelf import Shelf
from engine.host.sleeping import CannotWake, Served
from tests.engine.gpu.recorded_nvml import RecordedNvml
from tests.engine.host.resting import SleepingRun, sleeping_engine
from tests.engine.host.test_shelf import OwnFamily
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.vllm_child import VllmChild

_GIB = 1 << 30
_WEIGHTS = 5 * _GIB


class Gpu:
    """A shelf of engines on one GPU, and what NVML tells of it."""

    def __init__(self) -> None:
        self.nvml = RecordedNvml()
        self.memory = self.nvml.devices[0]["nvmlDeviceGetMemoryInfo"]["value"]
        self.uuid = self.nvml.devices[0]["nvmlDeviceGetUUID"]["value"]
        meter = MemoryMeter(Nvml(self.nvml))
        self.shelf = Shelf(OwnFamily(), RestMeter(meter, Journal()), lambda _tray: None, PATIENCE_S)
        self.shelf.set_policy(KeepPolicy(Keep.ON, 3, 1 << 50))
        self.made: list[SleepingRun] = []

    def engine(self, name: str) -> Served:
        served = sleeping_engine(name, self.uuid, _WEIGHTS)
        self.made.append(run_of(served))
        return served

    async def sleeper(self, name: str) -> Served:
        """One that waits, and one that has waited before."""
        served = self.engine(name)
        await self.shelf.rest(served)
        return served

    async def exchange(self, outgoing: Served, incoming: Served) -> None:
        await self.shelf.begin_to_take(incoming, outgoing)
        await self.shelf.rest(outgoing)
        await self.shelf.take(incoming)


def run_of(served: Served) -> SleepingRun:
    run: object = served.run
    assert isinstance(run, SleepingRun)
    return run


@pytest.fixture
async def gpu(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Gpu]:
    monkeypatch.setattr(rest_meter, "_LAST_WORDS_S", 0.0)
    gpu = Gpu()
    yield gpu
    await gpu.shelf.close()
    for run in gpu.made:
        if run.runs:
            await run.stop()


async def _two(gpu: Gpu) -> tuple[Served, Served]:
    """One that serves and has slept before, and one that sleeps."""
    serving, asleep = await gpu.sleeper("serving"), await gpu.sleeper("asleep")
    await gpu.shelf.take(serving)
    for served in (serving, asleep):
        client = run_of(served).client
        client.said.clear()
        client.falls_asleep.clear()
        client.has_woken.clear()
    return serving, asleep


async def test_weights_come_back_beside_the_one_that_falls_asleep(gpu: Gpu) -> None:
    serving, asleep = await _two(gpu)
    outgoing, incoming = run_of(serving).client, run_of(asleep).client
    outgoing.may_sleep.clear()
    switch = asyncio.ensure_future(gpu.exchange(serving, asleep))
    async with asyncio.timeout(PATIENCE_S):
        await outgoing.falls_asleep.wait()
        await incoming.has_woken.wait()
    assert outgoing.said == ["falls asleep"]
    assert incoming.said == ["wakes weights"]  # the KV cache has to wait for its room
    assert incoming.asleep == {"kv_cache"}
    outgoing.may_sleep.set()
    await switch
    assert incoming.said == ["wakes weights", "wakes kv_cache"]
    assert not incoming.asleep
    assert [each.name for each in gpu.shelf.tray.waiting] == ["serving"]


async def test_without_room_for_both_it_waits_until_the_other_one_sleeps(gpu: Gpu) -> None:
    serving, asleep = await _two(gpu)
    gpu.memory["free"] = _WEIGHTS
    await gpu.exchange(serving, asleep)
    assert run_of(asleep).client.said == ["wakes all"]


@pytest.mark.parametrize("untold", ["weights", "uuid", "nvml"])
async def test_what_is_not_known_counts_as_no_room(gpu: Gpu, untold: str) -> None:
    serving, asleep = await _two(gpu)
    facts = asleep.facts
    if untold == "nvml":
        gpu.nvml.fail["nvmlDeviceGetMemoryInfo"] = 15
    else:
        value = {"gpu_uuids": ("GPU-of-somebody-else",)} if untold == "uuid" else {"weights_bytes": None}
        asleep.facts = type(facts)(**{name: getattr(facts, name) for name in facts.__dataclass_fields__} | value)
    await gpu.exchange(serving, asleep)
    assert run_of(asleep).client.said == ["wakes all"]


async def test_what_is_to_be_woken_does_not_go_to_make_room_for_the_one_of_before(
    gpu: Gpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others do. Where that is not enough, it is the one of before that is not kept."""
    wanted, _ = await gpu.sleeper("wanted"), await gpu.sleeper("other")
    serving = gpu.engine("serving")
    gpu.shelf.set_policy(KeepPolicy(Keep.ON, 3))
    monkeypatch.setattr(room, "free_bytes", lambda: _GIB)
    refusal = await gpu.shelf.refusal(serving, None, wanted)
    assert refusal == "serving is not kept: 6.5 GiB of main memory are lacking for it."
    tray = gpu.shelf.tray
    assert [each.name for each in tray.waiting] == ["wanted"]
    assert [(each.name, each.why) for each in tray.ended] == [("other", Gone.MEMORY)]


async def test_a_first_sleep_is_measured_with_nothing_beside_it(gpu: Gpu) -> None:
    serving, asleep = gpu.engine("serving"), await gpu.sleeper("asleep")
    await gpu.exchange(serving, asleep)
    assert run_of(asleep).client.said[-1] == "wakes all"
    assert serving.freed is not None
    serving.freed = 7
    await gpu.exchange(asleep, serving)  # which is asleep's second sleep
    assert run_of(serving).client.said[-2:] == ["wakes weights", "wakes kv_cache"]


async def test_one_that_dies_of_its_weights_is_named_and_the_other_one_sleeps(gpu: Gpu) -> None:
    serving, asleep = await _two(gpu)
    run_of(asleep).signal(signal.SIGSTOP)
    await gpu.shelf.begin_to_take(asleep, serving)
    await gpu.shelf.rest(serving)
    run_of(asleep).signal(signal.SIGKILL)
    with pytest.raises(CannotWake, match=r"asleep did not wake: EngineCore .* was ended by SIGKILL"):
        await gpu.shelf.take(asleep)
    tray = gpu.shelf.tray
    assert [each.name for each in tray.waiting] == ["serving"]
    assert [(each.name, each.why) for each in tray.ended] == [("asleep", Gone.NO_WAKE)]


def what_sleeps(_: object) -> list[str]:
    """vLLM's own names of what is away while an engine sleeps."""
    from vllm.v1.executor.abstract import Executor

    executor = SimpleNamespace(is_sleeping=False, sleeping_tags=set(), collective_rpc=lambda *_, **__: None)
    Executor.sleep(executor, 1)  # type: ignore[arg-type]
    return sorted(executor.sleeping_tags)


def test_the_parts_that_wake_by_themselves_are_all_that_sleeps(vllm_child: VllmChild) -> None:
    assert vllm_child.ask("tests.engine.host.test_sleeping:what_sleeps") == ["kv_cache", "weights"]
