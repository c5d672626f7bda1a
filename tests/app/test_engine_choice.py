"""Several data-parallel engines: each has a telemetry page of its own, and the window shows the one that is chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.bridge.store import EngineShown
from app.widgets.engine_choice import EngineChoice
from engine.domain.blocks import BlockState
from engine.domain.lifecycle import EngineFacts, Lifecycle, Phase
from engine.page.layout import Change, Field, PageGeometry
from engine.page.ranks import page_of_rank
from engine.page.writer import PageWriter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.bridge.engine_commands import EngineCommands
    from app.bridge.store import Notice, Store
    from tests.app.conftest import Quiet

_GEOMETRY = PageGeometry(num_blocks=64, block_size=16, group_block_sizes=(16,), max_rows=8, ring_steps=32)


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Path]:
    """The pages of the first two engines; 3 blocks are used in one, 5 in the other."""
    writers = [PageWriter(page_of_rank(tmp_path / "page", rank), _GEOMETRY) for rank in range(2)]
    for writer, used in zip(writers, (3, 5), strict=True):
        writer.begin()
        writer.views.states[1 : 1 + used] = BlockState.USED
        writer.views.counters[Field.STEP] = 1
        writer.views.counters[Field.NUM_USED] = used
        writer.commit(Change.BLOCKS, Change.COUNTERS)
    yield tmp_path / "page"
    for writer in writers:
        writer.close()


def _ready(page: Path, ranks: int) -> Lifecycle:
    facts = EngineFacts(
        "0.32.0", "/m", "m", "cpu", "bfloat16", None, 512, 16, 64, 4, 512, True, str(page), (),
        {"data_parallel_size": ranks},
    )  # fmt: skip
    return Lifecycle(Phase.READY, "/m", 1, facts=facts)


def test_the_chosen_engine_is_shown(
    commands: EngineCommands, store: Store, page: Path, qtbot: QtBot, quiet: Quiet
) -> None:
    quiet.allow("cannot be read yet")  # the third engine's page
    choice = EngineChoice(store, commands)
    qtbot.addWidget(choice)
    assert choice.isHidden()
    commands._feed._take(_ready(page, 3))
    assert [choice.itemText(place) for place in range(choice.count())] == [f"Engine {n} of 3" for n in (1, 2, 3)]
    assert not choice.isHidden()
    said: list[Notice] = []
    store.noticed.connect(said.append)
    QTest.keyClick(choice, Qt.Key.Key_Down)
    assert store.engine_shown == EngineShown(1, 3)
    assert store.cache is not None
    assert store.cache.counters.num_used == 5
    QTest.keyClick(choice, Qt.Key.Key_Down)
    assert [notice.message for notice in said] == ["Engine 3 shows nothing here."]
    assert choice.currentIndex() == 1, "what can be shown stays"
    assert store.cache is not None
    assert store.cache.counters.num_used == 5
    commands._feed._take(Lifecycle(Phase.IDLE))
    commands._feed._take(_ready(page, 1))
    assert choice.isHidden()
    assert store.engine_shown == EngineShown()
    commands._feed._clock.follow_page(None)
