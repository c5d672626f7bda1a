"""The explain panel: what it says before an engine, of steps on a real page, and where its buttons lead."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest

from app.bridge.ceilings_desk import CeilingsDesk
from app.bridge.store import Pointer
from app.panel_pointer import PanelFrame
from app.panels.explain import ExplainPanel
from app.panels.parameters import ParametersPanel
from app.theme.tokens import DARK
from app.widgets.roofline_limits import LimitsLine
from app.widgets.roofline_plot import RooflinePlot, scale_of
from app.widgets.roofline_words import action, ceilings_text, rate, sentence, title
from benchmarks.page_traffic import PageTraffic
from engine.domain.lifecycle import EngineFacts, Lifecycle, LiveLimits, Phase
from engine.domain.roofline import Ceilings, CeilingsState
from engine.metrics.roofline import Bound, Part, Roof, Work
from engine.metrics.roofline_advice import Finding, Rule, Variant
from engine.metrics.roofline_window import Standing
from tests.engine.checkpoints.test_compute import write
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

    import qasync
    from pytestqt.qtbot import QtBot

    from app.panels.panel import PanelContext

CEILINGS = Ceilings("AMD EPYC, 2 threads", "cpu", "AMD EPYC", 1.7e9, 20e9, 18e9, {"bfloat16": 400e9}, 2)
ROOF = Roof(20e9, 400e9, "bfloat16")


def work(part: Part, **changes: object) -> Work:
    base = Work(part, 40, 0.8, 0 if part is Part.DECODE else 4000, 360, 9.7e10, 40 * 269e6, 40 * 41e6, 900.0)
    return replace(base, **changes)  # type: ignore[arg-type]


def facts(checkpoint: Path) -> EngineFacts:
    return EngineFacts(
        "0.32.0", str(checkpoint), "m", "cpu", "bfloat16", None, 8192, 16, 400, 4, 512, False, "/page-1", (),
        {"kv_cache_dtype": "auto", "max_num_seqs": 4},
    )  # fmt: skip


@pytest.fixture
def panel(qtbot: QtBot, context: PanelContext) -> ExplainPanel:
    widget = ExplainPanel(context)
    qtbot.addWidget(widget)
    widget.resize(340, 640)
    return widget


def test_without_an_engine_it_says_what_will_be_here_and_offers_a_model(panel: ExplainPanel) -> None:
    panel.show()
    assert "Load a model" in panel.roofline.note.text()
    assert panel.roofline.findings.cards() == ()
    panel._turn_to("lessons")
    assert panel.lessons.button.text() == "Build the starter model"
    assert panel.lessons.list.count() == 4
    assert not panel.roofline.limits.button.isVisible()  # nobody here to measure
    panel.hide()
    assert not panel._timer.isActive()


def test_steps_of_a_page_become_marks_and_sentences(
    panel: ExplainPanel, loop: qasync.QEventLoop, tmp_path: Path
) -> None:
    store = panel.context.store
    checkpoint = write(
        tmp_path,
        {"model.embed_tokens.weight": ("BF16", [1000, 32]), "model.layers.0.mlp.up_proj.weight": ("BF16", [64, 32])},
        tie_word_embeddings=True,
    )
    traffic = PageTraffic(tmp_path / "page", 400)

    async def work() -> None:
        panel.show()
        store.publish(Lifecycle(Phase.READY, checkpoint=str(checkpoint), facts=facts(checkpoint)))
        store.publish(CeilingsState(CEILINGS))
        async with asyncio.timeout(PATIENCE_S):
            while panel.feed.cost is None:  # noqa: ASYNC110 - what a test waits for has no event of its own
                await asyncio.sleep(0.01)
        store.publish(traffic.publish())
        traffic.add("one", 100)
        store.publish(traffic.publish())
        for _ in range(40):
            traffic.grow("one")
            store.publish(traffic.publish())
        panel._draw()

    loop.run_until_complete(work())
    traffic.close()
    standing = panel.feed.standing()
    assert standing is not None
    assert standing.decode is not None
    assert standing.decode.weight_bytes / standing.decode.steps == 2 * (32_000 + 2048)
    cards = panel.roofline.findings.cards()
    assert len(cards) >= 1
    assert cards[0]._title.text().startswith("Decode")
    assert "GB/s" in panel.roofline.limits.text.text()
    assert panel.roofline.plot.accessibleDescription()
    panel.grab()
    store.publish(Lifecycle(Phase.IDLE))
    assert panel.feed.cost is None


def test_a_model_whose_files_are_not_here(panel: ExplainPanel, loop: qasync.QEventLoop, tmp_path: Path) -> None:
    async def work() -> None:
        panel.show()
        gone = tmp_path / "gone"
        panel.context.store.publish(Lifecycle(Phase.READY, checkpoint=str(gone), facts=facts(gone)))
        async with asyncio.timeout(PATIENCE_S):
            while not panel.feed.unknown:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        panel._draw()

    loop.run_until_complete(work())
    assert "not known" in panel.roofline.note.text()
    assert panel.feed.situation() is None


def test_a_findings_button_writes_the_value_and_opens_the_row(
    panel: ExplainPanel, context: PanelContext, qtbot: QtBot
) -> None:
    table = ParametersPanel(context)
    qtbot.addWidget(table)
    table.resize(300, 400)
    table.show()
    pointed: list[Pointer] = []
    context.store.pointed.connect(pointed.append)
    context.store.publish(LiveLimits(1, 4, 8, 512, 512))
    finding = Finding(
        Rule.RAISE_SEQS, Part.DECODE, work(Part.DECODE), ROOF, Bound.BANDWIDTH, "max_num_seqs", 9,
        figures={"limit": 4, "waiting": 5.0, "capacity": 8},
    )  # fmt: skip
    panel.show()
    panel.roofline.findings.show_findings((finding,))
    card = panel.roofline.findings.cards()[0]
    assert card.button.text() == "max_num_seqs → 9"
    card.button.click()
    assert context.store.edits.values == {"max_num_seqs": 9}
    assert pointed == [Pointer("parameters", "max_num_seqs")]
    row = table.row("max_num_seqs")
    qtbot.waitUntil(lambda: not row.visibleRegion().isEmpty())
    weights = Finding(Rule.SMALLER_WEIGHTS, Part.DECODE, work(Part.DECODE), ROOF, checkpoint=Variant("AWQ", "/a", 1e8),
                      figures={"weights": 269e6, "smaller": 118e6})  # fmt: skip
    panel.roofline.findings.show_findings((weights,))
    panel.roofline.findings.cards()[0].button.click()
    assert pointed[-1] == Pointer("models")


FIGURES = {
    "limit": 4.0, "waiting": 5.0, "capacity": 8.0, "budget": 512.0, "mixed_s": 0.09, "alone_s": 0.02, "tokens": 400.0,
    "kv": 4e8, "weights": 2.69e8, "smaller": 1.18e8, "best_s": 0.001, "preemptions": 3.0, "running": 7.0, "usage": 0.99,
}  # fmt: skip


@pytest.mark.parametrize("rule", list(Rule))
def test_every_sentence_names_its_numbers(rule: Rule) -> None:
    part = Part.PREFILL if rule in (Rule.RAISE_BUDGET, Rule.LOWER_BUDGET) else Part.DECODE
    finding = Finding(rule, part, work(part), ROOF, Bound.BANDWIDTH, "max_num_seqs", 9, Variant("AWQ", "/a", 1.18e8),
                      FIGURES)  # fmt: skip
    text = sentence(finding)
    assert sum(character.isdigit() for character in text) >= 2
    assert "{" not in text + title(finding)
    assert action(finding)


def test_a_sentence_by_its_words() -> None:
    found = Finding(Rule.STANDS, Part.DECODE, work(Part.DECODE), ROOF, ROOF.bound(work(Part.DECODE)))
    text = sentence(found).replace("\u202f", " ")
    assert text.startswith("9.0 requests a step read 269 MB of weights and 41.0 MB of KV cache: 7.82 FLOP/byte, ")
    assert "15.5 GB/s of 20.0 GB/s measured (77 %)." in text
    assert "ridge at 20.0" in text
    assert rate(1.0e12, "B/s").replace("\u202f", " ") == "1.00 TB/s"
    assert "measured" in ceilings_text(CEILINGS)
    assert "loaded" in ceilings_text(replace(CEILINGS, disturbed=True))


def test_the_plot_holds_all_marks_and_tells_them_apart(qtbot: QtBot) -> None:
    plot = RooflinePlot(DARK)
    qtbot.addWidget(plot)
    plot.resize(QSize(400, 260))
    prefill = work(Part.PREFILL, flops=2e11, seconds=1.0)
    standing = Standing(work(Part.MIX), prefill, work(Part.DECODE), 9, 0, 0, 0, 0, ((8.0, 1e11), (12.0, 2e10)))
    plot.show_standing(standing, ROOF)
    plot.grab()
    assert [found.part for _, found in plot._marks] == [Part.MIX, Part.PREFILL, Part.DECODE]
    for place, _ in plot._marks:
        assert plot.rect().contains(place.toPoint())
    scale = scale_of(ROOF, [prefill], ())
    assert 10**scale.left < min(prefill.intensity, ROOF.ridge)
    assert 10**scale.high > ROOF.flops_per_s
    plot.show_standing(None, None)
    plot.grab()
    assert plot._marks == []


def test_measuring_beside_an_engine_asks_twice(qtbot: QtBot) -> None:
    line = LimitsLine()
    qtbot.addWidget(line)
    asked: list[str] = []
    line.measure_asked.connect(lambda: asked.append("measure"))
    line.cancel_asked.connect(lambda: asked.append("cancel"))
    line.show_state(CeilingsState(), engine_runs=True, possible=True)
    line.show()
    line.button.click()
    assert asked == []
    assert "slows" in line.text.text()
    line.button.click()
    assert asked == ["measure"]
    line.show_state(CeilingsState(running=True, progress=0.4, step="copy"), engine_runs=True, possible=True)
    assert line.bar.value() == 40
    line.button.click()
    assert asked == ["measure", "cancel"]
    line.show_state(CeilingsState(error="No room.", remedy="Unload."), engine_runs=False, possible=True)
    assert line.text.text() == "No room. Unload."
    line.button.click()
    assert asked[-1] == "measure"


def test_the_desk_starts_a_measurement_and_cancels_it(
    context: PanelContext, loop: qasync.QEventLoop, qtbot: QtBot
) -> None:
    store = context.store
    seen: list[CeilingsState] = []
    store.ceilings_changed.connect(seen.append)

    async def work() -> None:
        desk = CeilingsDesk(store, context.tasks)
        desk._device = "cpu"
        desk.measure()
        async with asyncio.timeout(PATIENCE_S):
            while not (store.ceilings.running and store.ceilings.step):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            desk.measure()  # nothing: one runs
            desk.cancel()
            while store.ceilings.running:  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    loop.run_until_complete(work())
    assert seen[0].running
    assert store.ceilings.error is None
    assert store.ceilings.ceilings is None


def test_a_frame_lies_over_what_is_pointed_at(panel: ExplainPanel, qtbot: QtBot) -> None:
    panel.show()
    frame = PanelFrame()
    frame.surround(panel)
    assert frame.isVisible()
    assert frame.size() == panel.size()
    panel.resize(400, 500)
    assert frame.size() == panel.size()
    frame.grab()
    frame._leave()
    assert frame.parentWidget() is None
    qtbot.addWidget(frame)


def test_keys_go_through_the_lessons(panel: ExplainPanel) -> None:
    panel.show()
    panel._turn_to("lessons")
    panel.lessons.list.setFocus()
    QTest.keyClick(panel.lessons.list, Qt.Key.Key_Down)
    assert panel.lessons.lesson.key == "paging"
    asked: list[str] = []
    panel.lessons.asked.disconnect()
    panel.lessons.asked.connect(lambda lesson: asked.append(lesson.key))
    QTest.keyClick(panel.lessons.list, Qt.Key.Key_Return)
    assert asked == ["paging"]
    for size in (QSize(340, 640), QSize(1200, 400)):
        panel.resize(size)
        panel.grab()
