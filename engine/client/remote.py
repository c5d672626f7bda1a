"""The EngineClient over HTTP: of a host that it starts itself, or of one that is already running somewhere."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.client.host_process import HostAddress, HostOptions, HostProcess
from engine.domain.adapter import EngineAdapters, LoadAdapterRequest, UnloadAdapterRequest
from engine.domain.block_times import BlockTimes
from engine.domain.errors import HostUnreachable, KVDeckError
from engine.domain.lifecycle import (
    HostStatus,
    Lifecycle,
    LimitsRequest,
    LiveLimits,
    LoadRequest,
    LogRecord,
    PriorityRequest,
)
from engine.domain.prefixes import (
    KeepTokensRequest,
    PrefixReason,
    PrefixReasonRequest,
    PrefixText,
    PrefixTextRequest,
    PrefixTree,
)
from engine.domain.sleepers import KeepPolicy, SleeperRequest, Sleepers

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from engine.client.connection import Connection
    from engine.client.engine import ChatDelta, ChatMessage, ChatOptions, Event

_RECONNECT_S = (0.1, 0.3, 1.0, 2.0, 4.0)
_HOST_END_S = 0.5
_ENGINE_END_S = 2.5  # the user waits; what a busy machine does not end by then is killed, and leaves nothing either


@dataclass(frozen=True, slots=True)
class BlockScan:
    """The oracle's verdict at one step: blocks whose page entry differs from vLLM's own block pool."""

    mismatches: int
    step: int


@dataclass(frozen=True, slots=True)
class _LogPage:
    records: tuple[LogRecord, ...]


class RemoteEngine:
    """Implements `engine.client.engine.EngineClient`. Light to import and to construct: the wire comes with `start`.

    Give it HostOptions to start a host of its own (ended by `close`), or a HostAddress to use one that runs.
    `start` may be called again after the host was lost; it then begins afresh.
    """

    def __init__(self, host: HostOptions | HostAddress) -> None:
        self._host = host
        self._process: HostProcess | None = None
        self._at: HostAddress | None = host if isinstance(host, HostAddress) else None
        self._connection: Connection | None = None
        self._log_seen = 0

    @property
    def address(self) -> str:
        """`http://127.0.0.1:8000`; empty before the first `start`."""
        return "" if self._at is None else self._at.url

    @property
    def token(self) -> str:
        """The bearer token; empty before the first `start`."""
        return "" if self._at is None else self._at.token

    @property
    def host_pid(self) -> int | None:
        """The host's pid where it is known."""
        return None if self._at is None else self._at.pid

    def take_any_port(self) -> None:
        """From the next `start` on, a host that this client starts serves on a free port."""
        if isinstance(self._host, HostOptions):
            self._host = replace(self._host, port=0)

    async def start(self) -> HostStatus:
        """Bring the host up (or connect to it) and return its status. Raises HostUnreachable, PortInUse, ..."""
        await self._disconnect()
        opening = asyncio.create_task(asyncio.to_thread(_load_wire))
        try:
            if isinstance(self._host, HostOptions):
                await self._end_process(grace_s=0)
                self._process = HostProcess(self._host)
                self._at = await self._process.start()
                self._log_seen = 0
        finally:
            await opening
        assert self._at is not None
        self._connection = _connect(self._at)
        return await self._connection.get("/kvdeck/status", HostStatus)

    async def status(self) -> HostStatus:
        """The host's present status, asked anew."""
        return await self._wire().get("/kvdeck/status", HostStatus)

    async def events(self) -> AsyncGenerator[Event, None]:
        """Everything the host reports; survives a cut stream, ends with what ended the host, quietly after `close`."""
        attempt = 0
        while self._is_open():
            cause: KVDeckError | None = None
            try:
                async with contextlib.aclosing(self._events_once()) as events:
                    async for event in events:
                        attempt = 0
                        yield event
            except HostUnreachable as error:
                cause = error
            if not self._is_open():
                return
            await self._raise_if_ended()
            if attempt >= len(_RECONNECT_S):
                raise cause or HostUnreachable(
                    f"The engine host at {self.address} closed its event stream.", remedy="Start it again."
                )
            await asyncio.sleep(_RECONNECT_S[attempt])
            attempt += 1

    async def reopen_events(self) -> None:
        """Cut the streams of `events`, which then open others and go on."""
        await self._wire().cut_events()

    async def _events_once(self) -> AsyncGenerator[Event, None]:
        wire = self._wire()
        async with contextlib.aclosing(wire.events()) as events:
            async for event in events:
                if isinstance(event, LogRecord):
                    if event.sequence > self._log_seen:
                        self._log_seen = event.sequence
                        yield event
                    continue
                yield event
                if isinstance(event, HostStatus):  # the first frame: what was logged before it is fetched once
                    for record in await self._missed_log(wire):
                        yield record

    async def _missed_log(self, wire: Connection) -> tuple[LogRecord, ...]:
        page = await wire.get("/kvdeck/log", _LogPage, {"after": str(self._log_seen)})
        if page.records:
            self._log_seen = max(self._log_seen, page.records[-1].sequence)
        return page.records

    async def _raise_if_ended(self) -> None:
        process = self._process
        if process is None:
            return
        for _ in range(10):  # the socket closes a moment before the process is gone
            if not process.running and process is self._process:
                raise process.failure()
            await asyncio.sleep(_HOST_END_S / 10)

    async def load(self, request: LoadRequest) -> None:
        """Begin to load (or switch to) a checkpoint. Raises on what preflight finds."""
        await self._wire().post("/kvdeck/load", Lifecycle, request)

    async def cancel_load(self) -> None:
        """Stop the present load."""
        await self._wire().post("/kvdeck/cancel", Lifecycle)

    async def unload(self) -> None:
        """End the engine."""
        await self._wire().post("/kvdeck/unload", Lifecycle)

    async def restart(self) -> None:
        """Load again what was loaded last."""
        await self._wire().post("/kvdeck/restart", Lifecycle)

    async def sleepers(self) -> Sleepers:
        """The engines that wait, measured anew."""
        return await self._wire().get("/kvdeck/sleepers", Sleepers)

    async def keep(self, policy: KeepPolicy) -> Sleepers:
        """Keep outgoing engines by this policy from now on."""
        return await self._wire().post("/kvdeck/sleepers", Sleepers, policy)

    async def sleep(self) -> None:
        """Put the engine that serves to rest."""
        await self._wire().post("/kvdeck/sleep", Lifecycle)

    async def wake(self, checkpoint: str) -> None:
        """Switch to the engine of this checkpoint that waits."""
        await self._wire().post("/kvdeck/wake", Lifecycle, SleeperRequest(checkpoint))

    async def end_sleeper(self, checkpoint: str = "") -> Sleepers:
        """End the engine of this checkpoint that waits, or all of them."""
        return await self._wire().post("/kvdeck/end", Sleepers, SleeperRequest(checkpoint))

    async def set_limits(self, request: LimitsRequest) -> LiveLimits:
        """Change live limits; returns what the scheduler then has in force."""
        return await self._wire().post("/kvdeck/limits", LiveLimits, request)

    async def set_priority(self, request_id: str, priority: int, by: str = "") -> int:
        """Give one request another priority; returns how many it was."""
        wanted = PriorityRequest(request_id, priority, by)
        answer: dict[str, Any] = await self._wire().post("/kvdeck/priority", dict, wanted)
        return int(answer.get("changed", 0))

    async def abort(self, request_id: str) -> None:
        """Abort one request in the engine."""
        await self._wire().post("/kvdeck/abort", object, {"request_id": request_id})

    async def reset_prefix_cache(self) -> bool:
        """Drop every reusable prefix; False where running requests held some of it."""
        answer: dict[str, Any] = await self._wire().post("/kvdeck/reset_prefix_cache", dict)
        return bool(answer.get("reset"))

    async def scan_blocks(self) -> BlockScan:
        """Compare the telemetry page with a full scan of the block pool, inside the engine, at one step."""
        return await self._wire().post("/kvdeck/scan_blocks", BlockScan)

    async def prefix_tree(self, limit: int = 500) -> PrefixTree:
        """The cached prefixes now, as a tree of at most `limit` nodes."""
        return await self._wire().get("/kvdeck/prefix_tree", PrefixTree, {"limit": str(limit)})

    async def prefix_reason(self, request_id: str) -> PrefixReason:
        """Why a live request found what it found in the prefix cache."""
        return await self._wire().post("/kvdeck/prefix_reason", PrefixReason, PrefixReasonRequest(request_id))

    async def prefix_text(self, key: str, blocks: int) -> PrefixText:
        """The text of the `blocks` blocks that end with this node."""
        return await self._wire().post("/kvdeck/prefix_text", PrefixText, PrefixTextRequest(key, blocks))

    async def keep_prefix_tokens(self, *, on: bool) -> bool:
        """Keep token ids of cached prefixes from now on, or forget them."""
        wanted = KeepTokensRequest(on)
        answer: dict[str, Any] = await self._wire().post("/kvdeck/keep_prefix_tokens", dict, wanted)
        return bool(answer.get("on"))

    async def block_times(self) -> BlockTimes:
        """How long blocks lived, lay unused and waited to be found again."""
        return await self._wire().get("/kvdeck/block_times", BlockTimes)

    async def adapters(self) -> EngineAdapters:
        """The LoRA adapters of the running engine."""
        return await self._wire().get("/kvdeck/adapters", EngineAdapters)

    async def load_adapter(self, path: str, name: str = "") -> EngineAdapters:
        """Load the adapter in this folder."""
        return await self._wire().post("/kvdeck/adapters/load", EngineAdapters, LoadAdapterRequest(path, name))

    async def unload_adapter(self, name: str) -> EngineAdapters:
        """Unload an adapter."""
        return await self._wire().post("/kvdeck/adapters/unload", EngineAdapters, UnloadAdapterRequest(name))

    async def chat(
        self, messages: Sequence[ChatMessage], options: ChatOptions, *, request_id: str | None = None
    ) -> AsyncGenerator[ChatDelta, None]:
        """Stream one answer. Closing the iterator aborts the request in the engine.

        No model is named: vLLM then answers with the one that is loaded, so a chat goes on through a switch.
        """
        payload = _payload(messages, options)
        async with contextlib.aclosing(self._wire().chat(payload, request_id or uuid.uuid4().hex)) as deltas:
            async for delta in deltas:
                yield delta

    async def close(self) -> None:
        """Disconnect; a host that this client started is ended with all its processes."""
        grace = 0.0
        if self._process is not None and self._connection is not None:
            with contextlib.suppress(KVDeckError):
                await self._connection.shut_down()
                grace = _ENGINE_END_S
        await self._disconnect()
        await self._end_process(grace)

    async def _end_process(self, grace_s: float) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.stop(grace_s)

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    def _is_open(self) -> bool:
        return self._connection is not None

    def _wire(self) -> Connection:
        if self._connection is None:
            raise HostUnreachable("No engine host is running.", remedy="Start it with Load.")
        return self._connection


def _payload(messages: Sequence[ChatMessage], options: ChatOptions) -> dict[str, object]:
    payload: dict[str, object] = {
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        "stream": True,
        # Continuous: an answer that is stopped, or ends in an error, has its exact counts, too.
        "stream_options": {"include_usage": True, "continuous_usage_stats": True},
    }
    for name in ("max_tokens", "temperature", "top_p", "seed"):
        value = getattr(options, name)
        if value is not None:
            payload[name] = value
    return {**payload, **options.extra}


def _load_wire() -> None:
    """Import aiohttp and msgspec; called in a thread, beside the start of the host."""
    import engine.client.connection  # noqa: F401 - for its effect


def _connect(at: HostAddress) -> Connection:
    from engine.client.connection import Connection

    return Connection(at.url, at.token)
