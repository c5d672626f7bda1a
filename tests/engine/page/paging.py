"""A page's content as plain Python values: what the reader has to find again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from engine.domain.request import RequestPhase
from engine.page.layout import RING_FIELDS, Change, Field, PageGeometry, RowStatus
from engine.page.writer import PageWriter

if TYPE_CHECKING:
    from pathlib import Path

    from engine.domain.telemetry import CacheSnapshot

PHASES = {
    RowStatus.WAITING: RequestPhase.WAITING,
    RowStatus.RUNNING: RequestPhase.DECODE,
    RowStatus.PREEMPTED: RequestPhase.PREEMPTED,
}


@dataclass
class ModelRow:
    """A request as it was written."""

    request_id: str
    status: RowStatus
    tokens: int
    tables: list[list[int]]
    zeroed: int = 0


@dataclass
class Model:
    """Writes to a page and remembers what it wrote."""

    path: Path
    geometry: PageGeometry
    rows: dict[int, ModelRow] = field(default_factory=dict)
    steps: list[int] = field(default_factory=list)
    serial: int = 0

    def __post_init__(self) -> None:
        self.writer = PageWriter(self.path, self.geometry)
        self.states = [4] + [0] * (self.geometry.num_blocks - 1)
        self.references = [0] * self.geometry.num_blocks

    def put_row(self, index: int, request_id: str, status: RowStatus, tokens: int) -> None:
        """Write one row's identity and numbers."""
        self.serial += 1
        self.rows[index] = ModelRow(request_id, status, tokens, [[] for _ in range(self.geometry.num_groups)])
        rows, encoded = self.writer.views.rows, request_id.encode()
        for group in range(self.geometry.num_groups):
            self.writer.tables.clear(self.writer.tables.key(index, group))
        rows["serial"][index] = self.serial
        rows["id_length"][index] = len(encoded)
        self.writer.views.row_ids[index, : len(encoded)] = np.frombuffer(encoded, np.uint8)
        rows["status"][index] = status
        rows["num_tokens"][index] = tokens
        rows["arrival_ns"][index] = self.serial * 1000

    def drop_row(self, index: int) -> None:
        """A request is gone."""
        del self.rows[index]
        self.writer.views.rows["status"][index] = RowStatus.EMPTY
        for group in range(self.geometry.num_groups):
            self.writer.tables.clear(self.writer.tables.key(index, group))

    def add_step(self, step: int) -> None:
        """A step for the ring."""
        ring = self.writer.views.ring
        ring[len(self.steps) % len(ring)] = [step, *range(1, RING_FIELDS)]
        self.steps.append(step)

    def write_counters(self) -> None:
        """The totals that follow from the rest."""
        counters = self.writer.views.counters
        counters[Field.STEP] = self.steps[-1] if self.steps else 0
        counters[Field.ROWS_HIGH] = max(self.rows, default=-1) + 1
        counters[Field.RING_WRITTEN] = len(self.steps)

    def publish_all(self) -> None:
        """Publish with every part marked as changed."""
        self.writer.begin()
        self.write_counters()
        self.writer.commit(*Change)

    def check(self, snapshot: CacheSnapshot) -> None:
        """The snapshot shows what was written, and nothing else."""
        assert snapshot.states.tolist() == self.states
        assert snapshot.ref_counts.tolist() == self.references
        assert [row.row for row in snapshot.requests] == sorted(self.rows)
        for row in snapshot.requests:
            written = self.rows[row.row]
            assert row.request_id == written.request_id
            assert row.phase is PHASES[written.status]
            assert row.num_tokens == written.tokens
            assert [table.tolist() for table in row.block_tables] == written.tables
