"""Seeded requests on the real engine, whose prompts are computed in pieces: it lives, and the seed still counts."""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from engine.domain.lifecycle import Phase
from engine.page.reader import PageReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from engine.domain.telemetry import Counters
    from tests.engine.host.hosting import RunningHost

pytestmark = [pytest.mark.engine, pytest.mark.slow]

_BUDGET = 64
_SEEDS = range(8)
_AGREE = 6  # of 8: a prompt in other pieces differs in its last bits, which tips the scale between two tokens at times


def _prompt(number: int, length: int) -> list[int]:
    """Token ids that no other number's prompt begins with, so that nothing comes from the prefix cache."""
    source = random.Random(number)
    return [source.randrange(1000, 40000) for _ in range(length)]


@pytest.fixture
def limits(engine_host: RunningHost) -> Iterator[RunningHost]:
    """The session's host, with the limits of the load again afterwards."""
    before = engine_host.status().limits
    assert before is not None
    yield engine_host
    back = {"max_num_batched_tokens": before.max_num_batched_tokens, "max_num_seqs": before.max_num_seqs}
    assert engine_host.post("/kvdeck/limits", back).status == 200


async def _tokens(
    session: aiohttp.ClientSession, host: RunningHost, seed: int, *, length: int, count: int
) -> list[int]:
    body: dict[str, Any] = {
        "prompt": _prompt(seed, length), "seed": seed, "temperature": 2, "max_tokens": count, "ignore_eos": True,
        "return_token_ids": True,
    }  # fmt: skip
    async with session.post(f"{host.url}/v1/completions", json=body) as response:
        assert response.status == 200, await response.text()
        tokens: list[int] = (await response.json())["choices"][0]["token_ids"]
        return tokens


async def test_a_seed_and_a_prompt_in_pieces_do_not_end_the_engine(limits: RunningHost) -> None:
    async def first_tokens(session: aiohttp.ClientSession) -> list[list[int]]:
        assert limits.post("/kvdeck/reset_prefix_cache").value == {"reset": True}
        return await asyncio.gather(*(_tokens(session, limits, seed, length=100, count=1) for seed in _SEEDS))

    async with aiohttp.ClientSession(headers=limits.headers) as session:
        whole = await first_tokens(session)
        assert limits.post("/kvdeck/limits", {"max_num_batched_tokens": _BUDGET}).status == 200
        in_pieces = await first_tokens(session)
    assert limits.lifecycle.phase is Phase.READY
    same = sum(one == other for one, other in zip(whole, in_pieces, strict=True))
    assert same >= _AGREE, "what was drawn for a piece and thrown away changed the answer"


async def test_seeded_requests_that_are_preempted_are_finished(limits: RunningHost) -> None:
    """They are computed again in pieces, prompt and answer."""
    count = 60
    before = (await _counters(limits)).preemptions
    async with aiohttp.ClientSession(headers=limits.headers) as session:
        assert limits.post("/kvdeck/limits", {"max_num_batched_tokens": _BUDGET}).status == 200
        asked = [
            asyncio.ensure_future(_tokens(session, limits, seed, length=200, count=count)) for seed in (11, 12, 13)
        ]
        while (await _counters(limits)).num_running < len(asked):
            assert not any(each.done() for each in asked)
            await asyncio.sleep(0.01)
        for change in ({"max_num_seqs": 1, "mode": "preempt"}, {"max_num_seqs": 32}):
            assert (await asyncio.to_thread(limits.post, "/kvdeck/limits", change)).status == 200
        answers = await asyncio.gather(*asked)
    assert [len(answer) for answer in answers] == [count] * len(asked)
    assert (await _counters(limits)).preemptions >= before + 2
    assert limits.lifecycle.phase is Phase.READY


async def _counters(host: RunningHost) -> Counters:
    """What the scheduler publishes on the page."""
    facts = host.lifecycle.facts
    assert facts is not None
    reader = PageReader(facts.page_path)
    try:
        for _ in range(200):
            snapshot = reader.snapshot()
            if snapshot is not None:
                return snapshot.counters
            await asyncio.sleep(0.005)
    finally:
        reader.close()
    raise AssertionError("no consistent picture on the page")
