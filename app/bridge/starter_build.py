"""The starter model in the Store: what is there of it, and its build as it goes."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from engine.checkpoints.places import starter_folder
from engine.checkpoints.starter import StarterBuild as StarterProgram

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.bridge.library_watch import LibraryWatch
    from app.bridge.store import Store
    from engine.domain.checkpoint import StarterProgress


class StarterBuild(QObject):
    """Publishes StarterProgress: at every scan of the library, and step by step while a build runs."""

    def __init__(self, store: Store, library: LibraryWatch, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._library = library
        self._program = StarterProgram(starter_folder())
        store.library_changed.connect(self._look)

    async def build(self, variants: Sequence[str] = ()) -> None:
        """Build these variants (all when empty) to the end; each can be loaded as soon as it is whole.

        Raises EngineBusy when a build is running. Cancelling the task cancels the build.
        """
        whole = _whole(self._program.status())
        async with contextlib.aclosing(self._program.run(variants)) as states:  # type: ignore[type-var]
            async for state in states:
                self._store.publish(state)
                if _whole(state) != whole:
                    whole = _whole(state)
                    self._library.rescan()

    def cancel(self) -> None:
        """Stop the build; what is done stays."""
        self._program.cancel()

    def _look(self, _library: object) -> None:
        if not self._program.running:
            self._store.publish(self._program.status())


def _whole(state: StarterProgress) -> set[str]:
    return {variant.key for variant in state.variants if variant.state == "ready"}
