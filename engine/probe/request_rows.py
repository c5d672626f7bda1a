"""The live requests and their block tables, kept as changes until they are published."""

from __future__ import annotations

import time
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.page.layout import ID_BYTES, RowFlag, RowStatus
from engine.probe.block_tables import BlockTables

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from engine.page.writer import PageWriter
    from engine.probe.groups import GroupPlan

_COMPUTED = attrgetter("num_computed_tokens")
_ALL_TOKENS = attrgetter("_all_token_ids")  # Request.num_tokens is the length of this list
_TRUNCATED = int(RowFlag.TABLE_TRUNCATED)


@dataclass(slots=True, eq=False)
class Row:
    """One request's row; `place` is its position among those whose token counts change."""

    index: int
    request: Any
    serial: int
    arrival_ns: int
    status: RowStatus = RowStatus.WAITING
    cached_tokens: int = 0
    admitted_step: int | None = None
    flags: int = 0
    place: int | None = None


class RequestRows:
    """Rows of one page. Events come in as the scheduler makes them; `publish` writes what they changed.

    A running request always has a row: when the page is full, the newest waiting one gives its row up.
    """

    def __init__(self, writer: PageWriter) -> None:
        geometry = writer.geometry
        self._writer = writer
        self.tables = BlockTables(writer)
        self._columns = {name: column.data for name, column in writer.views.rows.items()}
        self._arrays = writer.views.rows
        self._free = list(range(geometry.max_rows - 1, -1, -1))
        self._rows: dict[str, Row] = {}
        self._waiting: dict[str, Row] = {}
        self._dirty: dict[int, Row | None] = {}
        self._by_index: dict[int, Row] = {}
        self._first_keys: dict[str, int] = {}
        self._serial = 0
        self._holders: list[Row] = []
        self._holder_requests: list[Any] = []
        self._holder_indices: list[int] = []
        self.high = 0
        self.num_without_row = 0

    def get(self, request_id: str) -> Row | None:
        """The row of a request, or None where it has none."""
        return self._rows.get(request_id)

    def add(self, request: Any) -> None:
        """A request has arrived and waits."""
        known = self._rows.get(request.request_id)
        if known is not None:
            self._dirty[known.index] = known  # a streaming session's next part
            return
        if self._free:
            self._place(request)
        else:
            self.num_without_row += 1

    def admit(self, request: Any, block_ids: Sequence[Sequence[int]], cached_tokens: int, step: int) -> None:
        """A request was scheduled at this step, for the first time or after a preemption, with these block tables."""
        row = self._rows.get(request.request_id) or self._make_room(request)
        if row is None:
            return
        self._set_status(row, RowStatus.RUNNING)
        if row.admitted_step is None:
            row.admitted_step = step
            row.cached_tokens = cached_tokens
        self.replace_tables(row, block_ids)

    def replace_tables(self, row: Row, block_ids: Sequence[Sequence[int]]) -> None:
        """A row's request holds exactly these blocks now."""
        self.tables.replace(row.index, block_ids)
        row.flags &= ~_TRUNCATED
        self._hold(row)

    def append(self, request_ids: Sequence[str], block_ids: Sequence[Any], resumed: Container[str]) -> None:
        """Running requests got more blocks; those in `resumed` are left out, because they are admitted anew."""
        self.tables.append(self._first_keys, request_ids, block_ids, resumed)

    def null_leading(self, request_id: str, group: int, last: int) -> None:
        """The first `last` positions of a table now point at the null block: the attention window has moved on."""
        row = self._rows.get(request_id)
        if row is not None:
            self.tables.null_leading(row.index, group, last)

    def reload(self, plans: Sequence[GroupPlan]) -> None:
        """Read these groups' tables anew from vLLM's bookkeeping, for every request that holds blocks."""
        for row in self._holders:
            self.tables.reload(row.index, row.request.request_id, plans)

    def preempt(self, request: Any) -> None:
        """A running request lost its blocks and waits again."""
        row = self._rows.get(request.request_id)
        if row is not None:
            self._set_status(row, RowStatus.PREEMPTED)
            self.tables.drop(row.index)
            row.flags &= ~_TRUNCATED
            self._hold(row)

    def remove(self, request_id: str) -> None:
        """A request is gone and its blocks are free."""
        row = self._rows.pop(request_id, None)
        if row is None:
            self.num_without_row = max(0, self.num_without_row - 1)
            return
        self._waiting.pop(request_id, None)
        self._release(row)
        self.tables.drop(row.index)
        del self._by_index[row.index], self._first_keys[request_id]
        self._dirty[row.index] = None
        self._free.append(row.index)

    def computed_tokens(self) -> int:
        """Tokens whose KV is held in the requests' blocks, counted anew."""
        return sum(map(_COMPUTED, self._holder_requests))

    def publish(self) -> tuple[bool, bool]:
        """Write changed rows and tables. Call between the writer's begin and commit; says whether either changed."""
        tables_changed = self.tables.has_news
        if tables_changed:
            for index in self.tables.publish():
                row = self._by_index[index]
                row.flags |= _TRUNCATED
                self._dirty[index] = row
        rows_changed = bool(self._dirty)
        for index, changed in self._dirty.items():
            self._write_row(index, changed)
        self._dirty.clear()
        return rows_changed, tables_changed

    def publish_tokens(self) -> None:
        """Write the token counts that can change, a column at a time: of requests that hold blocks, and of preempted
        ones, for which tokens that were in flight may still arrive.
        """
        requests, arrays, count = self._holder_requests, self._arrays, len(self._holder_requests)
        indices = np.array(self._holder_indices, np.intp)
        arrays["num_tokens"][indices] = np.fromiter(map(len, map(_ALL_TOKENS, requests)), np.uint32, count)
        arrays["num_computed_tokens"][indices] = np.fromiter(map(_COMPUTED, requests), np.uint32, count)

    def prefill_ended(self, request_ids: Iterable[str]) -> None:
        """These requests' prompts are computed; from the next step on they decode."""
        for request_id in request_ids:
            row = self._rows.get(request_id)
            if row is not None:
                self._dirty[row.index] = row

    def _place(self, request: Any) -> Row:
        index = self._free.pop()
        self.high = max(self.high, index + 1)
        self._serial += 1
        waited_ns = max(0, int((time.time() - request.arrival_time) * 1e9))
        row = Row(index, request, self._serial, time.monotonic_ns() - waited_ns)
        self._by_index[index] = row
        self._first_keys[request.request_id] = self._writer.tables.key(index, 0)
        self._rows[request.request_id] = row
        self._waiting[request.request_id] = row
        self._dirty[index] = row
        return row

    def _make_room(self, request: Any) -> Row | None:
        if not self._free:
            if not self._waiting:
                return None
            evicted, _ = self._waiting.popitem()
            self.remove(evicted)
            self.num_without_row += 1
        self.num_without_row = max(0, self.num_without_row - 1)
        return self._place(request)

    def _set_status(self, row: Row, status: RowStatus) -> None:
        row.status = status
        if status is RowStatus.RUNNING:
            self._waiting.pop(row.request.request_id, None)
        self._dirty[row.index] = row

    def _hold(self, row: Row) -> None:
        """This row's token counts change from now on."""
        if row.place is None:
            row.place = len(self._holders)
            self._holders.append(row)
            self._holder_requests.append(row.request)
            self._holder_indices.append(row.index)

    def _release(self, row: Row) -> None:
        """This row's token counts change no more. The last one takes its place, so that no list is rebuilt."""
        place = row.place
        if place is None:
            return
        row.place = None
        last = self._holders.pop()
        request, index = self._holder_requests.pop(), self._holder_indices.pop()
        if last is not row:
            last.place = place
            self._holders[place], self._holder_requests[place], self._holder_indices[place] = last, request, index

    def _write_row(self, index: int, row: Row | None) -> None:
        columns = self._columns
        if row is None:
            columns["status"][index] = RowStatus.EMPTY
            return
        request = row.request
        if columns["serial"][index] != row.serial:
            self._write_identity(index, row)
        columns["status"][index] = row.status
        columns["flags"][index] = row.flags
        columns["prefill"][index] = request.is_prefill_chunk
        columns["num_prompt_tokens"][index] = request.num_prompt_tokens
        columns["num_tokens"][index] = request.num_tokens
        columns["num_computed_tokens"][index] = request.num_computed_tokens
        columns["num_cached_tokens"][index] = row.cached_tokens
        columns["num_preemptions"][index] = request.num_preemptions

    def _write_identity(self, index: int, row: Row) -> None:
        encoded = row.request.request_id.encode()
        if len(encoded) > ID_BYTES:
            encoded = encoded[:ID_BYTES].decode("utf-8", "ignore").encode()
            row.flags |= RowFlag.ID_TRUNCATED
        self._writer.views.row_ids[index, : len(encoded)] = np.frombuffer(encoded, np.uint8)
        columns = self._columns
        columns["id_length"][index] = len(encoded)
        columns["serial"][index] = row.serial
        columns["arrival_ns"][index] = row.arrival_ns
        columns["max_tokens"][index] = row.request.max_tokens
