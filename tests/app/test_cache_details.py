"""Block table, waste, events and prefixes beside the request list, on snapshots from a real telemetry page."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt

from app.bridge.cache_alerts import CacheAlerts
from app.bridge.store import Notice, Selection
from app.panels.cache import CachePanel
from app.preferences import REDUCED_MOTION
from app.tables.block_table import BlockColumn
from app.tables.cache_events import MOST_LINES
from benchmarks.page_traffic import PageTraffic
from engine.domain.lifecycle import EngineFacts, Lifecycle, Phase
from engine.domain.prefixes import PrefixCause, PrefixNode, PrefixReason, PrefixText, PrefixTree
from engine.page.event_writer import EventWriter
from engine.page.layout import EventKind, Field

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.panels.panel import PanelContext

_BLOCKS = 120
_FIRST, _SECOND = "chatcmpl-first-0123abcd", "chatcmpl-second-0123abcd"
_TABS = ("requests", "table", "prefixes", "waste", "events")


class Asked:
    """Notes what the panel asked for; the commands themselves have tests of their own."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.calls.append((name, *(a for a in arguments if not isinstance(a, bool))))


@pytest.fixture
def traffic(tmp_path: Path) -> Iterator[PageTraffic]:
    page = PageTraffic(tmp_path / "page", _BLOCKS)
    page.add(_FIRST, 100)
    page.add(_SECOND, 70, share=_FIRST)
    page.publish()
    yield page
    page.close()


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def panel(qtbot: QtBot, context: PanelContext, asked: Asked, traffic: PageTraffic) -> CachePanel:
    context.settings.setValue(REDUCED_MOTION, "true")
    widget = CachePanel(dataclasses.replace(context, commands=asked))
    qtbot.addWidget(widget)
    widget.resize(820, 640)
    widget.show()
    context.store.publish(_ready(512))
    context.store.publish(traffic.publish())
    return widget


def _ready(max_model_len: int) -> Lifecycle:
    facts = EngineFacts(
        "0.32.0", "/m", "m", "cpu", "bfloat16", None, max_model_len, 16, _BLOCKS, 32, 2048,
        async_scheduling=False, page_path="", processes=(), parameters={}, kv_cache_bytes=_BLOCKS << 20,
    )  # fmt: skip
    return Lifecycle(Phase.READY, facts=facts)


def _open(panel: CachePanel, tab: str) -> None:
    panel.details.tabs.setCurrentIndex(_TABS.index(tab))


def test_a_block_table_maps_logical_to_physical(panel: CachePanel, context: PanelContext, traffic: PageTraffic) -> None:
    _open(panel, "table")
    view = panel.details.table
    assert view.stack.currentIndex() == 0
    context.store.publish(Selection(_SECOND))
    model, live = view.model, traffic.live[_SECOND]
    assert view.stack.currentIndex() == 1
    assert [model.block_at(row) for row in range(model.rowCount())] == live.blocks
    texts = [[model.data(model.index(row, column)) for column in BlockColumn] for row in range(model.rowCount())]
    assert [line[BlockColumn.ORIGIN] for line in texts] == ["prefix cache"] * 4 + ["computed"]
    assert [line[BlockColumn.FILLED] for line in texts] == ["16/16"] * 4 + ["6/16"]
    assert [line[BlockColumn.SHARED] for line in texts] == ["first"] * 4 + [""]
    for part in ("blocks: 5", "prefix cache: 4", "shared: 4", "last block: 6 of 16"):
        assert part in view.summary.accessibleName()
    traffic.grow(_SECOND, 40)
    traffic.publish()
    panel._texts_at_ns = 0
    context.store.publish(traffic.publish())
    assert model.rowCount() == len(live.blocks) == 7


