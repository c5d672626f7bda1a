"""The host's outer ASGI application: who may pass, how large a body may be, and where each request goes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING

from engine.domain.errors import KVDeckError
from engine.host.asgi import BodyLate, BodyTooLarge, ClientGone, challenge, read_body, replay, send_error, send_json
from engine.host.openai_errors import openai_error
from engine.host.security import CONTROL_BODY_BYTES, OPENAI_BODY_BYTES, Refusal

if TYPE_CHECKING:
    from engine.host.asgi import Receive, Scope, Send
    from engine.host.events import EventHub
    from engine.host.mount import Mount
    from engine.host.routes import ControlRoutes
    from engine.host.security import Gate

log = logging.getLogger(__name__)
CONTROL = "/kvdeck/"
_OPENAI = "/v1/"


class HostApplication:
    """Everything that is served on the one port."""

    def __init__(self, gate: Gate, routes: ControlRoutes, events: EventHub, mount: Mount) -> None:
        self._gate = gate
        self._routes = routes
        self._events = events
        self._mount = mount

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The ASGI entry."""
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        refusal = self._gate.refusal(scope["path"], scope["headers"])
        if scope["type"] == "websocket":
            await self._websocket(scope, receive, send, refusal)
        elif refusal is not None:
            await self._refuse(send, refusal, scope["path"])
        else:
            await self._http(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        control = path.startswith(CONTROL)
        try:
            body = await read_body(scope["headers"], receive, CONTROL_BODY_BYTES if control else OPENAI_BODY_BYTES)
        except ClientGone:
            return
        except BodyTooLarge as error:
            said = f"The body is larger than {error.limit} bytes."
            await self._refuse(send, Refusal(413, "body_too_large", said, "Send less."), path)
            return
        except BodyLate:
            said = "The body of this request did not come to its end."
            await self._refuse(send, Refusal(408, "body_late", said, "Send it."), path)
            return
        if path == "/health":
            await self._health(scope, send)
        elif control:
            await self._control(scope, body, send)
        else:
            await self._mount(scope, replay(body, receive), send)

    @staticmethod
    async def _refuse(send: Send, refusal: Refusal, path: str) -> None:
        """Turn a request away, as who asks understands it: OpenAI's clients know no remedy beside the message."""
        if path.startswith(_OPENAI):
            body = openai_error(f"{refusal.message} {refusal.remedy}", refusal.status)
            await send_json(send, refusal.status, body, challenge(refusal.status))
        else:
            await send_error(send, refusal.status, refusal.kind, refusal.message, refusal.remedy)

    async def _health(self, scope: Scope, send: Send) -> None:
        """200 while a model answers, else 503: what a supervisor asks. Says nothing else, since it needs no token."""
        if scope["method"] not in ("GET", "HEAD"):
            await send_error(send, 405, "method", "Only GET /health is answered.")
            return
        phase = self._routes.phase
        await send_json(send, 200 if self._mount.attached else 503, {"phase": phase})

    async def _control(self, scope: Scope, body: bytes, send: Send) -> None:
        try:
            status, value = await self._routes.answer(scope["method"], scope["path"], scope["query_string"], body)
        except KVDeckError as error:
            wrong = {"error": self._routes.describe(error)}
            await send_json(send, self._routes.status_of(error), wrong, self._routes.headers_of(error))
        except Exception as error:
            log.exception("%s %s failed", scope["method"], scope["path"])
            await send_error(send, 500, "error", f"The host failed: {error}", "The log has the details.")
        else:
            await send_json(send, status, value)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send, refusal: Refusal | None) -> None:
        if refusal is not None:
            await receive()
            # Before the handshake is accepted, servers turn this into HTTP 403.
            await send({"type": "websocket.close", "code": 1008, "reason": refusal.message[:100]})
        elif scope["path"] == f"{CONTROL}events":
            await self._stream_events(receive, send)
        else:
            await self._mount(scope, receive, send)

    async def _stream_events(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        subscriber = self._events.subscribe()

        async def forward() -> None:
            async for data in subscriber.frames():
                await send({"type": "websocket.send", "text": data.decode()})
            await send({"type": "websocket.close", "code": 1001})

        async def until_closed() -> None:
            while (await receive())["type"] != "websocket.disconnect":
                pass

        tasks = {asyncio.ensure_future(forward()), asyncio.ensure_future(until_closed())}
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._events.unsubscribe(subscriber)
            for task in tasks:
                task.cancel()
            # What a closed connection raises on its way out is of no interest to anyone.
            with contextlib.suppress(Exception):
                await asyncio.gather(*tasks, return_exceptions=True)

    @staticmethod
    async def _lifespan(receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return
