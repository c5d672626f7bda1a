"""One measurement: a fresh prefix cache, one load from beginning to end or to where it cannot win, its figures."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from engine.bench.definitions import value_of
from engine.bench.messages import Target
from engine.bench.runner import Runner
from engine.bench.setup import setup_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.bench.messages import Message
    from engine.bench.result import Figures
    from engine.bench.store import RunStore
    from engine.bench.workload import Workload
    from engine.client.engine import EngineClient
    from engine.domain.lifecycle import HostStatus
    from engine.tuner.ceiling import Ceiling

_RESET_TRIES, _RESET_S = 20, 0.1
_WARM_UP = 2  # requests: an engine's first ones are slow, and the first trial is what all others are compared with


@dataclass(frozen=True, slots=True)
class Measurement:
    """What one run came to. `score` is the objective's figure, None where the run has none; `seconds` is wall time."""

    run_id: str
    figures: Figures | None
    score: float | None
    seconds: float
    pruned: bool


class Measurer:
    """Measures the engine as it is now. `on_message` hears each run's id and messages."""

    def __init__(
        self, engine: EngineClient, store: RunStore | None, on_message: Callable[[str, Message], None]
    ) -> None:
        self._engine = engine
        self._runner = Runner(store)
        self._on_message = on_message
        self._warm: int | None = None

    async def measure(
        self,
        workload: Workload,
        objective: str,
        *,
        title: str,
        origin: str,
        group: str,
        ceiling: Ceiling | None = None,
        target: Target | None = None,
    ) -> Measurement:
        """Send the load once, to the engine or to another `target`.

        Raises RunFailed where it could not be sent, and what the engine client raises.

        Cancelling this task stops the load.
        """
        began = time.monotonic()
        ours = Target(self._engine.address, self._engine.token)
        to_engine = target is None or target == ours
        if to_engine:
            await self._forget_prefixes()
        status = await self._engine.status() if to_engine else None
        setup = await asyncio.to_thread(setup_of, status, (target or ours).url)
        warm_up = max(self._cold_requests(status), workload.warm_up_requests)
        lost = asyncio.Event()

        def hear(message: Message) -> None:
            self._on_message(self._runner.run_id or "", message)
            if ceiling is not None and not lost.is_set() and ceiling.take(message):
                lost.set()

        stopper = asyncio.ensure_future(self._stop_when(lost))
        try:
            record = await self._runner.run(
                target or ours,
                msgspec.structs.replace(workload, warm_up_requests=warm_up),
                setup=setup,
                title=title,
                origin=origin,
                group=group,
                on_message=hear,
            )
        finally:
            stopper.cancel()
        figures = None if record.result is None else record.result.figures
        pruned = lost.is_set() and record.result is not None and record.result.stopped
        score = None if figures is None else value_of(figures, objective)
        return Measurement(record.id, figures, score, time.monotonic() - began, pruned)

    def _cold_requests(self, status: HostStatus | None) -> int:
        """Requests to send first: some to an engine that was loaded since the last run, or to another server."""
        load = None if status is None else status.lifecycle.load_id
        warm, self._warm = load is not None and load == self._warm, load
        return 0 if warm else _WARM_UP

    async def _stop_when(self, lost: asyncio.Event) -> None:
        await lost.wait()
        await self._runner.stop()

    async def _forget_prefixes(self) -> None:
        """Every run begins with an empty prefix cache, or the second of two equal ones would win by it."""
        for _ in range(_RESET_TRIES):
            if await self._engine.reset_prefix_cache():
                return
            await asyncio.sleep(_RESET_S)  # the last run's aborted requests leave within some steps
