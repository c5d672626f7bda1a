"""A scripted stream in place of an engine, for what a real one cannot be made to do at a chosen token."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engine.client.engine import ChatDelta

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from engine.client.engine import ChatMessage, ChatOptions


@dataclass
class ScriptedAsk:
    """Streams `pieces`, then usage; raises `failure` before piece `fail_at`; waits for `gate` before each piece."""

    pieces: Sequence[str] = ("Hello", " there", ".")
    failure: Exception | None = None
    fail_at: int = 0
    gate: asyncio.Semaphore | None = None
    asked: list[tuple[tuple[ChatMessage, ...], ChatOptions]] = field(default_factory=list)
    closed: int = 0

    async def __call__(
        self, messages: Sequence[ChatMessage], options: ChatOptions, *, request_id: str | None = None
    ) -> AsyncIterator[ChatDelta]:
        self.asked.append((tuple(messages), options))
        ident = f"chatcmpl-{request_id}"
        try:
            for number, piece in enumerate(self.pieces):
                if self.gate is not None:
                    await self.gate.acquire()
                if self.failure is not None and number == self.fail_at:
                    raise self.failure
                yield ChatDelta(ident, piece)
            yield ChatDelta(ident, "", "stop", 40, len(self.pieces), 32)
        finally:
            self.closed += 1


async def until(holds: Callable[[], bool], timeout_s: float = 10.0) -> None:
    """Let the loop run until `holds`; raises TimeoutError."""
    async with asyncio.timeout(timeout_s):
        while not holds():  # noqa: ASYNC110 - what is waited for has no event of its own
            await asyncio.sleep(0.001)
