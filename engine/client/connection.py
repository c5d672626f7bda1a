"""One HTTP and WebSocket connection to an engine host. Imported late: aiohttp and msgspec cost a quarter second."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, TypeVar

import aiohttp
import msgspec

from engine.client import faults
from engine.client.sse import AnswerAssembler, SseDecoder
from engine.domain.lifecycle import HostStatus, Lifecycle, LiveLimits, LogRecord, ServingStats
from engine.domain.sleepers import Sleepers

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from engine.client.engine import ChatDelta, Event

_T = TypeVar("_T")
_CONTROL_TIMEOUT = aiohttp.ClientTimeout(total=30, connect=5)
_STREAM_TIMEOUT = aiohttp.ClientTimeout(total=None, connect=5, sock_read=None)
_HEARTBEAT_S = 20.0  # a ping as often, and half of it to answer: a hung host is given up after 30 s, and asked again
_HANDSHAKE_S = 10.0  # a hung host's kernel accepts the connection, and nobody says a word
_GOODBYE_TIMEOUT = aiohttp.ClientTimeout(total=5, connect=2)
_OK = 200
_ERRORS_FROM = 400
_TOPICS: dict[str, Any] = {
    "status": HostStatus,
    "lifecycle": Lifecycle,
    "limits": LiveLimits,
    "log": LogRecord,
    "serving": ServingStats,
    "sleepers": Sleepers,
}


class _Frame(msgspec.Struct):
    topic: str
    value: msgspec.Raw


class Connection:
    """Speaks to one host address with one token. Raises KVDeckError subclasses only.

    Must be constructed on the loop that uses it. Proxies of the environment are ignored on purpose: the host is this
    machine, or one that the user named.
    """

    def __init__(self, url: str, token: str) -> None:
        self.url = url
        self._headers = {"Authorization": f"Bearer {token}"}
        self._session = aiohttp.ClientSession(
            headers=self._headers, connector=aiohttp.TCPConnector(limit=0), trust_env=False, auto_decompress=True
        )
        self._streams: set[aiohttp.ClientWebSocketResponse] = set()

    async def get(self, path: str, answer: type[_T], query: Mapping[str, str] | None = None) -> _T:
        """GET `path` and decode its JSON body as `answer`."""
        return await self._call("GET", path, answer, params=query)

    async def post(self, path: str, answer: type[_T], body: object = None) -> _T:
        """POST `body` (a dataclass or plain values) as JSON and decode the answer as `answer`."""
        return await self._call("POST", path, answer, data=msgspec.json.encode({} if body is None else body))

    async def shut_down(self) -> None:
        """Tell the host to end. A hung one does not hear it: that is known after 5 s, not after a call's usual 30."""
        await self._call("POST", "/kvdeck/shutdown", object, data=b"{}", timeout=_GOODBYE_TIMEOUT)

    async def _call(self, method: str, path: str, answer: type[_T], **arguments: Any) -> _T:
        arguments.setdefault("timeout", _CONTROL_TIMEOUT)
        headers = {"Content-Type": "application/json"}
        try:
            async with self._session.request(method, self.url + path, headers=headers, **arguments) as response:
                content = await response.read()
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise faults.unreachable(self.url, error) from error
        if response.status >= _ERRORS_FROM:
            raise faults.from_body(response.status, content.decode("utf-8", "replace"), route=path)
        try:
            return msgspec.json.decode(content, type=answer)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise faults.from_body(response.status, content.decode("utf-8", "replace"), route=path) from error

    async def events(self) -> AsyncGenerator[Event, None]:
        """Every event of the host from now on; ends when the host closes the stream, raises when it is cut.

        Topics that this version does not know are skipped, so that a newer host can serve it.
        """
        try:
            async with asyncio.timeout(_HANDSHAKE_S):
                stream = await self._session.ws_connect(
                    self.url + "/kvdeck/events", heartbeat=_HEARTBEAT_S, max_msg_size=0, timeout=_ws_timeout()
                )
            self._streams.add(stream)
            try:
                async with stream:
                    async for message in stream:
                        if message.type is not aiohttp.WSMsgType.TEXT:
                            continue
                        event = _decode(message.data)
                        if event is not None:
                            yield event
            finally:
                self._streams.discard(stream)
        except aiohttp.WSServerHandshakeError as error:
            raise faults.from_body(error.status, error.message, route="/kvdeck/events") from error
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise faults.unreachable(self.url, error) from error

    async def cut_events(self) -> None:
        """Close the streams of `events`: each ends as if the host had closed it."""
        await asyncio.gather(*(stream.close() for stream in tuple(self._streams)))

    async def chat(self, payload: Mapping[str, object], request_id: str) -> AsyncGenerator[ChatDelta, None]:
        """Stream one chat completion; leaving the iterator closes the connection, which aborts in the engine."""
        try:
            response = await self._session.post(
                self.url + "/v1/chat/completions",
                data=msgspec.json.encode(payload),
                headers={"Content-Type": "application/json", "X-Request-Id": request_id},
                timeout=_STREAM_TIMEOUT,
            )
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise faults.unreachable(self.url, error) from error
        try:
            if response.status != _OK:
                raise faults.from_openai(response.status, await response.text(errors="replace"))
            async with contextlib.aclosing(self._deltas(response)) as deltas:
                async for delta in deltas:
                    yield delta
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise faults.engine_died(f"{type(error).__name__}: {error}") from error
        finally:
            response.close()  # not release(): that would read the rest of the answer

    @staticmethod
    async def _deltas(response: aiohttp.ClientResponse) -> AsyncGenerator[ChatDelta, None]:
        decoder, answer = SseDecoder(), AnswerAssembler()
        async for piece in response.content.iter_any():
            for data in decoder.feed(piece):
                delta = answer.take(data)
                if delta is not None:
                    yield delta
                if answer.finished:
                    return
        raise faults.engine_died("the stream ended before its end mark")

    async def close(self) -> None:
        """Close every connection, running streams included."""
        await self._session.close()


def _ws_timeout() -> aiohttp.ClientWSTimeout:
    return aiohttp.ClientWSTimeout(ws_receive=None, ws_close=2.0)


def _decode(text: str) -> Event | None:
    try:
        frame = msgspec.json.decode(text, type=_Frame)
        topic = _TOPICS.get(frame.topic)
        return None if topic is None else msgspec.json.decode(frame.value, type=topic)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise faults.from_body(_OK, f"{error}: {text[:2000]}", route="/kvdeck/events") from error
