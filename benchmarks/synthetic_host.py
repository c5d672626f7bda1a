"""An engine host's answers without an engine: its page at a GPU's full rate, its events, its log, a load by stages.

    python -m benchmarks.synthetic_host ADDRESS_FILE [--blocks 60000] [--streams 512] [--step-ms 33] [--load-s 20]

For what measures the window where no GPU is. The page is a real one, written as often as the probe publishes, with as
many requests as STREAMS that grow by a token a step, end and are replaced. A load takes LOAD_S seconds and
goes through vLLM's stages with progress and log lines. It ends with its standard input.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import secrets
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from aiohttp import WSCloseCode, web

from benchmarks.children import wait_until
from benchmarks.page_traffic import PageTraffic
from engine.domain.lifecycle import (
    EngineFacts,
    EngineProcess,
    HostStatus,
    Lifecycle,
    LiveLimits,
    LogRecord,
    Phase,
    ServingStats,
    Stage,
    StageTiming,
)
from engine.page.layout import Change

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKENS_EVERY = 3
_PROMPT = 300
_STAGES = ((Stage.STARTING, 0.15), (Stage.WEIGHTS, 0.2), (Stage.COMPILING, 0.25), (Stage.PROFILING, 0.1),
           (Stage.KV_CACHE, 0.05), (Stage.GRAPHS, 0.2), (Stage.FIRST_TOKEN, 0.05))  # fmt: skip
_LINES = (
    "INFO 11-30 05:55:53 [model.py:623] Resolved architecture: LlamaForCausalLM",
    "INFO 11-30 05:55:53 [scheduler.py:252] Chunked prefill is enabled with max_num_batched_tokens=8192.",
    "(EngineCore pid=812) INFO 11-30 05:55:57 [gpu_model_runner.py:2338] Starting to load model /models/llama-8b...",
    "(EngineCore pid=812) WARNING 11-30 05:55:59 [marlin.py:114] The weights are unpacked at load on this device.",
)


class PageLoop(threading.Thread):
    """Runs requests on a page until told to end."""

    def __init__(self, path: Path, blocks: int, streams: int, step_s: float) -> None:
        super().__init__(name="page", daemon=True)
        self._traffic = PageTraffic(path, blocks, max_rows=max(1024, streams))
        self._streams, self._step_s = streams, step_s
        self._lengths: dict[str, int] = {}
        self._made = 0
        self.ending = threading.Event()

    def run(self) -> None:
        """Step by step, on time; each step is a picture."""
        chance = random.Random(7)
        due = time.monotonic()
        traffic = self._traffic
        while True:
            self._step(chance)
            traffic.note_step(int(self._step_s * 1e9))
            traffic.writer.commit(*Change)
            due = max(due + self._step_s, time.monotonic() - 1.0)
            if self.ending.wait(max(0.0, due - time.monotonic())):
                break
            traffic.writer.begin()
        traffic.close()

    def _step(self, chance: random.Random) -> None:
        live, lengths = self._traffic.live, self._lengths
        for request_id in [one for one in live if live[one].tokens - live[one].prompt >= lengths[one]]:
            self._traffic.finish(request_id)
            del lengths[request_id]
        share = next(iter(live), None)
        for _ in range(min(8, self._streams - len(live))):
            self._made += 1
            request_id = f"cmpl-{self._made:08x}-0-{chance.getrandbits(32):08x}"
            shared = share if chance.random() < 0.3 else None
            self._traffic.add(request_id, _PROMPT + chance.randrange(64), share=shared)
            lengths[request_id] = chance.randrange(128, 384)
        if self._traffic.step % _TOKENS_EVERY == 0:  # so often the probe publishes the counts of tokens
            for request_id in live:
                self._traffic.grow(request_id, _TOKENS_EVERY)


class SyntheticHost:
    """State and routes. Everything but the page is on one event loop."""

    def __init__(self, options: argparse.Namespace, page: Path, token: str) -> None:
        self._options, self._page, self._token = options, page, token
        self.address = ""
        self._lifecycle = Lifecycle(Phase.IDLE)
        self._limits: LiveLimits | None = None
        self._sequence = 0
        self._listeners: set[web.WebSocketResponse] = set()
        self._loop: PageLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def application(self) -> web.Application:
        """The routes."""
        made = web.Application(middlewares=[self._guard])
        made.router.add_get("/kvdeck/status", self._status)
        made.router.add_get("/kvdeck/events", self._events)
        made.router.add_get("/kvdeck/log", self._log)
        made.router.add_post("/kvdeck/load", self._load)
        made.router.add_get("/v1/models", self._models)
        return made

    @web.middleware
    async def _guard(self, request: web.Request, handler: Any) -> web.StreamResponse:
        if request.headers.get("Authorization") != f"Bearer {self._token}":
            raise web.HTTPUnauthorized
        answer: web.StreamResponse = await handler(request)
        return answer

    def _whole(self) -> HostStatus:
        return HostStatus("0", "0.26.0", os.getpid(), self.address, self._lifecycle, self._limits)

    async def _status(self, _request: web.Request) -> web.Response:
        return _json(self._whole())

    async def _log(self, _request: web.Request) -> web.Response:
        return _json({"records": []})

    async def _models(self, _request: web.Request) -> web.Response:
        return _json({"data": [{"id": "llama-8b"}]})

    async def _events(self, request: web.Request) -> web.WebSocketResponse:
        stream = web.WebSocketResponse(heartbeat=None)
        await stream.prepare(request)
        await stream.send_str(_frame("status", self._whole()))
        self._listeners.add(stream)
        try:
            async for _ in stream:
                pass
        finally:
            self._listeners.discard(stream)
        return stream

    async def _load(self, _request: web.Request) -> web.Response:
        self._begin(self._go_through_load())
        return web.Response(status=202, body=msgspec.json.encode(self._lifecycle), content_type="application/json")

    def _begin(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self, topic: str, value: Any) -> None:
        if topic == "lifecycle":
            self._lifecycle = value
        text = _frame(topic, value)
        for stream in tuple(self._listeners):
            await stream.send_str(text)

    async def _say(self, count: int) -> None:
        for _ in range(count):
            self._sequence += 1
            text = _LINES[self._sequence % len(_LINES)]
            await self._tell("log", LogRecord(self._sequence, time.time(), "INFO", "engine", text))

    async def _go_through_load(self) -> None:
        whole_s, began = float(self._options.load_s), time.monotonic()
        timings: list[StageTiming] = []
        for stage, share in _STAGES:
            now = time.monotonic() - began
            if timings:
                timings[-1] = replace(timings[-1], ended_s=now)
            timings.append(StageTiming(stage, now, expected_s=share * whole_s))
            await self._say(40)
            while (within := time.monotonic() - began - now) < share * whole_s:
                if stage in (Stage.WEIGHTS, Stage.GRAPHS):
                    timings[-1] = replace(timings[-1], progress=within / (share * whole_s))
                elapsed = time.monotonic() - began
                await self._tell("lifecycle", self._loading(elapsed, timings))
                await self._say(3)
                await asyncio.sleep(0.1 if stage in (Stage.WEIGHTS, Stage.GRAPHS) else 0.5)
        await self._become_ready(time.monotonic() - began, timings)

    def _loading(self, elapsed_s: float, timings: list[StageTiming]) -> Lifecycle:
        expected_s = float(self._options.load_s)
        return Lifecycle(Phase.LOADING, "/models/llama-8b", 1, elapsed_s, tuple(timings), expected_s=expected_s)

    async def _become_ready(self, elapsed_s: float, timings: list[StageTiming]) -> None:
        options = self._options
        self._loop = PageLoop(self._page, options.blocks, options.streams, options.step_ms / 1e3)
        self._loop.start()
        self._limits = LiveLimits(0, options.streams, options.streams, 8192, 8192, 0, "fcfs")
        facts = EngineFacts(
            "0.26.0", "/models/llama-8b", "llama-8b", "cuda", "bfloat16", "fp8", 2048, 16, options.blocks,
            options.streams, 8192, True, str(self._page),
            (EngineProcess(os.getpid(), "EngineCore", 0),), {}, ("GPU-0",),
            kv_cache_bytes=117 << 30, weights_bytes=9 << 30, activation_bytes=1 << 30, graph_bytes=1 << 29,
        )  # fmt: skip
        await self._tell("limits", self._limits)
        await self._tell("lifecycle", Lifecycle(Phase.READY, "/models/llama-8b", 1, elapsed_s, tuple(timings), facts))
        self._begin(self._serve())

    async def _serve(self) -> None:
        total = 0
        while True:
            await asyncio.sleep(0.5)
            total += 40
            wave = random.random() / 10
            stats = ServingStats(
                time.monotonic_ns(), 5.0, 12_000 + 900 * wave, 19_000 + 900 * wave, 80 + wave, 0.3 + wave, 0.6 + wave,
                0.025 + wave / 10, 0.03 + wave / 10, 6.0 + wave, 0.1 + wave, self._options.streams, 0, 0.2, total, 0,
            )  # fmt: skip
            await self._tell("serving", stats)
            await self._say(2)

    async def close(self) -> None:
        """End everything."""
        for task in tuple(self._tasks):
            task.cancel()
        for stream in tuple(self._listeners):
            await stream.close(code=WSCloseCode.GOING_AWAY)
        if self._loop is not None:
            self._loop.ending.set()
            await asyncio.to_thread(self._loop.join, 10)


def _json(value: Any) -> web.Response:
    return web.Response(body=msgspec.json.encode(value), content_type="application/json")


def _frame(topic: str, value: Any) -> str:
    return msgspec.json.encode({"topic": topic, "value": value}).decode()


async def _serve(options: argparse.Namespace) -> None:
    token = secrets.token_urlsafe(24)
    host = SyntheticHost(options, options.address_file.with_name("page"), token)
    runner = web.AppRunner(host.application(), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    host.address = f"http://127.0.0.1:{port}"
    waiting = options.address_file.with_suffix(".new")
    waiting.touch(0o600)
    waiting.write_text(json.dumps({"pid": os.getpid(), "address": host.address, "token": token}))
    waiting.rename(options.address_file)
    await asyncio.to_thread(sys.stdin.buffer.read)
    await host.close()
    await runner.cleanup()


@contextlib.contextmanager
def synthetic_host(folder: Path, blocks: int, streams: int) -> Iterator[tuple[str, str]]:
    """This program with these numbers, as a process of its own; yields address and token."""
    file = folder / "host.json"
    command = [sys.executable, "-m", "benchmarks.synthetic_host", str(file)]
    command += ["--blocks", str(blocks), "--streams", str(streams)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as host:
        assert host.stdin is not None
        try:
            wait_until(file.exists, 30, "the synthetic host", host)
            found = json.loads(file.read_text())
            yield found["address"], found["token"]
        finally:
            host.stdin.close()


def main() -> int:
    """Serve until standard input ends."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address_file", type=Path)
    parser.add_argument("--blocks", type=int, default=60_000)
    parser.add_argument("--streams", type=int, default=512)
    parser.add_argument("--step-ms", type=float, default=33.0)
    parser.add_argument("--load-s", type=float, default=20.0)
    asyncio.run(_serve(parser.parse_args()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
