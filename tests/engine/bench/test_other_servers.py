"""Servers that are not vLLM, and servers that fail: a small HTTP server with the shape of OpenAI's."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from msgspec.structs import replace

from engine.bench.messages import Target
from engine.bench.result import RunState
from engine.bench.runner import RunFailed, Runner
from engine.bench.sample import Outcome
from engine.bench.workload import ClosedLoop, Fixed, OpenLoop, Workload

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from engine.bench.sample import Sample
    from engine.bench.store import RunStore


class Plain:
    """Answers as its `kind` says; `seen` has the bodies."""

    def __init__(self) -> None:
        self.kind = "good"
        self.seen: list[dict[str, Any]] = []
        self.url = ""

    async def models(self, _: web.Request) -> web.Response:
        return web.json_response({"data": [] if self.kind == "no model" else [{"id": "plain"}]})

    async def chat(self, request: web.Request) -> web.StreamResponse:
        self.seen.append(await request.json())
        if self.kind == "refuses":
            return web.json_response({"error": {"message": "too many"}}, status=429)
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await answer.prepare(request)
        if self.kind == "hangs":
            await asyncio.sleep(30)
        await self.say(answer, {"role": "assistant", "content": ""})
        await asyncio.sleep(0.03)
        for word in ("a ", "b ", "c"):
            await self.say(answer, {"content": word})
            if self.kind == "fails":
                await answer.write(b'data: {"error": {"message": "out of memory"}}\n\n')
                return answer
            if self.kind == "cuts":
                assert request.transport is not None
                request.transport.close()
                return answer
        await self.say(answer, {}, "stop")
        if self.kind != "no end":
            await answer.write(b"data: [DONE]\n\n")
        return answer

    async def say(self, answer: web.StreamResponse, delta: dict[str, str], finish: str | None = None) -> None:
        event = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        await answer.write(f"data: {json.dumps(event)}\n\n".encode())


@pytest.fixture
async def plain() -> AsyncIterator[Plain]:
    server = Plain()
    application = web.Application()
    application.router.add_get("/v1/models", server.models)
    application.router.add_post("/v1/chat/completions", server.chat)
    async with TestServer(application) as running:
        server.url = str(running.make_url("/v1"))
        yield server


async def send(store: RunStore, plain: Plain, **changes: Any) -> tuple[Sample, ...]:
    values = {"arrival": ClosedLoop(1), "prompt": Fixed(9), "output": Fixed(3), "requests": 1, "ignore_eos": False}
    run = await Runner(store).run(Target(plain.url), Workload(**{**values, **changes}))
    return store.samples(run.id)


async def test_a_server_of_another_make(plain: Plain, store: RunStore) -> None:
    (sample,) = await send(store, plain, system_prompt="Be brief.")
    assert sample.outcome is Outcome.SUCCESSFUL
    assert sample.output_tokens == 3  # pieces, where the server gives no usage; the role alone is none
    assert sample.ttft_s is not None
    assert sample.ttft_s > 0.02
    assert len(sample.gaps_s) == 2
    assert sample.prompt_tokens is sample.queue_s is sample.cached_tokens is None
    (body,) = plain.seen
    assert body["model"] == "plain"
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert len(body["messages"][1]["content"].split()) == 9
    assert "ignore_eos" not in body
    (run,) = store.runs()
    assert run.result is not None
    figures = run.result.figures
    assert figures.phases_from is figures.preemptions is figures.prefix_hit_rate is figures.cached_share is None


@pytest.mark.parametrize(
    ("kind", "word"),
    [("refuses", "HTTP 429: too many"), ("fails", "out of memory"), ("cuts", ""), ("hangs", "within 0.4 s")],
)
async def test_failures_have_their_reason(plain: Plain, store: RunStore, kind: str, word: str) -> None:
    plain.kind = kind
    (sample,) = await send(store, plain, request_timeout_s=0.4 if kind == "hangs" else 60.0)
    assert sample.outcome is Outcome.FAILED
    assert word in sample.reason
    assert sample.reason


async def test_an_answer_with_a_finish_reason_is_whole(plain: Plain, store: RunStore) -> None:
    plain.kind = "no end"
    (sample,) = await send(store, plain)
    assert sample.outcome is Outcome.SUCCESSFUL


async def test_a_server_without_a_model(plain: Plain, store: RunStore) -> None:
    plain.kind = "no model"
    with pytest.raises(RunFailed, match="serves no model"):
        await send(store, plain)


async def test_no_faster_than_allowed(plain: Plain, store: RunStore) -> None:
    samples = await send(store, plain, arrival=OpenLoop(rate_per_s=500.0), requests=5, most_per_s=20.0)
    sent = sorted(sample.sent_s for sample in samples)
    assert sent[-1] - sent[0] >= 0.19


async def test_the_same_seed_sends_the_same(plain: Plain, store: RunStore) -> None:
    for seed in (1, 1, 2):
        await send(store, plain, seed=seed, requests=2, system_prompt_tokens=5)
    one, again, other = plain.seen[:2], plain.seen[2:4], plain.seen[4:]
    assert one == again != other
    assert one[0]["messages"][0] == one[1]["messages"][0]  # shared
    assert one[0]["messages"][1] != one[1]["messages"][1]  # each its own


async def test_a_refusing_server_is_not_flooded(plain: Plain, store: RunStore) -> None:
    plain.kind = "refuses"
    samples = await send(store, plain, requests=None, duration_s=1.0)
    assert 1 <= len(samples) <= 12  # thousands without the waits between


async def test_a_load_that_is_stopped_before_it_sends_anything_is_not_sent(plain: Plain, store: RunStore) -> None:
    runner = Runner(store)
    workload = Workload(arrival=ClosedLoop(1), prompt=Fixed(9), output=Fixed(3), requests=300, ignore_eos=False)
    running = asyncio.ensure_future(runner.run(Target(plain.url), workload))
    await asyncio.sleep(0)
    await runner.stop()
    run = await running
    assert run.state is RunState.STOPPED
    assert len(plain.seen) < 300
    assert (await runner.run(Target(plain.url), replace(workload, requests=1))).state is RunState.FINISHED
