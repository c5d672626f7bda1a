"""The frame clock over real telemetry pages: late ones, changing ones, torn ones, ones that are cut short."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from app.bridge.frame_clock import FrameClock
from app.bridge.store import Store
from engine.domain.blocks import BlockState
from engine.page.layout import Change, Field, PageGeometry
from engine.page.writer import PageWriter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.app.conftest import Quiet

pytestmark = pytest.mark.timed

_GEOMETRY = PageGeometry(num_blocks=64, block_size=16, group_block_sizes=(16,), max_rows=8, ring_steps=32)


def _publish(writer: PageWriter, step: int, used: int) -> None:
    writer.begin()
    writer.views.states[1 : 1 + used] = BlockState.USED
    writer.views.counters[Field.STEP] = step
    writer.views.counters[Field.NUM_USED] = used
    writer.commit(Change.BLOCKS, Change.COUNTERS)


@pytest.fixture
def store() -> Store:
    return Store()


@pytest.fixture
def clock(store: Store) -> Iterator[FrameClock]:
    clock = FrameClock(store, rate_hz=100)
    clock.start()
    yield clock
    clock.stop()
    clock.follow_page(None)


def test_a_new_snapshot_is_published_once(qtbot: QtBot, store: Store, clock: FrameClock, tmp_path: Path) -> None:
    writer = PageWriter(tmp_path / "page", _GEOMETRY)
    _publish(writer, 1, 3)
    seen: list[object] = []
    store.cache_changed.connect(seen.append)
    with qtbot.waitSignal(store.cache_changed):
        clock.follow_page(str(tmp_path / "page"))
    with qtbot.waitSignals([clock.ticked] * 5):
        pass
    assert len(seen) == 1, "frames in which nothing changed publish nothing"
    with qtbot.waitSignal(store.cache_changed):
        _publish(writer, 2, 5)
    assert store.cache is not None
    assert (store.cache.counters.step, store.cache.counters.num_used) == (2, 5)
    assert int((store.cache.states == BlockState.USED).sum()) == 5
    writer.close()


def test_a_page_that_comes_late_is_found(
    qtbot: QtBot, store: Store, clock: FrameClock, tmp_path: Path, quiet: Quiet
) -> None:
    quiet.allow("cannot be read yet")
    clock.follow_page(str(tmp_path / "page"))
    with qtbot.waitSignals([clock.ticked] * 3):
        pass
    assert store.cache is None
    writer = PageWriter(tmp_path / "page", _GEOMETRY)
    _publish(writer, 7, 1)
    with qtbot.waitSignal(store.cache_changed):
        pass
    writer.close()


@pytest.mark.timed
def test_a_writer_that_dies_in_the_middle_leaves_the_last_picture(
    qtbot: QtBot, store: Store, clock: FrameClock, tmp_path: Path
) -> None:
    writer = PageWriter(tmp_path / "page", _GEOMETRY)
    _publish(writer, 1, 3)
    with qtbot.waitSignal(store.cache_changed):
        clock.follow_page(str(tmp_path / "page"))
    before = store.cache
    writer.begin()
    writer.views.counters[Field.STEP] = 99
    with qtbot.waitSignals([clock.ticked] * 5):
        pass
    assert store.cache is before
    assert clock.gaps.max_ms is not None
    assert clock.gaps.max_ms < 500, "waiting for the dead writer must not hold the window up"
    writer.close()


def test_a_page_cut_short_under_the_reader_ends_nothing(
    qtbot: QtBot, store: Store, clock: FrameClock, tmp_path: Path, caplog: pytest.LogCaptureFixture, quiet: Quiet
) -> None:
    quiet.allow("became unreadable")
    writer = PageWriter(tmp_path / "page", _GEOMETRY)
    _publish(writer, 1, 3)
    with qtbot.waitSignal(store.cache_changed):
        clock.follow_page(str(tmp_path / "page"))
    os.truncate(tmp_path / "page", 4096)
    with qtbot.waitSignals([clock.ticked] * 5):
        pass
    assert clock.steps_since(0) == ()
    assert "unreadable" in caplog.text
    caplog.clear()


@pytest.mark.timed
def test_the_clock_counts_only_the_time_it_runs(qtbot: QtBot, clock: FrameClock) -> None:
    with qtbot.waitSignals([clock.ticked] * 10):
        pass
    clock.stop()
    count = clock.gaps.count
    qtbot.wait(300)
    clock.start()
    with qtbot.waitSignals([clock.ticked] * 3):
        pass
    gaps = clock.gaps
    assert gaps.count >= count + 2
    assert gaps.max_ms is not None
    assert gaps.max_ms < 300
    clock.reset_gaps()
    assert clock.gaps.count == 0
