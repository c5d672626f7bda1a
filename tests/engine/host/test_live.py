"""Live parameters of the running engine under load: each change is noted, and nothing is lost by any of them."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import aiohttp
import msgspec
import pytest

from engine.client.host_process import HostAddress
from engine.client.remote import RemoteEngine
from engine.domain.adapter import EngineAdapters
from engine.domain.errors import EngineBusy, ParameterInvalid
from engine.domain.lifecycle import LimitsRequest, LiveLimits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.engine.host.hosting import RunningHost

pytestmark = [pytest.mark.engine, pytest.mark.slow]

_REQUESTS, _TOKENS = 24, 16
_SURE = 1.0  # nats between the likeliest token and the next: no rounding of a batch turns that over


@pytest.fixture
async def engine(engine_host: RunningHost) -> AsyncIterator[RemoteEngine]:
    """A client of the session's host; whatever is changed is put back."""
    client = RemoteEngine(HostAddress(engine_host.pid, engine_host.url, engine_host.token))
    limits = (await client.start()).limits
    assert limits is not None
    yield client
    await client.set_limits(_all_of(limits))
    await client.close()


def _all_of(limits: LiveLimits) -> LimitsRequest:
    fields = set(LimitsRequest.__dataclass_fields__) & set(LiveLimits.__dataclass_fields__)
    return LimitsRequest(**{name: getattr(limits, name) for name in fields})


async def _complete(session: aiohttp.ClientSession, host: RunningHost, number: int) -> dict[str, Any]:
    """One greedy completion with the log-probabilities of the two likeliest tokens at each place."""
    body = {
        "prompt": f"Item {number}: " + ", ".join(str(number + step) for step in range(8 + number % 30)) + ",",
        "max_tokens": _TOKENS, "temperature": 0, "ignore_eos": True, "logprobs": 2, "priority": number % 7 - 3,
    }  # fmt: skip
    async with session.post(f"{host.url}/v1/completions", json=body) as response:
        assert response.status == 200, await response.text()
        answer: dict[str, Any] = await response.json()
    return answer


async def _all(host: RunningHost) -> list[dict[str, Any]]:
    async with aiohttp.ClientSession(headers=host.headers) as session:
        return list(await asyncio.gather(*(_complete(session, host, number) for number in range(_REQUESTS))))


def _sure_tokens(answer: dict[str, Any]) -> list[str]:
    """The answer's tokens up to the first that another order of additions might turn over."""
    found = answer["choices"][0]["logprobs"]
    sure = []
    for token, known in zip(found["tokens"], found["top_logprobs"], strict=True):
        levels = sorted(known.values(), reverse=True)
        if len(levels) > 1 and levels[0] - levels[1] < _SURE:
            break
        sure.append(token)
    return sure


def _wish(rng: random.Random) -> LimitsRequest:
    """Some live parameters at random, from one request at a time to all."""
    values: dict[str, Any] = {
        "max_num_seqs": rng.choice([1, 2, 5, 12, 32]),
        "max_num_batched_tokens": rng.choice([8, 64, 300, 2048]),
        "long_prefill_token_threshold": rng.choice([0, 4, 32]),
        "policy": rng.choice(["fcfs", "priority"]),
        "watermark": rng.choice([0.0, 0.1, 0.6]),
        "long_prefill_token_threshold_adaptive": rng.random() < 0.5,
        "scheduler_reserve_full_isl": rng.random() < 0.5,
    }
    kept = {name: value for name, value in values.items() if rng.random() < 0.5}
    return LimitsRequest(**kept, mode=rng.choice(["drain", "preempt"]), by="tests")


