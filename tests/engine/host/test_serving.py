"""The running engine through its own address: answers, aborts, limits, blocks, events."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from engine.domain.lifecycle import Phase, Stage
from engine.page.reader import PageReader
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.engine.host.hosting import RunningHost

pytestmark = [pytest.mark.engine, pytest.mark.slow]

MODEL = "SmolLM2-135M-Instruct"


def chat_body(text: str, **more: Any) -> dict[str, Any]:
    """A chat request; the model's own name is taken from the folder by the host."""
    return {"model": MODEL, "messages": [{"role": "user", "content": text}], "stream": True, **more}


async def deltas(response: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
    """The JSON objects of an event stream."""
    async for line in response.content:
        if line.startswith(b"data: ") and line.strip() != b"data: [DONE]":
            yield json.loads(line[6:])


async def counters(host: RunningHost) -> tuple[int, int]:
    """Running and waiting requests, as the scheduler publishes them on the page."""
    facts = host.lifecycle.facts
    assert facts is not None
    reader = PageReader(facts.page_path)
    try:
        for _ in range(200):
            snapshot = reader.snapshot()
            if snapshot is not None:
                return snapshot.counters.num_running, snapshot.counters.num_waiting
            await asyncio.sleep(0.005)
    finally:
        reader.close()
    raise AssertionError("no consistent picture on the page")


async def until_running(host: RunningHost, count: int) -> None:
    """Return when exactly `count` requests run."""
    began = time.monotonic()
    while (await counters(host))[0] != count:
        if time.monotonic() - began > PATIENCE_S:
            raise AssertionError(f"{await counters(host)} after {PATIENCE_S} s, wanted {count}")
        await asyncio.sleep(0.02)


async def test_a_ready_engine_says_what_it_is(engine_host: RunningHost) -> None:
    lifecycle = engine_host.lifecycle
    facts = lifecycle.facts
    assert facts is not None
    assert facts.served_model_name == MODEL
    assert facts.device == "cpu"
    assert facts.max_num_seqs == 32
    assert facts.kv_cache_bytes == 1 << 30
    assert facts.num_blocks * facts.block_size * 23_040 <= 1 << 30
    assert {process.name for process in facts.processes} >= {"EngineCore"}
    assert facts.parameters["enforce_eager"] is True
    stages = {timing.stage: timing for timing in lifecycle.stages}
    assert list(stages) == sorted(stages, key=list(Stage).index)
    assert {Stage.STARTING, Stage.WEIGHTS, Stage.KV_CACHE, Stage.FIRST_TOKEN, Stage.READY} <= set(stages)
    assert all(timing.ended_s is not None and timing.ended_s >= timing.started_s for timing in stages.values())
    assert stages[Stage.WEIGHTS].progress == 1.0


async def test_chat_streams_and_counts(engine_host: RunningHost) -> None:
    body = chat_body("Count to ten.", max_tokens=24, temperature=0, stream_options={"include_usage": True})
    async with (
        aiohttp.ClientSession(headers={**engine_host.headers, "X-Request-Id": "mine-1"}) as session,
        session.post(f"{engine_host.url}/v1/chat/completions", json=body) as response,
    ):
        assert response.status == 200
        assert "Vary" not in response.headers, "vLLM's middleware for foreign pages would look at each piece"
        received = [delta async for delta in deltas(response)]
    text = "".join(choice["delta"].get("content") or "" for delta in received for choice in delta["choices"])
    usage = received[-1]["usage"]
    assert text
    assert all(delta["id"] == "chatcmpl-mine-1" for delta in received)
    assert usage["completion_tokens"] == 24
    assert usage["prompt_tokens_details"]["cached_tokens"] >= 0


async def test_a_client_that_goes_away_ends_its_request(engine_host: RunningHost) -> None:
    body = chat_body("Write a very long story.", max_tokens=4000, ignore_eos=True)
    async with aiohttp.ClientSession(headers=engine_host.headers) as session:
        response = await session.post(f"{engine_host.url}/v1/chat/completions", json=body)
        async for _ in deltas(response):
            break
        assert (await counters(engine_host))[0] == 1
        response.close()
    await until_running(engine_host, 0)


async def test_a_client_that_does_not_stream_ends_its_request_too(engine_host: RunningHost) -> None:
    body = chat_body("Write a very long story.", max_tokens=4000, ignore_eos=True) | {"stream": False}
    async with aiohttp.ClientSession(headers=engine_host.headers) as session:
        asked = asyncio.ensure_future(session.post(f"{engine_host.url}/v1/chat/completions", json=body))
        await until_running(engine_host, 1)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
    await until_running(engine_host, 0)


async def test_abort_by_the_openai_id(engine_host: RunningHost) -> None:
    body = chat_body("Write a very long story.", max_tokens=4000, ignore_eos=True)
    headers = {**engine_host.headers, "X-Request-Id": "to-abort"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.post(f"{engine_host.url}/v1/chat/completions", json=body) as response,
    ):
        stream = deltas(response)
        first = await anext(stream)
        assert engine_host.post("/kvdeck/abort", {"request_id": first["id"]}).value == {"aborted": 1}
        rest = [delta async for delta in stream]
        assert rest[-1]["choices"][0]["finish_reason"] == "abort"
    await until_running(engine_host, 0)
    assert engine_host.post("/kvdeck/abort", {"request_id": first["id"]}).value == {"aborted": 0}


async def _answer(session: aiohttp.ClientSession, host: RunningHost, number: int) -> int:
    body = chat_body(f"Tell me about the number {number}.", max_tokens=60, ignore_eos=True) | {"stream": False}
    async with session.post(f"{host.url}/v1/chat/completions", json=body) as response:
        assert response.status == 200, await response.text()
        return int((await response.json())["usage"]["completion_tokens"])


@pytest.mark.parametrize("mode", ["drain", "preempt"])
async def test_limits_change_under_load_and_nothing_is_lost(engine_host: RunningHost, mode: str) -> None:
    async with aiohttp.ClientSession(headers=engine_host.headers) as session:
        answers = [asyncio.ensure_future(_answer(session, engine_host, number)) for number in range(16)]
        await until_running(engine_host, 16)
        lowered = await asyncio.to_thread(engine_host.post, "/kvdeck/limits", {"max_num_seqs": 4, "mode": mode})
        assert lowered.status == 200
        assert lowered.value["max_num_seqs"] == 4
        if mode == "preempt":
            await until_running(engine_host, 4)
        assert (await asyncio.to_thread(engine_host.get, "/kvdeck/limits")).value["max_num_seqs"] == 4
        scan = await asyncio.to_thread(engine_host.post, "/kvdeck/scan_blocks")
        raised = await asyncio.to_thread(engine_host.post, "/kvdeck/limits", {"max_num_seqs": 32})
        assert raised.value["max_num_seqs"] == raised.value["max_num_seqs_capacity"] == 32
        assert scan.value["mismatches"] == 0
        assert await asyncio.gather(*answers) == [60] * 16


async def test_a_limit_over_its_capacity_is_refused(engine_host: RunningHost) -> None:
    answer = engine_host.post("/kvdeck/limits", {"max_num_seqs": 33})
    assert answer.status == 422
    assert answer.value["error"]["kind"] == "parameter_invalid"
    assert "32" in answer.value["error"]["message"]
    assert engine_host.get("/kvdeck/limits").value["max_num_seqs"] == 32


async def test_the_page_equals_a_full_scan_while_the_engine_works(engine_host: RunningHost) -> None:
    compared = set()
    async with aiohttp.ClientSession(headers=engine_host.headers) as session:
        answers = [asyncio.ensure_future(_answer(session, engine_host, number)) for number in range(12)]
        while not all(answer.done() for answer in answers):
            scan = (await asyncio.to_thread(engine_host.post, "/kvdeck/scan_blocks")).value
            assert scan["mismatches"] == 0, scan
            compared.add(scan["step"])
        await asyncio.gather(*answers)
    assert len(compared) > 20
    assert engine_host.post("/kvdeck/reset_prefix_cache").value == {"reset": True}
    assert engine_host.post("/kvdeck/scan_blocks").value["mismatches"] == 0


async def test_a_chat_longer_than_the_context_says_so(engine_host: RunningHost) -> None:
    body = chat_body("word " * 9000, max_tokens=10) | {"stream": False}
    async with (
        aiohttp.ClientSession(headers=engine_host.headers) as session,
        session.post(f"{engine_host.url}/v1/chat/completions", json=body) as response,
    ):
        assert response.status == 400
        message = (await response.json())["error"]["message"]
    assert "8192" in message
    assert "9" in message
    assert engine_host.lifecycle.phase is Phase.READY


async def test_events_begin_with_the_status_and_tell_what_happens(engine_host: RunningHost) -> None:
    url = engine_host.url.replace("http", "ws", 1) + "/kvdeck/events"
    seen: dict[str, Any] = {}
    async with aiohttp.ClientSession(headers=engine_host.headers) as session, session.ws_connect(url) as socket:
        first = await socket.receive_json(timeout=PATIENCE_S)
        assert first["topic"] == "status"
        assert first["value"]["lifecycle"]["phase"] == "ready"
        await _answer(session, engine_host, 1)
        await asyncio.to_thread(engine_host.post, "/kvdeck/limits", {"max_num_seqs": 31})
        await asyncio.to_thread(engine_host.post, "/kvdeck/limits", {"max_num_seqs": 32})
        async with asyncio.timeout(PATIENCE_S):
            while not _told_all(seen):
                event = await socket.receive_json()
                seen[event["topic"]] = event["value"]
    serving = seen["serving"]
    assert serving["generation_tokens_per_s"] > 0
    assert serving["ttft_p50_s"] > 0


def test_what_the_engine_does_not_offer_is_said_in_openais_shape(engine_host: RunningHost) -> None:
    for method, path, body, status, says in (
        ("POST", "/v1/embeddings", b"{}", 404, "has no /v1/embeddings"),
        ("GET", "/v1/chat/completions", None, 405, "does not take GET"),
        ("POST", "/v1/chat/completions", b'{"messages": "\xff"}', 400, "it is no JSON"),
        ("POST", "/v1/chat/completions", b"[" * 100_000, 400, "it is no JSON"),
    ):
        headers = {**engine_host.headers, "Content-Type": "application/json"}
        answer = engine_host.ask(method, path, body, headers)
        assert answer.status == status, path
        assert answer.value["error"]["code"] == status
        assert answer.value["error"]["type"] == ("NotFoundError" if status == 404 else "BadRequestError")
        assert says in answer.value["error"]["message"]


async def test_metrics_and_models_are_vllms_own(engine_host: RunningHost) -> None:
    models = engine_host.get("/v1/models").value
    assert [model["id"] for model in models["data"]] == [MODEL]
    metrics = engine_host.get("/metrics")
    assert metrics.status == 200
    assert b'vllm:kv_cache_usage_perc{engine="0",model_name="SmolLM2-135M-Instruct"}' in metrics.value


def _told_all(seen: dict[str, Any]) -> bool:
    limits, serving = seen.get("limits", {}), seen.get("serving", {})
    idle = serving.get("running") == serving.get("waiting") == 0
    return limits.get("max_num_seqs") == 32 and idle and serving["finished_total"] >= 1
