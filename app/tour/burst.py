"""Sixteen requests that share one long system prompt, sent as any user's program would, and what the cache did."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.client.engine import ChatMessage, ChatOptions
from engine.domain.errors import KVDeckError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from app.bridge.frame_clock import FrameClock
    from app.bridge.store import Store
    from engine.client.remote import RemoteEngine
    from engine.domain.telemetry import CacheSnapshot, Counters, StepSample

REQUESTS = 16
_SCAN_EVERY_S = 0.1

# About 600 tokens: four whole blocks to share where a block holds 128 (the CPU's default), many more where it holds 16.
SYSTEM_PROMPT = (
    "You are the night clerk of a small harbour. Answer in full sentences. The rules of the house: "
    + " ".join(
        f"{number}. When a ship of class {number} asks for berth {number * 7 % 23}, look at the tide table of hour "
        f"{number % 12 + 1}, write its name into the blue book, and light lamp {number * 3 % 11} on the north pier."
        for number in range(1, 17)
    )
)
QUESTIONS = (
    "Which book do you write in?",
    "What do you do at high tide?",
    "Where is the north pier?",
    "Who may enter at night?",
    "How do you greet a captain?",
    "What is a berth?",
    "Why is the lamp lit?",
    "When do you look at the tide table?",
    "What colour is the book?",
    "How many lamps are there?",
    "Tell me of the oldest ship.",
    "What is the weather like?",
    "Where do sailors eat?",
    "What does the harbour smell of?",
    "Who keeps the keys?",
    "When does the night end?",
)


@dataclass(frozen=True, slots=True)
class BurstResult:
    """What came of the burst. `errors` are the messages of the requests that did not finish."""

    requested: int
    finished: int
    tokens: int
    errors: tuple[str, ...]


class Burst:
    """The running burst: its requests as tasks, each with its own question and its own length.

    `tokens` of request i is `shortest + i * step`: they end one after the other, as real ones do, so that a lowered
    limit shows. `ignore_eos` makes the lengths certain.
    """

    def __init__(self, engine: RemoteEngine, shortest: int = 48, step: int = 4) -> None:
        self._engine = engine
        self._lengths = [shortest + step * index for index in range(REQUESTS)]
        self._tasks: list[asyncio.Task[int]] = []

    async def send(self) -> None:
        """Send all requests at once."""
        self._tasks = [
            asyncio.create_task(self._ask(question, length), name=f"tour request {index}")
            for index, (question, length) in enumerate(zip(QUESTIONS, self._lengths, strict=True))
        ]

    async def _ask(self, question: str, length: int) -> int:
        options = ChatOptions(max_tokens=length, temperature=0.7, seed=length, extra={"ignore_eos": True})
        messages = [ChatMessage("system", SYSTEM_PROMPT), ChatMessage("user", question)]
        tokens, reason = 0, None
        async with contextlib.aclosing(self._engine.chat(messages, options)) as deltas:
            async for delta in deltas:
                tokens = delta.completion_tokens or tokens
                reason = delta.finish_reason or reason
        if reason != "length" or tokens != length:
            raise KVDeckError(f"{question!r} ended with {reason} after {tokens} of {length} tokens.")
        return tokens

    @property
    def unfinished(self) -> int:
        """How many are still running or waiting."""
        return sum(not task.done() for task in self._tasks)

    async def result(self, newest_step: Callable[[], int], patience_s: float) -> BurstResult:
        """Wait for all of them; what is not done when no step was made for `patience_s` counts as lost.

        A busy machine may be slow, which loses nothing; an engine that stands still has lost what it holds.
        """
        step, moved = newest_step(), time.monotonic()
        late = set(self._tasks)
        while late and time.monotonic() - moved < patience_s:
            _, late = await asyncio.wait(late, timeout=0.5)
            if newest_step() != step:
                step, moved = newest_step(), time.monotonic()
        await self.cancel()
        done = [task for task in self._tasks if task not in late]
        errors = [str(task.exception()) for task in done if task.exception() is not None]
        errors += [
            f"{task.get_name()} did not finish, and the engine stood still for {patience_s:.0f} s" for task in late
        ]
        tokens = [task.result() for task in done if task.exception() is None]
        return BurstResult(len(self._tasks), len(tokens), sum(tokens), tuple(errors))

    async def cancel(self) -> None:
        """Abort what still runs."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class CacheWatch:
    """Follows the telemetry while something runs: every step, the most shared blocks, and the oracle's verdicts."""

    def __init__(self, store: Store, clock: FrameClock, engine: RemoteEngine) -> None:
        self._store = store
        self._clock = clock
        self._engine = engine
        self._scanner: asyncio.Task[None] | None = None
        self.steps: list[StepSample] = []
        self.shared_max = 0
        self.checked: set[int] = set()
        self.mismatches = 0
        self._last_step = 0
        self._first: Counters | None = None
        self._newest: Counters | None = None

    def start(self) -> None:
        """Begin to watch."""
        snapshot = self._store.cache
        self._first = None if snapshot is None else snapshot.counters
        self._last_step = 0 if snapshot is None else snapshot.counters.step
        self._store.cache_changed.connect(self._on_cache)
        self._scanner = asyncio.create_task(self._scan(), name="tour oracle")

    async def stop(self) -> None:
        """Stop watching. Raises what the oracle raised."""
        self._store.cache_changed.disconnect(self._on_cache)
        scanner, self._scanner = self._scanner, None
        if scanner is None:
            return
        scanner.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await scanner

    def _on_cache(self, snapshot: CacheSnapshot | None) -> None:
        if snapshot is None:
            return
        self._newest = snapshot.counters
        self.shared_max = max(self.shared_max, snapshot.counters.num_shared)
        fresh = self._clock.steps_since(self._last_step)
        if fresh:
            self.steps += fresh
            self._last_step = fresh[-1].step

    async def _scan(self) -> None:
        while True:
            scan = await self._engine.scan_blocks()
            if scan.step not in self.checked:
                self.checked.add(scan.step)
                self.mismatches += scan.mismatches
            await asyncio.sleep(_SCAN_EVERY_S)

    @property
    def last_step(self) -> int:
        """The newest step that has been seen."""
        return self._last_step

    @property
    def prefix_hit_rate(self) -> float | None:
        """Share of the prompt tokens of this watch that came from the prefix cache."""
        if self._first is None or self._newest is None:
            return None
        queries = self._newest.prefix_queries - self._first.prefix_queries
        hits = self._newest.prefix_hits - self._first.prefix_hits
        return hits / queries if queries else None

    def running_max(self, steps: Sequence[StepSample]) -> int | None:
        """The most requests that ran in any of these steps."""
        return max((step.num_running for step in steps), default=None)
