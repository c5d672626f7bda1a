"""Which of the host's descendants belong to which engine, where several are there at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.host.processes import engine_processes, is_alive

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.domain.lifecycle import EngineProcess


class Family:
    """Engines that wait stand apart, with their processes; all other descendants are the present engine's or load's.

    An owner is any object that lives as long as its engine.
    """

    def __init__(self) -> None:
        self._apart: dict[object, tuple[EngineProcess, ...]] = {}

    def present(self) -> tuple[EngineProcess, ...]:
        """The living processes of the engine that serves, loads or ends: all that stand not apart. From any thread; it
        takes milliseconds."""
        return engine_processes(without=self._everyone_apart())

    def of(self, owner: object) -> tuple[EngineProcess, ...]:
        """The living processes of one engine, whether it stands apart or not."""
        own = self._apart.get(owner)
        if own is None:
            return self.present()
        found = {process.pid: process for process in own if is_alive(process)}
        others = [process for each, them in self._apart.items() if each is not owner for process in them]
        for parent in tuple(found.values()):
            for child in engine_processes(parent.pid, without=others):
                found.setdefault(child.pid, child)
        return tuple(found.values())

    def set_apart(self, owner: object, processes: Iterable[EngineProcess]) -> None:
        """From now on these are `owner`'s, and not the present engine's."""
        self._apart[owner] = tuple(processes)

    def rejoin(self, owner: object) -> None:
        """`owner` is the present engine again, or gone."""
        self._apart.pop(owner, None)

    def _everyone_apart(self) -> list[EngineProcess]:
        return [process for them in tuple(self._apart.values()) for process in them]
