"""The KV cache panel on a hybrid model: groups in one map, alone, side by side; and the ways between map and table."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.bridge.store import Selection
from app.panels.cache import CachePanel
from app.preferences import REDUCED_MOTION
from app.tables.block_origin import OriginKind, origin_at, origin_meaning, origin_text
from app.tables.block_table import BlockColumn
from app.widgets.block_map_group_choice import ALL, SIDE_BY_SIDE
from app.widgets.block_map_legend import legend_items
from app.widgets.block_map_palette import ColourMode
from app.widgets.block_map_words import block_parts, block_tooltip
from benchmarks.page_traffic import PageTraffic
from engine.domain.kv_groups import GroupKind, KvCacheGroup
from engine.domain.request import RequestPhase, RequestRow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.panels.panel import PanelContext

_GROUPS = (
    KvCacheGroup(16, GroupKind.FULL, layers=2), KvCacheGroup(32, GroupKind.SLIDING, 64, 4),
    KvCacheGroup(64, GroupKind.STATE, layers=3),
)  # fmt: skip


class Silent:
    """Takes every command; they have tests of their own."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_arguments: None


@pytest.fixture
def traffic(tmp_path: Path) -> Iterator[PageTraffic]:
    page = PageTraffic(tmp_path / "page", 120, groups=_GROUPS)
    page.add("gone", 100)
    page.publish()
    page.finish("gone")
    page.add("chatcmpl-first-0123abcd", 100)
    page.add("chatcmpl-second-0123abcd", 70, share="chatcmpl-first-0123abcd")
    yield page
    page.close()


@pytest.fixture
def panel(qtbot: QtBot, context: PanelContext, traffic: PageTraffic) -> CachePanel:
    context.settings.setValue(REDUCED_MOTION, "true")
    widget = CachePanel(dataclasses.replace(context, commands=Silent()))  # type: ignore[arg-type]
    qtbot.addWidget(widget)
    widget.resize(900, 700)
    widget.show()
    context.store.publish(traffic.publish())
    return widget


def _choose(panel: CachePanel, choice: int) -> None:
    groups = panel.toolbar.groups
    groups.setCurrentIndex(groups.findData(choice))
    groups.activated.emit(groups.currentIndex())


def test_one_group_needs_no_choice(qtbot: QtBot, context: PanelContext, tmp_path: Path) -> None:
    page = PageTraffic(tmp_path / "one", 60)
    page.add("r", 40)
    panel = CachePanel(dataclasses.replace(context, commands=Silent()))  # type: ignore[arg-type]
    qtbot.addWidget(panel)
    panel.show()
    context.store.publish(page.publish())
    assert not panel.toolbar.groups.isVisible()
    assert not panel.toolbar.modes.button("group").isVisible()
    modes = [ColourMode.STATE]
    while (following := panel.toolbar.next_mode(modes[-1])) is not ColourMode.STATE:
        modes.append(following)
    assert modes == [mode for mode in ColourMode if mode is not ColourMode.GROUP]
    page.close()


def test_groups_side_by_side_show_their_own_blocks(panel: CachePanel, traffic: PageTraffic) -> None:
    assert panel.toolbar.groups.isVisible()
    _choose(panel, SIDE_BY_SIDE)
    maps = panel.stage.groups.maps
    assert len(maps) == 3
    assert not panel.map.isVisible()
    snapshot = panel.stage.snapshot
    assert snapshot is not None
    elsewhere = maps[0].image.palette.bases - 1
    of_all = maps[0].image.bases.groups()
    for group, view in enumerate(maps):
        shown = view.image.bases.bytes
        assert ((shown == elsewhere) == ((of_all != 0) & (of_all != group + 1))).all()
        assert (shown[of_all == group + 1] == snapshot.states[of_all == group + 1]).all()
    first, _, states = (caption.text() for caption in panel.stage.groups.captions)
    assert "full attention" in first
    assert "16 tokens a block" in first
    assert "in use: 8" in first  # 100 and 70 tokens, of which 4 blocks are shared
    assert "tokens a block" not in states
    assert panel.legend.isVisible()
    traffic.grow("chatcmpl-first-0123abcd", 40)
    panel.context.store.publish(traffic.publish())
    assert all(view.snapshot is panel.context.store.cache for view in maps)
    _choose(panel, ALL)
    assert panel.map.isVisible()
    assert panel.map.snapshot is panel.context.store.cache


