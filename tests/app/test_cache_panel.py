"""The KV cache panel on snapshots that went through a real telemetry page."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QMenu

from app.bridge.store import Selection
from app.panels.cache import CachePanel
from app.preferences import REDUCED_MOTION
from app.theme.tokens import DARK, LIGHT
from app.widgets.block_map_overlay import cell_area
from app.widgets.block_map_palette import ColourMode, base_colours, request_colour
from benchmarks.page_traffic import PageTraffic
from engine.domain.blocks import BlockState
from engine.domain.checkpoint import AttentionShape, Checkpoint, Library, Quantization
from engine.domain.lifecycle import Failure, Lifecycle, Phase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.panels.panel import PanelContext
    from app.widgets.block_map import BlockMap

_BLOCKS = 120


class Asked:
    """Notes what the panel asked for; the commands themselves have tests of their own."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.calls.append((name, *arguments))


@pytest.fixture
def traffic(tmp_path: Path) -> Iterator[PageTraffic]:
    page = PageTraffic(tmp_path / "page", _BLOCKS)
    page.add("chatcmpl-first-0123abcd", 100)
    page.add("chatcmpl-second-0123abcd", 70, share="chatcmpl-first-0123abcd")
    page.add("gone", 64)
    page.publish()
    page.finish("gone")
    page.wait("later", 30)
    yield page
    page.close()


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def panel(qtbot: QtBot, context: PanelContext, asked: Asked) -> CachePanel:
    context.settings.setValue(REDUCED_MOTION, "true")
    widget = CachePanel(dataclasses.replace(context, commands=asked))
    qtbot.addWidget(widget)
    widget.resize(700, 600)
    widget.show()
    return widget


def _picture(view: BlockMap) -> QImage:
    return view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def _shown(view: BlockMap, picture: QImage, block: int) -> str:
    """The colour of a block's cell, off its number, slots and edges."""
    area = cell_area(view.grid, block)
    return picture.pixelColor(area.left() + area.width() * 3 // 8, area.top() + area.height() * 3 // 8).name()


def test_every_block_has_the_colour_of_its_state(panel: CachePanel, traffic: PageTraffic) -> None:
    snapshot = traffic.publish()
    panel.context.store.publish(snapshot)
    assert set(snapshot.states.tolist()) == {int(state) for state in BlockState}
    colours = [colour.name() for colour in base_colours(ColourMode.STATE, DARK)]
    picture = _picture(panel.map)
    partial = panel.map.owners.partial(snapshot.ref_counts)
    wrong = [
        block for block, state in enumerate(snapshot.states.tolist())
        if state != BlockState.NULL and block not in partial and _shown(panel.map, picture, block) != colours[state]
    ]  # fmt: skip
    assert wrong == []
    first = cell_area(panel.map.grid, 0)
    inside = {picture.pixelColor(first.left() + i, first.top() + 3).name() for i in range(first.width())}
    assert len(inside) > 1, "the null block is hatched"


def test_a_click_chooses_the_owner_and_lights_its_blocks(qtbot: QtBot, panel: CachePanel, traffic: PageTraffic) -> None:
    snapshot = traffic.publish()
    store = panel.context.store
    store.publish(snapshot)
    second = next(row for row in snapshot.requests if row.request_id.startswith("chatcmpl-second"))
    own, common = int(second.block_table[-1]), int(second.block_table[0])
    full = int(second.block_table[0])
    qtbot.mouseClick(panel.map, Qt.MouseButton.LeftButton, pos=panel.map.cell_middle(own))
    assert store.selection == Selection(second.request_id, own)
    assert panel.requests.selected_id() == second.request_id
    picture = _picture(panel.map)
    plain = base_colours(ColourMode.STATE, DARK)
    assert _shown(panel.map, picture, full) == plain[BlockState.SHARED].name()
    assert _shown(panel.map, picture, _BLOCKS - 1) != plain[BlockState.FREE].name(), "the rest is dimmed"
    qtbot.mouseClick(panel.map, Qt.MouseButton.LeftButton, pos=panel.map.cell_middle(common))
    qtbot.mouseClick(panel.map, Qt.MouseButton.LeftButton, pos=panel.map.cell_middle(common))
    assert store.selection.request_id is not None
    assert store.selection.request_id.startswith("chatcmpl-second"), "clicking a shared block again: the next owner"
    qtbot.keyClick(panel.map, Qt.Key.Key_Escape)
    assert store.selection == Selection()


def test_the_keyboard_moves_chooses_and_zooms(qtbot: QtBot, panel: CachePanel, traffic: PageTraffic) -> None:
    panel.context.store.publish(traffic.publish())
    view = panel.map
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Up):
        qtbot.keyClick(view, key)
    assert view.cursor_block == 1
    assert "1" in panel.inspector.text()
    assert "16" in panel.inspector.text(), "filled slots of the block"
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert panel.context.store.selection.block_id == 1
    cell = view.grid.cell
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    assert view.grid.cell > cell
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.grid.cell == cell


