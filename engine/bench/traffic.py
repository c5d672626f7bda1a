"""Sends a workload's requests when they are due: closed loop, open loop, conversations, limits, pause and stop."""

from __future__ import annotations

import asyncio
import itertools
from typing import TYPE_CHECKING, Protocol

import msgspec

from engine.bench.arrivals import due_times, most_at_once
from engine.bench.requests import answered
from engine.bench.sample import Outcome
from engine.bench.workload import AsRecorded, ClosedLoop, RecordedLog

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from engine.bench.clock import RunClock
    from engine.bench.requests import Messages, RequestSource
    from engine.bench.sample import Sample
    from engine.bench.sending import Sender
    from engine.bench.workload import Workload

_BACK_OFF_S = (0.05, 0.1, 0.2, 0.4, 0.8, 1.0)


class Listener(Protocol):
    """Whoever counts."""

    def began_request(self) -> None:
        """One more is under way."""

    def ended_request(self, sample: Sample) -> None:
        """One ended."""


def total_requests(workload: Workload, source: RequestSource) -> int | None:
    """How many requests there will be; None where time ends it."""
    total = workload.requests
    if isinstance(workload.arrival, AsRecorded):
        return source.length if total is None else min(total, source.length)
    if total is None and workload.duration_s is None and isinstance(workload.dataset, RecordedLog):
        return source.length
    return total


class Traffic:
    """One run's (or one warm-up's) requests. `run` returns when all have ended, also after `stop`."""

    def __init__(
        self,
        workload: Workload,
        source: RequestSource,
        sender: Sender,
        clock: RunClock,
        listener: Listener,
        *,
        name: str,
        total: int | None,
        first_conversation: int = 0,
    ) -> None:
        self._workload = workload
        self._source = source
        self._sender = sender
        self._clock = clock
        self._listener = listener
        self._name = name
        self._total = total
        self._numbers = itertools.count()
        self._conversations = itertools.count(first_conversation)
        self._tasks: set[asyncio.Task[None]] = set()
        self._next_slot_s = 0.0
        self._over = False

    async def run(self) -> None:
        """Send everything and wait for the answers. Raises what went wrong in here, never what the server did."""
        arrival = self._workload.arrival
        if isinstance(arrival, ClosedLoop):
            clients = min(arrival.clients, self._total or arrival.clients)
            for client in range(clients):
                self._spawn(self._client(client, arrival.think_s))
        else:
            self._spawn(self._arrivals())
        cutter = asyncio.create_task(self._cut_in_time(), name="end of the run") if self._workload.cut_at_end else None
        try:
            while self._tasks:
                await asyncio.wait(set(self._tasks), return_when=asyncio.FIRST_COMPLETED)
                self._collect()
        finally:
            self.stop()
            if cutter is not None:
                cutter.cancel()
                await asyncio.gather(cutter, return_exceptions=True)
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def stop(self) -> None:
        """Abort what runs; harmless when nothing does."""
        self._over = True
        for task in self._tasks:
            task.cancel()

    @property
    def all_sent(self) -> bool:
        """Whether only answers are waited for."""
        return self._time_is_over() or self._total == 0

    def _collect(self) -> None:
        for task in [task for task in self._tasks if task.done()]:
            self._tasks.discard(task)
            if not task.cancelled() and (error := task.exception()) is not None:
                raise error

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        self._tasks.add(asyncio.create_task(work, name="load"))

    async def _cut_in_time(self) -> None:
        if self._workload.duration_s is not None:
            await self._clock.wait_until(self._workload.duration_s)
            self.stop()

    async def _client(self, client: int, think_s: float) -> None:
        """One of the closed loop's clients: conversation after conversation."""
        failures = 0
        while (good := await self._converse(next(self._conversations), client, think_s, self._clock.now_s)) is not None:
            failures = 0 if good else failures + 1
            if failures:  # a server that refuses everything is not to be flooded
                await asyncio.sleep(_BACK_OFF_S[min(failures, len(_BACK_OFF_S)) - 1])

    async def _arrivals(self) -> None:
        """The open loop: a conversation whenever one is due."""
        limit = most_at_once(self._workload.arrival)
        free = asyncio.Semaphore(limit) if limit is not None else None
        duration = self._workload.duration_s
        for due in due_times(self._workload.arrival, self._workload.seed, self._source.recorded_times):
            if self._total == 0 or (duration is not None and due >= duration):
                return
            at = await self._clock.wait_until(due)
            if free is not None:
                await free.acquire()
            conversation = next(self._conversations)
            self._spawn(self._one_conversation(conversation, at, free))
            if self._total is not None:
                await asyncio.sleep(0)  # it takes its number now

    async def _one_conversation(self, conversation: int, due_s: float, free: asyncio.Semaphore | None) -> None:
        try:
            await self._converse(conversation, conversation, 0.0, due_s)
        finally:
            if free is not None:
                free.release()

    async def _converse(self, conversation: int, client: int, think_s: float, due_s: float) -> bool | None:
        """Every turn of one conversation: whether all succeeded, or None where nothing more may be sent."""
        past: Messages = ()
        for turn in range(self._source.turns(conversation)):
            number = await self._turn_to_send()
            if number is None:
                return None
            planned = await self._source.plan(conversation, turn, past)
            self._listener.began_request()
            sample, text = await self._sender.send(planned, f"{self._name}-{number}", number, due_s)
            self._listener.ended_request(msgspec.structs.replace(sample, client=client, turn=turn))
            if self._over:
                return None
            if sample.outcome is not Outcome.SUCCESSFUL:
                return False  # without this answer there is nothing to go on from
            past = (*past, *answered(planned, text))
            if think_s:
                await asyncio.sleep(think_s)
            due_s = self._clock.now_s
        return True

    async def _turn_to_send(self) -> int | None:
        """Wait for the pause's end and the rate limit; a number, or None when it is over."""
        await self._clock.opened()
        rate = self._workload.most_per_s
        if rate is not None:
            slot = max(self._next_slot_s, self._clock.active_s)
            self._next_slot_s = slot + 1.0 / rate
            await self._clock.wait_until(slot)
        if self._over or self._time_is_over() or self._total == 0:
            return None
        if self._total is not None:
            self._total -= 1
        return next(self._numbers)

    def _time_is_over(self) -> bool:
        duration = self._workload.duration_s
        return duration is not None and self._clock.active_s >= duration
