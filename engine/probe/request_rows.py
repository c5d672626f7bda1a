"""The live requests and their block tables, as rows of the page."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from engine.page.layout import ID_BYTES, RowFlag, RowStatus
from engine.probe.arrival_clock import ArrivalClock
from engine.probe.block_tables import BlockTables

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.page.writer import PageWriter
    from engine.probe.groups import GroupPlan

_COMPUTED = attrgetter("num_computed_tokens")
_TRUNCATED = int(RowFlag.TABLE_TRUNCATED)
# Plain integers: an enum's members cost a call each where they are written.
_EMPTY, _WAITING, _RUNNING, _PREEMPTED = (
    int(status) for status in (RowStatus.EMPTY, RowStatus.WAITING, RowStatus.RUNNING, RowStatus.PREEMPTED)
)
_WRITTEN_OFTEN = ("status", "flags", "prefill", "num_prompt_tokens", "num_tokens", "num_computed_tokens",
    "num_cached_tokens", "num_preemptions")  # fmt: skip


@dataclass(slots=True, eq=False)
class Row:
    """One request's row."""

    index: int
    request: Any
    serial: int
    arrival_ns: int
    status: int = _WAITING
    cached_tokens: int = 0
    admitted_step: int | None = None
    flags: int = 0
    is_new: bool = True  # on the page there is still another request's name


