"""Reads the request rows: copies under the seqlock, objects afterwards, and only for what changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.domain.request import RequestPhase, RequestRow
from engine.page.layout import ID_BYTES, RowFlag, RowStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.page.views import PageViews

# By twice the status, and one more in a prefill.
_PHASES = (
    (RequestPhase.WAITING,) * 4 + (RequestPhase.DECODE, RequestPhase.PREFILL) + (RequestPhase.PREEMPTED,) * 2
)  # fmt: skip
_COUNTS = ("num_prompt_tokens", "num_tokens", "num_computed_tokens", "num_cached_tokens", "num_preemptions",
    "arrival_ns")  # fmt: skip
_KEY_COLUMNS = ("serial", "status", "prefill", "flags", *_COUNTS, "max_tokens")


class TornPage(Exception):
    """What was copied cannot be right: the writer was at work, or the page is damaged."""


@dataclass(frozen=True, slots=True)
class RowDraft:
    """Copies of the rows of one moment, not yet known to be consistent.

    `retabled` are the keys of the block tables that are not as they were, and `tables` those of them that hold blocks.
    """

    columns: dict[str, NDArray[Any]]
    ids: NDArray[np.uint8]
    revisions: NDArray[np.uint32]
    retabled: list[int]
    tables: dict[int, NDArray[np.int32]]


class RowReader:
    """Keeps what was read before, so that an unchanged row or block table is neither copied nor built again.

    While requests decode nearly all rows change with each picture, by their counts alone: whole columns are compared,
    and turned into rows, by code that runs without a line of Python for each.
    """

    def __init__(self, views: PageViews, num_groups: int) -> None:
        self._views = views
        self._groups = num_groups
        self._none = (_empty(),) * num_groups
        self._rows: dict[int, RequestRow] = {}
        self._names: dict[int, str] = {}
        self._tables: dict[int, tuple[NDArray[np.int32], ...]] = {}
        self._last: RowDraft | None = None

    def copy(self, high: int) -> RowDraft:
        """Copy the first `high` rows and the block tables that are new. Raises TornPage on impossible bounds."""
        views = self._views
        columns = {name: column[:high].copy() for name, column in views.rows.items()}
        if high and columns["status"].max() > RowStatus.PREEMPTED:
            raise TornPage
        revisions = views.table_revision[:high].reshape(-1).copy()
        retabled = np.flatnonzero(_differing(revisions, None if self._last is None else self._last.revisions))
        lengths = views.table_length[:high].reshape(-1)[retabled]
        offsets = views.table_offset[:high].reshape(-1)[retabled]
        keys, entries = retabled.tolist(), views.table_entries
        tables = {}
        for key, length, first in zip(keys, lengths.tolist(), offsets.tolist(), strict=True):
            if first + length > len(entries):
                raise TornPage
            if length:
                tables[key] = table = entries[first : first + length].astype(np.int32)
                table.flags.writeable = False
        return RowDraft(columns, views.row_ids[:high].copy(), revisions, keys, tables)

    def assemble(self, draft: RowDraft) -> tuple[RequestRow, ...]:
        """Build the rows of a draft that has proved consistent, reusing those that are as they were."""
        changed, renewed = self._changed(draft)
        self._renew(draft, renewed)
        columns = {name: draft.columns[name][changed] for name in _KEY_COLUMNS}
        live = columns["status"] != RowStatus.EMPTY
        if not live.all():
            columns = {name: column[live] for name, column in columns.items()}
            self._drop(changed[~live].tolist())
            changed = changed[live]
        rows = changed.tolist()
        phases = 2 * columns["status"] + (columns["prefill"] != 0)
        fresh = map(
            RequestRow, rows, map(self._names.__getitem__, rows), map(_PHASES.__getitem__, phases.tolist()),
            *(columns[name].tolist() for name in _COUNTS), [self._tables.get(row, self._none) for row in rows],
            ((columns["flags"] & RowFlag.TABLE_TRUNCATED) != 0).tolist(),
            [limit or None for limit in columns["max_tokens"].tolist()],
        )  # fmt: skip
        self._rows.update(zip(rows, fresh, strict=True))
        self._last = draft
        in_order = np.flatnonzero(draft.columns["status"]).tolist()
        return tuple(map(self._rows.__getitem__, in_order))

    def _changed(self, draft: RowDraft) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The rows that are not as in the last draft, and those whose request is another one."""
        last = {} if self._last is None else self._last.columns
        differs = {name: _differing(draft.columns[name], last.get(name)) for name in _KEY_COLUMNS}
        changed = np.logical_or.reduce(tuple(differs.values()))
        changed[[key // self._groups for key in draft.retabled]] = True
        return np.flatnonzero(changed), np.flatnonzero(differs["serial"])

    def _renew(self, draft: RowDraft, renewed: NDArray[np.intp]) -> None:
        """Note the names of rows whose request is another one, and block tables that are not as they were."""
        lengths = draft.columns["id_length"]
        for row in renewed.tolist():
            self._names[row] = _decode_id(draft.ids[row], int(lengths[row]))
        groups, new = self._groups, draft.tables
        for key in draft.retabled:
            row, group = divmod(key, groups)
            tables = self._tables.get(row, self._none)
            self._tables[row] = (*tables[:group], new.get(key, self._none[0]), *tables[group + 1 :])

    def _drop(self, rows: Sequence[int]) -> None:
        for row in rows:
            self._rows.pop(row, None)


def _differing(now: NDArray[Any], before: NDArray[Any] | None) -> NDArray[np.bool_]:
    """Where two columns differ; what only the new one has counts as different."""
    differs = np.ones(len(now), np.bool_)
    if before is not None:
        both = min(len(now), len(before))
        np.not_equal(now[:both], before[:both], out=differs[:both])
    return differs


def _empty() -> NDArray[np.int32]:
    empty = np.empty(0, np.int32)
    empty.flags.writeable = False
    return empty


def _decode_id(data: NDArray[np.uint8], length: int) -> str:
    return data[: min(length, ID_BYTES)].tobytes().decode("utf-8", "replace")
