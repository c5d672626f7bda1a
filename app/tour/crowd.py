"""Hundreds of requests at once, from the load generator's own process: in the window's loop they would be its work."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
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
_SHORTEST_TOKENS = 192  # of an answer: the limit has to be typed and applied while they come
_OF_ONE_PROCESS = 128  # streams; of more, one process reads slower than a GPU answers, and is late with its requests


class Crowd:
    """As `Burst`, for any number of streams at once.

    A server takes its time to accept hundreds of requests, and is the quicker with the first ones' answers: on an H200
    512 clients' first answers, of a thousand tokens and more, were done before the last ones had begun. So several
    processes share the sending, answers are long, each client sends another request when it has its answer, and there
    are a few more clients than streams. `most_tokens` is what there is room for in an answer.
    """

    def __init__(self, store: Store, streams: int, most_tokens: int) -> None:
        address = store.address
        if address is None:
            raise StepFailed("The window shows no address of a server.")
        shares = -(-streams // _OF_ONE_PROCESS)
        clients, self._requests = streams + max(4, streams // 8), streams + max(streams // 2, 8)
        least = min(max(2 * streams, _SHORTEST_TOKENS), most_tokens)
        output = Uniform(least, min(least + streams, most_tokens))
        self._parts = [
            _Part(
                LoadProcess(Target(address.url, address.token)),
                Workload(
                    arrival=ClosedLoop(clients=_share(clients, shares, number)),
                    requests=_share(self._requests, shares, number),
                    system_prompt=SYSTEM_PROMPT,
                    prompt=Fixed(_QUESTION_TOKENS),
                    output=output,
                    seed=number,
                ),
            )
            for number in range(shares)
        ]

    async def send(self) -> None:
        """Start the processes; the requests follow as soon as each has made them."""
        await asyncio.gather(*(part.start() for part in self._parts))

    @property
    def unfinished(self) -> int:
        """How many have not ended, one way or the other."""
        return self._requests - sum(len(part.samples) for part in self._parts)

    async def result(self, newest_step: Callable[[], int], patience_s: float) -> BurstResult:
        """Wait for all of them; what is not done when no step was made for `patience_s` counts as lost."""
        step, moved = newest_step(), time.monotonic()
        reading = {part.reader for part in self._parts if part.reader is not None}
        while reading and time.monotonic() - moved < patience_s:
            _, reading = await asyncio.wait(reading, timeout=0.5)
            if newest_step() != step:
                step, moved = newest_step(), time.monotonic()
        samples = [sample for part in self._parts for sample in part.samples]
        good = [sample for sample in samples if sample.outcome is Outcome.SUCCESSFUL]
        errors = [sample.reason for sample in samples if sample.outcome is not Outcome.SUCCESSFUL]
        errors += [part.failed.message for part in self._parts if part.failed is not None]
        if self.unfinished:
            errors.append(f"{self.unfinished} did not end")
        return BurstResult(self._requests, len(good), sum(sample.output_tokens or 0 for sample in good), tuple(errors))

    async def cancel(self) -> None:
        """Abort what still runs, and end the processes."""
        await asyncio.gather(*(part.close() for part in self._parts))


@dataclass(slots=True, eq=False)
class _Part:
    """One of the processes, and what it has said."""

    process: LoadProcess
    workload: Workload
    samples: list[Sample] = field(default_factory=list)
    failed: Failed | None = None
    reader: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await self.process.start(self.workload)
        self.reader = asyncio.create_task(self._read(), name="tour crowd")

    async def _read(self) -> None:
        async for message in self.process.messages():
            if isinstance(message, Finished):
                self.samples += message.samples
            elif isinstance(message, Failed):
                self.failed = message
            elif isinstance(message, Done):
                return

    async def close(self) -> None:
        if self.reader is not None:  # first: two cannot read what the process says
            self.reader.cancel()
            await asyncio.gather(self.reader, return_exceptions=True)
        await self.process.close()


def _share(whole: int, shares: int, number: int) -> int:
    return whole // shares + (number < whole % shares)
