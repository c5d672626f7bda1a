"""Block table, waste, events and prefixes beside the request list, on snapshots from a real telemetry page."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt

from app.bridge.cache_alerts import CacheAlerts
from app.bridge.store import Look, Notice, Selection
from app.panels.cache import CachePanel
from app.preferences import REDUCED_MOTION
from app.tables.block_table import BlockColumn
from app.tables.cache_events import MOST_LINES
from app.widgets.prefix_words import reason_text
from benchmarks.page_traffic import PageTraffic
from engine.domain.block_times import NUM_BUCKETS, BlockTimes, TimeHistogram
from engine.domain.lifecycle import EngineFacts, Lifecycle, Phase
from engine.domain.prefixes import PrefixCause, PrefixNode, PrefixReason, PrefixText, PrefixTree
from engine.metrics.stalls import Stall, StallCause
from engine.page.event_writer import EventWriter
from engine.page.layout import EventKind, Field

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.panels.panel import PanelContext

_BLOCKS = 120
_FIRST, _SECOND = "chatcmpl-first-0123abcd", "chatcmpl-second-0123abcd"
_TABS = ("requests", "table", "prefixes", "waste", "events", "times")


class Asked:
    """Notes what the panel asked for; the commands themselves have tests of their own."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments, **named: self.calls.append(
            (name, *(a for a in arguments if not isinstance(a, bool)), *named.items())
        )


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
    panel._beside.forget()
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
    assert panel.map.image.lit is not None
    assert panel.map.image.lit.tolist() == traffic.live[_SECOND].blocks[:1]
    view.pointed.emit(None)
    assert panel.map.image.lit.tolist() == traffic.live[_SECOND].blocks
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
        writer.add(*event)  # the page is open for writing between two publications of the traffic
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
    assert context.store.selection == Selection(_SECOND, 7, 3)
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