class RequestRows:
    """Rows of one page. All but `let_go` is called when a picture is published, in the order of what happened.

    A running request always has a row: when the page is full, the newest waiting one gives its row up.
    """

    def __init__(self, writer: PageWriter) -> None:
        geometry = writer.geometry
        self._writer = writer
        self._columns = {name: column.data for name, column in writer.views.rows.items()}
        self._often = tuple(self._columns[name] for name in _WRITTEN_OFTEN)
        self._ids = writer.views.row_ids.reshape(-1).data
        self._no_blocks: tuple[tuple[int, ...], ...] = ((),) * geometry.num_groups
        self._free = list(range(geometry.max_rows - 1, -1, -1))
        self._growing: list[str] = []  # requests that got more blocks since, and those blocks
        self._growth: list[Any] = []
        self._gone: set[str] = set()  # whose growth may be among it
        self._rows: dict[str, Row] = {}
        self._waiting: dict[str, Row] = {}
        self._dirty: dict[int, Row | None] = {}
        self._by_index: dict[int, Row] = {}
        self._first_keys: dict[str, int] = {}
        self._serial = 0
        self._arrivals = ArrivalClock()
        self._sessions: dict[int, Row] = {}  # of streaming sessions, which wait and run as no event tells
        self._holders: dict[int, Any] = {}  # the requests whose token counts change, by their rows
        self.tables = BlockTables(writer)
        self.high = 0
        self.num_without_row = 0

    def let_go(self, request_id: str) -> bool:
        """A request is about to be removed: it goes when vLLM lets go of it, not when that is published. Says whether
        it has a row by now, which whatever is noted of it by then will go into.
        """
        row = self._rows.get(request_id)
        if row is None:
            return False
        row.request = None
        self._holders.pop(row.index, None)
        return True

    # What is published

    def publish(self, reloaded: Sequence[GroupPlan] = ()) -> tuple[bool, bool]:
        """Write changed rows and tables. Call between the writer's begin and commit; says whether either changed.

        The tables of the groups in `reloaded` are read anew from vLLM's bookkeeping, for every request with blocks.
        """
        self._close_growth()
        for session in self._sessions.values():
            self._look_at(session)
        tables = self.tables
        if reloaded:
            for index, request in self._holders.items():
                tables.reload(index, request.request_id, reloaded)
        for index in tables.cut:
            cut = self._by_index.get(index)
            if cut is not None:
                cut.flags |= _TRUNCATED
                self._dirty[index] = cut
        tables.cut.clear()
        tables_changed, tables.changed = tables.changed, False
        rows_changed = bool(self._dirty)
        if rows_changed:
            self._write_rows()
        return rows_changed, tables_changed

    def publish_tokens(self) -> None:
        """Write the token counts that can change: of requests that hold blocks, and of preempted ones, for which tokens
        that were in flight may still arrive.

        A plain loop on purpose: whole columns by numpy take two and a half times as long, since the scheduler has
        driven its code out of the processor's cache (measured with 256 requests: 59 microseconds, 146 by numpy).
        """
        tokens, computed = self._columns["num_tokens"], self._columns["num_computed_tokens"]
        for index, request in self._holders.items():
            tokens[index] = len(request._all_token_ids)  # noqa: SLF001 - what Request.num_tokens is
            computed[index] = request.num_computed_tokens

    def get(self, request_id: str) -> Row | None:
        """The row of a request as of the last publication, or None where it had none."""
        return self._rows.get(request_id)

    def computed_tokens(self) -> int:
        """Tokens whose KV is held in the requests' blocks, counted anew."""
        return sum(map(_COMPUTED, self._holders.values()))

    # What happened

    def add(self, request: Any) -> None:
        """A request has arrived and waits."""
        if request.request_id in self._gone:  # what another of this name got is not this one's
            self._close_growth()
        known = self._rows.get(request.request_id)
        if known is not None:
            self._dirty[known.index] = known  # a streaming session's next part
        elif self._free:
            self._place(request)
        else:
            self.num_without_row += 1

    def admit(self, request: Any, block_ids: Sequence[Sequence[int]], cached_tokens: int, step: int) -> bool:
        """A request was scheduled at this step, for the first time or after a preemption, with these block tables; or
        a streaming session goes on with more than it had. Says whether it waited after it had lost its blocks.
        """
        row = self._rows.get(request.request_id) or self._make_room(request)
        if row is None:
            return False
        was_preempted = row.status == _PREEMPTED
        row.status = _RUNNING
        self._waiting.pop(request.request_id, None)
        if row.admitted_step is None:
            row.admitted_step = step
            row.cached_tokens = cached_tokens
        else:
            self._close_growth()  # what a session got before is in its tables already
        if request.streaming_queue is not None:
            self._sessions[row.index] = row
        self._hold(row, block_ids)
        return was_preempted

    def num_held(self, request_id: str) -> int:
        """How many blocks of group 0 a request has that is about to be admitted: none, but for a streaming session."""
        row = self._rows.get(request_id)
        if row is None or row.admitted_step is None:
            return 0
        self._close_growth()
        return self.tables.num_held(row.index)

    def block_ids(self, request_id: str) -> array[int]:
        """The blocks of group 0 that a request holds."""
        self._close_growth()
        row = self._rows.get(request_id)
        return array("I") if row is None else self.tables.block_ids(row.index)

    def append(self, request_ids: Sequence[str], block_ids: Sequence[Any]) -> None:
        """Running requests got more blocks: for each, a list of ids per group; or all of them one block, and its id.

        They are written when something happens that has to come after them, or at the end: new requests and the end of
        others need no such order, since this goes by names.
        """
        self._growing += request_ids
        self._growth += block_ids

    def _close_growth(self) -> None:
        if self._growing:
            self.tables.append(self._first_keys, self._growing, self._growth)
            self._growing.clear()
            self._growth.clear()
            self._gone.clear()

    def load(self, request_id: str, block_ids: Sequence[Sequence[int]]) -> None:
        """A waiting request holds these blocks already, because their KV comes from elsewhere."""
        self._close_growth()
        row = self._rows.get(request_id)
        if row is not None and not self.tables.holds_any(row.index):
            self._hold(row, block_ids)

    def _hold(self, row: Row, block_ids: Sequence[Sequence[int]]) -> None:
        """A row's request holds exactly these blocks now, and its token counts change from now on."""
        self.tables.replace(row.index, block_ids)
        row.flags &= ~_TRUNCATED
        self._dirty[row.index] = row
        if row.request is not None:  # it may have ended since
            self._holders[row.index] = row.request

    def null_leading(self, request_id: str, group: int, last: int) -> None:
        """The first `last` positions of a table now point at the null block: the attention window has moved on."""
        self._close_growth()
        row = self._rows.get(request_id)
        if row is not None:
            self.tables.null_leading(row.index, group, last)

    def preempt(self, request_id: str) -> None:
        """A running request lost its blocks and waits again."""
        self._close_growth()
        row = self._rows.get(request_id)
        if row is not None:
            row.status = _PREEMPTED
            self._hold(row, self._no_blocks)

    def touch(self, request_ids: Iterable[str]) -> None:
        """These requests' prompts are computed; from the next step on they decode."""
        for request_id in request_ids:
            row = self._rows.get(request_id)
            if row is not None:
                self._dirty[row.index] = row

    def remove(self, request_id: str) -> None:
        """A request is gone and its blocks are free."""
        if self._growing:
            self._gone.add(request_id)
        row = self._rows.pop(request_id, None)
        if row is None:
            self.num_without_row = max(0, self.num_without_row - 1)
            return
        index = row.index
        self._waiting.pop(request_id, None)
        self._sessions.pop(index, None)
        self._holders.pop(index, None)
        self.tables.drop(index)
        del self._by_index[index], self._first_keys[request_id]
        self._dirty[index] = None
        self._free.append(index)

    def _place(self, request: Any) -> Row:
        index = self._free.pop()
        self.high = max(self.high, index + 1)
        self._serial += 1
        row = Row(index, request, self._serial, self._arrivals.monotonic_ns(request.arrival_time))
        request_id = request.request_id
        self._first_keys[request_id] = self._writer.tables.key(index, 0)
        self._by_index[index] = self._rows[request_id] = self._waiting[request_id] = self._dirty[index] = row
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

    def _look_at(self, session: Row) -> None:
        if session.request is None:
            return
        status = {"RUNNING": _RUNNING, "PREEMPTED": _PREEMPTED}.get(session.request.status.name, _WAITING)
        if status != session.status:
            session.status = status
            self._dirty[session.index] = session

    def _write_rows(self) -> None:
        statuses, flags, prefill, prompt, tokens, computed, cached, preemptions = self._often
        for index, row in self._dirty.items():
            if row is None:
                statuses[index] = _EMPTY
                continue
            if row.is_new:
                self._write_identity(index, row)
            request = row.request
            statuses[index] = row.status
            flags[index] = row.flags
            prefill[index] = request.is_prefill_chunk
            prompt[index] = request.num_prompt_tokens
            tokens[index] = request.num_tokens
            computed[index] = request.num_computed_tokens
            cached[index] = row.cached_tokens
            preemptions[index] = request.num_preemptions
        self._dirty.clear()

    def _write_identity(self, index: int, row: Row) -> None:
        row.is_new = False
        encoded = row.request.request_id.encode()
        if len(encoded) > ID_BYTES:
            encoded = encoded[:ID_BYTES].decode("utf-8", "ignore").encode()
            row.flags |= RowFlag.ID_TRUNCATED
        first = index * ID_BYTES
        self._ids[first : first + len(encoded)] = encoded
        columns = self._columns
        columns["id_length"][index] = len(encoded)
        columns["serial"][index] = row.serial
        columns["arrival_ns"][index] = row.arrival_ns
        columns["max_tokens"][index] = row.request.max_tokens
