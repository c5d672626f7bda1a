"""The lab's pages without an engine: the set-up, what is wrong with it, runs that are kept, charts, searches."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QApplication

from app.bridge.lab_state import LabApplied, LabJob, LabRun, LabRuns
from app.bridge.store import Address
from app.panels.lab import LabPanel
from app.widgets import figures
from app.widgets.lab_estimate import expected_s, mean_tokens
from app.widgets.lab_presets import load_presets
from app.widgets.lab_scale import log_ticks, runs, thinned, ticks, time_ticks
from app.widgets.lab_series import Mark, Series
from app.widgets.lab_span import ChartSpan
from app.widgets.lab_time_chart import TimeChart
from engine.bench.checks import objections
from engine.bench.messages import Finished, Progress, Tick
from engine.bench.result import Annotation, EngineSetup, RunRecord, RunResult, RunState, Window
from engine.bench.sample import Outcome, Sample
from engine.bench.tally import figures_of
from engine.bench.workload import (
    CLASSIC,
    AsRecorded,
    Bursts,
    ClosedLoop,
    Fixed,
    LogNormal,
    OpenLoop,
    Ramp,
    Slos,
    UserJsonl,
    Workload,
)
from engine.domain.checkpoint import AttentionShape, Checkpoint, Library, Quantization
from engine.domain.lifecycle import EngineFacts, Lifecycle, LiveLimits, Phase
from engine.tuner.messages import Begin, Cancel, Update
from engine.tuner.outcome import Row, SearchResult, Trial, TrialState
from engine.tuner.process import LabProcess
from engine.tuner.saying import FigureValue, Saying, SettingValue, saying
from engine.tuner.spec import Axis, SweepSpec
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import qasync
    from pytestqt.qtbot import QtBot

    from app.bridge.lab import Lab
    from app.bridge.store import Store
    from app.panels.panel import PanelContext
    from app.theme.themes import Themes
    from engine.bench.messages import Target
    from tests.app.conftest import Quiet


@pytest.fixture
def panel(context: PanelContext, qtbot: QtBot) -> Iterator[LabPanel]:
    """The panel at the size that it has in the smallest window."""
    result = LabPanel(context)
    result.resize(1000, 620)
    result.show()
    qtbot.waitExposed(result)
    yield result
    result.hide()
    result.deleteLater()


def sample(number: int, *, outcome: Outcome = Outcome.SUCCESSFUL, slow: float = 1.0, reason: str = "length") -> Sample:
    sent = number * 0.1
    first, last = sent + 0.2 * slow, sent + 1.0 * slow
    ok = outcome is Outcome.SUCCESSFUL
    return Sample(
        number=number, request_id=f"r{number}", outcome=outcome, due_s=sent, sent_s=sent, ended_s=last,
        first_token_s=first if ok else None, last_token_s=last if ok else None, prompt_tokens=100, output_tokens=9,
        reason=reason, gaps=np.full(8, 0.1 * slow, "<f4").tobytes() if ok else b"",
    )  # fmt: skip


def record(run_id: str, *, slow: float = 1.0, created: float = 1000.0, seqs: int = 32) -> RunRecord:
    found = figures_of([sample(number, slow=slow) for number in range(40)], Slos(ttft_s=0.3), 8.0)
    windows = tuple(Window(float(i), 1.0, 5, 5, 0, 0, 500, round(45 / slow), 4, 0.2 * slow) for i in range(8))
    return RunRecord(
        id=run_id, title=f"Run {run_id}", created_unix_s=created, workload=CLASSIC, state=RunState.FINISHED,
        setup=EngineSetup(model="SmolLM2", max_num_seqs=seqs), result=RunResult(found, windows, 1),
    )  # fmt: skip


def keep(lab: Lab, *records: RunRecord, slow: tuple[float, ...] = ()) -> None:
    lab.desk.runs.open()
    for place, one in enumerate(records):
        lab.desk.runs.save(one)
        factor = slow[place] if slow else 1.0
        lab.desk.runs.add_samples(one.id, [sample(number, slow=factor) for number in range(40)])
    lab.desk.runs.close()


# The set-up


def test_every_preset_is_a_load_that_can_be_sent_but_for_a_file(panel: LabPanel) -> None:
    form = panel.run.page.form
    for preset in load_presets():
        form.choose_preset(preset.key)
        made = form.workload()
        assert made == msgspec.structs.replace(preset.workload, name=preset.name), preset.key
        needs_file = preset.key in ("jsonl", "sharegpt", "recorded")
        assert bool(objections(made)) is needs_file, preset.key
        assert bool(form.fields.problems()) is needs_file
    form.choose_preset("classic")
    assert msgspec.structs.replace(form.workload(), name="") == msgspec.structs.replace(CLASSIC, name="")
    assert form.workload().name == "50 clients, one long prompt"
    form.fields.arrival.numbers["clients"].show_value(24)
    assert form.workload().name == "50 clients, one long prompt (edited)", "a run is not called what it is not"


def test_what_is_wrong_is_said_in_place(panel: LabPanel, store: Store, tmp_path: Path) -> None:
    page, fields = panel.run.page, panel.run.page.form.fields
    assert not page.start.isEnabled()
    assert "No model is loaded" in page._problem.text()
    fields.arrival.numbers["clients"].line.setText("none")
    assert page._problem.text().startswith("Clients is no number: give 1 to")
    assert fields.arrival.numbers["clients"].line.property("invalid") is True
    fields.arrival.numbers["clients"].show_value(4)
    fields.prompt.numbers["least"].show_value(99)
    assert "the least is more than the most" in page._problem.text()
    fields.prompt.numbers["least"].show_value(9)
    fields.requests.show_value(None)
    assert "would never end" in page._problem.text()
    fields.duration.show_value(5)
    assert "No model is loaded" in page._problem.text()
    assert f"needs {figures.count(1152)} tokens" in " ".join(fields.problems(1024))
    page.form.choose_preset("jsonl")
    assert "No file is chosen" in page._problem.text()
    data = tmp_path / "mine.jsonl"
    data.write_text('{"prompt": "Hello"}\n')
    fields.data.path.setText(str(data))
    assert not fields.data.path.property("invalid")
    assert page.form.workload().dataset == UserJsonl(path=str(data))


def test_a_recorded_log_alone_has_the_arrivals_of_a_log(panel: LabPanel) -> None:
    fields = panel.run.page.form.fields
    panel.run.page.form.choose_preset("recorded")
    assert isinstance(fields.arrival.value(), AsRecorded)
    fields.data.kind.choose("Synthetic")
    assert isinstance(fields.arrival.value(), ClosedLoop)
    assert fields.prompt.isVisibleTo(panel.run.page)


def test_arrow_keys_step_a_number(panel: LabPanel, qtbot: QtBot) -> None:
    clients = panel.run.page.form.fields.arrival.numbers["clients"]
    clients.show_value(50)
    qtbot.keyClick(clients.line, Qt.Key.Key_Up)
    assert clients.whole == 51
    clients.show_value(2000)
    qtbot.keyClick(clients.line, Qt.Key.Key_Down)
    assert clients.whole == 1900
    assert clients.line.text() == figures.count(1900)


def test_the_estimate_knows_arrivals_and_speed() -> None:
    load = Workload(arrival=ClosedLoop(clients=5), output=Fixed(tokens=10), requests=100)
    assert expected_s(load, None) is None
    assert expected_s(load, 50.0) == 20.0
    replace = msgspec.structs.replace
    assert expected_s(replace(load, duration_s=5.0), 50.0) == 5.0
    assert expected_s(replace(load, arrival=OpenLoop(rate_per_s=2.0)), 1e9) == 50.0
    assert expected_s(replace(load, arrival=Bursts(size=10, every_s=3.0)), None) == 27.0
    ramp = replace(load, arrival=Ramp(from_per_s=0.0, to_per_s=10.0, over_s=10.0), requests=50)
    assert expected_s(ramp, None) == pytest.approx(10.0)
    assert mean_tokens(LogNormal(median=100, sigma=0.0)) == 100


# Charts


def test_axes_read_well() -> None:
    assert ticks(0, 100, 5) == [0, 20, 40, 60, 80, 100]
    assert time_ticks(0, 90, 6) == [0, 15, 30, 45, 60, 75, 90]
    assert log_ticks(0.1, 10, 3) == [pytest.approx(v) for v in (0.1, 1, 10)]
    assert [each.indices(9)[:2] for each in runs(np.array([np.nan, 1, 2, np.nan, 3]))] == [(1, 3), (4, 5)]


def test_thinning_keeps_every_peak() -> None:
    values = np.zeros(10_000)
    values[1234], values[7777] = 9.0, -3.0
    times, kept = thinned(np.arange(10_000.0), values, 200)
    assert len(kept) <= 400
    assert kept.max() == 9.0
    assert kept.min() == -3.0
    assert np.all(np.diff(times) > 0)


def test_charts_share_time_and_tell_a_change_on_hover(themes: Themes, qtbot: QtBot) -> None:
    span = ChartSpan()
    one, other = (TimeChart(themes.current, span, name) for name in ("One", "Other"))
    for chart in (one, other):
        qtbot.addWidget(chart)
        chart.resize(500, 160)
        chart.show()
    span.reach(100.0)
    line = Series("a", np.arange(100.0), np.arange(100.0), 0)
    one.show_series([line], [Mark(50.0, "max_num_seqs 32 → 8", "by this window")])
    assert one.value_at(line, 41.5) == 41.0
    qtbot.keyClick(one, Qt.Key.Key_Plus)
    assert (span.begin_s, span.end_s) == pytest.approx((15.0, 85.0))
    span.reach(120.0)
    assert span.end_s == pytest.approx(85.0), "a zoomed view stays where it is while the run goes on"
    qtbot.keyClick(other, Qt.Key.Key_0)
    assert span.end_s == 120.0
    plot = one.plot()
    at = plot.left() + plot.width() * 50 / 120
    assert one.mark_near(at + 3) is not None
    assert one.mark_near(at + 40) is None
    qtbot.mouseMove(one, QPoint(round(at), plot.center().y()))
    assert span.pointer_s == pytest.approx(50.0, abs=1.0)
    one.copy_csv()
    assert QApplication.clipboard().text().splitlines()[:3] == ["time_s,a", "0.0,0.0", "1.0,1.0"]
    before = one.grab().toImage()
    one.show_series([line])
    assert one.grab().toImage() != before, "the band and the flag are drawn"


# A run, as the Store has it


def test_a_run_is_drawn_in_each_view_and_state(panel: LabPanel, store: Store, qtbot: QtBot) -> None:
    page = panel.run.page
    run = LabRun("Classic", CLASSIC, "running", "x", 1, Progress("running", 3.0, 20, 4, 14, 1, 1, 100, 0.16, 9.0))
    store.publish(run)
    head = page.view.head
    qtbot.waitUntil(lambda: head._words.accessibleName() != "")  # at most ten times a second
    assert head._words.accessibleName() == "sending · 16 of 100 · 3 s · 9 s left"
    assert head.bar.value() == 160
    assert head.stop.isVisible()
    assert not page.form._body.isEnabled()
    samples = tuple(sample(number) for number in range(40))
    bad = sample(40, outcome=Outcome.FAILED, reason="refused (503)")
    change = Annotation(2.0, "max_num_seqs 32 → 8", {"name": "max_num_seqs", "before": 32, "after": 8, "by": "window",
                                                     "preempted": 3})  # fmt: skip
    kept = record("x")
    over = LabRun("Classic", CLASSIC, "finished", "x", 1, run.progress, kept.result.windows if kept.result else (),
                  samples=(*samples, bad), changes=(change,), result=kept.result)  # fmt: skip
    store.publish(over)
    assert not head.stop.isVisible()
    assert page.form._body.isEnabled()
    marks = page.view.charts.tokens.marks
    assert marks[0].details.splitlines() == [
        "max_num_seqs: 32 → 8", "by this window", "requests sent back to the queue for it: 3"
    ]  # fmt: skip
    page.view.show_view("figures")
    table = page.view.table
    texts = table.text().splitlines()
    assert texts[0].startswith("TTFT\t200\u202fms")
    assert any("Good answers" in text for text in texts)
    assert "first token" in table.item(0, 0).toolTip()  # type: ignore[union-attr]
    page.view.show_view("requests")
    page.view.requests.outcomes.button("failed").click()
    assert page.view.requests.table.model().rowCount() == 1
    assert page.view.requests.table.model().index(0, 9).data() == "refused (503)"


def test_the_slowest_request_is_shown_in_the_timeline(panel: LabPanel, store: Store, qtbot: QtBot) -> None:
    samples = (sample(0), sample(1, slow=5.0), sample(2))
    store.publish(LabRun("Classic", CLASSIC, "finished", "x", 1, samples=samples))
    panel.run.page.view.show_view("requests")
    with qtbot.waitSignal(store.look_asked) as asked:
        panel.run.page.view.requests.slowest.click()
    assert asked.args[0].panel == "timeline"
    assert store.selection.request_id == "r1"


def test_distributions_are_counted_in_the_background(
    panel: LabPanel, store: Store, loop: qasync.QEventLoop, qtbot: QtBot
) -> None:
    store.publish(LabRun("C", CLASSIC, "finished", "x", 1, samples=tuple(sample(number) for number in range(30))))
    view = panel.run.page.view

    async def work() -> None:
        view.show_view("distributions")
        async with asyncio.timeout(PATIENCE_S):
            while not any(True for row in list(view.distributions.histogram.rows())[1:]):  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    loop.run_until_complete(work())
    assert sum(row[2] for row in list(view.distributions.histogram.rows())[1:]) == 30  # type: ignore[misc]
    assert sum(row[4] for row in list(view.distributions.heat_map.rows())[1:]) == 30  # type: ignore[misc]


# Runs that are kept


@pytest.fixture
def shelved(panel: LabPanel, lab: Lab, loop: qasync.QEventLoop) -> Iterator[LabPanel]:
    """Three runs on the disk, and the page that lists them."""
    keep(lab, record("a"), record("b", slow=2.0, created=2000.0, seqs=8), record("c", created=3000.0),
         slow=(1.0, 2.0, 1.0))  # fmt: skip
    _until(loop, lambda: len(_records(panel)) == 3, begin=lambda: panel.show_page("runs"))
    yield panel
    loop.run_until_complete(lab.close())


def _records(panel: LabPanel) -> tuple[RunRecord, ...]:
    assert panel.runs is not None
    return panel.runs.page.model.records


def _until(
    loop: qasync.QEventLoop, holds: Callable[[], bool], begin: Callable[[], object] | None = None
) -> None:
    async def work() -> None:
        if begin is not None:
            begin()
        async with asyncio.timeout(PATIENCE_S):
            while not holds():  # noqa: ASYNC110 - what a test waits for has no event of its own
                await asyncio.sleep(0.01)

    loop.run_until_complete(work())


def _within(loop: qasync.QEventLoop, act: Callable[[], object]) -> None:
    """Do something while the loop runs, as every click of a user's is done."""

    async def work() -> None:
        act()

    loop.run_until_complete(work())