def test_the_prefix_tree_is_read_while_it_is_seen(
    qtbot: QtBot, panel: CachePanel, context: PanelContext, asked: Asked
) -> None:
    assert asked.calls == []
    _open(panel, "prefixes")
    assert asked.calls == [("read_prefix_tree",)]
    context.store.publish(_TREE)
    view = panel.details.prefixes
    root, lost = view.tree.topLevelItem(0), view.tree.topLevelItem(1)
    assert [root.text(column) for column in range(5)] == ["1 to 64", "4", "2", "3", "20 ago"]
    assert root.child(0).text(0) == "65 to 96"
    assert lost.text(0) == "97 to 144, beginning evicted"
    assert "Blocks saved by sharing: 4 (4" in view.summary.accessibleName()
    assert "smaller branches not shown: 2" in view.summary.accessibleName()
    view.tree.setCurrentItem(root.child(0))
    assert asked.calls[-1] == ("read_prefix_text", "bb", 2)
    context.store.publish(PrefixText("bb", "Once upon\n a time"))
    assert view.text.accessibleName() == "Once upon a time"
    root.setExpanded(False)
    context.store.publish(dataclasses.replace(_TREE, step=901))
    assert not view.tree.topLevelItem(0).isExpanded()
    assert view._chosen() == ("bb", 2)
    context.store.publish(PrefixText("bb", None))
    assert "only its hash is left" in view.text.accessibleName()
    qtbot.mouseClick(view.keep, Qt.MouseButton.LeftButton, pos=QPoint(8, view.keep.height() // 2))
    assert asked.calls[-1] == ("keep_prefix_tokens", ("on", True))
    context.store.publish(dataclasses.replace(_TREE, step=902, keeps_tokens=True, token_bytes=3 << 20))
    assert view.keep.isChecked()
    assert "token ids: 3" in view.summary.accessibleName()
    context.store.publish(PrefixText("bb", None))
    assert "before its token ids were kept" in view.text.accessibleName()
    _open(panel, "requests")
    assert not view._timer.isActive()


@pytest.mark.parametrize(
    ("cause", "part"),
    [
        (PrefixCause.TOO_SHORT, "too short"),
        (PrefixCause.DIFFERENT, "shares its first 7 tokens: less than one block"),
        (PrefixCause.NOT_COMPUTED, "Nobody had computed the same tokens 1 to 16"),
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


def test_who_is_nearest_in_words() -> None:
    reason = PrefixReason("r", PrefixCause.DIFFERENT, 100, 32, 16, None, _SECOND, 40)
    assert "begins with the same 40 tokens and then differs" in reason_text(reason)
    assert "Nobody had the same tokens 33 to 48 before" in reason_text(reason)
    kept = dataclasses.replace(reason, other_is_cached=True)
    assert "nearest cached prefix, of second, begins with the same 40 tokens" in reason_text(kept)
    assert "No live request begins" in reason_text(dataclasses.replace(reason, cached_tokens=0, common_tokens=0))


def test_stalls_are_told_among_the_events(
    qtbot: QtBot, panel: CachePanel, context: PanelContext, traffic: PageTraffic
) -> None:
    events = panel.details.events
    for _ in range(30):
        traffic.grow(_FIRST)
        context.store.publish(traffic.publish())
    assert not events.model.rowCount()
    traffic.grow(_FIRST, 400)
    slow = traffic.publish(duration_ns=480_000_000)
    context.store.publish(slow)
    traffic.grow(_FIRST)
    context.store.publish(traffic.publish())
    (line,) = (events.model.data(events.model.index(row)) for row in range(events.model.rowCount()))
    told = f"Step {slow.counters.step}: took 480\u202fms, 60 times the median of 8\u202fms; the scheduler saw no reason"
    assert line.startswith(told)
    _open(panel, "events")
    place = events.lines.visualRect(events.model.index(0)).center()
    qtbot.mouseClick(events.lines.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert context.store.selection == Selection(None, None, slow.counters.step)
    assert f"step {slow.counters.step:,} " in panel.step_line.text().lower()
    looks: list[Look] = []
    context.store.look_asked.connect(looks.append)
    qtbot.keyClick(events.lines, Qt.Key.Key_Return)
    assert looks == [Look("timeline")]
    long = Stall(80, 4, 90_000_000, StallCause.PREFILL, (_FIRST,), 8_000_000, 512, 8, 0, longest_ns=90_000_000)
    events.model.add_stall(long)
    events.model.add_stall(dataclasses.replace(long, duration_ns=150_000_000, steps=2, tokens=1024))
    assert events.model.rowCount() == 2
    told = events.model.data(events.model.index(0))
    assert told.startswith("Step 80: 2 steps took 150\u202fms, the longest 90\u202fms, 11 times the median of 8")
    first = Stall(90, 5, 300_000_000, StallCause.NEVER_FITS, (_SECOND,), waiting=2, ongoing=True)
    events.model.add_stall(first)
    assert "nothing is scheduled any more while requests wait: 2" in events.model.data(events.model.index(0))
    assert "second is first and can never fit" in events.model.data(events.model.index(0))
    events.model.add_stall(dataclasses.replace(first, duration_ns=2_500_000_000, ongoing=False))
    assert events.model.rowCount() == 3
    assert "nothing was scheduled while requests waited: 2, for 2.5" in events.model.data(events.model.index(0))


def test_times_of_blocks_are_read_while_they_are_seen(
    panel: CachePanel, context: PanelContext, asked: Asked, traffic: PageTraffic
) -> None:
    view = panel.details.times
    _open(panel, "times")
    assert asked.calls == [("read_block_times",)]
    assert [text.accessibleName() for text in view.texts] == ["none yet"] * 3
    counts = [0] * NUM_BUCKETS
    counts[4], counts[11] = 90, 10
    residency = TimeHistogram(tuple(counts))
    context.store.publish(BlockTimes(7, residency, TimeHistogram(), TimeHistogram(), 12))
    assert view.texts[0].accessibleName() == (
        "100 in all · median 8 ms to 16 ms · nine tenths within 16 ms"
    )
    assert view.charts[0].bar_text(4) == "8\u202fms to 16\u202fms: 90 (90\u202f%)"
    assert view.charts[0].bucket_at(0) == 0
    assert view.charts[0].bucket_at(view.charts[0].width()) == NUM_BUCKETS - 1
    assert "still held them: 12" in view.found_in_use.text()
    view.grab()
    view._read()
    assert len(asked.calls) == 1  # the engine is at rest
    traffic.grow(_FIRST)
    context.store.publish(traffic.publish())
    view._read()
    assert len(asked.calls) == 2
    context.store.clear_engine()
    context.store.publish(traffic.publish())
    assert view.texts[0].accessibleName() == "none yet"
    _open(panel, "requests")
    assert not view._timer.isActive()


def test_waste_over_time(panel: CachePanel, context: PanelContext, traffic: PageTraffic) -> None:
    _open(panel, "waste")
    view = panel.details.waste
    assert not view.average_text.isVisible()
    for second in range(1, 5):  # the page's clock is not waited for
        snapshot = dataclasses.replace(traffic.publish(), published_ns=second * 1_000_000_000)
        panel._beside.forget()
        context.store.publish(snapshot)
    text = view.average_text.text()
    assert text.startswith("On average over 3.0\u202fs with requests: ")
    assert "held blocks: 2.0, at most 2" in text


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
