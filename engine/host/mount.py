"""vLLM's OpenAI application behind the host's, exchanged when the engine is."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from engine.host.asgi import send_json
from engine.host.openai_errors import openai_error

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from engine.host.asgi import App, Message, Receive, Scope, Send


_CANCEL_S = 1.0


@dataclass(slots=True, eq=False)
class _Open:
    """One request inside the mounted application, and how far its answer is."""

    task: asyncio.Future[None] | None = None
    started: bool = False
    streams_events: bool = False
    ended: bool = False
    reason: str | None = None

    def note(self, message: Message) -> None:
        """The answer begins or ends with this message."""
        if message["type"] == "http.response.start":
            self.started = True
            self.streams_events = any(
                key.lower() == b"content-type" and value.startswith(b"text/event-stream")
                for key, value in message.get("headers", ())
            )
        elif message["type"] == "http.response.body":
            self.ended = True


class Mount:
    """Passes requests to the present application; without one, answers 503 with `absence`'s sentence."""

    def __init__(self) -> None:
        self._app: App | None = None
        self._open: set[_Open] = set()
        self.absence = "No model is loaded."
        self.used_s: float | None = None  # monotonic time of the present application's last request

    @property
    def attached(self) -> bool:
        """Whether an application is there."""
        return self._app is not None

    @property
    def open_requests(self) -> int:
        """How many requests are being answered."""
        return len(self._open)

    def attach(self, app: App) -> None:
        """Serve `app` from now on."""
        self._app = app
        self.used_s = None

    def detach(self) -> None:
        """Answer 503 from now on; requests already inside go on."""
        self._app = None

    async def end_open(self, reason: str, grace_s: float) -> None:
        """Give open requests `grace_s` to end by themselves, then end them with an error that says `reason`."""
        if grace_s > 0:
            await self._wait_for_open(grace_s)
        for entry in tuple(self._open):
            entry.reason = reason
            if entry.task is not None:
                entry.task.cancel()
        await self._wait_for_open(_CANCEL_S)

    async def _wait_for_open(self, timeout_s: float) -> None:
        tasks = [entry.task for entry in self._open if entry.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=timeout_s)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request or WebSocket."""
        app = self._app
        if app is None:
            await self._refuse(scope, receive, send)
            return
        entry = _Open()
        # A task of its own: cancelling the connection's task would tear the connection down without an answer.
        inner: asyncio.Future[None] = asyncio.ensure_future(app(scope, receive, self._watched(entry, send)))
        entry.task = inner
        self._open.add(entry)
        try:
            await asyncio.shield(inner)
        except asyncio.CancelledError:
            inner.cancel()
            await asyncio.wait([inner])
            if entry.reason is None:
                raise
            if scope["type"] == "http":
                await self._say(entry, send)
        finally:
            self._open.discard(entry)
            self.used_s = time.monotonic()

    @staticmethod
    def _watched(entry: _Open, send: Send) -> Send:
        # For each token of each stream: no coroutine of its own, and only the first and the last message looked at.
        def watched(message: Message) -> Awaitable[None]:
            if not message.get("more_body", False):
                entry.note(message)
            return send(message)

        return watched

    @staticmethod
    async def _say(entry: _Open, send: Send) -> None:
        """End an answer that was cut off, in the form its client can read."""
        body = openai_error(entry.reason or "", 503)
        if not entry.started:
            await send_json(send, 503, body)
        elif entry.streams_events and not entry.ended:
            data = b"data: " + msgspec.json.encode(body) + b"\n\ndata: [DONE]\n\n"
            await send({"type": "http.response.body", "body": data, "more_body": False})
        # Anything else stays incomplete, which the HTTP layer turns into a broken connection: an error, too.

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await send_json(send, 503, openai_error(self.absence, 503), [(b"retry-after", b"5")])
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1013, "reason": self.absence[:100]})
