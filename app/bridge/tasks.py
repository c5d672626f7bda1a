"""The one runner of background work: every coroutine has an owner, every failure is logged and shown."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.bridge.store import Notice, Store
from engine.domain.errors import Cancelled, KVDeckError

if TYPE_CHECKING:
    from collections.abc import Coroutine

log = logging.getLogger(__name__)


class Tasks(QObject):
    """Starts coroutines on the window's loop and keeps them until they end."""

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._running: set[asyncio.Task[Any]] = set()

    @property
    def possible(self) -> bool:
        """Whether the window's loop runs; a window that is only drawn for a picture has none."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return False
        return True

    def start(
        self, work: Coroutine[Any, Any, Any], name: str, *, inner: Coroutine[Any, Any, Any] | None = None
    ) -> asyncio.Task[Any]:
        """Run `work`; what it raises becomes a log entry and a notice, never a lost exception.

        `inner` is a coroutine that `work` is to await: it is closed where it never comes to that.
        """
        task = asyncio.get_running_loop().create_task(self._guard(work, name), name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        for each in (work, inner):
            if each is not None:
                task.add_done_callback(partial(_close, each))  # one cancelled before its first step was never awaited
        return task

    async def _guard(self, work: Coroutine[Any, Any, Any], name: str) -> Any:
        try:
            return await work
        except (asyncio.CancelledError, Cancelled):
            return None
        except KVDeckError as error:
            log.warning("%s: %s", name, error)
            self._store.publish(Notice("error", error.message, error.remedy))
        except Exception as error:
            log.exception("%s failed", name)
            self._store.publish(Notice("error", f"{name}: {error}", self.tr("The log has the details.")))
        return None

    async def stop(self) -> None:
        """Cancel everything and wait until it has ended."""
        tasks = list(self._running)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _close(work: Coroutine[Any, Any, Any], _task: object) -> None:
    work.close()
