"""The transformers baseline as a program: the same answers for the load process, one after the other, and its end."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import aiohttp
import psutil
import pytest

from engine.bench.messages import Target
from engine.bench.runner import Runner
from engine.bench.workload import ClosedLoop, Fixed, Workload
from engine.tuner.baseline import BaselineAddress, BaselineFailed, BaselineProcess

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = [pytest.mark.engine, pytest.mark.slow]


@pytest.fixture
async def baseline(starter_checkpoint: Path) -> AsyncIterator[BaselineAddress]:
    """The program with the starter model; gone afterwards."""
    async with BaselineProcess(str(starter_checkpoint)) as address:
        yield address
    assert not psutil.pid_exists(address.pid)


def _session(at: BaselineAddress) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(headers={"Authorization": f"Bearer {at.token}"})


async def test_the_load_process_measures_it_like_any_server(baseline: BaselineAddress) -> None:
    assert baseline.weights_bytes > 100 << 20
    assert baseline.load_s > 0
    load = Workload(arrival=ClosedLoop(3), prompt=Fixed(12), output=Fixed(5), requests=3)
    record = await Runner(None).run(Target(baseline.address, baseline.token), load)
    assert record.result is not None
    figures = record.result.figures
    assert (figures.successful, figures.failed, figures.tokens_out) == (3, 0, 15)
    assert figures.ttft is not None
    assert figures.e2e is not None
    assert figures.ttft.most > figures.e2e.least * 0.99, "the last one's first token comes after the first one's end"
    await _refuses_and_stops(baseline)


async def _refuses_and_stops(at: BaselineAddress) -> None:
    url = f"{at.address}/v1/completions"
    async with aiohttp.ClientSession() as stranger, stranger.post(url, json={"prompt": "a"}) as response:
        assert response.status == 401
    async with _session(at) as session:
        for body in (b"[1]", b"{", b'{"messages": 3}'):
            async with session.post(url, data=body) as response:
                assert response.status == 400
                assert (await response.json())["error"]["message"]
        body: dict[str, Any] = {"prompt": "Once", "max_tokens": 4000, "ignore_eos": True, "stream": True}
        response = await session.post(url, json=body)
        await response.content.readline()
        response.close()  # who goes away does not hold up the next
        began = time.monotonic()
        short = {"prompt": "The capital of France is", "max_tokens": 4, "temperature": 0}
        async with session.post(url, json=short) as answer:
            value = await asyncio.wait_for(answer.json(), 60)
        assert time.monotonic() - began < 60
        assert "Paris" in value["choices"][0]["text"]
        assert value["usage"]["completion_tokens"] <= 4


async def test_what_cannot_be_loaded_is_said(tmp_path: Path) -> None:
    with pytest.raises(BaselineFailed, match="transformers could not load") as caught:
        async with BaselineProcess(str(tmp_path)):
            pass
    assert caught.value.remedy
