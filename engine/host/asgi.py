"""The few pieces of ASGI that the host needs of its own: bodies with a limit, JSON answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

from engine.host.security import Headers, header

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


BODY_PIECE_S = 60.0


class BodyTooLarge(Exception):
    """A request's body is over the limit (`limit` in bytes)."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the body is larger than {limit} bytes")
        self.limit = limit


class BodyLate(Exception):
    """A request's body did not go on for longer than anybody's network takes."""


class ClientGone(Exception):
    """The client closed the connection before its request was complete."""


async def read_body(headers: Headers, receive: Receive, limit: int) -> bytes:
    """The whole body. Raises BodyTooLarge (before reading where the client says so), BodyLate, ClientGone."""
    length = header(headers, b"content-length")
    if length is not None and length.isdigit() and int(length) > limit:
        raise BodyTooLarge(limit)
    parts: list[bytes] = []
    size = 0
    while True:
        try:
            async with asyncio.timeout(BODY_PIECE_S):
                message = await receive()
        except TimeoutError:
            raise BodyLate from None
        if message["type"] == "http.disconnect":
            raise ClientGone
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > limit:
            raise BodyTooLarge(limit)
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that hands out `body` first and then what the connection brings (its end, above all)."""
    handed_out = False

    async def receive_again() -> Message:
        nonlocal handed_out
        if handed_out:
            return await receive()
        handed_out = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again


async def send_json(send: Send, status: int, value: Any, extra: Headers | None = None) -> None:
    """Answer with JSON; dataclasses are encoded as objects."""
    body = msgspec.json.encode(value)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *(extra or []),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def challenge(status: int) -> Headers:
    """What HTTP wants beside a 401."""
    return [(b"www-authenticate", b"Bearer")] if status == 401 else []


async def send_error(send: Send, status: int, kind: str, message: str, remedy: str = "", details: str = "") -> None:
    """Answer with the control routes' error body."""
    error = {"kind": kind, "message": message, "remedy": remedy, "details": details}
    await send_json(send, status, {"error": error}, challenge(status))


async def post(app: App, path: str, body: bytes) -> tuple[int, bytes]:
    """One HTTP POST of JSON to an application in this process: status and body. Raises what the application raises."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")],
        "client": ("127.0.0.1", 0),
        "server": ("127.0.0.1", 80),
        "state": {},
    }
    sent = False
    never = asyncio.Event()
    status, parts = 500, []

    async def receive() -> Message:
        nonlocal sent
        if sent:
            await never.wait()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        elif message["type"] == "http.response.body":
            parts.append(message.get("body", b""))

    await app(scope, receive, send)
    return status, b"".join(parts)
