"""Reads the request rows: copies under the seqlock, objects afterwards, and only for what changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.domain.request import RequestPhase, RequestRow
from engine.page.layout import ID_BYTES, RowFlag, RowStatus

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from engine.page.views import PageViews

Table = tuple[int, "NDArray[np.int32]"]  # the revision that was copied, and the copy

# By status, and for a running one by whether it is in its prefill.
_PHASES = (
    (RequestPhase.WAITING,) * 2, (RequestPhase.WAITING,) * 2, (RequestPhase.DECODE, RequestPhase.PREFILL),
    (RequestPhase.PREEMPTED,) * 2,
)  # fmt: skip
_KEY_COLUMNS = (
    "serial", "status", "prefill", "flags", "num_prompt_tokens", "num_tokens", "num_computed_tokens",
    "num_cached_tokens", "num_preemptions", "arrival_ns", "max_tokens",
)  # fmt: skip


class TornPage(Exception):
    """What was copied cannot be right: the writer was at work, or the page is damaged."""


@dataclass(frozen=True, slots=True)
class RowDraft:
    """Copies of the rows of one moment, not yet known to be consistent."""

    columns: dict[str, NDArray[Any]]
    ids: NDArray[np.uint8]
    revisions: NDArray[np.uint32]
    tables: dict[int, Table]


class RowReader:
    """Keeps what was read before, so that an unchanged row or block table is neither copied nor built again."""

    def __init__(self, views: PageViews, num_groups: int) -> None:
        self._views = views
        self._groups = num_groups
        self._tables: dict[int, Table] = {}
        self._rows: dict[int, RequestRow] = {}
        self._serials: dict[int, int] = {}
        self._last: RowDraft | None = None

    def copy(self, high: int) -> RowDraft:
        """Copy the first `high` rows and the block tables that are new. Raises TornPage on impossible bounds."""
        views = self._views
        columns = {name: column[:high].copy() for name, column in views.rows.items()}
        if high and columns["status"].max() > RowStatus.PREEMPTED:
            raise TornPage
        revisions = views.table_revision[:high].reshape(-1).copy()
        lengths = views.table_length[:high].reshape(-1).copy()
        offsets = views.table_offset[:high].reshape(-1).copy()
        entries = views.table_entries
        keys = np.flatnonzero(lengths)
        tables = {}
        for key, revision in zip(keys.tolist(), revisions[keys].tolist(), strict=True):
            known = self._tables.get(key)
            if known is None or known[0] != revision:
                first, last = int(offsets[key]), int(offsets[key]) + int(lengths[key])
                if last > len(entries):
                    raise TornPage
                table = entries[first:last].astype(np.int32)
                table.flags.writeable = False
                known = (revision, table)
            tables[key] = known
        return RowDraft(columns, views.row_ids[:high].copy(), revisions, tables)

    def assemble(self, draft: RowDraft) -> tuple[RequestRow, ...]:
        """Build the rows of a draft that has proved consistent, reusing those that are as they were."""
        changed = self._changed(draft)
        values = zip(*(draft.columns[name][changed].tolist() for name in _KEY_COLUMNS), strict=True)
        rows = self._rows
        for row, fields in zip(changed.tolist(), values, strict=True):
            if fields[1] != RowStatus.EMPTY:
                rows[row] = self._build(row, fields, draft, rows.get(row))
                self._serials[row] = fields[0]
        live = np.flatnonzero(draft.columns["status"]).tolist()
        self._rows = {row: rows[row] for row in live}
        self._tables, self._last = draft.tables, draft
        return tuple(self._rows.values())

    def _changed(self, draft: RowDraft) -> NDArray[np.intp]:
        """The rows that are not as in the last draft."""
        high = len(draft.columns["status"])
        differs, last = np.ones(high, np.bool_), self._last
        if last is not None:
            both = min(high, len(last.columns["status"]))
            same = differs[:both]
            same[:] = (
                draft.revisions[: both * self._groups] != last.revisions[: both * self._groups]
            ).reshape(both, self._groups).any(axis=1)  # fmt: skip
            for name in _KEY_COLUMNS:
                same |= draft.columns[name][:both] != last.columns[name][:both]
        return np.flatnonzero(differs)

    def _build(self, row: int, values: tuple[Any, ...], draft: RowDraft, known: RequestRow | None) -> RequestRow:
        serial, status, prefill, flags, prompt, tokens, computed, cached, preemptions, arrival_ns, limit = values
        if known is not None and self._serials.get(row) == serial:
            request_id = known.request_id
        else:
            request_id = _decode_id(draft.ids[row], int(draft.columns["id_length"][row]))
        tables, first = draft.tables, row * self._groups
        return RequestRow(
            row,
            request_id,
            _PHASES[status][bool(prefill)],
            prompt,
            tokens,
            computed,
            cached,
            preemptions,
            arrival_ns,
            tuple([tables.get(key, _NO_TABLE)[1] for key in range(first, first + self._groups)]),
            bool(flags & RowFlag.TABLE_TRUNCATED),
            limit or None,
        )


def _empty() -> NDArray[np.int32]:
    empty = np.empty(0, np.int32)
    empty.flags.writeable = False
    return empty


def _decode_id(data: NDArray[np.uint8], length: int) -> str:
    return data[: min(length, ID_BYTES)].tobytes().decode("utf-8", "replace")


_NO_TABLE: Table = (0, _empty())
