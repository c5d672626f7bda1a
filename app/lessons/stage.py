"""What a lesson works with: requests through the engine's OpenAI routes, and eyes on what the engine then does."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from PySide6.QtCore import QCoreApplication

from app.bridge.store import Selection
from engine.client.engine import ChatMessage, ChatOptions
from engine.domain.errors import EngineBusy
from engine.domain.lifecycle import EngineFacts, LimitsRequest, LiveLimits, Phase

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Sequence

    from app.bridge.commands import Commands
    from app.bridge.store import Store
    from engine.domain.request import RequestRow
    from engine.domain.telemetry import CacheSnapshot, StepSample

_PATIENCE_S = 60.0
_LEAVING_S = 2.0
_LINES = (
    "The harbour lies still, and the clerk writes the name of every ship into the blue book before the lamps are lit.",
    "A small boat came in from the north with salt, rope and two barrels of tar, and left again on the same tide.",
    "Nobody has seen the keeper of the keys since noon, though his coat still hangs behind the door of the office.",
    "When the wind turns, the third bell is rung twice, and whoever sleeps in the loft has to come down and look.",
)
_TOKENS_A_LINE = 24


@dataclass(frozen=True, slots=True)
class Answer:
    """One request as its client saw it. Seconds count from sending; `cached_tokens` came from the prefix cache."""

    request_id: str
    prompt_tokens: int
    tokens: int
    cached_tokens: int
    first_s: float
    seconds: float


class LessonStage:
    """One lesson's tools. Use it as a context manager: it watches the steps while it is open."""

    def __init__(self, store: Store, commands: Commands, say: Callable[[str], None]) -> None:
        self._store = store
        self._commands = commands
        self.say = say
        self.steps: list[StepSample] = []
        self._watched: list[Callable[[CacheSnapshot], None]] = []
        self._ids: set[str] = set()

    def __enter__(self) -> Self:
        self._store.cache_changed.connect(self._take)
        return self

    def __exit__(self, *_error: object) -> None:
        self._store.cache_changed.disconnect(self._take)

    @property
    def facts(self) -> EngineFacts:
        """The engine. Raises EngineBusy where none is ready."""
        facts = self._store.lifecycle.facts
        if facts is None or self._store.lifecycle.phase is not Phase.READY:
            raise EngineBusy(_tr("No model is ready."), remedy=_tr("Load one, then begin the lesson again."))
        return facts

    @property
    def limits(self) -> LiveLimits:
        """The limits in force. Raises EngineBusy where they are not known."""
        limits = self._store.limits
        if limits is None:
            raise EngineBusy(_tr("The engine has not told its limits yet."), remedy=_tr("Try again in a moment."))
        return limits

    @property
    def picture(self) -> CacheSnapshot | None:
        """The newest picture of the cache."""
        return self._store.cache

    @property
    def strangers(self) -> int:
        """Requests in the engine that this lesson did not send."""
        cache = self._store.cache
        if cache is None:
            return 0
        return sum(not any(row.request_id.startswith(one) for one in self._ids) for row in cache.requests)

    def watch(self, look: Callable[[CacheSnapshot], None]) -> None:
        """Call `look` with every picture from now on."""
        self._watched.append(look)

    def _take(self, snapshot: CacheSnapshot | None) -> None:
        if snapshot is None:
            return
        last = self.steps[-1].step if self.steps else -1
        self.steps += [step for step in snapshot.steps if step.step > last]
        for look in self._watched:
            look(snapshot)

    def text(self, tokens: int, *, fresh: bool = True) -> str:
        """A text of about so many tokens; a fresh one begins with letters that the prefix cache has never seen."""
        lines = [_LINES[place % len(_LINES)] for place in range(max(1, round(tokens / _TOKENS_A_LINE)))]
        begin = f"Page {secrets.token_hex(6)}. " if fresh else ""
        return begin + " ".join(f"{number}. {line}" for number, line in enumerate(lines, 1))

    async def ask(
        self, question: str, tokens: int, *, system: str = "", sent: Callable[[str], None] | None = None
    ) -> Answer:
        """Send one request and read its whole answer, exactly `tokens` long. `sent` is told its id at once.

        The request is aborted in the engine where this is cancelled.
        """
        request_id = f"lesson-{secrets.token_hex(8)}"
        self._ids |= {request_id, f"chatcmpl-{request_id}"}
        messages = [ChatMessage("system", system)] if system else []
        messages.append(ChatMessage("user", question))
        options = ChatOptions(max_tokens=tokens, temperature=0.7, seed=7, extra={"ignore_eos": True})
        if sent is not None:
            sent(request_id)
        begin, first = time.monotonic(), 0.0
        prompt = made = cached = 0
        deltas = self._commands.chat(messages, options, request_id=request_id)
        async with contextlib.aclosing(deltas) as stream:  # type: ignore[type-var]
            async for delta in stream:
                if delta.text and not first:
                    first = time.monotonic() - begin
                prompt = delta.prompt_tokens or prompt
                made = delta.completion_tokens or made
                cached = delta.cached_tokens or cached
        return Answer(request_id, prompt, made, cached, first, time.monotonic() - begin)

    async def ask_together(self, requests: Sequence[Coroutine[Any, Any, Answer]]) -> list[Answer]:
        """Several requests at once; one that fails ends the others."""
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(request) for request in requests]
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from errors
        return [task.result() for task in tasks]

    def row(self, request_id: str, snapshot: CacheSnapshot | None = None) -> RequestRow | None:
        """The live request in a picture (the newest), or None."""
        cache = snapshot or self._store.cache
        rows = cache.requests if cache is not None else ()
        names = (request_id, f"chatcmpl-{request_id}")
        return next((row for row in rows if row.request_id.startswith(names)), None)

    def choose(self, row: RequestRow) -> None:
        """Choose a request in all panels."""
        if self._store.selection.request_id != row.request_id:
            self._store.publish(Selection(row.request_id))

    @contextlib.asynccontextmanager
    async def limited(self, max_num_seqs: int) -> AsyncIterator[None]:
        """This limit in force inside, and the one before after it, however it is left.

        A lesson that fails or is cancelled waits for that a moment only: the window may be closing on a hung host.
        """
        before = self.limits.max_num_seqs
        try:
            await self._limit(max_num_seqs, _PATIENCE_S)
            yield
        except BaseException:
            with contextlib.suppress(EngineBusy):
                await self._limit(before, _LEAVING_S)
            raise
        await self._limit(before, _PATIENCE_S)

    async def _limit(self, max_num_seqs: int, patience_s: float) -> None:
        """Put this limit in force, and wait until the scheduler says so."""
        self._commands.apply_limits(LimitsRequest(max_num_seqs=max_num_seqs))
        deadline = time.monotonic() + patience_s
        while self.limits.max_num_seqs != max_num_seqs:
            if time.monotonic() > deadline:
                raise EngineBusy(
                    _tr("The engine did not take the limit of {0} requests.").format(max_num_seqs),
                    remedy=_tr("Set max_num_seqs yourself in Parameters."),
                )
            await asyncio.sleep(0.02)

    async def settle(self) -> None:
        """Wait until pictures have caught up with what was answered: two more of them, or half a second."""
        seen, enough = 0, asyncio.Event()

        def count(_snapshot: object) -> None:
            nonlocal seen
            seen += 1
            if seen == 2:
                enough.set()

        self._store.cache_changed.connect(count)
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.5):
                    await enough.wait()
        finally:
            self._store.cache_changed.disconnect(count)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Lessons", text)
