"""What the window remembers beside the settings that are chosen: how it was left, what was open last."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtCore import QSettings

# What belongs together, by the first part of its keys (see the modules that keep them).
_GROUPS = {
    "model": ("session/checkpoint",),
    "chat": ("chat/",),
    "panels": ("cache/", "explain/", "timeline/", "lab/"),
    "layout": ("window/", "docks/", "replay_", "second_replay_"),
}


@dataclass(frozen=True, slots=True)
class Memory:
    """One thing remembered: `what` is a key of the groups, `value` a name where it has one, `count` its entries."""

    what: str
    value: str
    count: int


class Remembered:
    """Lists and forgets. What is forgotten is as at the first start; what is open now stays as it is."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    def found(self) -> tuple[Memory, ...]:
        """All that is there."""
        return tuple(Memory(what, self._name(what), len(keys)) for what in _GROUPS if (keys := self._keys(what)))

    def forget(self, what: str) -> None:
        """Forget one of them."""
        for key in self._keys(what):
            self._settings.remove(key)
        self._settings.sync()

    def _keys(self, what: str) -> list[str]:
        return [key for key in self._settings.allKeys() if key.startswith(_GROUPS[what])]

    def _name(self, what: str) -> str:
        return PurePath(str(self._settings.value("session/checkpoint") or "")).name if what == "model" else ""
