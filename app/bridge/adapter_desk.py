"""LoRA adapters: those on disk, those in the running engine, and the way from one to the other."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.bridge.adapter_state import AdaptersState, FoundAdapter
from app.bridge.store import Notice
from engine.domain.errors import KVDeckError
from engine.domain.lifecycle import Phase
from engine.parameters.values import deviations

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any

    from app.bridge.store import Selection, Store
    from app.bridge.tasks import Tasks
    from engine.client.engine import EngineClient
    from engine.domain.adapter import EngineAdapters
    from engine.domain.lifecycle import Lifecycle, LoadRequest


class AdapterDesk(QObject):
    """Keeps the Store's AdaptersState: read when an engine gets ready, and after everything that is done here."""

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        engine: EngineClient,
        folders: Callable[[], Sequence[str]],
        parent: QObject | None = None,
    ) -> None:
        """`folders` are the user's own; where else to look is `engine.checkpoints.places`' knowledge."""
        super().__init__(parent)
        self._store, self._tasks, self._engine, self._folders = store, tasks, engine, folders
        self._last = (Phase.OFFLINE, 0)
        self._waiting: tuple[str, LoadRequest] | None = None  # a folder, and the load that would have room for it
        store.lifecycle_changed.connect(self._follow)
        store.selection_changed.connect(self._follow_selection)

    def find(self) -> None:
        """Look at all folders, and hold what is there against the engine that runs."""
        self._tasks.start(self._find(), self.tr("Look for adapters"))

    def load(self, path: str) -> None:
        """Load the adapter in this folder into the running engine."""
        self._start(Path(path).name, self._load(path), self.tr("Load adapter"))

    def unload(self, name: str) -> None:
        """Take an adapter out of the running engine."""
        self._start(name, self._engine.unload_adapter(name), self.tr("Unload adapter"))

    def _follow(self, lifecycle: Lifecycle) -> None:
        now = (lifecycle.phase, lifecycle.load_id)
        if now == self._last:
            return
        self._last = now
        facts = lifecycle.facts
        if lifecycle.phase is Phase.READY and facts is not None:
            wanted, self._waiting = self._waiting, None
            if wanted is not None and wanted[1] == facts.request:
                self.load(wanted[0])
        if lifecycle.phase is Phase.READY and facts is not None and facts.parameters.get("enable_lora") is True:
            self._tasks.start(self._read(), self.tr("Adapters"))
        elif self._store.adapters.engine.enabled:
            self._store.publish(AdaptersState())

    def _follow_selection(self, selection: Selection) -> None:
        """Which adapter a request uses is asked when it is looked at."""
        if selection.request_id is not None and self._store.adapters.engine.loaded:
            self._tasks.start(self._read_engine(), self.tr("Adapters"))

    def _start(self, name: str, work: Coroutine[Any, Any, EngineAdapters], title: str) -> None:
        self._store.publish(replace(self._store.adapters, busy=name))
        self._tasks.start(self._carry_out(work), title, inner=work)

    async def _carry_out(self, work: Coroutine[Any, Any, EngineAdapters]) -> None:
        try:
            engine = await work
        except BaseException:
            self._store.publish(replace(self._store.adapters, busy=None))
            raise
        self._store.publish(replace(self._store.adapters, engine=engine, busy=None))

    async def _load(self, path: str) -> EngineAdapters:
        """Where the engine has no room for it, the load that makes some is offered, and then it is loaded."""
        facts = self._store.lifecycle.facts
        try:
            return await self._engine.load_adapter(path)
        except KVDeckError as error:
            if not error.offers or facts is None or facts.request is None:
                raise
            label, changes = error.offers[0]
            request = replace(facts.request, parameters=deviations({**facts.request.parameters, **changes}))
            self._waiting = path, request
            self._store.publish(Notice("error", error.message, error.remedy, ((label, request),), until_load=True))
            return self._store.adapters.engine

    async def _read(self) -> None:
        await self._read_engine()
        for said in self._store.adapters.engine.left_out:
            self._store.publish(Notice("warning", said))
        await self._find()

    async def _read_engine(self) -> None:
        engine = await self._engine.adapters()
        self._store.publish(replace(self._store.adapters, engine=engine))

    async def _find(self) -> None:
        facts = self._store.lifecycle.facts
        checkpoint = None if facts is None else facts.checkpoint
        most = self._store.adapters.engine.max_rank
        found = await asyncio.to_thread(_look, tuple(self._folders()), checkpoint, most)
        self._store.publish(replace(self._store.adapters, found=found))


def _look(folders: Sequence[str], checkpoint: str | None, max_rank: int | None) -> tuple[FoundAdapter, ...]:
    from engine.checkpoints.adapters import adapter_problem, find_adapters  # late: after the window is on screen
    from engine.checkpoints.places import all_places

    adapters = find_adapters(all_places([Path(folder) for folder in folders]))
    return tuple(
        FoundAdapter(each, each.problem if checkpoint is None else adapter_problem(each, checkpoint, max_rank))
        for each in adapters
    )
