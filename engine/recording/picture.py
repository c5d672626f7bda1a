"""From frames back to snapshots: the picture that a recording's frames have built so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.domain.blocks import MOST_REUSES, BlockState
from engine.domain.errors import RecordingInvalid
from engine.domain.kv_groups import GroupKind, KvCacheGroup
from engine.domain.request import RequestPhase, RequestRow
from engine.domain.telemetry import CacheSnapshot, Counters, StepSample
from engine.recording.columns import unpack, unpack_rising
from engine.recording.frames import COUNTER_FIELDS, STEP_FIELDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from engine.domain.cache_events import CacheEvent
    from engine.recording.columns import Numbers
    from engine.recording.records import BlockChanges, Frame, Key, NewRow, RowChanges, Steps, TableChanges

_MAX_BLOCKS = 1 << 24
_MAX_GROUPS = 64
_MAX_STEP = 1 << 32
_ID_CHARACTERS = 1024


def unpack_steps(record: Steps) -> tuple[StepSample, ...]:
    """The steps of a record. Raises RecordingInvalid where its columns do not match."""
    known = record.columns[: len(STEP_FIELDS)]
    columns = [unpack_rising(column).tolist() for column in known]
    if len(columns) < len(STEP_FIELDS) or len({len(column) for column in columns}) != 1:
        raise RecordingInvalid.damaged("the columns of its steps differ in length")
    return tuple(StepSample(*row) for row in zip(*columns, strict=True))


@dataclass(slots=True)
class _Row:
    """A request as it stands; `built` is what was handed out of it, None once something changed."""

    new: NewRow
    phase: RequestPhase
    tokens: int
    computed: int
    tables: list[NDArray[np.int32]]
    built: RequestRow | None = None

    def build(self) -> RequestRow:
        if self.built is None:
            new = self.new
            self.built = RequestRow(
                new.row, new.request_id, self.phase, new.num_prompt_tokens, self.tokens, self.computed,
                new.num_cached_tokens, new.num_preemptions, new.arrival_ns, tuple(self.tables), new.tables_truncated,
                new.max_tokens,
            )  # fmt: skip
        return self.built


class Picture:
    """Applies frames; `snapshot` hands the present state out. Handed-out arrays never change afterwards.

    Everything raises RecordingInvalid on changes that cannot be.
    """

    def __init__(self, key: Key) -> None:
        groups_fit = len(key.groups) in (0, key.num_groups) and all(min(group) >= 0 < group[0] for group in key.groups)
        sizes_fit = 0 < key.num_blocks <= _MAX_BLOCKS and key.block_size > 0 and 0 < key.num_groups <= _MAX_GROUPS
        if not (sizes_fit and groups_fit):
            raise RecordingInvalid.damaged("a picture's size is impossible")
        self._key = key
        self._states = np.zeros(key.num_blocks, np.uint8)
        self._ref_counts = np.zeros(key.num_blocks, np.uint16)
        self._last_used = np.zeros(key.num_blocks, np.uint32)
        self._reuses = np.zeros(key.num_blocks, np.uint16) if key.has_reuses else None
        self._cached_groups = np.zeros(key.num_blocks, np.uint8) if key.has_cached_groups else None
        self._groups = tuple(KvCacheGroup(size, _group_kind(kind), window or None, layers or None)
                             for size, kind, window, layers in key.groups)  # fmt: skip
        self._rows: dict[int, _Row] = {}
        self._requests: tuple[RequestRow, ...] | None = ()
        self._frame: Frame | None = None
        self._counters: Counters | None = None
        self._handed_out = False

    @property
    def key(self) -> Key:
        """The record that this picture began with."""
        return self._key

    @property
    def counters(self) -> Counters | None:
        """The newest frame's totals; None before the first frame."""
        return self._counters

    @property
    def requests(self) -> tuple[RequestRow, ...]:
        """The rows as they stand; the same object while none changes."""
        if self._requests is None:
            self._requests = tuple(self._rows[row].build() for row in sorted(self._rows))
        return self._requests

    def apply(self, frame: Frame) -> None:
        """Take one frame's changes."""
        numbers = unpack(frame.counters).tolist()[: len(COUNTER_FIELDS)]
        if len(numbers) < len(COUNTER_FIELDS):
            raise RecordingInvalid.damaged("a frame has too few counters")
        counters = Counters(*map(_natural, numbers))
        self._apply_blocks(frame.blocks, counters.step)
        self._apply_rows(frame.rows)
        self._apply_tables(frame.tables)
        self._counters, self._frame = counters, frame

    def snapshot(
        self, steps: Sequence[StepSample] = (), events: Sequence[CacheEvent] = ()
    ) -> CacheSnapshot | None:
        """The picture as the panels take it, with these steps and events as new; None before the first frame."""
        if self._frame is None or self._counters is None:
            return None
        for array in (self._states, self._ref_counts, self._last_used, self._reuses, self._cached_groups):
            if array is not None:
                array.flags.writeable = False
        self._handed_out = True
        return CacheSnapshot(
            published_ns=self._frame.published_ns,
            num_blocks=self._key.num_blocks,
            block_size=self._key.block_size,
            num_groups=self._key.num_groups,
            counters=self._counters,
            states=self._states,
            ref_counts=self._ref_counts,
            last_used_step=self._last_used,
            requests=self.requests,
            steps=tuple(steps),
            requests_not_shown=self._frame.requests_not_shown,
            events=tuple(events),
            reuse_counts=self._reuses,
            groups=self._groups,
            cached_groups=self._cached_groups,
        )

    def _apply_blocks(self, changes: BlockChanges, step: int) -> None:
        most = self._key.num_blocks
        ids = unpack_rising(changes.ids, most)
        if not ids.size:
            return
        states, ages = unpack(changes.states, most), unpack(changes.ages, most)
        counts = _all_counts(states, unpack(changes.ref_counts, most))
        used = step - ages
        _check(ids, most)
        if not len(ids) == len(states) == len(counts) == len(ages):
            raise RecordingInvalid.damaged("the columns of a frame's blocks differ in length")
        _check(states, len(BlockState))
        _check(counts, 1 << 16)
        _check(used, _MAX_STEP)
        if self._handed_out:
            self._states, self._ref_counts = self._states.copy(), self._ref_counts.copy()
            self._last_used, self._handed_out = self._last_used.copy(), False
            self._reuses = None if self._reuses is None else self._reuses.copy()
            self._cached_groups = None if self._cached_groups is None else self._cached_groups.copy()
        self._states[ids] = states.astype(np.uint8)
        self._ref_counts[ids] = counts.astype(np.uint16)
        self._last_used[ids] = used.astype(np.uint32)
        _set(self._reuses, ids, changes.reuses, MOST_REUSES + 1)
        _set(self._cached_groups, ids, changes.cached_groups, _MAX_GROUPS)

    def _apply_rows(self, changes: RowChanges) -> None:
        rows = self._rows
        gone = unpack_rising(changes.gone).tolist()
        for row in gone:
            if rows.pop(row, None) is None:
                raise RecordingInvalid.damaged("a request ends that never began")
        for new in changes.fresh:
            rows[new.row] = self._fresh(new)
        columns = (
            unpack_rising(changes.rows), unpack(changes.phases), unpack(changes.tokens), unpack(changes.computed),
        )  # fmt: skip
        if len({len(column) for column in columns}) != 1:
            raise RecordingInvalid.damaged("the columns of a frame's requests differ in length")
        for row, phase, tokens, computed in zip(*(column.tolist() for column in columns), strict=True):
            known = self._known(row)
            known.phase = _phase(phase)
            known.tokens, known.computed = _natural(known.tokens + tokens), _natural(known.computed + computed)
            known.built = None
        if gone or changes.fresh or columns[0].size:
            self._requests = None

    def _fresh(self, new: NewRow) -> _Row:
        counts = (new.row, new.num_prompt_tokens, new.num_cached_tokens, new.num_preemptions, new.arrival_ns)
        if not 0 < new.groups <= _MAX_GROUPS or len(new.request_id) > _ID_CHARACTERS or min(counts) < 0:
            raise RecordingInvalid.damaged("a request of it is impossible")
        known = self._rows.get(new.row)
        same = known is not None and known.new.request_id == new.request_id and len(known.tables) == new.groups
        tables = known.tables if known is not None and same else [_NO_TABLE] * new.groups
        return _Row(new, _phase(new.phase), _natural(new.num_tokens), _natural(new.num_computed_tokens), tables)

    def _apply_tables(self, changes: TableChanges) -> None:
        if not changes.rows:
            return
        ids = unpack_rising(changes.ids)
        _check(ids, self._key.num_blocks)
        drops = bool(changes.dropped)  # else of version 1
        rows = unpack_rising(changes.rows) if drops else unpack(changes.rows)
        columns = [rows.tolist(), *(unpack(column).tolist() for column in (
            changes.groups, changes.dropped if drops else changes.kept, changes.nulled, changes.counts,
        ))]  # fmt: skip
        if len({len(column) for column in columns}) != 1 or sum(columns[4]) != len(ids):
            raise RecordingInvalid.damaged("the columns of a frame's block tables differ in length")
        at = 0
        for row, group, kept, nulled, count in zip(*columns, strict=True):
            known = self._known(row)
            if not 0 <= group < len(known.tables):
                raise RecordingInvalid.damaged("a block table belongs to no KV-cache group")
            old = known.tables[group]
            kept = len(old) - kept if drops else kept
            if not 0 <= nulled <= kept <= len(old) or count < 0:
                raise RecordingInvalid.damaged("a block table changes where it has no entries")
            table = np.concatenate((old[:kept], ids[at : at + count].astype(np.int32)))
            table[:nulled] = 0
            table.flags.writeable = False
            at += count
            known.tables[group] = table
            known.built = None
        self._requests = None

    def _known(self, row: int) -> _Row:
        known = self._rows.get(row)
        if known is None:
            raise RecordingInvalid.damaged("a request changes that never began")
        return known


