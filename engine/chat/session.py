"""One answer while it streams: its text, its figures, and how it ended."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.chat.transcript import Figures, Message, MessageError, MessageState
from engine.domain.errors import KVDeckError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from engine.client.engine import ChatDelta

log = logging.getLogger(__name__)


class AnswerStream:
    """Reads a stream of ChatDelta into a message.

    `message` is the newest state at any moment. `stop` ends the stream early and keeps what came; the engine aborts
    the request when the iterator is closed.
    """

    def __init__(self, message: Message, on_change: Callable[[], None], clock: Callable[[], float] = time.monotonic):
        self._start = replace(message, state=MessageState.STREAMING)
        self._on_change = on_change
        self._clock = clock
        self._pieces: list[str] = []
        self._joined = message.content
        self._num_pieces = 0
        self._began_s = clock()
        self._first_s: float | None = None
        self._last_s: float | None = None
        self._last: ChatDelta | None = None
        self._counts: tuple[int | None, int | None, int | None] = (None, None, None)
        self._task: asyncio.Task[object] | None = None
        self._stopping = False
        self._final: Message | None = None

    @property
    def message(self) -> Message:
        """The answer so far, or as it ended."""
        if self._final is not None:
            return self._final
        return replace(self._start, content=self._text(), figures=self.figures(), request_id=self._request_id())

    @property
    def running(self) -> bool:
        """Whether more may come."""
        return self._final is None

    def stop(self) -> None:
        """End the answer now; what has come stays. Harmless when it has ended."""
        self._stopping = True
        if self._task is not None and self._final is None:
            self._task.cancel()

    async def run(self, deltas: AsyncIterator[ChatDelta]) -> Message:
        """Read until the end and return the finished message; failures end up in it, only cancellation is raised."""
        self._task = asyncio.current_task()
        state, error, cancelled = MessageState.COMPLETE, None, None
        try:
            if self._stopping:  # stopped before the first step
                state = MessageState.STOPPED
            else:
                await self._read(deltas)
        except asyncio.CancelledError as reason:
            state, cancelled = MessageState.STOPPED, reason
        except KVDeckError as failure:
            state, error = MessageState.FAILED, MessageError(failure.kind, failure.message, failure.remedy)
        except Exception as failure:  # whatever the wire did, the partial answer must not be lost
            log.exception("the answer's stream broke")
            state, error = MessageState.FAILED, MessageError("error", f"{type(failure).__name__}: {failure}")
        await self._finish(deltas, state, error)
        if cancelled is not None:
            if not self._stopping:
                raise cancelled
            if self._task is not None:
                self._task.uncancel()
        return self.message

    def figures(self) -> Figures:
        """The figures as of now; unknown ones are None."""
        prompt, cached, completion = self._counts
        approximate = completion is None and self._num_pieces > 0
        if approximate:
            completion = self._num_pieces
        rate = None
        if self._first_s is not None and self._last_s is not None and completion is not None and completion > 1:
            span = self._last_s - self._first_s
            rate = (completion - 1) / span if span > 0 else None
        return Figures(
            ttft_s=None if self._first_s is None else self._first_s - self._began_s,
            total_s=None if self._last_s is None else self._last_s - self._began_s,
            tokens_per_s=rate,
            prompt_tokens=prompt,
            cached_tokens=cached,
            completion_tokens=completion,
            approximate=approximate,
        )

    async def _read(self, deltas: AsyncIterator[ChatDelta]) -> None:
        async for delta in deltas:
            now = self._clock()
            if delta.text:
                self._first_s = now if self._first_s is None else self._first_s
                self._last_s = now
                self._pieces.append(delta.text)
                self._num_pieces += 1
            self._count(delta)
            if delta.finish_reason is not None or self._last is None or self._last.finish_reason is None:
                self._last = delta
            self._on_change()

    def _count(self, delta: ChatDelta) -> None:
        old = self._counts
        new = (delta.prompt_tokens, delta.cached_tokens, delta.completion_tokens)
        self._counts = tuple(a if a is not None else b for a, b in zip(new, old, strict=True))  # type: ignore[assignment]

    async def _finish(self, deltas: AsyncIterator[ChatDelta], state: MessageState, error: MessageError | None) -> None:
        close = getattr(deltas, "aclose", None)
        self._final = replace(
            self.message,
            state=state,
            error=error,
            finish_reason=None if self._last is None else self._last.finish_reason,
        )
        self._on_change()
        if close is not None:
            try:
                await close()
            except KVDeckError as failure:
                log.info("closing the answer's stream: %s", failure)

    def _request_id(self) -> str | None:
        return self._last.request_id if self._last is not None else self._start.request_id

    def _text(self) -> str:
        if self._pieces:
            self._joined += "".join(self._pieces)
            self._pieces.clear()
        return self._joined