async def test_nothing_is_lost_while_every_live_parameter_changes(
    engine_host: RunningHost, engine: RemoteEngine
) -> None:
    calm = await _all(engine_host)
    await engine.reset_prefix_cache()
    rng = random.Random(5)
    answering = asyncio.ensure_future(_all(engine_host))
    changed = 0
    while not answering.done():
        limits = await engine.set_limits(_wish(rng))
        changed += 1
        assert limits.max_num_seqs <= limits.max_num_seqs_capacity
        await asyncio.wait({answering}, timeout=0.05)
        if changed == 30:  # by now each has been anything; let them finish at full width
            await engine.set_limits(LimitsRequest(max_num_seqs=32, max_num_batched_tokens=2048, watermark=0.0))
            await answering
    stirred = await answering
    assert changed >= 10
    assert [one["usage"]["completion_tokens"] for one in stirred] == [_TOKENS] * _REQUESTS
    assert [one["usage"]["prompt_tokens"] for one in stirred] == [one["usage"]["prompt_tokens"] for one in calm]
    compared = 0
    for before, after in zip(calm, stirred, strict=True):
        sure = _sure_tokens(before)
        assert after["choices"][0]["logprobs"]["tokens"][: len(sure)] == sure
        compared += len(sure)
    assert compared > _REQUESTS  # the prompts count upwards: most of their tokens are beyond doubt
    scan = await engine.scan_blocks()
    assert scan.mismatches == 0


async def test_a_change_is_noted_and_told_to_everybody(engine_host: RunningHost, engine: RemoteEngine) -> None:
    before = msgspec.convert(engine_host.get("/kvdeck/limits").value, LiveLimits)
    await engine.set_limits(LimitsRequest(max_num_seqs=7, watermark=0.25, by="tests"))
    after = msgspec.convert(engine_host.get("/kvdeck/limits").value, LiveLimits)
    known = before.changes[-1].sequence if before.changes else 0
    new = {change.name: change for change in after.changes if change.sequence > known}
    assert set(new) == {"max_num_seqs", "watermark"}
    change = new["max_num_seqs"]
    assert (change.before, change.after, change.by) == (before.max_num_seqs, 7, "tests")
    assert change.step == after.step
    assert engine_host.status().limits == after


async def test_a_waiting_request_is_put_first(engine_host: RunningHost, engine: RemoteEngine) -> None:
    await engine.set_limits(LimitsRequest(max_num_seqs=1, policy="priority"))
    finished: list[str] = []

    async def ask(session: aiohttp.ClientSession, name: str, tokens: int) -> None:
        body = {"prompt": f"{name}:", "max_tokens": tokens, "temperature": 0, "ignore_eos": True}
        headers = {"X-Request-Id": name}
        async with session.post(f"{engine_host.url}/v1/completions", json=body, headers=headers) as response:
            await response.read()
        finished.append(name)

    async with aiohttp.ClientSession(headers=engine_host.headers) as session:
        asked = [asyncio.ensure_future(ask(session, "running", 4000))]
        await _until_live(engine, "cmpl-running")
        for name in ("second", "third", "urgent"):
            asked.append(asyncio.ensure_future(ask(session, name, 2)))
            await _until_live(engine, f"cmpl-{name}")
        assert await engine.set_priority("cmpl-urgent", -5, by="tests") == 1
        await engine.abort("cmpl-running")
        await asyncio.gather(*asked)
    assert finished.index("urgent") < finished.index("second") < finished.index("third")
    with pytest.raises(ParameterInvalid, match="is live"):
        await engine.set_priority("cmpl-urgent", 0)


async def _until_live(engine: RemoteEngine, request_id: str) -> None:
    """Wait until the engine knows a request; asking for its usual priority changes nothing."""
    for _ in range(200):
        try:
            await engine.set_priority(request_id, 0)
        except ParameterInvalid:
            await asyncio.sleep(0.02)
        else:
            return
    raise AssertionError(f"{request_id} never arrived")


async def test_an_engine_without_room_for_adapters_says_so(engine: RemoteEngine, tmp_path: Path) -> None:
    assert await engine.adapters() == EngineAdapters(False)
    with pytest.raises(EngineBusy, match="without room for adapters") as caught:
        await engine.load_adapter(str(tmp_path))
    assert "enable_lora" in caught.value.remedy
