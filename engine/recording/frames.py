"""From successive snapshots to frames: what changed between two of them."""

from __future__ import annotations

from dataclasses import astuple, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.domain.blocks import BlockState
from engine.domain.telemetry import Counters, StepSample
from engine.recording.columns import pack, pack_rising
from engine.recording.records import BlockChanges, Frame, NewRow, RowChanges, Steps, TableChanges

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from engine.domain.request import RequestRow
    from engine.domain.telemetry import CacheSnapshot

    _Column = NDArray[Any] | None

STEP_FIELDS = tuple(field.name for field in fields(StepSample))
COUNTER_FIELDS = tuple(field.name for field in fields(Counters))
_EMPTY = np.zeros(0, np.int32)


def frame_between(before: CacheSnapshot | None, after: CacheSnapshot, at_ns: int) -> Frame:
    """What turns `before` (None: nothing) into `after`. Both must be of one geometry."""
    rows, tables = _row_changes(before.requests if before is not None else (), after.requests)
    return Frame(
        at_ns=at_ns,
        published_ns=after.published_ns,
        counters=pack(astuple(after.counters)),
        blocks=_block_changes(before, after),
        rows=rows,
        tables=tables,
        requests_not_shown=after.requests_not_shown,
    )


def pack_steps(steps: Sequence[StepSample], at_ns: int) -> Steps:
    """Steps as columns."""
    table = np.array([astuple(step) for step in steps], np.int64).reshape(-1, len(STEP_FIELDS))
    return Steps(at_ns, tuple(pack_rising(table[:, column]) for column in range(table.shape[1])))


def _block_changes(before: CacheSnapshot | None, after: CacheSnapshot) -> BlockChanges:
    columns = [(None if before is None else old(before), new) for old, new in _block_columns(after) if new is not None]
    if all(old is new for old, new in columns):
        return BlockChanges()
    differs = np.zeros(after.num_blocks, bool)
    for old, new in columns:
        differs |= new != (0 if old is None else old)
    changed = np.flatnonzero(differs)
    if not changed.size:
        return BlockChanges()
    return BlockChanges(
        pack_rising(changed),
        pack(after.states[changed]),
        pack(after.ref_counts[changed][after.states[changed] >= BlockState.SHARED]),
        pack(after.counters.step - after.last_used_step[changed].astype(np.int64)),
        b"" if after.reuse_counts is None else pack(after.reuse_counts[changed]),
        b"" if after.cached_groups is None else pack(after.cached_groups[changed]),
    )


def _block_columns(after: CacheSnapshot) -> tuple[tuple[Callable[[CacheSnapshot], _Column], _Column], ...]:
    """How to find each array of the blocks in a snapshot, and this snapshot's."""
    find: tuple[Callable[[CacheSnapshot], _Column], ...] = (
        attrgetter("states"), attrgetter("ref_counts"), attrgetter("last_used_step"), attrgetter("reuse_counts"),
        attrgetter("cached_groups"),
    )  # fmt: skip
    return tuple((one, one(after)) for one in find)


def _row_changes(before: Sequence[RequestRow], after: Sequence[RequestRow]) -> tuple[RowChanges, TableChanges]:
    if before is after:
        return RowChanges(), TableChanges()
    old = {request.row: request for request in before}
    fresh: list[NewRow] = []
    changed: list[tuple[int, int, int, int]] = []
    tables = _TableDiff()
    for new in after:
        known = old.pop(new.row, None)
        if known is new:
            continue
        if known is None or not _only_moved(known, new):
            fresh.append(_new_row(new))
            known = known if known is not None and _keeps_tables(known, new) else None
        elif (known.phase, known.num_tokens, known.num_computed_tokens) != (
            new.phase, new.num_tokens, new.num_computed_tokens,
        ):  # fmt: skip
            changed.append((new.row, int(new.phase), new.num_tokens - known.num_tokens,
                            new.num_computed_tokens - known.num_computed_tokens))  # fmt: skip
        tables.compare(known, new)
    numbers = np.array(changed, np.int64).reshape(-1, 4)
    rows = RowChanges(
        pack_rising(sorted(old)), tuple(fresh), pack_rising(numbers[:, 0]), pack(numbers[:, 1]), pack(numbers[:, 2]),
        pack(numbers[:, 3]),
    )  # fmt: skip
    return rows, tables.packed()


def _only_moved(old: RequestRow, new: RequestRow) -> bool:
    """Whether nothing changed that a plain change of a row does not carry."""
    return (
        old.request_id == new.request_id
        and old.num_cached_tokens == new.num_cached_tokens
        and old.num_preemptions == new.num_preemptions
        and old.num_prompt_tokens == new.num_prompt_tokens
        and old.arrival_ns == new.arrival_ns
        and old.tables_truncated == new.tables_truncated
        and old.max_tokens == new.max_tokens
        and len(old.block_tables) == len(new.block_tables)
    )


def _keeps_tables(old: RequestRow, new: RequestRow) -> bool:
    return old.request_id == new.request_id and len(old.block_tables) == len(new.block_tables)


def _new_row(row: RequestRow) -> NewRow:
    return NewRow(
        row.row, row.request_id, int(row.phase), row.num_prompt_tokens, row.num_tokens, row.num_computed_tokens,
        row.num_cached_tokens, row.num_preemptions, row.arrival_ns, len(row.block_tables), row.tables_truncated,
        row.max_tokens,
    )  # fmt: skip


class _TableDiff:
    """Collects the changes of all block tables of one frame."""

    def __init__(self) -> None:
        self._entries: list[tuple[int, int, int, int, int]] = []
        self._added: list[NDArray[np.int32]] = []

    def compare(self, old: RequestRow | None, new: RequestRow) -> None:
        for group, table in enumerate(new.block_tables):
            known = old.block_tables[group] if old is not None and group < len(old.block_tables) else _EMPTY
            if known is table or (len(known) == len(table) and np.array_equal(known, table)):
                continue
            nulled = int(np.argmax(table != 0)) if table.size and table.any() else len(table)
            kept = _common(known, table, nulled)
            added = table[kept:]
            self._entries.append((new.row, group, len(known) - kept, min(nulled, kept), len(added)))
            self._added.append(added)

    def packed(self) -> TableChanges:
        if not self._entries:
            return TableChanges()
        entries = np.array(self._entries, np.int64)
        ids = np.concatenate(self._added)
        return TableChanges(
            pack_rising(entries[:, 0]), pack(entries[:, 1]), b"", pack(entries[:, 3]), pack(entries[:, 4]),
            pack_rising(ids), pack(entries[:, 2]),
        )  # fmt: skip


def _common(old: NDArray[np.int32], new: NDArray[np.int32], nulled: int) -> int:
    """Length of the common beginning, if the first `nulled` entries are set to the null block."""
    length = min(len(old), len(new))
    if length <= nulled:
        return length
    differ = np.flatnonzero(old[nulled:length] != new[nulled:length])
    return nulled + int(differ[0]) if differ.size else length
