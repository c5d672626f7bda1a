"""The live requests as a table model."""

from __future__ import annotations

from enum import IntEnum
from operator import attrgetter, is_
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


def _generated(request: RequestRow) -> int:
    return max(0, request.num_tokens - request.num_prompt_tokens)


def _blocks(request: RequestRow) -> int:
    return sum(int(np.count_nonzero(table)) for table in request.block_tables)


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


_BY_ARRIVAL, _BY_NAME = attrgetter("arrival_ns"), attrgetter("request_id")
_SORT_KEYS: dict[Column, Callable[[RequestRow], Any]] = {
    Column.REQUEST: _BY_NAME,
    Column.PHASE: attrgetter("phase"),
    Column.PROMPT: attrgetter("num_prompt_tokens"),
    Column.GENERATED: _generated,
    Column.CACHED: attrgetter("num_cached_tokens"),
    Column.BLOCKS: _blocks,
    Column.AGE: lambda request: -request.arrival_ns,
}
# The roles as numbers: this is asked a thousand times a second, and an enum's comparison is slow.
_DISPLAY, _DECORATION, _FONT, _ALIGNMENT, _TOOL_TIP = (
    int(role) for role in (
        Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.DecorationRole, Qt.ItemDataRole.FontRole,
        Qt.ItemDataRole.TextAlignmentRole, Qt.ItemDataRole.ToolTipRole,
    )
)  # fmt: skip
_COLUMNS = tuple(Column)
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class RequestsModel(QAbstractTableModel):
    """Live requests, oldest first until the user sorts. Rows keep their identity while their request lives.

    `colour_of` gives the colour of a page row, the same as on the block map.
    """

    def __init__(self, colour_of: Callable[[int], QColor], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._colour_of = colour_of
        self._lines: list[RequestRow] = []
        self._now_ns = 0
        self._column = Column.AGE
        self._descending = True
        self._locale = QLocale()
        self._mono = mono(QGuiApplication.font())
        self._tabular = tabular(QGuiApplication.font())

    # What is shown

    def show_requests(self, requests: Sequence[RequestRow], now_ns: int) -> None:
        """Show these requests as of `now_ns` (CLOCK_MONOTONIC): gone ones leave, new ones enter, the rest change."""
        self._now_ns = now_ns
        fresh = dict(zip(map(_BY_NAME, requests), requests, strict=True))
        if not all(map(fresh.__contains__, map(_BY_NAME, self._lines))):
            self._remove_missing(fresh)
        self._lines = list(map(fresh.pop, map(_BY_NAME, self._lines)))
        if fresh:
            self.beginInsertRows(QModelIndex(), len(self._lines), len(self._lines) + len(fresh) - 1)
            self._lines.extend(fresh.values())
            self.endInsertRows()
        self._put_in_order()
        if self._lines:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._lines) - 1, len(Column) - 1))

    def _remove_missing(self, fresh: dict[str, RequestRow]) -> None:
        last = len(self._lines) - 1
        while last >= 0:
            if self._lines[last].request_id in fresh:
                last -= 1
                continue
            first = last
            while first > 0 and self._lines[first - 1].request_id not in fresh:
                first -= 1
            self.beginRemoveRows(QModelIndex(), first, last)
            del self._lines[first:last + 1]
            self.endRemoveRows()
            last = first - 1

    def _put_in_order(self) -> None:
        # Ties keep the order of arrival in both directions, so that rows do not dance.
        lines = sorted(self._lines, key=_BY_ARRIVAL)
        if (self._column, self._descending) != (Column.AGE, True):
            lines.sort(key=_SORT_KEYS[self._column], reverse=self._descending)
        if all(map(is_, lines, self._lines)):
            return
        self.layoutAboutToBeChanged.emit()
        places = {request.request_id: row for row, request in enumerate(lines)}
        before = self.persistentIndexList()
        after = [self.index(places[self._lines[index.row()].request_id], index.column()) for index in before]
        self._lines = lines
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def request_at(self, row: int) -> RequestRow | None:
        """The request in this row."""
        return self._lines[row] if 0 <= row < len(self._lines) else None

    def text_at(self, row: int, column: int) -> str:
        """What one cell of a row that there is says, the same as `data` with an index."""
        return self._text(self._lines[row], _COLUMNS[column])

    def colour_at(self, row: int) -> QColor:
        """The colour of the request in this row."""
        return self._colour_of(self._lines[row].row)

    def row_of(self, request_id: str) -> int | None:
        """The row that shows this request."""
        for row, request in enumerate(self._lines):
            if request.request_id == request_id:
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
            f"{request.request_id},{request.phase.name.lower()},{request.num_prompt_tokens},"
            f"{_generated(request)},{request.num_cached_tokens},{_blocks(request)},{request.num_preemptions},"
            f"{self._age_s(request):.3f}"
            for request in self._lines
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
        column = _COLUMNS[section]
        if role == _DISPLAY:
            return self._title(column)
        if role == _TOOL_TIP:
            return self._meaning(column)
        if role == _ALIGNMENT:
            return self._alignment(column)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """One cell."""
        row = index.row()
        if not 0 <= row < len(self._lines):
            return None
        column = _COLUMNS[index.column()]
        if role == _DISPLAY:
            return self._text(self._lines[row], column)
        if role == _ALIGNMENT:
            return self._alignment(column)
        if role == _FONT:
            return self._mono if column is Column.REQUEST else self._tabular
        if role == _DECORATION and column is Column.REQUEST:
            return self._colour_of(self._lines[row].row)
        if role == _TOOL_TIP:
            return self._details(self._lines[row])
        return None

    @staticmethod
    def _alignment(column: Column) -> Qt.AlignmentFlag:
        return _LEFT if column in (Column.REQUEST, Column.PHASE) else _RIGHT

    def _age_s(self, request: RequestRow) -> float:
        return max(0.0, (self._now_ns - request.arrival_ns) / 1e9)

    def _text(self, request: RequestRow, column: Column) -> str:
        if column is Column.REQUEST:
            return stripped_id(request.request_id)
        if column is Column.PHASE:
            return self.phase_name(request.phase)
        if column is Column.AGE:
            return self.tr("{0} s").format(self._locale.toString(self._age_s(request), "f", 1))
        if column is Column.PROMPT:
            return self._locale.toString(request.num_prompt_tokens)
        if column is Column.GENERATED:
            return self._locale.toString(_generated(request))
        if column is Column.CACHED:
            return self._locale.toString(request.num_cached_tokens)
        return self._locale.toString(_blocks(request))

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

    def _details(self, request: RequestRow) -> str:
        text = self.tr("{0}\n{1} of {2} tokens have their KV computed").format(
            request.request_id, self._locale.toString(request.num_computed_tokens),
            self._locale.toString(request.num_tokens),
        )
        if request.num_preemptions:
            text += "\n" + self.tr("preemptions: {0}").format(self._locale.toString(request.num_preemptions))
        return text
