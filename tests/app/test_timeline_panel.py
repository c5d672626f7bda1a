"""The timeline panel on a real page: lanes, steps, pointing, choosing, going, exports."""

from __future__ import annotations

import asyncio
import csv
import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QWidgetAction

from app.bridge.late_import import LateImport
from app.bridge.store import Look, Notice, Pointer, Selection
from app.panels.timeline import TimelinePanel
from app.theme.tokens import DARK, LIGHT
from app.widgets.picture_file import save_picture
from app.widgets.timeline_outliers import OutlierMenu
from app.widgets.timeline_words import comparison_method
from benchmarks.page_traffic import PageTraffic
from engine.metrics.outliers import Delay, outliers
from engine.metrics.timeline import SpanKind
from tests.app.answering import answer
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import qasync
    from pytestqt.qtbot import QtBot

    from app.panels.panel import PanelContext
    from app.widgets.timeline_view import TimelineView
    from tests.app.conftest import Quiet


@pytest.fixture
def traffic(tmp_path: Path) -> Iterator[PageTraffic]:
    result = PageTraffic(tmp_path / "page", 400)
    yield result
    result.close()


@pytest.fixture
def panel(qtbot: QtBot, context: PanelContext) -> TimelinePanel:
    widget = TimelinePanel(context)
    qtbot.addWidget(widget)
    widget.resize(900, 420)
    return widget


def run(panel: TimelinePanel, traffic: PageTraffic) -> None:
    """Three requests, of which two end; one waits."""
    store = panel.context.store
    traffic.add("one", 100)
    traffic.wait("later", 50)
    store.publish(traffic.publish())
    traffic.add("two", 160, share="one")
    for number in range(30):
        for name in ("one", "two"):
            if name in traffic.live:
                traffic.grow(name)
        if number == 12:
            traffic.finish("one")
        store.publish(traffic.publish())
    traffic.finish("two")
    traffic.add("three", 30)
    store.publish(traffic.publish())


def shown(panel: TimelinePanel) -> TimelineView:
    panel.show()
    panel._draw(now=True)
    assert panel.view is not None
    return panel.view


def test_it_collects_while_hidden_and_imports_pyqtgraph_when_looked_at(
    panel: TimelinePanel, traffic: PageTraffic
) -> None:
    run(panel, traffic)
    assert panel.view is None
    view = shown(panel)
    assert panel.stack.currentWidget() is not panel.empty
    assert {lane.request_id for lane in panel.timeline.finished} == {"one", "two"}
    assert {lane.request_id for lane in panel.timeline.live} == {"later", "three"}
    assert view.following
    picture = view.grab().toImage()
    places = [(x, y) for x in range(0, picture.width(), 2) for y in range(0, picture.height(), 2)]
    colours = {picture.pixelColor(*place).name() for place in places}
    assert DARK.decode in colours or LIGHT.decode in colours


def test_empty_says_what_will_be_here(panel: TimelinePanel) -> None:
    panel.show()
    assert panel.stack.currentWidget() is panel.empty


def test_an_engine_that_ends_leaves_its_lanes(panel: TimelinePanel, traffic: PageTraffic) -> None:
    run(panel, traffic)
    view = shown(panel)
    panel.context.store.clear_engine()
    assert not panel.timeline.live
    assert len(panel.timeline.finished) == 4
    view.refresh()


def test_pointing_and_choosing(panel: TimelinePanel, traffic: PageTraffic) -> None:
    run(panel, traffic)
    view = shown(panel)
    view.fit()
    assert not view.following
    two = panel.timeline.lane_of("two")
    assert two is not None
    assert two.end_ns is not None
    middle = (two.arrival_ns + two.end_ns) // 2
    assert view.lane_at(middle, two.slot) is two
    scene = view.lanes.box.mapViewToScene(QPointF((middle - view._origin) / 1e9, two.slot + 0.5))
    view._point(scene)
    assert "two" in panel.line.text()
    assert "160" in panel.line.text()
    below = view.tokens.box.mapViewToScene(QPointF((middle - view._origin) / 1e9, 1.0))
    view._point(below)
    assert panel.line.text().startswith("step ")
    view.chosen.emit(two)
    assert panel.context.store.selection.request_id == "two"
    assert panel.context.store.selection.blocks
    assert view.bars._chosen == {two.serial}
    panel.context.store.publish(Selection(None))
    assert not view.bars._chosen
    view._point(QPointF(-5, -5))
    assert "static batches" in panel.line.text()