def test_two_runs_are_compared_with_intervals(shelved: LabPanel, loop: qasync.QEventLoop) -> None:
    page = shelved.runs.page  # type: ignore[union-attr]
    table = page.differences
    _until(loop, lambda: table.rowCount() > 0, begin=lambda: page.choose({"a", "b"}))
    heads = [table.horizontalHeaderItem(column).text() for column in range(3)]  # type: ignore[union-attr]
    assert heads == ["Figure", "A: Run a", "B: Run b"]
    rows = {table.item(row, 0).text(): table.item(row, 2) for row in range(table.rowCount())}  # type: ignore[union-attr]
    assert rows["max_num_seqs"].text() == "8"  # type: ignore[union-attr]
    slower = rows["TTFT p50"]
    assert slower is not None
    assert slower.text().startswith("400\u202fms   +100\u202f% (")
    assert slower.foreground().color().name() == shelved.context.themes.current.error
    page.views.button("charts").click()
    assert [len(series.times) for series in page.charts._charts["tokens_out"].series] == [8, 8]


def test_a_run_is_deleted_and_brought_back_noted_and_marked(shelved: LabPanel, loop: qasync.QEventLoop) -> None:
    page = shelved.runs.page  # type: ignore[union-attr]
    _within(loop, lambda: page.choose({"b"}))
    _until(loop, lambda: len(_records(shelved)) == 2, begin=page.delete.click)
    assert page.undo.isVisible()
    _until(loop, lambda: len(_records(shelved)) == 3, begin=page.undo.click)
    _within(loop, lambda: page.choose({"c"}))
    _until(loop, lambda: any(one.baseline for one in _records(shelved)), begin=page.baseline.click)
    assert page.model.index(0, 0).data() == "★ Run c"
    _within(loop, lambda: page.choose({"a", "c"}))
    assert [one.id for one in page.chosen()] == ["c", "a"], "the baseline is what the others are measured against"
    _within(loop, lambda: page.choose({"a"}))

    def note() -> None:
        page.notes.setText("quiet machine")
        page.notes.editingFinished.emit()

    _until(loop, lambda: any(one.notes for one in _records(shelved)), begin=note)
    _until(loop, lambda: len(_records(shelved)) == 1, begin=lambda: page.filter.setText("quiet"))


