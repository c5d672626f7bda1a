"""The last log records of window, host and engine, kept for whoever wants to look."""

from __future__ import annotations

from collections import deque
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.bridge.store import Store
    from engine.domain.lifecycle import LogRecord

KEPT = 10_000
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


class LogBook(QObject):
    """Keeps the newest records that the store passes on; `added` carries each."""

    added = Signal(object)

    def __init__(self, store: Store, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._records: deque[LogRecord] = deque(maxlen=KEPT)
        store.logged.connect(self.add)

    def add(self, record: LogRecord) -> None:
        """Keep one record."""
        self._records.append(record)
        self.added.emit(record)

    def clear(self) -> None:
        """Forget all records."""
        self._records.clear()

    def matching(self, level: str, text: str) -> Iterable[LogRecord]:
        """The records of at least this level with this text in them, oldest first."""
        return (record for record in self._records if matches(record, level, text))


def matches(record: LogRecord, level: str, text: str) -> bool:
    """Whether a record is of at least this level and has this text in its line (in any case)."""
    if LEVELS.index(level) > _rank(record.level):
        return False
    return not text or text.lower() in f"{record.source} {record.text}".lower()


def line(record: LogRecord) -> str:
    """A record as one line of text, in local time."""
    moment = datetime.fromtimestamp(record.unix_s).astimezone()
    return f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d} {record.level:<7} {record.source:<7} {record.text}"


def _rank(level: str) -> int:
    known = {"WARN": "WARNING", "CRITICAL": "ERROR", "FATAL": "ERROR"}
    name = known.get(level.upper(), level.upper())
    return LEVELS.index(name) if name in LEVELS else 1
