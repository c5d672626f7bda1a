"""vLLM, imported in the background: seconds of work that nobody should wait for before it is needed."""

from __future__ import annotations

import asyncio
import gc
import logging
from typing import TYPE_CHECKING

from engine.domain.errors import KVDeckError

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.host.launch import Launcher
    from engine.host.vllm_names import VllmNames

log = logging.getLogger(__name__)

# The import makes a million objects that all stay; looking through them again and again is a sixth of its time.
_SELDOM = (200_000, 50, 1_000)


class VllmImport:
    """Imports once, in a thread. `import_engine` blocks and raises EngineMissing."""

    def __init__(self, import_engine: Callable[[], tuple[VllmNames, Launcher]]) -> None:
        self._import_engine = import_engine
        self._task: asyncio.Future[tuple[VllmNames, Launcher]] | None = None

    def start(self) -> None:
        """Begin; harmless when begun."""
        if self._task is None:
            self._task = asyncio.ensure_future(asyncio.to_thread(self._import_quickly))
            self._task.add_done_callback(self._log_outcome)

    async def wait(self) -> tuple[VllmNames, Launcher]:
        """vLLM's names and the launcher. Raises EngineMissing; a cancelled wait cancels nothing else."""
        self.start()
        if self._task is None:  # for the type checker: `start` has set it
            raise AssertionError
        return await asyncio.shield(self._task)

    @property
    def device(self) -> str:
        """ "cuda" or "cpu"; "" as long as it is not known."""
        task = self._task
        if task is None or not task.done() or task.cancelled() or task.exception() is not None:
            return ""
        return task.result()[1].device

    def _import_quickly(self) -> tuple[VllmNames, Launcher]:
        """Import with Python's collector held back."""
        usual = gc.get_threshold()
        gc.set_threshold(*_SELDOM)
        try:
            return self._import_engine()
        finally:
            gc.set_threshold(*usual)

    @staticmethod
    def _log_outcome(task: asyncio.Future[tuple[VllmNames, Launcher]]) -> None:
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, KVDeckError):
            log.error("%s", error)
        elif error is not None:
            log.error("vLLM cannot be imported", exc_info=error)
        else:
            log.info("vLLM %s is imported", task.result()[0].version)
