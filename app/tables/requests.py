"""The live requests as a table model."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QLocale, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QGuiApplication

from app.theme.fonts import mono, tabular
from engine.domain.request import RequestPhase

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QObject

    from engine.domain.request import RequestRow

Index = QModelIndex | QPersistentModelIndex
_SUFFIX_LENGTH = 8
_SHORT_LENGTH = 10


class Column(IntEnum):
    """The table's columns, in order."""

    REQUEST = 0
    PHASE = 1
    PROMPT = 2
    GENERATED = 3
    CACHED = 4
    BLOCKS = 5
    AGE = 6


@dataclass(frozen=True, slots=True)
class _Line:
    """A row as it is shown: the request, and its age in seconds when the row was made."""

    request: RequestRow
    age_s: float

    @property
    def generated(self) -> int:
        return max(0, self.request.num_tokens - self.request.num_prompt_tokens)

    @property
    def blocks(self) -> int:
        return sum(int(np.count_nonzero(table)) for table in self.request.block_tables)


def short_id(request_id: str) -> str:
    """An id for a line of text: stripped, and its end left out where it is still long."""
    text = stripped_id(request_id)
    return text if len(text) <= _SHORT_LENGTH else text[: _SHORT_LENGTH - 1] + "…"


def stripped_id(request_id: str) -> str:
    """An id without the parts that all ids share: the OpenAI prefix and vLLM's suffix."""
    text = request_id
    head, dash, tail = text.rpartition("-")
    if dash and len(tail) == _SUFFIX_LENGTH and all(sign in "0123456789abcdef" for sign in tail):
        text = head
    for prefix in ("chatcmpl-", "cmpl-"):
        text = text.removeprefix(prefix)
    return text


_SORT_KEYS: dict[Column, Callable[[_Line], Any]] = {
    Column.REQUEST: lambda line: line.request.request_id,
    Column.PHASE: lambda line: line.request.phase,
    Column.PROMPT: lambda line: line.request.num_prompt_tokens,
    Column.GENERATED: lambda line: line.generated,
    Column.CACHED: lambda line: line.request.num_cached_tokens,
    Column.BLOCKS: lambda line: line.blocks,
    Column.AGE: lambda line: -line.request.arrival_ns,
}


