"""What to offer where a thing needs an engine and none is ready: the last model, one that runs, the starter's build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from engine.domain.checkpoint import VerdictKind
from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from app.bridge.commands import Commands
    from app.bridge.store import Store
    from engine.domain.checkpoint import Checkpoint

_BUSY = (Phase.LOADING, Phase.UNLOADING, Phase.CONNECTING)


class OfferedModel(QObject):
    """`text` names the offer, for a button; empty while something is under way. `changed` when it may have changed."""

    changed = Signal()

    def __init__(self, store: Store, commands: Commands, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._commands = commands
        for signal in (store.lifecycle_changed, store.library_changed, store.starter_changed):
            signal.connect(lambda _topic: self.changed.emit())

    @property
    def text(self) -> str:
        """What `act` would do, in words."""
        starter = self._store.starter
        if self._store.lifecycle.phase in _BUSY:
            return self.tr("Waiting for the model")
        checkpoint = self._candidate()
        if checkpoint is not None:
            return self.tr("Load {0}").format(checkpoint.name)
        if starter is not None and starter.running:
            return self.tr("The starter model is being built")
        return self.tr("Build the starter model")

    def act(self) -> None:
        """Load it, or build the starter; nothing while something is under way."""
        if self._store.lifecycle.phase in _BUSY:
            return
        checkpoint, starter = self._candidate(), self._store.starter
        if checkpoint is not None:
            self._commands.load(checkpoint.path)
        elif starter is None or not starter.running:
            self._commands.build_starter()

    def _candidate(self) -> Checkpoint | None:
        library = self._store.library
        if library is None:
            return None
        able = [
            one
            for one in library.checkpoints
            if one.problem is None and one.verdict.kind is not VerdictKind.REFUSED
        ]
        last = self._store.lifecycle.previous_checkpoint or self._store.lifecycle.checkpoint
        starters = [one for one in able if one.source == "starter"]
        return next((one for one in able if one.path == last), next(iter(starters or able), None))