@pytest.mark.parametrize("suffix", [".csv", ".json", ".md", ".html", ".baseline"])
def test_runs_are_exported(shelved: LabPanel, lab: Lab, loop: qasync.QEventLoop, tmp_path: Path, suffix: str) -> None:
    one, two = tmp_path / f"one{suffix}", tmp_path / f"two{suffix}"
    _until(loop, one.exists, begin=lambda: lab.shelf.export(["a"], one))
    if suffix != ".baseline":
        _until(loop, two.exists, begin=lambda: lab.shelf.export(["a", "b"], two))
        assert b"Run b" in two.read_bytes()
    assert one.stat().st_size > 500


def test_a_kept_run_is_opened_and_its_load_used_again(
    shelved: LabPanel, store: Store, loop: qasync.QEventLoop
) -> None:
    page = shelved.runs.page  # type: ignore[union-attr]
    _within(loop, lambda: page.choose({"b"}))
    _until(loop, lambda: store.lab_run is not None, begin=page.open.click)
    assert store.lab_run is not None
    assert (store.lab_run.run_id, len(store.lab_run.samples), len(store.lab_run.windows)) == ("b", 40, 8)
    assert shelved.stack.currentWidget() is shelved.run.page
    shelved.run.page.form.choose_preset("summary")
    _within(loop, lambda: page.choose({"a"}))
    _within(loop, page.again.click)
    assert shelved.run.page.form.fields.system.whole == CLASSIC.system_prompt_tokens


