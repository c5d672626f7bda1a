"""Faults of the wire itself, against a real HTTP server that misbehaves on purpose.

The engine's behaviour is tested against the real host elsewhere; a host that cuts a stream in the middle, answers
with something else, or is another program is not something the real one can be asked to be.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING

import aiohttp
import pytest
from aiohttp import web

from engine.client.connection import Connection
from engine.client.engine import ChatMessage, ChatOptions
from engine.client.host_process import HostAddress
from engine.client.remote import RemoteEngine
from engine.domain.errors import EngineCrashed, HostUnreachable
from engine.domain.lifecycle import HostStatus, Lifecycle, LogRecord, Phase
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

_STATUS = (
    '{"version": "1", "vllm_version": null, "pid": 1, "address": "x", "limits": null, '
    '"lifecycle": {"phase": "idle"}, "something_newer": 1}'
)
_PIECE = b'data: {"id": "chatcmpl-1", "choices": [{"delta": {"content": "one "}}]}\n\n'


class Rogue:
    """An HTTP server whose routes the test gives it; remembers how requests ended."""

    def __init__(self) -> None:
        self.app = web.Application()
        self.cancelled = asyncio.Event()
        self.url = ""

    def on(self, method: str, path: str, answer: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> None:
        self.app.router.add_route(method, path, answer)

    def text(self, method: str, path: str, status: int, body: str) -> None:
        async def answer(_: web.Request) -> web.Response:
            return web.Response(status=status, text=body, content_type="application/json")

        self.on(method, path, answer)


@contextlib.asynccontextmanager
async def _serving(rogue: Rogue) -> AsyncIterator[Connection]:
    runner = web.AppRunner(rogue.app, handler_cancellation=True, shutdown_timeout=0.5)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    rogue.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    connection = Connection(rogue.url, "token")
    try:
        yield connection
    finally:
        await connection.close()
        await runner.cleanup()


async def test_a_newer_host_with_more_fields_is_understood() -> None:
    rogue = Rogue()
    rogue.text("GET", "/kvdeck/status", 200, _STATUS)
    async with _serving(rogue) as connection:
        status = await connection.get("/kvdeck/status", HostStatus)
    assert status.lifecycle == Lifecycle(Phase.IDLE)


@pytest.mark.parametrize(("status", "body"), [(500, "Internal Server Error"), (401, "{}"), (200, '{"pid": "no"}')])
async def test_what_is_no_host_is_said_to_be_none(status: int, body: str) -> None:
    rogue = Rogue()
    rogue.text("GET", "/kvdeck/status", status, body)
    async with _serving(rogue) as connection:
        with pytest.raises(HostUnreachable) as caught:
            await connection.get("/kvdeck/status", HostStatus)
    assert caught.value.remedy


async def test_nobody_listens() -> None:
    connection = Connection("http://127.0.0.1:9", "token")
    try:
        with pytest.raises(HostUnreachable, match="does not answer"):
            await connection.get("/kvdeck/status", HostStatus)
        with pytest.raises(HostUnreachable):
            await anext(connection.events())
        with pytest.raises(HostUnreachable):
            await anext(connection.chat({}, "r1"))
    finally:
        await connection.close()


async def _begin(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(_PIECE)
    return response


@pytest.mark.parametrize("how", ["cut", "ended early"])
async def test_a_stream_that_stops_in_the_middle_is_an_error_and_not_an_answer(how: str) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        response = await _begin(request)
        if how == "cut":
            assert request.transport is not None
            request.transport.abort()
        else:
            await response.write_eof()
        return response

    rogue = Rogue()
    rogue.on("POST", "/v1/chat/completions", answer)
    async with _serving(rogue) as connection:
        stream = connection.chat({}, "r1")
        assert (await anext(stream)).text == "one "
        with pytest.raises(EngineCrashed):
            await anext(stream)


@pytest.mark.parametrize("how", ["close", "cancel"])
async def test_leaving_the_stream_closes_the_connection(how: str) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            response = await _begin(request)
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            rogue.cancelled.set()
            raise
        return response

    rogue = Rogue()
    rogue.on("POST", "/v1/chat/completions", answer)
    async with _serving(rogue) as connection:
        stream, first = connection.chat({}, "r1"), asyncio.Event()

        async def read() -> None:
            async for _ in stream:
                first.set()
                if how == "close":
                    break
            await stream.aclose()

        reader = asyncio.create_task(read())
        await asyncio.wait_for(first.wait(), PATIENCE_S)
        if how == "cancel":
            reader.cancel()
        await asyncio.wait([reader], timeout=PATIENCE_S)
        await asyncio.wait_for(rogue.cancelled.wait(), PATIENCE_S)


async def test_events_come_back_after_a_cut_and_no_log_line_comes_twice() -> None:
    def record(sequence: int) -> str:
        return f'{{"sequence": {sequence}, "unix_s": 0, "level": "INFO", "source": "host", "text": "line {sequence}"}}'

    visits = []

    async def events(request: web.Request) -> web.StreamResponse:
        stream = web.WebSocketResponse()
        await stream.prepare(request)
        visits.append(request.headers["Authorization"])
        await stream.send_str(f'{{"topic": "status", "value": {_STATUS}}}')
        await stream.send_str('{"topic": "of_tomorrow", "value": {}}')
        await stream.send_str(f'{{"topic": "log", "value": {record(len(visits) + 1)}}}')
        if len(visits) == 1:
            assert request.transport is not None
            request.transport.abort()
        else:
            await asyncio.sleep(30)
        return stream

    async def log(request: web.Request) -> web.Response:
        after = int(request.query["after"])
        records = ", ".join(record(sequence) for sequence in range(after + 1, len(visits) + 2))
        return web.Response(text=f'{{"records": [{records}]}}', content_type="application/json")

    rogue = Rogue()
    rogue.text("GET", "/kvdeck/status", 200, _STATUS)
    rogue.on("GET", "/kvdeck/events", events)
    rogue.on("GET", "/kvdeck/log", log)
    async with _serving(rogue):
        engine = RemoteEngine(HostAddress(1, rogue.url, "secret"))
        await engine.start()
        seen: list[object] = []
        async with contextlib.aclosing(engine.events()) as stream:
            async for event in stream:
                seen.append(event)
                if isinstance(event, LogRecord) and event.sequence == 3:
                    break
        await engine.close()
    assert visits == ["Bearer secret"] * 2
    assert [event.sequence for event in seen if isinstance(event, LogRecord)] == [1, 2, 3]
    assert sum(isinstance(event, HostStatus) for event in seen) == 2


async def test_a_chat_before_any_host_says_so() -> None:
    engine = RemoteEngine(HostAddress(1, "http://127.0.0.1:9", "t"))
    with pytest.raises(HostUnreachable, match="No engine host"):
        await anext(engine.chat([ChatMessage("user", "hi")], ChatOptions()))


async def test_a_hung_host_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its kernel takes the connection, and nobody answers: what a stopped process looks like from outside."""
    monkeypatch.setattr("engine.client.connection._HANDSHAKE_S", 0.2)
    monkeypatch.setattr("engine.client.connection._GOODBYE_TIMEOUT", aiohttp.ClientTimeout(total=0.2))
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        connection = Connection(f"http://127.0.0.1:{silent.getsockname()[1]}", "token")
        try:
            async with asyncio.timeout(PATIENCE_S):
                with pytest.raises(HostUnreachable):
                    await anext(connection.events())
                with pytest.raises(HostUnreachable):
                    await connection.shut_down()
        finally:
            await connection.close()
