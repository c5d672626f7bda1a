"""Whatever the writer publishes, a reader finds again; what was handed out never changes."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine.domain.kv_groups import KvCacheGroup
from engine.page.layout import OPTIONAL, Change, PageGeometry, RowStatus
from engine.page.reader import PageReader
from engine.page.writer import PageWriter
from tests.engine.page.paging import Model

if TYPE_CHECKING:
    import pytest

ROWS, BLOCKS, RING = 5, 40, 8
ids = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=40)
block_ids = st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=90)
row_indices = st.integers(0, ROWS - 1)


class PageMachine(RuleBasedStateMachine):
    """Random publications, each read back by a reader that was there all along and by one that comes late."""

    @initialize(groups=st.integers(1, 3))
    def open(self, groups: int) -> None:
        self.folder = Path(tempfile.mkdtemp())
        geometry = PageGeometry(BLOCKS, 16, (16,) * groups, ROWS, ring_steps=RING, table_entries=4096)
        self.model = Model(self.folder / "a.page", geometry)
        self.reader = PageReader(self.folder / "a.page")
        self.handed_out: list[tuple[Any, Any, Any]] = []
        self.model.publish_all()
        self.read = 0

    def teardown(self) -> None:
        if hasattr(self, "reader"):
            self.reader.close()
            self.model.writer.close()
            assert list(self.folder.iterdir()) == []
            shutil.rmtree(self.folder)

    @rule(block=st.integers(1, BLOCKS - 1), state=st.integers(0, 3), references=st.integers(0, 65535))
    def change_block(self, block: int, state: int, references: int) -> None:
        model, writer = self.model, self.model.writer
        model.states[block], model.references[block] = state, references
        writer.begin()
        writer.views.states[block], writer.views.ref_counts[block] = state, references
        writer.commit(Change.BLOCKS)

    @rule(index=row_indices, request_id=ids, status=st.sampled_from(list(RowStatus)[1:]), tokens=st.integers(0, 2**31))
    def put_row(self, index: int, request_id: str, status: RowStatus, tokens: int) -> None:
        self.model.writer.begin()
        self.model.put_row(index, request_id, status, tokens)
        self.model.write_counters()
        self.model.writer.commit(Change.COUNTERS, Change.ROWS, Change.TABLES)

    @precondition(lambda self: self.model.rows)
    @rule(data=st.data(), new=block_ids)
    def append(self, data: st.DataObject, new: list[int]) -> None:
        index = data.draw(st.sampled_from(sorted(self.model.rows)))
        group = data.draw(st.integers(0, self.model.geometry.num_groups - 1))
        table = self.model.rows[index].tables[group]
        self.model.writer.begin()
        # 4096 entries hold 15 tables of a few hundred ids with room to spare for growing extents.
        if len(table) + len(new) <= 128:
            assert self.model.writer.tables.append(self.model.writer.tables.key(index, group), new)
            table += new
        self.model.writer.commit(Change.TABLES)

    @precondition(lambda self: self.model.rows)
    @rule(data=st.data(), block_id=st.integers(0, 2**30), twice=st.booleans())
    def append_one_to_each(self, data: st.DataObject, block_id: int, twice: bool) -> None:
        groups = self.model.geometry.num_groups
        rows = data.draw(st.lists(st.sampled_from(sorted(self.model.rows)), min_size=1, unique=True))
        chosen = [(row, group) for row in rows for group in range(groups)] * (1 + twice)
        chosen = [(row, group) for row, group in chosen if len(self.model.rows[row].tables[group]) < 126]
        self.model.writer.begin()
        keys = [self.model.writer.tables.key(row, group) for row, group in chosen]
        new = [block_id + i if i % 2 else [block_id + i] for i in range(len(keys))]
        assert self.model.writer.tables.append_each(keys, new) == (len(keys), [])
        self.model.writer.commit(Change.TABLES)
        for i, (row, group) in enumerate(chosen):
            self.model.rows[row].tables[group].append(block_id + i)

    @precondition(lambda self: self.model.rows)
    @rule(data=st.data(), last=st.integers(0, 60))
    def slide_window(self, data: st.DataObject, last: int) -> None:
        index = data.draw(st.sampled_from(sorted(self.model.rows)))
        row = self.model.rows[index]
        self.model.writer.begin()
        self.model.writer.tables.zero(self.model.writer.tables.key(index, 0), last)
        self.model.writer.commit(Change.TABLES)
        reached = min(last, len(row.tables[0]))
        row.tables[0][row.zeroed : reached] = [0] * (reached - row.zeroed)
        row.zeroed = max(row.zeroed, reached)

    @precondition(lambda self: self.model.rows)
    @rule(data=st.data())
    def drop_row(self, data: st.DataObject) -> None:
        index = data.draw(st.sampled_from(sorted(self.model.rows)))
        self.model.writer.begin()
        self.model.drop_row(index)
        self.model.write_counters()
        self.model.writer.commit(Change.COUNTERS, Change.ROWS, Change.TABLES)

    @rule(count=st.integers(1, 2 * RING))
    def add_steps(self, count: int) -> None:
        self.model.writer.begin()
        for _ in range(count):
            self.model.add_step(self.model.steps[-1] + 2 if self.model.steps else 1)
        self.model.write_counters()
        self.model.writer.commit(Change.COUNTERS, Change.RING)

    @invariant()
    def reads_back(self) -> None:
        if not hasattr(self, "reader"):
            return
        snapshot = self.reader.snapshot()
        assert snapshot is not None
        assert self.reader.snapshot() is snapshot
        self.model.check(snapshot)
        late = PageReader(self.model.path)
        first = late.snapshot()
        assert first is not None
        self.model.check(first)
        late.close()
        new_steps = self.model.steps[self.read :][-RING:]
        assert [sample.step for sample in snapshot.steps] in (new_steps, [])
        self.read = len(self.model.steps)
        kept = self.model.steps[-RING:]
        for since in (0, kept[len(kept) // 2] if kept else 5):
            assert [s.step for s in self.reader.steps_since(since)] == [s for s in kept if s > since]
        self.handed_out.append((snapshot, snapshot.states.copy(), [r.block_table.copy() for r in snapshot.requests]))

    @invariant()
    def what_was_handed_out_is_unchanged(self) -> None:
        for snapshot, states, tables in getattr(self, "handed_out", [])[-6:]:
            assert not snapshot.states.flags.writeable
            assert np.array_equal(snapshot.states, states)
            for row, table in zip(snapshot.requests, tables, strict=True):
                assert np.array_equal(row.block_table, table)


TestPage = PageMachine.TestCase
TestPage.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def test_a_snapshot_is_made_only_of_what_changed(tmp_path: Path) -> None:
    model = Model(tmp_path / "a.page", PageGeometry(1000, 16, (16,), 8))
    model.put_row(0, "a", RowStatus.RUNNING, 5)
    model.put_row(3, "b", RowStatus.RUNNING, 6)
    model.writer.begin()
    model.writer.tables.append(0, [1, 2])
    model.writer.tables.append(3, [3])
    model.writer.commit()
    model.publish_all()
    reader = PageReader(model.path)
    first = reader.snapshot()
    model.writer.begin()
    model.writer.views.rows["num_tokens"][3] = 7
    model.writer.commit(Change.TOKENS)
    second = reader.snapshot()
    assert first is not None
    assert second is not None
    assert second.states is first.states
    assert second.requests[0] is first.requests[0]
    assert second.requests[1].block_table is first.requests[1].block_table
    assert [row.num_tokens for row in second.requests] == [5, 7]
    reader.close()
    model.writer.close()


def test_a_table_that_does_not_fit_is_cut_and_says_so(tmp_path: Path) -> None:
    model = Model(tmp_path / "a.page", PageGeometry(10, 16, (16,), 4, table_entries=64))
    tables = model.writer.tables
    for index in range(3):
        model.put_row(index, str(index), RowStatus.RUNNING, 1)
    model.writer.begin()
    assert tables.append(0, list(range(40)))  # takes all 64 entries
    assert not tables.append(1, [1, 2, 3])
    assert not tables.append(0, list(range(30)))
    assert not tables.append(0, [7])  # a gap in the middle would be a lie: once cut, always cut
    model.writer.commit()
    model.publish_all()
    reader = PageReader(model.path)
    snapshot = reader.snapshot()
    assert snapshot is not None
    assert snapshot.requests[0].block_table.tolist() == [*range(40), *range(24)]
    assert snapshot.requests[1].block_table.tolist() == []
    model.writer.begin()
    tables.clear(0)
    tables.clear(1)
    assert tables.append(1, list(range(64)))  # what was given back is whole again
    model.writer.commit(Change.TABLES)
    snapshot = reader.snapshot()
    assert snapshot is not None
    assert snapshot.requests[1].block_table.tolist() == list(range(64))
    reader.close()
    model.writer.close()


def test_a_quarter_of_a_million_blocks(tmp_path: Path) -> None:
    model = Model(tmp_path / "a.page", PageGeometry(250_000, 16, (16,), 1280, table_entries=1 << 21))
    model.publish_all()
    reader = PageReader(model.path)
    generator = np.random.default_rng(1)
    states = generator.integers(0, 4, 250_000).astype(np.uint8)
    model.writer.begin()
    model.writer.views.states[:] = states
    model.writer.views.last_used_step[-1] = 2**32 - 1
    model.writer.commit(Change.BLOCKS)
    snapshot = reader.snapshot()
    assert snapshot is not None
    assert np.array_equal(snapshot.states, states)
    assert snapshot.last_used_step[-1] == 2**32 - 1
    assert (model.path.stat().st_mode & 0o777) == 0o600
    reader.close()
    model.writer.close()


def test_a_page_from_before_the_later_sections_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older engine host publishes no reuse counts and describes no groups."""
    whole = PageGeometry.section_sizes
    with monkeypatch.context() as older:
        older.setattr(
            PageGeometry, "section_sizes", lambda geometry: [one for one in whole(geometry) if one[0] not in OPTIONAL]
        )
        writer = PageWriter(tmp_path / "page", PageGeometry(40, 16, (16, 32), 4))
    writer.begin()
    writer.views.states[1] = 1
    writer.commit(*Change)
    reader = PageReader(tmp_path / "page")
    snapshot = reader.snapshot()
    assert snapshot is not None
    assert snapshot.states[1] == 1
    assert (snapshot.reuse_counts, snapshot.cached_groups) == (None, None)
    assert snapshot.groups == (KvCacheGroup(16), KvCacheGroup(32))
    reader.close()
    writer.close()
