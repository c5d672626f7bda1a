"""The window's own log: into a file, and into the store beside the engine's."""

from __future__ import annotations

import contextlib
import logging
import sys
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from engine.domain.lifecycle import LogRecord

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.bridge.store import Store

_BYTES = 2_000_000
_FILES = 3


class WindowLog(QObject):
    """Takes this process's log records from any thread. `close` gives the root logger back as it was."""

    _recorded = Signal(object)

    def __init__(self, store: Store, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._recorded.connect(store.publish)
        self._handlers: list[logging.Handler] = [
            _SignalHandler(self._recorded.emit),
            _LogFile(folder / "window.log", self._recorded.emit),
        ]
        self._handlers[1].setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        root = logging.getLogger()
        self._level = root.level
        root.setLevel(logging.INFO)
        for handler in self._handlers:
            root.addHandler(handler)

    def close(self) -> None:
        """Stop taking records and close the file."""
        root = logging.getLogger()
        root.setLevel(self._level)
        for handler in self._handlers:
            root.removeHandler(handler)
            handler.close()


class _LogFile(RotatingFileHandler):
    """A file that cannot be written (a full disk, say) is told once; the window has every record all the same."""

    def __init__(self, path: Path, emit_record: Callable[[LogRecord], object]) -> None:
        super().__init__(path, maxBytes=_BYTES, backupCount=_FILES, encoding="utf-8", delay=True)
        self._emit_record = emit_record
        self._told = False

    def handleError(self, record: logging.LogRecord) -> None:
        """Where the usual one writes a traceback for each record."""
        if not self._told:
            self._told = True
            text = f"{__name__}: The log {self.baseFilename} cannot be written: {sys.exc_info()[1]}"
            self._emit_record(LogRecord(0, record.created, "WARNING", "window", text))

    def close(self) -> None:
        """What is still in the buffer cannot be written either."""
        with contextlib.suppress(OSError):
            super().close()


class _SignalHandler(logging.Handler):
    """Makes a LogRecord of each record and emits it; the connection brings it to the window's thread."""

    def __init__(self, emit_record: object) -> None:
        super().__init__()
        self._emit_record = emit_record
        self._sequence = 0

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = f"{record.name}: {record.getMessage()}"
            if record.exc_info:
                text += "\n" + logging.Formatter().formatException(record.exc_info)
            self._sequence += 1
            self._emit_record(LogRecord(self._sequence, record.created, record.levelname, "window", text))  # type: ignore[operator]
        except RuntimeError:  # the window is gone while a thread still logs
            self.handleError(record)
