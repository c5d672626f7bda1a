"""The client on the window's own loop (qasync), whose selector, timers and executor are not asyncio's."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import TYPE_CHECKING, Self

import pytest
from aiohttp import web
from qasync import QEventLoop

from engine.client.engine import ChatMessage, ChatOptions
from engine.client.host_process import HostAddress
from engine.client.remote import RemoteEngine
from engine.domain.errors import EngineCrashed
from engine.domain.lifecycle import HostStatus
from tests.app.bridging import RunBridge, make_bridge
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator
    from pathlib import Path
    from typing import Any

    from PySide6.QtCore import QSettings
    from PySide6.QtWidgets import QApplication

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from tests.app.conftest import Quiet

_STATUS = (
    '{"version": "1", "vllm_version": null, "pid": 1, "address": "x", "limits": null, "lifecycle": {"phase": "idle"}}'
)
_PIECES = 200


class SlowServer:
    """Streams answers and events from a loop in a thread of its own, as the host process does."""

    def __init__(self) -> None:
        self.url = ""
        self.cancelled = threading.Event()
        self.visits = 0  # to the event stream
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(PATIENCE_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE_S)

    def _run(self) -> None:
        runner = self._loop.run_until_complete(self._start())
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.close()

    async def _start(self) -> web.AppRunner:
        app = web.Application()
        app.router.add_get("/kvdeck/status", self._status)
        app.router.add_get("/kvdeck/log", self._log)
        app.router.add_get("/kvdeck/events", self._events)
        app.router.add_post("/v1/chat/completions", self._chat)
        runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.5)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        return runner

    async def _status(self, _: web.Request) -> web.Response:
        return web.Response(text=_STATUS, content_type="application/json")

    async def _log(self, _: web.Request) -> web.Response:
        return web.Response(text='{"records": []}', content_type="application/json")

    async def _events(self, request: web.Request) -> web.WebSocketResponse:
        stream = web.WebSocketResponse()
        await stream.prepare(request)
        self.visits += 1
        for _ in range(3):
            await stream.send_str(f'{{"topic": "status", "value": {_STATUS}}}')
        await stream.receive()  # until the client goes
        return stream

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        payload = await request.json()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        try:
            for number in range(_PIECES):
                await response.write(b'data: {"id": "c", "choices": [{"delta": {"content": "%d "}}]}\n\n' % number)
                await asyncio.sleep(0.001 if payload.get("seed") is None else 0.05)
            await response.write(b"data: [DONE]\n\n")
        except (asyncio.CancelledError, ConnectionError):
            self.cancelled.set()
            raise
        return response


@pytest.fixture
def server() -> Iterator[SlowServer]:
    with SlowServer() as server:
        yield server


def _on_qt(qapp: QApplication, work: Coroutine[Any, Any, None]) -> None:
    loop = QEventLoop(qapp)
    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(asyncio.wait_for(work, PATIENCE_S))
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def test_streams_events_and_cancels(qapp: QApplication, server: SlowServer) -> None:
    async def work() -> None:
        engine = RemoteEngine(HostAddress(1, server.url, "t"))
        await engine.start()
        events = engine.events()
        assert [type(await anext(events)) for _ in range(3)] == [HostStatus] * 3
        messages = [ChatMessage("user", "count")]

        async def read() -> str:
            return "".join([delta.text async for delta in engine.chat(messages, ChatOptions())])

        texts = await asyncio.gather(*(read() for _ in range(8)))
        assert set(texts) == {"".join(f"{number} " for number in range(_PIECES))}

        slow = engine.chat(messages, ChatOptions(seed=1))
        async with contextlib.aclosing(slow):
            await anext(slow)
        assert await _cancelled(server), "closing the iterator must close the connection"

        server.cancelled.clear()
        begun = asyncio.Event()
        task = asyncio.ensure_future(_read_all(engine, messages, begun))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await _cancelled(server), "cancelling the reader must close the connection"
        await events.aclose()
        await engine.close()

    _on_qt(qapp, work())


async def _cancelled(server: SlowServer) -> bool:
    return await asyncio.to_thread(server.cancelled.wait, PATIENCE_S)


async def _read_all(engine: RemoteEngine, messages: list[ChatMessage], begun: asyncio.Event) -> None:
    async for _ in engine.chat(messages, ChatOptions(seed=1)):
        begun.set()


def test_a_server_that_goes_away_in_the_middle(qapp: QApplication) -> None:
    async def work() -> None:
        with SlowServer() as server:
            engine = RemoteEngine(HostAddress(1, server.url, "t"))
            await engine.start()
            stream = engine.chat([ChatMessage("user", "count")], ChatOptions(seed=2))
            await anext(stream)
        with pytest.raises(EngineCrashed):
            async for _ in stream:
                pass
        await engine.close()

    _on_qt(qapp, work())


def test_events_that_hang_are_opened_anew_where_the_host_answers_otherwise(
    server: SlowServer, store: Store, settings: QSettings, tasks: Tasks, tmp_path: Path, loop: QEventLoop, quiet: Quiet
) -> None:
    quiet.allow("The engine host answers, but its events were silent")
    bridge = make_bridge(store, settings, tasks, tmp_path, RemoteEngine(HostAddress(1, server.url, "t")))

    async def work() -> None:
        await bridge.feed.connect_host()
        await bridge.until(lambda: server.visits == 1)
        async with asyncio.timeout(PATIENCE_S):
            while server.visits < 3:
                bridge.feed._ask()
                await asyncio.sleep(0.05)
        assert bridge.feed.following

    RunBridge(loop)(bridge, work())