def test_keys_and_buttons_move_the_view(panel: TimelinePanel, traffic: PageTraffic, qtbot: QtBot) -> None:
    run(panel, traffic)
    view = shown(panel)
    view.fit()
    (begin, end), _ = view.lanes.box.viewRange()
    qtbot.keyClick(view, Qt.Key.Key_Plus)
    (closer, nearer), _ = view.lanes.box.viewRange()
    assert begin < closer < nearer < end
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert view.lanes.box.viewRange()[0][0] < closer
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.lanes.box.viewRange()[0] == pytest.approx([begin, end])
    assert not panel.toolbar.follow.isChecked()
    panel.toolbar.follow.click()
    assert view.following
    assert panel.toolbar.follow.isChecked()


def test_a_latency_outlier_leads_to_its_steps_and_its_blocks(panel: TimelinePanel, traffic: PageTraffic) -> None:
    run(panel, traffic)
    view = shown(panel)
    menu = panel.toolbar.slowest.menu()
    assert isinstance(menu, OutlierMenu)
    menu.aboutToShow.emit()
    texts = [action.text() for action in menu.actions() if action.isEnabled()]
    assert len(texts) >= 9  # each of three kinds with its requests
    headings = [action for action in menu.actions() if not action.isEnabled()]
    assert len(headings) == 3
    assert all(isinstance(each, QWidgetAction) for each in headings), "an action that is off is too pale to be read"
    above = view.lanes.box.sceneBoundingRect().top()
    assert above >= view.lanes.getAxis("left").style["tickFont"].pointSizeF() / 2, "the topmost number is whole"
    pointed: list[Pointer] = []
    panel.context.store.pointed.connect(pointed.append)
    found = next(one for one in outliers(panel.timeline, Delay.PAUSE) if one.lane.request_id == "two")
    panel._show_outlier(found)
    chosen = panel.context.store.selection
    assert (chosen.request_id, chosen.step) == ("two", found.step)
    assert chosen.step is not None
    assert chosen.blocks == tuple(found.lane.blocks.tolist() if found.lane.blocks is not None else ())
    assert len(chosen.blocks) > 0
    assert pointed == [Pointer("cache")]
    (begin, end), _ = view.lanes.box.viewRange()
    assert begin <= (found.begin_ns - view._origin) / 1e9 <= (found.end_ns - view._origin) / 1e9 <= end
    assert "two" in panel._pointed


def test_looking_goes_to_what_is_selected(panel: TimelinePanel, traffic: PageTraffic) -> None:
    run(panel, traffic)
    view = shown(panel)
    panel.context.store.publish(Selection("two"))
    panel.context.store.publish(Look("timeline"))
    assert not view.following
    step = next(iter(panel.timeline.steps.samples()))
    panel.context.store.publish(Selection(None, None, step.step))
    panel.context.store.publish(Look("timeline"))
    (begin, end), _ = view.lanes.box.viewRange()
    assert begin <= (step.monotonic_ns - view._origin) / 1e9 <= end
    panel._show_longest()
    panel.context.store.publish(Selection("two"))
    panel._show_chosen()
    assert not view.following


def test_static_batches_are_drawn_and_told(panel: TimelinePanel, traffic: PageTraffic) -> None:
    run(panel, traffic)
    view = shown(panel)
    found = panel.comparison
    assert found is not None
    assert found.requests == 2
    panel.toolbar.ghosts.click()
    assert set(view.bars._ghosts) == {lane.serial for lane in panel.timeline.finished}
    view.grab()
    panel.toolbar.ghosts.click()
    assert not view.bars._ghosts
    assert "a step" in comparison_method(found)