class RequestsModel(QAbstractTableModel):
    """Live requests, oldest first until the user sorts. Rows keep their identity while their request lives.

    `colour_of` gives the colour of a page row, the same as on the block map.
    """

    def __init__(self, colour_of: Callable[[int], QColor], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._colour_of = colour_of
        self._lines: list[_Line] = []
        self._column = Column.AGE
        self._descending = True
        self._locale = QLocale()
        self._mono = mono(QGuiApplication.font())
        self._tabular = tabular(QGuiApplication.font())

    # What is shown

    def show_requests(self, requests: Sequence[RequestRow], now_ns: int) -> None:
        """Show these requests as of `now_ns` (CLOCK_MONOTONIC): gone ones leave, new ones enter, the rest change."""
        fresh = {request.request_id: _Line(request, max(0.0, (now_ns - request.arrival_ns) / 1e9))
                 for request in requests}
        self._remove_missing(fresh)
        for row, line in enumerate(self._lines):
            self._lines[row] = fresh.pop(line.request.request_id)
        if fresh:
            self.beginInsertRows(QModelIndex(), len(self._lines), len(self._lines) + len(fresh) - 1)
            self._lines.extend(fresh.values())
            self.endInsertRows()
        self._put_in_order()
        if self._lines:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._lines) - 1, len(Column) - 1))

    def _remove_missing(self, fresh: dict[str, _Line]) -> None:
        last = len(self._lines) - 1
        while last >= 0:
            if self._lines[last].request.request_id in fresh:
                last -= 1
                continue
            first = last
            while first > 0 and self._lines[first - 1].request.request_id not in fresh:
                first -= 1
            self.beginRemoveRows(QModelIndex(), first, last)
            del self._lines[first:last + 1]
            self.endRemoveRows()
            last = first - 1

    def _put_in_order(self) -> None:
        # Ties keep the order of arrival in both directions, so that rows do not dance.
        lines = sorted(self._lines, key=lambda line: line.request.arrival_ns)
        lines.sort(key=_SORT_KEYS[self._column], reverse=self._descending)
        if lines == self._lines:
            return
        self.layoutAboutToBeChanged.emit()
        places = {line.request.request_id: row for row, line in enumerate(lines)}
        before = self.persistentIndexList()
        after = [self.index(places[self._lines[index.row()].request.request_id], index.column()) for index in before]
        self._lines = lines
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def request_at(self, row: int) -> RequestRow | None:
        """The request in this row."""
        return self._lines[row].request if 0 <= row < len(self._lines) else None

    def row_of(self, request_id: str) -> int | None:
        """The row that shows this request."""
        for row, line in enumerate(self._lines):
            if line.request.request_id == request_id:
                return row
        return None

    def recolour(self) -> None:
        """The colours have changed (another theme)."""
        if self._lines:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._lines) - 1, 0),
                                  [Qt.ItemDataRole.DecorationRole])

    def as_csv(self) -> str:
        """The table as comma-separated text with full ids."""
        rows = ["request_id,phase,prompt_tokens,generated_tokens,cached_tokens,blocks,preemptions,age_s"]
        rows += [
            f"{line.request.request_id},{line.request.phase.name.lower()},{line.request.num_prompt_tokens},"
            f"{line.generated},{line.request.num_cached_tokens},{line.blocks},{line.request.num_preemptions},"
            f"{line.age_s:.3f}"
            for line in self._lines
        ]
        return "\n".join(rows) + "\n"

    # The Qt model

    def rowCount(self, parent: Index | None = None) -> int:
        """Requests."""
        return 0 if parent is not None and parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index | None = None) -> int:
        """Columns."""
        return 0 if parent is not None and parent.isValid() else len(Column)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by this column from now on."""
        self._column = Column(column) if 0 <= column < len(Column) else Column.AGE
        self._descending = order == Qt.SortOrder.DescendingOrder
        self._put_in_order()

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names and meanings of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = Column(section)
        if role == Qt.ItemDataRole.DisplayRole:
            return self._title(column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._meaning(column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(column)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
        if not index.isValid() or index.row() >= len(self._lines):
            return None
        line, column = self._lines[index.row()], Column(index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(line, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(column)
        if role == Qt.ItemDataRole.DecorationRole and column is Column.REQUEST:
            return self._colour_of(line.request.row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._details(line)
        if role == Qt.ItemDataRole.FontRole:
            return self._mono if column is Column.REQUEST else self._tabular
        return None

    @staticmethod
    def _alignment(column: Column) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignLeft if column in (Column.REQUEST, Column.PHASE) else Qt.AlignmentFlag.AlignRight
        return side | Qt.AlignmentFlag.AlignVCenter

    def _text(self, line: _Line, column: Column) -> str:
        if column is Column.REQUEST:
            return stripped_id(line.request.request_id)
        if column is Column.PHASE:
            return self.phase_name(line.request.phase)
        if column is Column.AGE:
            return self.tr("{0} s").format(self._locale.toString(line.age_s, "f", 1))
        number = {
            Column.PROMPT: line.request.num_prompt_tokens, Column.GENERATED: line.generated,
            Column.CACHED: line.request.num_cached_tokens, Column.BLOCKS: line.blocks,
        }[column]
        return self._locale.toString(number)

    def phase_name(self, phase: RequestPhase) -> str:
        """What a user reads for this phase."""
        return {
            RequestPhase.WAITING: self.tr("waiting"),
            RequestPhase.PREFILL: self.tr("prefill"),
            RequestPhase.DECODE: self.tr("decode"),
            RequestPhase.PREEMPTED: self.tr("preempted"),
        }[phase]

    def _title(self, column: Column) -> str:
        return {
            Column.REQUEST: self.tr("Request"), Column.PHASE: self.tr("Phase"), Column.PROMPT: self.tr("Prompt"),
            Column.GENERATED: self.tr("Output"), Column.CACHED: self.tr("Cached"),
            Column.BLOCKS: self.tr("Blocks"), Column.AGE: self.tr("Age"),
        }[column]

    def _meaning(self, column: Column) -> str:
        return {
            Column.REQUEST: self.tr("The request's id, without the parts that all ids share"),
            Column.PHASE: self.tr("Where the request stands in the scheduler"),
            Column.PROMPT: self.tr("Tokens of the prompt"),
            Column.GENERATED: self.tr("Tokens generated so far"),
            Column.CACHED: self.tr("Prompt tokens whose KV was found in the prefix cache at admission"),
            Column.BLOCKS: self.tr("KV-cache blocks in the request's block tables"),
            Column.AGE: self.tr("Time since the request arrived"),
        }[column]

    def _details(self, line: _Line) -> str:
        request = line.request
        text = self.tr("{0}\n{1} of {2} tokens have their KV computed").format(
            request.request_id, self._locale.toString(request.num_computed_tokens),
            self._locale.toString(request.num_tokens),
        )
        if request.num_preemptions:
            text += "\n" + self.tr("preemptions: {0}").format(self._locale.toString(request.num_preemptions))
        return text
