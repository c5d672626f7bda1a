"""Samples on their way to the disk, beside the measuring: a file that is held or full for a while costs no run."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from engine.bench.store import RunGone
from engine.domain.errors import KVDeckError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.bench.sample import Sample
    from engine.bench.store import RunStore

log = logging.getLogger(__name__)

_AGAIN_S = 2.0
_LAST_TIMES = 5  # after the end; each waits for whoever holds the file, too


class SampleKeeper:
    """Writes the samples of one run into an open store, in the order in which they come; keeps what it does not take.

    Without a store it does nothing.
    """

    def __init__(self, store: RunStore | None, run_id: str) -> None:
        self._store = store
        self._run_id = run_id
        self._waiting: list[Sample] = []
        self._work: asyncio.Task[KVDeckError | None] | None = None

    def add(self, samples: Iterable[Sample]) -> None:
        """Write these, and what waits. Raises RunGone where the run was deleted meanwhile."""
        self._waiting += samples
        if self._work is not None:
            if not self._work.done():
                return
            self._raise_if_gone(self._work.result())
        if self._store is not None and self._waiting:
            self._work = asyncio.create_task(self._write(self._store), name="keeping samples")

    async def finish(self) -> None:
        """Write all that waits; what the file does not take then is lost, which is logged. Raises RunGone."""
        for _ in range(_LAST_TIMES):
            if self._work is not None:
                failure = await self._work
                self._raise_if_gone(failure)
                if failure is not None:
                    await asyncio.sleep(_AGAIN_S)
            if not self._waiting or self._store is None:
                return
            self.add(())
        await self.end()
        if self._waiting:
            log.error("%d samples of the run were not kept", len(self._waiting))

    async def end(self) -> None:
        """Wait for what is being written."""
        if self._work is not None:
            await asyncio.wait({self._work})

    async def _write(self, store: RunStore) -> KVDeckError | None:
        batch = tuple(self._waiting)
        try:
            await asyncio.to_thread(store.add_samples, self._run_id, batch)
        except KVDeckError as error:
            log.warning("Samples wait for the file of runs: %s", error)
            return error
        del self._waiting[: len(batch)]
        return None

    @staticmethod
    def _raise_if_gone(failure: KVDeckError | None) -> None:
        if isinstance(failure, RunGone):
            raise failure
