"""The OpenAI routes over one Generator: requests wait for each other, as a plain script would have them."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import threading
import time
import uuid
from typing import TYPE_CHECKING, Any

import msgspec
from aiohttp import web

if TYPE_CHECKING:
    from engine.baseline.generator import Generator

_LARGEST_BODY = 64 * 1024**2


class BaselineServer:
    """Answers /v1/models, /v1/chat/completions, /v1/completions and /tokenize, for whoever has the token."""

    def __init__(self, generator: Generator, name: str, token: str) -> None:
        self._generator = generator
        self._name = name
        self._token = token
        self._turn = asyncio.Lock()

    def application(self) -> web.Application:
        """The routes."""
        app = web.Application(middlewares=[self._guard], client_max_size=_LARGEST_BODY)
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_post("/v1/completions", self._complete)
        app.router.add_post("/tokenize", self._tokenize)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Any) -> web.StreamResponse:
        if not hmac.compare_digest(request.headers.get("Authorization", "").encode(), f"Bearer {self._token}".encode()):
            return _error(401, "The key is missing or wrong.")
        response: web.StreamResponse = await handler(request)
        return response

    async def _models(self, _request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": self._name, "object": "model"}]})

    async def _tokenize(self, request: web.Request) -> web.Response:
        body = await _body(request)
        if not isinstance(body, dict) or not isinstance(body.get("prompt"), str):
            return _error(400, "A prompt is needed.")
        special = bool(body.get("add_special_tokens", True))
        tokens = self._generator.tokenizer(body["prompt"], add_special_tokens=special)["input_ids"]
        return web.json_response({"count": len(tokens), "tokens": list(tokens)})

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        body = await _body(request)
        if not isinstance(body, dict):
            return _error(400, "The body is no JSON object.")
        try:
            prompt = self._generator.prompt_of(body)
        except (KeyError, TypeError, ValueError) as error:
            return _error(400, f"The request cannot be read: {error}.")
        chat = request.path.endswith("chat/completions")
        async with self._turn:
            answer = _Answer(self._generator, prompt, body)
            if body.get("stream"):
                return await self._stream(request, answer, chat=chat)
            text = "".join([piece async for piece in answer.pieces()])
            choice = {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
            return web.json_response(self._event(chat=chat, choice=choice, answer=answer, last=True))

    async def _stream(self, request: web.Request, answer: _Answer, *, chat: bool) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
        await response.prepare(request)
        async with contextlib.aclosing(answer.pieces()) as pieces:
            async for piece in pieces:
                choice = {"delta": {"content": piece}} if chat else {"text": piece}
                await response.write(_line(self._event(chat=chat, choice=choice, answer=answer, last=False)))
        end: dict[str, Any] = {"delta": {}} if chat else {"text": ""}
        last = self._event(chat=chat, choice=end, answer=answer, last=True)
        usage = last.pop("usage")
        if chat:  # a completion's event with a text would count as one more token
            await response.write(_line(last))
        await response.write(_line({**last, "choices": [], "usage": usage}))
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    def _event(self, *, chat: bool, choice: dict[str, Any], answer: _Answer, last: bool) -> dict[str, Any]:
        event: dict[str, Any] = {
            "id": answer.request_id,
            "object": "chat.completion.chunk" if chat else "text_completion",
            "created": answer.created,
            "model": self._name,
            "choices": [{"index": 0, "finish_reason": answer.reason if last else None, **choice}],
        }
        if last:
            total = len(answer.prompt) + answer.count
            event["usage"] = {
                "prompt_tokens": len(answer.prompt), "completion_tokens": answer.count, "total_tokens": total,
            }  # fmt: skip
        return event


class _Answer:
    """One generation in a thread; leaving `pieces` early ends it after the present token."""

    def __init__(self, generator: Generator, prompt: list[int], body: dict[str, Any]) -> None:
        self._generator = generator
        self._body = body
        self.prompt = prompt
        self.request_id = f"baseline-{uuid.uuid4().hex}"
        self.created = int(time.time())
        self.count = 0
        self.reason: str | None = None

    async def pieces(self) -> Any:
        """The text of each token as it comes."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        stop = threading.Event()

        def tell(text: str | None) -> None:
            loop.call_soon_threadsafe(queue.put_nowait, text)

        def work() -> None:
            try:
                self.count, self.reason = self._generator.generate(self.prompt, self._body, tell, stop)
            finally:
                tell(None)

        working = loop.run_in_executor(None, work)
        try:
            while (piece := await queue.get()) is not None:
                yield piece
        finally:
            stop.set()
            await asyncio.shield(working)


async def _body(request: web.Request) -> Any:
    try:
        return msgspec.json.decode(await request.read())
    except msgspec.MsgspecError:
        return None


def _line(event: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode(event) + b"\n\n"


def _error(status: int, message: str) -> web.Response:
    return web.json_response({"error": {"message": message, "type": "invalid_request_error"}}, status=status)