def test_maps_side_by_side_move_together(qtbot: QtBot, panel: CachePanel) -> None:
    _choose(panel, SIDE_BY_SIDE)
    maps = panel.stage.groups.maps
    panel.stage.zoom(4)
    assert len({view.grid.cell for view in maps}) == 1
    assert not maps[2].grid.is_fitted
    panel.stage.fit()
    assert all(view.grid.is_fitted for view in maps)
    snapshot = panel.stage.snapshot
    assert snapshot is not None
    block = int(snapshot.requests[0].block_tables[1][0])
    qtbot.mouseClick(maps[1], Qt.MouseButton.LeftButton, pos=maps[1].cell_middle(block))
    assert panel.context.store.selection == Selection(snapshot.requests[0].request_id, block)


def test_one_group_alone_and_its_legend(panel: CachePanel) -> None:
    _choose(panel, 1)
    image = panel.map.image
    snapshot = panel.stage.snapshot
    assert snapshot is not None
    labels = [item.label for item in legend_items(ColourMode.STATE, image.theme, snapshot, image.bases.counts.tolist())]
    assert labels[-1] == "of another group"
    assert panel.legend.isVisible()
    _choose(panel, ALL)
    assert not panel.legend.isVisible()


def test_words_name_the_group(panel: CachePanel) -> None:
    snapshot, owners = panel.stage.snapshot, panel.stage.owners
    assert snapshot is not None
    assert snapshot.cached_groups is not None
    request = snapshot.requests[0]
    sliding, state = int(request.block_tables[1][-1]), int(request.block_tables[2][0])
    assert "4 of 32 slots filled" in block_parts(sliding, snapshot, owners)
    assert "group 1: sliding window of 64" in block_tooltip(sliding, snapshot, owners)
    assert "holds a state instead of tokens" in block_parts(state, snapshot, owners)
    cached = next(block for block in range(120) if snapshot.states[block] == 1 and snapshot.cached_groups[block] == 1)
    assert "group 1: sliding window of 64" in block_parts(cached, snapshot, owners)
    shared = int(request.block_tables[0][0])
    assert "found by later requests: 1×" in block_parts(shared, snapshot, owners)


def test_keys_go_through_the_modes_and_to_the_table_and_back(qtbot: QtBot, panel: CachePanel) -> None:
    panel.map.setFocus()
    seen = []
    for _ in ColourMode:
        qtbot.keyClick(panel.map, Qt.Key.Key_C)
        seen.append(panel.map.image.mode)
    assert sorted(seen) == sorted(ColourMode)
    snapshot = panel.stage.snapshot
    assert snapshot is not None
    request = next(one for one in snapshot.requests if one.request_id.startswith("chatcmpl-second"))
    block = int(request.block_tables[0][-1])
    panel.map.put_cursor(block)
    qtbot.keyClick(panel.map, Qt.Key.Key_T)
    table = panel.details.table
    assert table.isVisible()
    assert panel.context.store.selection.request_id == request.request_id
    assert table.model.block_at(table.table.currentIndex().row()) == block
    table.table.setCurrentIndex(table.model.index(0, BlockColumn.PHYSICAL))
    qtbot.keyClick(table.table, Qt.Key.Key_Return)
    assert panel.map.cursor_block == int(request.block_tables[0][0])
    qtbot.keyClick(panel.map, Qt.Key.Key_Space)
    assert panel.paused


