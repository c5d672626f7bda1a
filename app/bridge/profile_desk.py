"""Named sets of parameters of a checkpoint, for the window: read, kept, taken over, forgotten."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.bridge.store import Notice
from engine.domain.errors import ParameterInvalid
from engine.parameters.catalog import CATALOG
from engine.parameters.profile_store import ProfileStore

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from app.bridge.commands import Commands
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.domain.lifecycle import ParameterValue


class ProfileDesk(QObject):
    """`names` are the named profiles of the checkpoint last asked for; `changed` follows every act."""

    changed = Signal()

    def __init__(
        self, store: Store, commands: Commands, tasks: Tasks, folder: Path, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._store = store
        self._commands = commands
        self._tasks = tasks
        self._profiles = ProfileStore(folder)
        self.names: tuple[str, ...] = ()

    @property
    def checkpoint(self) -> str | None:
        """Whose profiles these are: what runs or ran last."""
        lifecycle = self._store.lifecycle
        return lifecycle.checkpoint or lifecycle.previous_checkpoint

    def values(self) -> dict[str, ParameterValue]:
        """What would be kept now: what the load asked for, with the edits on top."""
        facts = self._store.lifecycle.facts
        asked = facts.request.parameters if facts is not None and facts.request is not None else {}
        return {**asked, **self._store.edits.values}

    def refresh(self) -> None:
        """Read the names again."""
        self._tasks.start(self._refresh(), self.tr("Profiles"))

    def keep(self, name: str) -> None:
        """Keep the present parameters under this name, replacing one of the same name."""
        self._tasks.start(self._keep(name.strip()), self.tr("Profiles"))

    def take_over(self, name: str) -> None:
        """Put a profile's values into the edits: nothing is in force before they are applied."""
        self._tasks.start(self._take_over(name), self.tr("Profiles"))

    def forget(self, name: str) -> None:
        """Remove a profile."""
        self._tasks.start(self._forget(name), self.tr("Profiles"))

    def edit_all(self, values: Mapping[str, ParameterValue]) -> tuple[str, ...]:
        """Make these the edits, in place of those that are there; returns what could not be taken over, and why."""
        self._commands.revert_edits()
        refused: list[str] = []
        facts = self._store.lifecycle.facts
        request = facts.request if facts is not None else None
        # What the load asked for and these do not: back to the default.
        wanted = {name: CATALOG[name].default for name in (request.parameters if request else ()) if name in CATALOG}
        for name, value in (wanted | dict(values)).items():
            try:
                self._commands.edit(name, value)
            except ParameterInvalid as error:
                refused.append(error.message)
        return tuple(refused)

    async def _refresh(self) -> None:
        checkpoint = self.checkpoint
        self.names = await asyncio.to_thread(self._profiles.names, checkpoint) if checkpoint else ()
        self.changed.emit()

    async def _keep(self, name: str) -> None:
        checkpoint = self.checkpoint
        if checkpoint and name:
            await asyncio.to_thread(self._profiles.save, checkpoint, self.values(), name)
            await self._refresh()

    async def _take_over(self, name: str) -> None:
        checkpoint = self.checkpoint
        if not checkpoint:
            return
        saved = await asyncio.to_thread(self._profiles.load, checkpoint, name)
        for note in (*saved.notes, *self.edit_all(saved.values)):
            self._store.publish(Notice("warning", note))
        self.changed.emit()

    async def _forget(self, name: str) -> None:
        checkpoint = self.checkpoint
        if checkpoint:
            await asyncio.to_thread(self._profiles.forget, checkpoint, name)
            await self._refresh()