def test_space_freezes_the_view_while_data_go_on(qtbot: QtBot, panel: CachePanel, traffic: PageTraffic) -> None:
    store = panel.context.store
    store.publish(traffic.publish())
    qtbot.keyClick(panel.map, Qt.Key.Key_Space)
    assert panel.paused
    before, steps = panel.map.snapshot, len(panel.history)
    traffic.grow("chatcmpl-first-0123abcd", 40)
    store.publish(traffic.publish())
    assert panel.map.snapshot is before
    assert len(panel.history) == steps + 1
    assert panel.steps.back == 1
    qtbot.keyClick(panel.map, Qt.Key.Key_Space)
    assert panel.map.snapshot is store.cache
    assert panel.steps.back == 0


def test_the_list_keeps_rows_and_offers_to_abort(panel: CachePanel, traffic: PageTraffic, asked: Asked) -> None:
    store = panel.context.store
    store.publish(traffic.publish())
    model, table = panel.model, panel.requests
    assert [model.data(model.index(row, 0)) for row in range(model.rowCount())] == ["first", "second", "later"]
    table.select("chatcmpl-second-0123abcd")
    traffic.finish("chatcmpl-first-0123abcd")
    traffic.add("new", 20)
    panel.model.show_requests(traffic.publish().requests, 0)
    assert table.selected_id() == "chatcmpl-second-0123abcd"
    assert model.rowCount() == 3
    place = table.visualRect(model.index(0, 0)).center()
    menu = table.build_menu(place)
    menu.actions()[0].trigger()
    assert asked.calls[-1] == ("abort", "chatcmpl-second-0123abcd")
    menu.actions()[1].trigger()
    assert QGuiApplication.clipboard().text() == "chatcmpl-second-0123abcd"
    priorities = menu.actions()[2].menu()
    assert isinstance(priorities, QMenu)
    for action, wanted in zip(priorities.actions(), (-10, 0, 10), strict=True):
        action.trigger()
        assert asked.calls[-1] == ("set_priority", "chatcmpl-second-0123abcd", wanted)
    assert model.as_csv().count("\n") == 4


def test_a_request_keeps_its_colour_on_map_and_list(panel: CachePanel, traffic: PageTraffic) -> None:
    snapshot = traffic.publish()
    panel.context.store.publish(snapshot)
    panel.toolbar.modes.button(ColourMode.REQUEST.value).click()
    first = next(row for row in snapshot.requests if "first" in row.request_id)
    own = int(first.block_table[5])
    colour = request_colour(first.row, DARK).name()
    assert _shown(panel.map, _picture(panel.map), own) == colour
    decoration = panel.model.data(panel.model.index(0, 0), Qt.ItemDataRole.DecorationRole)
    assert QColor(decoration).name() == colour
    panel.context.themes.use("light")
    assert _shown(panel.map, _picture(panel.map), own) == request_colour(first.row, LIGHT).name()