def test_rows_are_copied_with_whole_ids(qtbot: QtBot, panel: CachePanel) -> None:
    snapshot = panel.stage.snapshot
    assert snapshot is not None
    request = next(one for one in snapshot.requests if one.request_id.startswith("chatcmpl-second"))
    panel.details.tabs.setCurrentIndex(panel.details.pages.indexOf(panel.details.table))
    panel.context.store.publish(Selection(request.request_id))
    table = panel.details.table
    table.table.selectRow(0)
    qtbot.keyClick(table.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 2
    assert lines[0].split("\t")[:2] == ["Logical", "Physical"]
    assert lines[1].split("\t") == [
        "0 · group 0", str(request.block_tables[0][0]), "16/16", "prefix cache", "chatcmpl-first-0123abcd",
    ]  # fmt: skip
    table.copy_all()
    assert len(QGuiApplication.clipboard().text().splitlines()) == 1 + sum(map(len, request.block_tables))


def test_a_long_requests_table_grows_at_its_end(qtbot: QtBot, panel: CachePanel, tmp_path: Path) -> None:
    page = PageTraffic(tmp_path / "long", 8000)
    page.add("long", 100_000)
    panel._beside.forget()
    panel.context.store.publish(page.publish())
    panel.details.tabs.setCurrentIndex(panel.details.pages.indexOf(panel.details.table))
    panel.context.store.publish(Selection("long"))
    model = panel.details.table.model
    assert model.rowCount() == 6250
    with qtbot.waitSignal(model.rowsInserted), qtbot.assertNotEmitted(model.modelReset):
        page.grow("long", 40)
        panel._beside.forget()
        panel.context.store.publish(page.publish())
    assert model.rowCount() == 6253
    assert model.row_of(model.block_at(6252) or -1) == 6252
    page.close()


def _row(prompt: int, cached: int) -> RequestRow:
    return RequestRow(0, "r", RequestPhase.DECODE, prompt, prompt, prompt, cached, 0, 0, ())


@pytest.mark.parametrize(
    ("prompt", "cached", "kinds"),
    [
        (40, 0, [OriginKind.COMPUTED] * 3),
        (40, 32, [OriginKind.CACHE, OriginKind.CACHE, OriginKind.COMPUTED]),
        (48, 32, [OriginKind.CACHE, OriginKind.CACHE, OriginKind.LAST_TOKEN]),
        (48, 16, [OriginKind.CACHE, OriginKind.COMPUTED, OriginKind.COMPUTED]),
        (48, 20, [OriginKind.CACHE, OriginKind.COPY, OriginKind.COMPUTED]),
    ],
)
def test_where_a_block_came_from(prompt: int, cached: int, kinds: list[OriginKind]) -> None:
    found = [origin_at(_row(prompt, cached), position, 16, is_null=False) for position in range(3)]
    assert [origin.kind for origin in found] == kinds
    assert all(origin_text(origin) and origin_meaning(origin) for origin in found)
    if OriginKind.COPY in kinds:
        assert origin_text(found[1]) == "copied, 4 of 16 slots"
    assert origin_at(_row(48, 48), 0, 16, is_null=True).kind is OriginKind.LEFT_BEHIND
    assert origin_at(_row(48, 48), 0, None, is_null=False).kind is OriginKind.STATE


def test_where_buttons_have_no_room_a_list_has_the_modes(panel: CachePanel) -> None:
    toolbar = panel.toolbar
    assert toolbar.modes.isVisible()
    assert not toolbar.mode_list.isVisible()
    panel.resize(420, 700)
    assert not toolbar.modes.isVisible()
    assert toolbar.mode_list.count() == len(ColourMode)
    toolbar.mode_list.activated.emit(toolbar.mode_list.findData("reuse"))
    assert panel.map.image.mode is ColourMode.REUSE
    assert toolbar.mode_list.currentData() == "reuse"
    panel.resize(900, 700)
    assert toolbar.modes.isVisible()
    assert toolbar.modes.key == "reuse"
