"""Hundreds of requests at once, from the load generator's own process: in the window's loop they would be its work."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from app.tour.burst import SYSTEM_PROMPT, BurstResult
from app.tour.robot import StepFailed
from engine.bench.messages import Done, Failed, Finished, Target
from engine.bench.process import LoadProcess
from engine.bench.sample import Outcome
from engine.bench.workload import ClosedLoop, Fixed, Uniform, Workload

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.bridge.store import Store
    from engine.bench.sample import Sample

_QUESTION_TOKENS = 24


class Crowd:
    """As `Burst`, for any number of streams at once.

    A server takes its time to accept hundreds of requests, and is the quicker with the first ones' answers: on an H200
    512 clients' first answers, of a thousand tokens and more, were done before the last ones had begun. So each client
    sends another request when it has its answer, and there are a few more clients than streams.
    """

    def __init__(self, store: Store, streams: int) -> None:
        address = store.address
        if address is None:
            raise StepFailed("The window shows no address of a server.")
        self._requests = requests = 3 * streams
        self._process = LoadProcess(Target(address.url, address.token))
        self._workload = Workload(
            arrival=ClosedLoop(clients=streams + max(4, streams // 8)),
            requests=requests,
            system_prompt=SYSTEM_PROMPT,
            prompt=Fixed(_QUESTION_TOKENS),
            output=Uniform(streams, streams + streams // 2),
        )
        self._samples: list[Sample] = []
        self._failed: Failed | None = None
        self._reader: asyncio.Task[None] | None = None

    async def send(self) -> None:
        """Start the process; the requests follow as soon as it has made them."""
        await self._process.start(self._workload)
        self._reader = asyncio.create_task(self._read(), name="tour crowd")

    async def _read(self) -> None:
        async for message in self._process.messages():
            if isinstance(message, Finished):
                self._samples += message.samples
            elif isinstance(message, Failed):
                self._failed = message
            elif isinstance(message, Done):
                return

    @property
    def unfinished(self) -> int:
        """How many have not ended, one way or the other."""
        return self._requests - len(self._samples)

    async def result(self, newest_step: Callable[[], int], patience_s: float) -> BurstResult:
        """Wait for all of them; what is not done when no step was made for `patience_s` counts as lost."""
        assert self._reader is not None
        step, moved = newest_step(), time.monotonic()
        while not self._reader.done() and time.monotonic() - moved < patience_s:
            await asyncio.wait((self._reader,), timeout=0.5)
            if newest_step() != step:
                step, moved = newest_step(), time.monotonic()
        good = [sample for sample in self._samples if sample.outcome is Outcome.SUCCESSFUL]
        errors = [sample.reason for sample in self._samples if sample.outcome is not Outcome.SUCCESSFUL]
        if self._failed is not None:
            errors.append(self._failed.message)
        if self.unfinished:
            errors.append(f"{self.unfinished} did not end")
        return BurstResult(self._requests, len(good), sum(sample.output_tokens or 0 for sample in good), tuple(errors))

    async def cancel(self) -> None:
        """Abort what still runs, and end the process."""
        if self._reader is not None:  # first: two cannot read what the process says
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)
        await self._process.close()