def test_pointing_lights_and_clicking_walks(
    qtbot: QtBot, panel: CachePanel, context: PanelContext, traffic: PageTraffic
) -> None:
    _open(panel, "table")
    context.store.publish(Selection(_SECOND))
    view = panel.details.table
    shared = view.model.index(0, BlockColumn.SHARED)
    view.table.entered.emit(shared)
    assert panel.map._lit is not None
    assert panel.map._lit.tolist() == traffic.live[_SECOND].blocks[:1]
    view.pointed.emit(None)
    assert panel.map._lit.tolist() == traffic.live[_SECOND].blocks
    place = view.table.visualRect(shared).center()
    qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert context.store.selection == Selection(_FIRST, traffic.live[_FIRST].blocks[0])
    assert view.model.request is not None
    assert view.model.request.request_id == _FIRST


def test_waste_in_numbers(panel: CachePanel, context: PanelContext) -> None:
    _open(panel, "waste")
    view = panel.details.waste
    # 7 blocks and one more hold 100 and 70 - 64 tokens; pieces of 512 in 119 blocks of 16 slots.
    assert [part.slots for part in view.paged_bar.parts] == [106, 22, 0, 1904 - 128]
    assert "22 of 128" in view.paged_text.text()
    assert sum(part.slots for part in view.contiguous_bar.parts) == 1904
    assert "fit: 3" in view.contiguous_text.text()
    assert "368 external" in view.contiguous_text.text()
    context.store.publish(_ready(4096))
    panel.details._redraw()
    assert "not one piece of 4" in view.contiguous_text.text()
    context.store.publish(Lifecycle(Phase.IDLE))
    panel.details._redraw()
    assert not view.contiguous_text.isVisible()


def _tell(traffic: PageTraffic, *events: tuple[Any, ...], total: list[int]) -> None:
    writer = EventWriter(traffic.writer.views)
    writer.written = total[0]
    for event in events:
        writer.add(*event)
    writer.publish()  # the page is open for writing between two publications of the traffic
    total[0] = writer.written
    traffic.writer.views.counters[Field.EVENTS_WRITTEN] = writer.written


def test_events_in_words_choose_their_request(
    qtbot: QtBot, panel: CachePanel, context: PanelContext, traffic: PageTraffic
) -> None:
    total = [0]
    _tell(
        traffic,
        (1, 10, EventKind.ADMITTED, _FIRST, 64, 100, 0),
        (2, 20, EventKind.ALLOCATION_FAILED, _SECOND, 0, 0, 1),
        (2, 20, EventKind.PREEMPTED, _SECOND, 70, 5, 0),
        (3, 30, EventKind.EVICTED, _SECOND, 7, 12, 3),
        (3, 30, EventKind.EVICTED, _SECOND, 8, 15, 2),
        (4, 40, EventKind.NEVER_FITS, None, 9000, 563, 119),
        total=total,
    )
    context.store.publish(traffic.publish())
    view = panel.details.events
    lines = [view.model.data(view.model.index(row)) for row in range(view.model.rowCount())]
    assert lines == [
        "Step 4: an unknown request can never fit: its prompt needs 563 blocks, the whole cache has 119",
        "Step 3: 2 blocks evicted, unused for up to 15 steps; the prefix of second",
        "Step 2: second was preempted; blocks given back: 5; tokens to compute again, at most: 70",
        "Step 2: no room for second to go on; free blocks: 0",
        "Step 1: first admitted; from the prefix cache: 64 of 100 tokens",
    ]
    _open(panel, "events")
    index = view.model.index(1)
    qtbot.mouseClick(view.lines.viewport(), Qt.MouseButton.LeftButton, pos=view.lines.visualRect(index).center())
    assert context.store.selection == Selection(_SECOND, 7)
    _tell(traffic, *[(n, n, EventKind.ADMITTED, None, 0, 1, 0) for n in range(5, MOST_LINES + 505)], total=total)
    context.store.publish(traffic.publish())
    assert view.model.rowCount() <= MOST_LINES
    assert view.model.missed == MOST_LINES + 500 - 1024
    context.store.clear_engine()
    assert view.model.rowCount() == 0