def test_a_run_that_was_cut_off_with_its_program_has_its_figures(
    panel: LabPanel, store: Store, lab: Lab, loop: qasync.QEventLoop
) -> None:
    cut = msgspec.structs.replace(record("cut"), state=RunState.RUNNING, result=None)
    keep(lab, cut)
    _until(loop, lambda: len(_records(panel)) == 1, begin=lambda: panel.show_page("runs"))
    page = panel.runs.page  # type: ignore[union-attr]
    assert page.model.index(0, 3).data() == "not ended"
    _within(loop, lambda: page.choose({"cut"}))
    _until(loop, lambda: store.lab_run is not None, begin=page.open.click)
    assert store.lab_run is not None
    assert store.lab_run.state == "stopped"
    assert store.lab_run.result is not None
    assert store.lab_run.result.figures.successful == 40
    loop.run_until_complete(lab.close())


def test_no_runs_say_what_will_be_here(panel: LabPanel, store: Store, lab: Lab, loop: qasync.QEventLoop) -> None:
    _until(loop, lambda: store.lab_runs is not None, begin=lambda: panel.show_page("runs"))
    assert panel.runs is not None
    assert panel.runs.page.empty.isVisible()
    store.publish(LabRuns((), ("gone",)))
    assert not panel.runs.page.empty.isVisible(), "the way back is still there"
    loop.run_until_complete(lab.close())


