"""The window's settings without the window waiting for the disk.

Qt writes a changed settings file on the window's thread and has the system bring it to the disk, which takes as long as
everything else that is being written there: seconds, while a model is being downloaded or built.
"""

from __future__ import annotations

import threading
from typing import Any

from PySide6.QtCore import QSettings, QTimer

_SOON_MS = 200
_GONE = object()


class QuietSettings(QSettings):
    """Holds all values in memory from the start, and writes what changed beside the window a moment later.

    `sync` writes what has not been written yet before it returns, for what has to be on the disk, and at the end.
    """

    def __init__(self, file: str) -> None:
        super().__init__(file, QSettings.Format.IniFormat)
        self._values: dict[str, Any] = {key: super(QuietSettings, self).value(key) for key in super().allKeys()}
        self._waiting: dict[str, Any] = {}
        self._writing: threading.Thread | None = None
        self._timer = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._timer.timeout.connect(self._write_beside)

    def value(self, key: str, default: Any = None, /) -> Any:  # type: ignore[override]
        """What is kept under this key."""
        return self._values.get(key, default)

    def contains(self, key: str, /) -> bool:
        """Whether anything is."""
        return key in self._values

    def allKeys(self) -> list[str]:
        """Every key, in order."""
        return sorted(self._values)

    def setValue(self, key: str, value: Any, /) -> None:
        """Keep it; the same value again costs nothing."""
        if key not in self._values or self._values[key] != value:
            self._values[key] = self._waiting[key] = value
            self._timer.start()

    def remove(self, key: str, /) -> None:
        """Forget a key and those below it."""
        for each in [each for each in self._values if each == key or each.startswith(f"{key}/")]:
            del self._values[each]
            self._waiting[each] = _GONE
            self._timer.start()

    def sync(self) -> None:
        """Write now, and wait for it."""
        self._timer.stop()
        if self._writing is not None:
            self._writing.join()
            self._writing = None
        waiting, self._waiting = self._waiting, {}
        for key, value in waiting.items():
            if value is _GONE:
                super().remove(key)
            else:
                super().setValue(key, value)
        super().sync()

    def _write_beside(self) -> None:
        if self._writing is not None and self._writing.is_alive():
            self._timer.start()
            return
        waiting, self._waiting = self._waiting, {}
        self._writing = threading.Thread(target=_write, args=(self.fileName(), waiting), name="settings", daemon=True)
        self._writing.start()


def _write(file: str, values: dict[str, Any]) -> None:
    settings = QSettings(file, QSettings.Format.IniFormat)
    for key, value in values.items():
        if value is _GONE:
            settings.remove(key)
        else:
            settings.setValue(key, value)
    settings.sync()