def test_figures_are_the_counters(panel: CachePanel, traffic: PageTraffic) -> None:
    snapshot = traffic.publish()
    panel.context.store.publish(snapshot)
    words = panel.figures.accessibleDescription()
    counters = snapshot.counters
    assert f"used {counters.num_used}" in words
    assert f"shared {counters.num_shared}" in words
    assert f"cached {counters.num_cached}" in words
    assert f"waste {counters.wasted_slots} " in words
    assert "waiting 1" in words


def test_hidden_it_draws_nothing_and_misses_no_step(qtbot: QtBot, panel: CachePanel, traffic: PageTraffic) -> None:
    store = panel.context.store
    store.publish(traffic.publish())
    drawn = panel.map.snapshot
    panel.hide()
    for _ in range(5):
        traffic.grow("chatcmpl-first-0123abcd")
        store.publish(traffic.publish())
    assert panel.map.snapshot is drawn
    panel.show()
    assert panel.map.snapshot is store.cache
    assert [step.step for step in panel.history.view(5)] == list(range(traffic.step - 4, traffic.step + 1))


def _checkpoint(path: str) -> Checkpoint:
    shape = AttentionShape("full", 1, 1, 1, 1)
    return Checkpoint(path, "Tiny", "Tiny", "folder", None, None, Quantization(None, "BF16", 16), 1, 1, 1, None, 8,
                      shape, has_chat_template=True, needs_remote_code=False, pickled_files=())  # fmt: skip


def test_empty_it_offers_the_one_act(panel: CachePanel, asked: Asked) -> None:
    store = panel.context.store
    assert panel.stack.currentWidget() is panel.empty
    store.publish(Library((), ("/models",)))
    panel.empty.button.click()
    assert asked.calls[-1] == ("build_starter",)
    store.publish(Library((_checkpoint("/models/tiny"),), ("/models",)))
    panel.empty.button.click()
    assert asked.calls[-1] == ("load", "/models/tiny")
    store.publish(Lifecycle(Phase.LOADING))
    assert panel.empty.button.isHidden()
    store.publish(Lifecycle(Phase.FAILED, failure=Failure("out_of_memory", "No room.", "Lower it.")))
    panel.empty.button.click()
    assert asked.calls[-1] == ("reload",)


def test_an_engine_that_ends_empties_the_panel(panel: CachePanel, traffic: PageTraffic) -> None:
    panel.context.store.publish(traffic.publish())
    assert panel.stack.currentWidget() is panel.live
    panel.set_paused(True)
    panel.context.store.clear_engine()
    assert panel.stack.currentWidget() is panel.empty
    assert not panel.paused
    assert len(panel.history) == 0


def test_copies(panel: CachePanel, traffic: PageTraffic) -> None:
    panel.context.store.publish(traffic.publish())
    menu = panel.build_menu()
    texts = [action.text() for action in menu.actions()]
    menu.actions()[texts.index("Copy all blocks as CSV")].trigger()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == _BLOCKS + 1
    assert lines[1].startswith("0,null,")
    assert "chatcmpl-first-0123abcd:0;chatcmpl-second-0123abcd:0" in lines[2]
    menu.actions()[texts.index("Copy the steps as CSV")].trigger()
    assert len(QGuiApplication.clipboard().text().splitlines()) == 2, "a head and the one step that was published"
    menu.actions()[texts.index("Copy the block map as a picture")].trigger()
    assert not QGuiApplication.clipboard().image().isNull()


def test_right_to_left_keeps_every_part_in_its_place(panel: CachePanel, traffic: PageTraffic) -> None:
    panel.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    panel.context.store.publish(traffic.publish())
    panel.grab()
    assert panel.toolbar.modes.x() > panel.toolbar.pause.x()
    assert panel.map.block_at(QPointF(QPoint(*panel.map.grid.corner(0)) + QPoint(1, 1))) == 0
