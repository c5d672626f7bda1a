"""The window's settings without the window waiting for the disk.

Qt writes a changed settings file on the window's thread and has the system bring it to the disk, which takes as long as
everything else that is being written there: seconds, while a model is being downloaded or built. And it waits for
another window that is at the same file, half a minute and longer where that one hangs.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from PySide6.QtCore import QLockFile, QSettings, QTimer

log = logging.getLogger(__name__)

_SOON_MS = 200
_PATIENCE_MS = 1000
_GONE = object()


class QuietSettings(QSettings):
    """Holds all values in memory from the start, and writes what changed beside the window a moment later.

    `sync` writes what has not been written yet before it returns, for what has to be on the disk, and at the end. Where
    another window holds the file it waits a second, and it is written once that one lets go.
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
            self._writing.join(_PATIENCE_MS / 1000)
            if self._writing.is_alive():
                self._later()
                return
            self._writing = None
        if self._waiting and not self._is_free(_PATIENCE_MS):
            self._later()
            return
        waiting, self._waiting = self._waiting, {}
        for key, value in waiting.items():
            if value is _GONE:
                super().remove(key)
            else:
                super().setValue(key, value)
        super().sync()

    def _write_beside(self) -> None:
        if (self._writing is not None and self._writing.is_alive()) or not self._is_free(0):
            self._timer.start()
            return
        waiting, self._waiting = self._waiting, {}
        self._writing = threading.Thread(target=_write, args=(self.fileName(), waiting), name="settings", daemon=True)
        self._writing.start()

    def _is_free(self, patience_ms: int) -> bool:
        """Whether nobody is at the file; Qt itself would wait for it without an end."""
        lock = QLockFile(f"{self.fileName()}.lock")  # the name that Qt's settings give it
        free = lock.tryLock(patience_ms) or lock.error() is not QLockFile.LockError.LockFailedError
        lock.unlock()
        return free

    def _later(self) -> None:
        log.warning("%s is held by another window: settings wait for it", self.fileName())
        self._timer.start()


def _write(file: str, values: dict[str, Any]) -> None:
    settings = QSettings(file, QSettings.Format.IniFormat)
    for key, value in values.items():
        if value is _GONE:
            settings.remove(key)
        else:
            settings.setValue(key, value)
    settings.sync()
