"""A module that takes long to import, imported beside the window's thread once the window is there."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

from app.bridge.qt_types import make_types

if TYPE_CHECKING:
    from types import ModuleType


class LateImport:
    """One module. Whoever needs it asks `ready`, and awaits `done` where it is not yet.

    The interpreter's lock changes hands every few milliseconds meanwhile, so the window goes on drawing: pyqtgraph
    takes 0.25 to 0.8 s, in which the longest frame gap is about 25 ms; imported in a slot it is all of it. The types of
    Qt that it asks for are made on the window's thread before.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._work: asyncio.Future[ModuleType] | None = None

    @property
    def ready(self) -> bool:
        """Whether importing it takes no time any more."""
        work = self._work
        return work is not None and work.done() and not work.cancelled() and work.exception() is None

    async def done(self) -> None:
        """Import it, once, however many wait. Raises what the import raises; a cancelled wait cancels nothing else."""
        if self._work is None:
            self._work = asyncio.ensure_future(self._import())
        await asyncio.shield(self._work)

    async def _import(self) -> ModuleType:
        await make_types()
        return await asyncio.to_thread(import_module, self._module)