_TREE = PrefixTree(
    step=900, block_size=16, cached_blocks=9, saved_blocks=4, nodes_left_out=2, walk_ns=3_000_000,
    nodes=(
        PrefixNode("aa", None, 4, 64, 4, 2, 3, 880, reachable=True),
        PrefixNode("bb", 0, 2, 32, 6, 1, 0, 890, reachable=True),
        PrefixNode("cc", None, 3, 48, 9, 0, 0, 100, reachable=False),
    ),
)  # fmt: skip


def test_the_prefix_tree_is_read_while_it_is_seen(panel: CachePanel, context: PanelContext, asked: Asked) -> None:
    assert asked.calls == []
    _open(panel, "prefixes")
    assert asked.calls == [("read_prefix_tree",)]
    context.store.publish(_TREE)
    view = panel.details.prefixes
    root, lost = view.tree.topLevelItem(0), view.tree.topLevelItem(1)
    assert [root.text(column) for column in range(5)] == ["1 to 64", "4", "2", "3", "20 ago"]
    assert root.child(0).text(0) == "65 to 96"
    assert lost.text(0) == "97 to 144, beginning evicted"
    assert "Sharing saves 4 blocks (4" in view.summary.accessibleName()
    assert "not shown: 2 smaller" in view.summary.accessibleName()
    view.tree.setCurrentItem(root.child(0))
    assert asked.calls[-1] == ("read_prefix_text", "bb", 2)
    context.store.publish(PrefixText("bb", "Once upon\n a time"))
    assert view.text.accessibleName() == "Once upon a time"
    root.setExpanded(False)
    context.store.publish(dataclasses.replace(_TREE, step=901))
    assert not view.tree.topLevelItem(0).isExpanded()
    assert view._chosen() == ("bb", 2)
    context.store.publish(PrefixText("bb", None))
    assert "keeps no text" in view.text.accessibleName()
    _open(panel, "requests")
    assert not view._timer.isActive()


@pytest.mark.parametrize(
    ("cause", "part"),
    [
        (PrefixCause.TOO_SHORT, "too short"),
        (PrefixCause.DIFFERENT, "begins with the same 7 tokens and then differs"),
        (PrefixCause.EVICTED, "evicted 12 steps before"),
        (PrefixCause.ALL_FOUND, "all there can be"),
        (PrefixCause.AT_THE_SAME_TIME, "still computing"),
        (PrefixCause.NOT_ADMITTED, "It waits"),
        (PrefixCause.CACHE_OFF, "does not read"),
    ],
)
def test_why_in_words(panel: CachePanel, context: PanelContext, asked: Asked, cause: PrefixCause, part: str) -> None:
    _open(panel, "prefixes")
    context.store.publish(Selection(_FIRST))
    assert ("explain_prefix", _FIRST) in asked.calls
    context.store.publish(PrefixReason(_SECOND, cause, 100, 0, 16, 12, _FIRST, 7))
    assert not panel.details.prefixes.reason.isVisible()
    context.store.publish(PrefixReason(_FIRST, cause, 100, 0, 16, 12, _SECOND, 7))
    assert panel.details.prefixes.reason.isVisible()
    assert part in panel.details.prefixes.reason.accessibleName()


def test_the_open_tab_is_remembered(qtbot: QtBot, panel: CachePanel, context: PanelContext) -> None:
    _open(panel, "waste")
    again = CachePanel(context)
    qtbot.addWidget(again)
    assert again.details.pages.currentWidget() is again.details.waste


def test_a_request_that_can_never_run_is_said_at_once(context: PanelContext, traffic: PageTraffic) -> None:
    notices: list[Notice] = []
    context.store.noticed.connect(notices.append)
    alerts = CacheAlerts(context.store)
    total = [0]
    _tell(traffic, (4, 40, EventKind.NEVER_FITS, _SECOND, 9000, 563, 119), total=total)
    snapshot = traffic.publish()
    context.store.publish(snapshot)
    context.store.publish(snapshot)
    assert len(notices) == 1
    assert notices[0].level == "warning"
    assert _SECOND in notices[0].message
    assert "563" in notices[0].message
    assert "Abort it" in notices[0].remedy
    assert alerts.parent() is None