def test_a_load_can_be_stopped_before_it_begins(lab: Lab, store: Store, loop: qasync.QEventLoop) -> None:
    """The host is slow to say what it is measured on: Stop was lost then, and could not be pressed again."""
    facts = EngineFacts("0.32.0", "/m/A", "A", "cpu", "bfloat16", None, 8192, 8, 9, 16, 2048, False, "", (), {})
    store.publish(Address("http://127.0.0.1:1", "t"))
    store.publish(Lifecycle(Phase.READY, "/m/A", 1, 1.0, facts=facts))
    desk, goes_on = lab.desk, asyncio.Event()

    async def slow(_target: Target) -> EngineSetup:
        await goes_on.wait()
        return EngineSetup()

    desk._setup = slow  # type: ignore[method-assign]
    _until(loop, lambda: store.lab_run is not None, begin=lambda: desk.start(CLASSIC))
    assert store.lab_run is not None
    assert store.lab_run.state == "starting"
    _until(loop, lambda: store.lab_run is not None and store.lab_run.stopping, begin=desk.stop)
    _until(loop, lambda: not desk.going, begin=goes_on.set)
    assert (store.lab_run.state, store.lab_run.message) == ("stopped", "")
    loop.run_until_complete(lab.close())
    assert not desk.runner.running


