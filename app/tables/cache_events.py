"""Events of the KV cache and stalls as a list model, newest first."""

from __future__ import annotations

from collections import deque
from itertools import groupby
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QLocale, QModelIndex, QPersistentModelIndex, Qt

from app.tables.requests import short_id
from app.tables.stall_words import stall_words
from engine.domain.cache_events import Admitted, AllocationFailed, CacheEvent, Evicted, NeverFits, Preempted
from engine.metrics.stalls import Stall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject
Index = QModelIndex | QPersistentModelIndex
Line = tuple[CacheEvent | Stall, ...]  # one of them, or evictions of one prefix in one step
MOST_LINES = 2000
_LOOK_BACK = 500  # lines in which a stall that went on is looked for


class CacheEventsModel(QAbstractListModel):
    """The newest 2,000 lines. Evictions of one prefix in one step are one line."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lines: deque[Line] = deque(maxlen=MOST_LINES)
        self._seen = 0
        self.missed = 0

    def add(self, events: Sequence[CacheEvent]) -> None:
        """Take events in the order of their sequence; those that are known already are passed over."""
        if events and events[-1].sequence < self._seen:
            self.clear()  # another engine's
        fresh = [event for event in events if event.sequence > self._seen]
        if not fresh:
            return
        self.missed += fresh[0].sequence - self._seen - 1
        self._seen = fresh[-1].sequence
        lines: list[Line] = [tuple(group) for _, group in groupby(fresh, _line_key)]
        self._append(lines[-MOST_LINES:])

    def add_stall(self, stall: Stall) -> None:
        """Take a stall; it takes the place of what was told of it while it went on."""
        for row in range(min(len(self._lines), _LOOK_BACK)):
            place = len(self._lines) - 1 - row
            known = self._lines[place][0]
            is_more = isinstance(known, Stall) and (known.ongoing or stall.steps > known.steps)
            if is_more and known.monotonic_ns == stall.monotonic_ns:
                self._lines[place] = (stall,)
                self.dataChanged.emit(self.index(row), self.index(row))
                return
        self._append([(stall,)])

    def _append(self, lines: list[Line]) -> None:
        surplus = len(self._lines) + len(lines) - MOST_LINES
        if surplus > 0:
            self.beginRemoveRows(QModelIndex(), len(self._lines) - surplus, len(self._lines) - 1)
            for _ in range(surplus):
                self._lines.popleft()
            self.endRemoveRows()
        self.beginInsertRows(QModelIndex(), 0, len(lines) - 1)
        self._lines.extend(lines)
        self.endInsertRows()

    def clear(self) -> None:
        """Forget all events."""
        self.beginResetModel()
        self._lines.clear()
        self._seen = self.missed = 0
        self.endResetModel()

    def line_at(self, row: int) -> Line | None:
        """The events of a row."""
        return self._lines[len(self._lines) - 1 - row] if 0 <= row < len(self._lines) else None

    def rowCount(self, parent: Index | None = None) -> int:
        """A row for each line."""
        return 0 if parent is not None and parent.isValid() else len(self._lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The line in words."""
        line = self.line_at(index.row())
        if line is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.tr("Step {0}: {1}").format(QLocale().toString(line[0].step), self.words(line))
        return None

    def words(self, line: Line) -> str:
        """What happened, in a sentence."""
        event, locale = line[0], QLocale()
        if isinstance(event, Stall):
            return stall_words(event)
        who = short_id(event.request_id) if event.request_id else self.tr("an unknown request")
        match event:
            case Preempted():
                text = self.tr("{0} was preempted; blocks given back: {2}; tokens to compute again, at most: {1}")
                return text.format(who, locale.toString(event.tokens), locale.toString(event.blocks))
            case AllocationFailed():
                free = locale.toString(event.free_blocks)
                if event.running:
                    return self.tr("no room for {0} to go on; free blocks: {1}").format(who, free)
                return self.tr("no room to admit {0}, it waits; free blocks: {1}").format(who, free)
            case NeverFits():
                text = self.tr("{0} can never fit: its prompt needs {1} blocks, the whole cache has {2}")
                return text.format(who, locale.toString(event.needed_blocks), locale.toString(event.pool_blocks))
            case Admitted():
                text = self.tr("{0} resumed; from the prefix cache: {1} of {2} tokens") if event.resumed else self.tr(
                    "{0} admitted; from the prefix cache: {1} of {2} tokens"
                )
                return text.format(who, locale.toString(event.cached_tokens), locale.toString(event.tokens))
        return self._evicted_words([each for each in line if isinstance(each, Evicted)])

    def _evicted_words(self, line: list[Evicted]) -> str:
        locale = QLocale()
        oldest = locale.toString(max(each.age_steps for each in line))
        whose = line[0].request_id
        if len(line) == 1:
            text = self.tr("block {0} evicted, steps unused: {1}").format(locale.toString(line[0].block_id), oldest)
        else:
            text = self.tr("{0} blocks evicted, unused for up to {1} steps").format(len(line), oldest)
        return text if whose is None else self.tr("{0}; the prefix of {1}").format(text, short_id(whose))


def _line_key(event: CacheEvent) -> tuple[int, str | None] | int:
    """Evictions of one step and one prefix are alike; everything else is its own."""
    return (event.step, event.request_id) if isinstance(event, Evicted) else event.sequence
