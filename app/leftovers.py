"""Whether every process that this window's engines had is gone: counted at the end, by pid and start time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from app.bridge.store import Store
    from engine.domain.lifecycle import Lifecycle


class Leftovers(QObject):
    """Notes the processes of each engine that becomes ready."""

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._seen: set[tuple[int, int]] = set()
        store.lifecycle_changed.connect(self._note)

    def count(self, host_pid: int | None) -> int:
        """How many of them are alive, and the host if it is."""
        from engine.page.liveness import is_alive, start_ticks  # late: numpy comes with the package

        engines = sum(1 for pid, ticks in self._seen if is_alive(pid, ticks))
        return engines + (host_pid is not None and start_ticks(host_pid) is not None)

    def _note(self, lifecycle: Lifecycle) -> None:
        if lifecycle.facts is not None:
            self._seen |= {(process.pid, process.start_ticks) for process in lifecycle.facts.processes}