def _set(array: NDArray[Any] | None, ids: Numbers, column: bytes, end: int) -> None:
    """Set an array that not every recording has."""
    if array is None:
        return
    values = unpack(column, len(array))
    if len(values) != len(ids):
        raise RecordingInvalid.damaged("the columns of a frame's blocks differ in length")
    _check(values, end)
    array[ids] = values.astype(array.dtype)


def _group_kind(number: int) -> GroupKind:
    return GroupKind(number) if number in set(GroupKind) else GroupKind.OTHER


def _all_counts(states: Numbers, told: Numbers) -> Numbers:
    """The reference counts of blocks in these states: where only those that a state does not say are told, of all."""
    unsaid = states >= BlockState.SHARED
    if len(told) == len(states) or len(told) != np.count_nonzero(unsaid):
        return told  # of version 1; or damaged, which is seen by the length
    counts: Numbers = (states == BlockState.USED).astype(np.int64)
    counts[unsaid] = told
    return counts


def _phase(number: int) -> RequestPhase:
    if not 0 <= number < len(RequestPhase):
        raise RecordingInvalid.damaged("a request is in no known phase")
    return RequestPhase(number)


def _natural(number: int) -> int:
    if not 0 <= number < 1 << 62:
        raise RecordingInvalid.damaged("a count is negative")
    return number


def _check(numbers: Numbers, end: int) -> None:
    if numbers.size and (int(numbers.min()) < 0 or int(numbers.max()) >= end):
        raise RecordingInvalid.damaged("a number is out of its range")


def _no_table() -> NDArray[np.int32]:
    table = np.zeros(0, np.int32)
    table.flags.writeable = False
    return table


_NO_TABLE = _no_table()
