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

_PHASES = {RowStatus.WAITING: RequestPhase.WAITING, RowStatus.PREEMPTED: RequestPhase.PREEMPTED}
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
        self._rows: dict[int, tuple[tuple[Any, ...], RequestRow]] = {}

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
        tables = {}
        for key in np.flatnonzero(lengths).tolist():
            revision = int(revisions[key])
            known = self._tables.get(key)
            if known is None or known[0] != revision:
                first, last = int(offsets[key]), int(offsets[key]) + int(lengths[key])
                if last > len(entries):
                    raise TornPage
                known = (revision, entries[first:last].astype(np.int32))
            tables[key] = known
        return RowDraft(columns, views.row_ids[:high].copy(), revisions, tables)

    def assemble(self, draft: RowDraft) -> tuple[RequestRow, ...]:
        """Build the rows of a draft that has proved consistent, reusing those that are as they were."""
        keys = list(zip(*(draft.columns[name].tolist() for name in _KEY_COLUMNS), strict=True))
        revisions = draft.revisions.reshape(-1, self._groups).tolist()
        rows = {}
        for row in np.flatnonzero(draft.columns["status"]).tolist():
            key = (*keys[row], *revisions[row])
            known = self._rows.get(row)
            if known is None or known[0] != key:
                known = (key, self._build(row, keys[row], draft, known))
            rows[row] = known
        for _, table in draft.tables.values():
            table.flags.writeable = False
        self._tables, self._rows = draft.tables, rows
        return tuple(row for _, row in rows.values())

    def _build(
        self, row: int, values: tuple[Any, ...], draft: RowDraft, known: tuple[tuple[Any, ...], RequestRow] | None
    ) -> RequestRow:
        serial, status, prefill, flags, prompt, tokens, computed, cached, preemptions, arrival_ns, limit = values
        if known is not None and known[0][0] == serial:
            request_id = known[1].request_id
        else:
            request_id = _decode_id(draft.ids[row], int(draft.columns["id_length"][row]))
        running = RequestPhase.PREFILL if prefill else RequestPhase.DECODE
        first = row * self._groups
        tables = (draft.tables.get(first + group) for group in range(self._groups))
        return RequestRow(
            row,
            request_id,
            _PHASES.get(status, running),
            prompt,
            tokens,
            computed,
            cached,
            preemptions,
            arrival_ns,
            tuple(_EMPTY if table is None else table[1] for table in tables),
            bool(flags & RowFlag.TABLE_TRUNCATED),
            limit or None,
        )


def _empty() -> NDArray[np.int32]:
    empty = np.empty(0, np.int32)
    empty.flags.writeable = False
    return empty


def _decode_id(data: NDArray[np.uint8], length: int) -> str:
    return data[: min(length, ID_BYTES)].tobytes().decode("utf-8", "replace")


_EMPTY = _empty()
