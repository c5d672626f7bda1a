"""Hours of scheduler steps in bounded memory: the newest one by one, older ones summed up in ever larger lots."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from engine.domain.telemetry import StepSample

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

FACTOR = 16


class Column(IntEnum):
    """What is kept of a lot of steps. A lot of one is the step itself."""

    BEGIN_NS = 0
    END_NS = 1
    COUNT = 2
    FIRST_STEP = 3
    LAST_STEP = 4
    PREFILL_TOKENS = 5
    DECODE_TOKENS = 6
    RUNNING = 7  # the most
    WAITING = 8  # the most
    FREE_BLOCKS = 9  # the fewest
    PREEMPTIONS = 10
    FINISHED = 11
    MAX_NUM_SEQS = 12  # at the end
    MAX_NUM_BATCHED_TOKENS = 13  # at the end
    LONGEST_NS = 14
    BUSY_NS = 15


_SUMS = (Column.COUNT, Column.PREFILL_TOKENS, Column.DECODE_TOKENS, Column.PREEMPTIONS, Column.FINISHED, Column.BUSY_NS)
_LARGEST = (Column.RUNNING, Column.WAITING, Column.LONGEST_NS)
_NEWEST = (Column.END_NS, Column.LAST_STEP, Column.MAX_NUM_SEQS, Column.MAX_NUM_BATCHED_TOKENS)


@dataclass(frozen=True, slots=True)
class StepLots:
    """Lots of steps in the order of time: int64 [lots, len(Column)]. `exact` says that each lot is one step."""

    table: NDArray[np.int64]
    exact: bool

    def __len__(self) -> int:
        return len(self.table)

    def column(self, column: Column) -> NDArray[np.int64]:
        """One column of all lots."""
        found: NDArray[np.int64] = self.table[:, column]
        return found

    def at(self, monotonic_ns: int) -> NDArray[np.int64] | None:
        """The lot that ran at this moment, or the last one before it; None before the first."""
        place = int(np.searchsorted(self.table[:, Column.BEGIN_NS], monotonic_ns, side="right")) - 1
        return self.table[place] if place >= 0 else None


class StepLevels:
    """Keeps `capacity` lots on each of `levels` levels; a lot of one level sums FACTOR lots of the level below it.

    With 20,000 lots and 4 levels that is 10 MB, and at 100 steps a second the third level alone reaches back 14 hours.
    """

    def __init__(self, capacity: int = 20_000, levels: int = 4) -> None:
        self._levels = [_Level(capacity) for _ in range(levels)]
        self._last: tuple[int, int] = (-1, -1)

    def __len__(self) -> int:
        """Steps that are still kept one by one."""
        return len(self._levels[0].rows)

    def add(self, steps: Sequence[StepSample]) -> None:
        """Take steps, oldest first; what is not newer than what is held is left out, unless an engine began anew."""
        for step in steps:
            number, begin = self._last
            if step.monotonic_ns < begin or (step.step <= number and step.monotonic_ns == begin):
                continue
            self._last = (step.step, step.monotonic_ns)
            row = [
                step.monotonic_ns, step.monotonic_ns + step.duration_ns, 1, step.step, step.step, step.prefill_tokens,
                step.decode_tokens, step.num_running, step.num_waiting, step.num_free_blocks, step.preemptions,
                step.finished, step.max_num_seqs, step.max_num_batched_tokens, step.duration_ns, step.duration_ns,
            ]  # fmt: skip
            self._levels[0].append(row)
            for level in self._levels[1:]:
                level.merge(row)
                if level.num_open < level.size(self._levels):
                    continue
                level.close()

    def view(self, begin_ns: int, end_ns: int, most: int) -> StepLots:
        """The steps between two moments in at most about `most` lots, as fine as that and what is kept allow."""
        finest = self._levels[0]
        for level in self._levels[:-1]:
            table = level.between(begin_ns, end_ns)
            if len(table) <= most and level.reaches(begin_ns):
                return StepLots(table, exact=level is finest)
        return StepLots(self._levels[-1].between(begin_ns, end_ns), exact=False)

    @property
    def span_ns(self) -> tuple[int, int] | None:
        """From the first step that is kept, in whatever lot, to the end of the last."""
        oldest = [level.oldest_ns for level in self._levels if level.oldest_ns is not None]
        newest = self._levels[0].newest_end_ns
        return (min(oldest), newest) if oldest and newest is not None else None

    def samples(self) -> Iterator[StepSample]:
        """The steps that are still kept one by one, oldest first."""
        for row in self._levels[0].rows.tolist():
            yield StepSample(
                step=row[Column.FIRST_STEP],
                monotonic_ns=row[Column.BEGIN_NS],
                duration_ns=row[Column.BUSY_NS],
                num_running=row[Column.RUNNING],
                num_waiting=row[Column.WAITING],
                prefill_tokens=row[Column.PREFILL_TOKENS],
                decode_tokens=row[Column.DECODE_TOKENS],
                num_free_blocks=row[Column.FREE_BLOCKS],
                preemptions=row[Column.PREEMPTIONS],
                finished=row[Column.FINISHED],
                max_num_seqs=row[Column.MAX_NUM_SEQS],
                max_num_batched_tokens=row[Column.MAX_NUM_BATCHED_TOKENS],
            )

    def recent(self, count: int) -> NDArray[np.int64]:
        """The newest `count` steps, one by one: int64 [steps, len(Column)]."""
        return self._levels[0].rows[-count:].copy()


class _Level:
    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._store = np.zeros((256, len(Column)), np.int64)
        self._count = 0
        self._open: list[int] | None = None
        self.num_open = 0
        self._dropped = False

    @property
    def rows(self) -> NDArray[np.int64]:
        return self._store[: self._count]

    def size(self, levels: list[_Level]) -> int:
        """Steps in a full lot of this level."""
        return int(FACTOR ** levels.index(self))

    @property
    def oldest_ns(self) -> int | None:
        if self._count:
            return int(self._store[0, Column.BEGIN_NS])
        return self._open[Column.BEGIN_NS] if self._open is not None else None

    @property
    def newest_end_ns(self) -> int | None:
        return int(self._store[self._count - 1, Column.END_NS]) if self._count else None

    def append(self, row: list[int]) -> None:
        if self._count == len(self._store):
            self._make_room()
        self._store[self._count] = row
        self._count += 1

    def merge(self, row: list[int]) -> None:
        """Add one step to the lot that is being filled."""
        lot = self._open
        self.num_open += 1
        if lot is None:
            self._open = list(row)
            return
        for column in _SUMS:
            lot[column] += row[column]
        for column in _LARGEST:
            lot[column] = max(lot[column], row[column])
        for column in _NEWEST:
            lot[column] = row[column]
        lot[Column.FREE_BLOCKS] = min(lot[Column.FREE_BLOCKS], row[Column.FREE_BLOCKS])

    def close(self) -> None:
        if self._open is not None:
            self.append(self._open)
        self._open, self.num_open = None, 0

    def reaches(self, begin_ns: int) -> bool:
        """Whether nothing of the time from `begin_ns` on has been dropped here."""
        return not self._dropped or int(self._store[0, Column.BEGIN_NS]) <= begin_ns

    def between(self, begin_ns: int, end_ns: int) -> NDArray[np.int64]:
        rows = self.rows
        first = int(np.searchsorted(rows[:, Column.BEGIN_NS], begin_ns, side="right")) - 1
        last = int(np.searchsorted(rows[:, Column.BEGIN_NS], end_ns, side="right"))
        found = rows[max(0, first) : last].copy()
        lot = self._open
        if lot is not None and lot[Column.BEGIN_NS] <= end_ns and lot[Column.END_NS] >= begin_ns:
            found = np.vstack((found, np.array([lot], np.int64)))
        return found

    def _make_room(self) -> None:
        if self._count < self._capacity:
            larger = np.zeros((min(2 * self._count, self._capacity), len(Column)), np.int64)
            larger[: self._count] = self._store
            self._store = larger
            return
        kept = self._capacity * 7 // 8  # in lots, so that a step costs no copy of the whole
        self._store[:kept] = self._store[self._count - kept : self._count].copy()
        self._count = kept
        self._dropped = True