def test_the_window_holds_a_long_run_within_bounds(lab: Lab, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.bridge.lab_desk.MOST_SAMPLES", 30)
    desk = lab.desk
    store.publish(LabRun("Long", CLASSIC, "running"))
    for start in range(0, 100, 20):
        desk._take(Finished(tuple(sample(n) for n in range(start, start + 20))))
    for at in range(4000):
        desk._take(Tick(Window(float(at), 1.0, 1, 1, 0, 0, 1, 1, 1)))
    run = store.lab_run
    assert run is not None
    assert ([one.number for one in run.samples], run.left_out) == (list(range(70, 100)), 70)
    assert len(run.windows) <= 3600
    assert sum(window.seconds for window in run.windows) == 4000


# Searches

_BECAUSE = (Saying("error", {"message": "Because."}),)
_TRIAL_AT = saying("trial_at", number=2, most=3, setting=SettingValue({"max_num_seqs": 8}))


def _trial(number: int, seqs: int, rate: float, ttft: float) -> Trial:
    found = figures_of([sample(n, slow=ttft / 0.2) for n in range(10)], None, 90 / rate)
    return Trial(number=number, setting={"max_num_seqs": seqs}, state=TrialState.MEASURED, score=rate, scores=(rate,),
                 figures=found, reason=saying("every_point"),
                 outcome=saying("score", score=FigureValue("tokens_out_per_s", rate)))  # fmt: skip


def _sweep() -> tuple[SweepSpec, tuple[Trial, ...]]:
    spec = SweepSpec(workload=CLASSIC, axes=(Axis("max_num_seqs", (2, 8, 32)),), title="Classic")
    return spec, (_trial(1, 2, 10, 0.1), _trial(2, 8, 30, 0.2), _trial(3, 32, 20, 0.9))


def test_a_point_of_the_front_is_applied_and_rolled_back(
    panel: LabPanel, store: Store, loop: qasync.QEventLoop, qtbot: QtBot, quiet: Quiet
) -> None:
    loop.call_soon(lambda: panel.show_page("search"))
    _until(loop, lambda: store.lab_jobs is not None)
    view = panel.search.view  # type: ignore[union-attr]
    spec, trials = _sweep()
    store.publish(LabJob(spec, "running", "j", Update("measuring", _TRIAL_AT, 1, 3, 5.0, 0.4, 9.0),
                         trials[:1]))  # fmt: skip
    assert view.head.cancel.isVisible()
    assert not view.apply.isEnabled()
    assert "Run 2 of up to 3" in view.head._words.accessibleName()
    room, metrics = view.pareto.plot().left(), QFontMetrics(view.pareto.small_font())
    beside = [figures.duration(value) for value in ticks(0.0, view.pareto._ends[1], 8)]
    assert "80.0\u202fms" in beside
    assert max(map(metrics.horizontalAdvance, beside)) < room, "no number beside the plot is cut"
    result = SearchResult(objective="tokens_out_per_s", trials=trials, best=2, front=(1, 2), explanation=_BECAUSE)
    store.publish(LabJob(spec, "ended", "j", None, trials, result=result))
    assert view.trials.current == 2, "the best one is chosen at the end"
    assert view._explanation.text() == "Because."
    assert view.chosen_setting() == {"max_num_seqs": 8}
    pareto = view.pareto
    place = pareto._place(pareto.plot(), next(point for point in pareto._points if point.number == 1))
    qtbot.mouseClick(pareto, Qt.MouseButton.LeftButton, pos=QPoint(round(place.x()), round(place.y())))
    assert pareto.point_at(QPointF(place)) is not None
    assert view.trials.current == 1
    with qtbot.waitSignal(view.apply_asked) as asked:
        _within(loop, view.apply.click)
    assert asked.args == [{"max_num_seqs": 2}]
    store.publish(LabApplied({"max_num_seqs": 2}, {"max_num_seqs": 32}))
    assert view.roll_back.isVisible()
    assert "max_num_seqs 32" in view.roll_back.toolTip()
    with qtbot.waitSignal(view.roll_back_asked):
        _within(loop, view.roll_back.click)
    quiet.allow("There is no engine here")


def test_the_search_form_says_what_cannot_be(panel: LabPanel, store: Store, loop: qasync.QEventLoop) -> None:
    loop.call_soon(lambda: panel.show_page("search"))
    _until(loop, lambda: store.lab_jobs is not None)
    store.publish(LiveLimits(1, 32, 32, 2048, 2048, 0, "fcfs"))
    form = panel.search.form  # type: ignore[union-attr]
    assert list(form.axes.rows) == ["max_num_seqs", "max_num_batched_tokens", "long_prefill_token_threshold"]
    load = panel.run.page.form.workload()
    assert form.problem(load) == ""
    form.axes.rows["max_num_seqs"].values.setText("2, many")
    assert "max_num_seqs" in form.problem(load)
    form.axes.rows["max_num_seqs"].values.setText("")
    assert "no values to try" in form.problem(load)
    form.axes.rows["max_num_seqs"].values.setText("2, 4")
    assert "grid" in form._points.text()
    form.show_kind("ab")
    for row in form.axes.rows.values():
        row.b.setText(row.a.text())
    assert "same" in form.problem(load)
    form.axes.rows["max_num_seqs"].b.setText("1")
    assert form.problem(load) == ""


def test_a_search_can_be_cancelled_before_its_process_is_there(
    lab: Lab, store: Store, loop: qasync.QEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = EngineFacts("0.32.0", "/m/A", "A", "cpu", "bfloat16", None, 8192, 8, 9, 16, 2048, False, "", (), {})
    store.publish(Address("http://127.0.0.1:1", "t"))
    store.publish(Lifecycle(Phase.READY, "/m/A", 1, 1.0, facts=facts))
    told: list[object] = []
    goes_on = asyncio.Event()

    class SlowToStart(LabProcess):
        async def _launch(self, first: object) -> None:
            await goes_on.wait()
            await super()._launch(first)

        async def _tell(self, what: object) -> None:
            told.append(type(what))
            await super()._tell(what)

    monkeypatch.setattr("app.bridge.lab_search.LabProcess", SlowToStart)
    _until(loop, lambda: store.lab_job is not None, begin=lambda: lab.search.start(_sweep()[0]))
    _until(loop, lambda: store.lab_job is not None and store.lab_job.cancelling, begin=lab.search.cancel)
    _until(loop, lambda: not lab.search.going, begin=goes_on.set)
    _until(loop, lambda: lab.search._process is None)
    assert told == [Begin, Cancel]
    assert store.lab_job is not None
    assert (store.lab_job.state, store.lab_job.message) == ("cancelled", "")
    loop.run_until_complete(lab.close())


def test_a_broken_search_can_be_resumed(panel: LabPanel, store: Store, loop: qasync.QEventLoop) -> None:
    loop.call_soon(lambda: panel.show_page("search"))
    _until(loop, lambda: store.lab_jobs is not None)
    spec, trials = _sweep()
    store.publish(LabJob(spec, "broken", "j", None, trials[:1], message="It broke.", remedy="Resume it."))
    view = panel.search.view  # type: ignore[union-attr]
    assert view.head.resume.isVisible()
    assert view.head._message.text() == "It broke. Resume it."


def test_a_hidden_lab_draws_nothing(panel: LabPanel, store: Store) -> None:
    panel.hide()
    page = panel.run.page
    store.publish(LabRun("Classic", CLASSIC, "running", "x", 1))
    assert page.view._run is None
    panel.show()
    assert page.view._run is store.lab_run
    store.publish(Lifecycle(Phase.IDLE))


def test_drawing_a_long_run_is_cheap(panel: LabPanel, store: Store) -> None:
    windows = tuple(Window(float(i), 1.0, 5, 5, 0, 0, 500, i % 60, 4, 0.2, 0.3, 0.1, 0.2) for i in range(3600))
    panel.run.page.view.charts.show_run(windows, (), (), Slos())
    begin = time.process_time()
    for chart in panel.run.page.view.charts.charts:
        chart.grab()
    assert time.process_time() - begin < 2.0, "an hour's charts, drawn once; a frame of it has to be far below"


# Formats


def _checkpoint(label: str, method: str | None) -> Checkpoint:
    return Checkpoint(
        f"/m/{label}", f"SmolLM2-{label}", "SmolLM2", "starter", "LlamaForCausalLM", "llama",
        Quantization(method, label, 4.0), 134_515_008, 100_000_000, 90_000_000, "bfloat16", 8192,
        AttentionShape("gqa", 30, 9, 3, 64), True, False, (),
    )  # fmt: skip


def test_formats_are_chosen_compared_and_drawn(panel: LabPanel, store: Store, loop: qasync.QEventLoop) -> None:
    loop.call_soon(lambda: panel.show_page("formats"))
    _until(loop, lambda: store.lab_jobs is not None)
    form, view, page = panel.formats.form, panel.formats.view, panel.formats.page  # type: ignore[union-attr]
    assert "No model is here in two formats" in form.problem()
    store.publish(Library((_checkpoint("BF16", None), _checkpoint("AWQ", "awq")), ("/m",)))
    assert form.problem() == ""
    spec = form.spec()
    assert [variant.label for variant in spec.variants] == ["BF16", "AWQ"]
    assert spec.transformers
    for box, _ in form._boxes:
        box.setChecked(False)
    assert "nothing to compare" in form.problem()
    assert not page.start.isEnabled()
    rows = (
        Row(key="bf16", label="BF16", state="done", is_reference=True, disk_bytes=200 << 20, load_tokens_per_s=100.0),
        Row(key="awq", label="AWQ", state="done", disk_bytes=100 << 20, load_tokens_per_s=150.0),
        Row(key="transformers", label="transformers", state="failed", is_transformers=True, error="No memory."),
    )
    store.publish(LabJob(spec, "running", "f", Update("loading", saying("loading", label="AWQ"), 1, 3), rows=rows))
    assert view.isVisible()
    assert view.head.cancel.isVisible()
    bars = list(view.bars.rows())
    assert bars[1:] == [["BF16", 100.0, ""], ["AWQ", 150.0, 1.5], ["transformers", "", ""]]
    assert view.table.item(2, 1).text() == "failed"  # type: ignore[union-attr]
    assert view.table.item(2, 0).toolTip() == "No memory."  # type: ignore[union-attr]
    view.choice.choose("disk_bytes")
    assert list(view.bars.rows())[2][2] == 0.5