def test_both_themes_and_heights(panel: TimelinePanel, traffic: PageTraffic) -> None:
    run(panel, traffic)
    view = shown(panel)
    for theme in ("light", "dark"):
        panel.context.themes.choose(theme)
        assert view.backgroundBrush().color().name() == (LIGHT if theme == "light" else DARK).surface
    view.resize(800, 180)
    assert not view.time.isVisible()
    assert view.tokens.axes_named["bottom"].style["showValues"]
    view.resize(800, 500)
    assert view.time.isVisible()
    assert not view.tokens.axes_named["bottom"].style["showValues"]


def test_exports(
    panel: TimelinePanel, traffic: PageTraffic, loop: qasync.QEventLoop, tmp_path: Path,
    quiet: Quiet,
) -> None:  # fmt: skip
    quiet.allow("could not be written")
    run(panel, traffic)
    notices: list[str] = []
    panel.context.store.noticed.connect(lambda notice: notices.append(notice.message))

    async def export() -> None:
        assert await panel.exports.export_steps(tmp_path / "steps.csv") == len(panel.timeline.steps)
        assert await panel.exports.export_requests(tmp_path / "requests.csv") == 4
        panel.exports.ask_steps()
        answer(panel, tmp_path / "no" / "x.csv")
        while len(notices) < 3:  # noqa: ASYNC110 - a notice is a signal, not an event
            await asyncio.sleep(0.01)

    loop.run_until_complete(export())
    with (tmp_path / "requests.csv").open(newline="") as file:
        rows = {row["request_id"]: row for row in csv.DictReader(file)}
    assert rows["two"]["num_cached_tokens"] == "112"
    assert rows["later"]["end_ns"] == ""
    assert "could not be written" in notices[-1]


def test_pictures(panel: TimelinePanel, traffic: PageTraffic, tmp_path: Path) -> None:
    run(panel, traffic)
    shown(panel)
    save_picture(panel, tmp_path / "a.png")
    save_picture(panel, tmp_path / "a.svg")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    text = (tmp_path / "a.svg").read_text()
    assert "<svg" in text
    assert "decode" in text  # words stay words


def test_chunks_and_waits_have_their_own_kinds(panel: TimelinePanel, traffic: PageTraffic) -> None:
    run(panel, traffic)
    spans = panel.timeline.spans(0, 1 << 62)
    assert {SpanKind(kind) for kind in spans.kind.tolist()} >= {SpanKind.QUEUED, SpanKind.DECODE}


def test_the_charts_are_imported_beside_the_window(
    qtbot: QtBot, context: PanelContext, traffic: PageTraffic, loop: qasync.QEventLoop, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    (tmp_path / "slow_charts.py").write_text("import threading\nthread = threading.get_ident()\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    charts = LateImport("slow_charts")
    panel = TimelinePanel(replace(context, charts=charts))
    qtbot.addWidget(panel)
    panel.show()

    async def look() -> None:
        run(panel, traffic)
        assert not charts.ready
        assert panel.stack.currentWidget() is panel.preparing
        assert panel.view is None
        async with asyncio.timeout(PATIENCE_S):
            while panel.view is None:  # noqa: ASYNC110 - it is drawn in the turn of the loop after the import
                await asyncio.sleep(0)

    loop.run_until_complete(look())
    assert charts.ready
    assert panel.stack.currentWidget() is not panel.preparing
    assert sys.modules["slow_charts"].thread != threading.get_ident()


def test_an_import_that_fails_is_told_of(
    qtbot: QtBot, context: PanelContext, traffic: PageTraffic, loop: qasync.QEventLoop, quiet: Quiet
) -> None:
    quiet.allow("Timeline failed")
    charts = LateImport("app.widgets.no_such_charts")
    panel = TimelinePanel(replace(context, charts=charts))
    qtbot.addWidget(panel)
    panel.show()
    notices: list[Notice] = []
    context.store.noticed.connect(notices.append)

    async def look() -> None:
        run(panel, traffic)
        with pytest.raises(ModuleNotFoundError):
            await charts.done()
        async with asyncio.timeout(PATIENCE_S):
            while not notices:  # noqa: ASYNC110
                await asyncio.sleep(0)

    loop.run_until_complete(look())
    assert not charts.ready
    assert "no_such_charts" in notices[0].message
