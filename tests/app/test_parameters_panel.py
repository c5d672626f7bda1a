"""The parameters panel over the real commands: editing, ranges, what is live, what needs a reload, and applying it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from app.panels.parameters import ParametersPanel
from app.tables.parameters import apply_plan, row_state
from app.widgets.parameter_fields import NumberField
from engine.domain.gpu import HardwareSample, HostSample
from engine.domain.lifecycle import EngineFacts, Lifecycle, LimitsRequest, LiveChange, LiveLimits, Phase
from engine.parameters.catalog import CATALOG
from engine.parameters.spec import Applies

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store
    from app.panels.panel import PanelContext

LIMITS = LiveLimits(0, 16, 16, 2048, 2048, 0, "fcfs", 0.0, False, True)


class RecordedCommands:
    """The real commands, edits and presets included; what would go to the host is noted instead."""

    def __init__(self, commands: Any) -> None:
        self._commands = commands
        self.asked: list[tuple[str, Any]] = []

    def apply_limits(self, request: LimitsRequest) -> None:
        self.asked.append(("apply_limits", request))

    def reload(self, changes: Any = None) -> None:
        self.asked.append(("reload", changes))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._commands, name)


@pytest.fixture
def commands(commands: Any) -> RecordedCommands:
    return RecordedCommands(commands)


@pytest.fixture
def panel(qtbot: QtBot, context: PanelContext, commands: RecordedCommands) -> ParametersPanel:
    result = ParametersPanel(context)
    qtbot.addWidget(result)
    result.resize(300, 700)
    result.show()
    return result


def ready(**parameters: Any) -> Lifecycle:
    values = {
        "max_model_len": 8192,
        "block_size": 128,
        "enforce_eager": True,
        "enable_prefix_caching": True,
        **parameters,
    }
    facts = EngineFacts("0.32.0", "/m/x", "x", "cpu", "bfloat16", None, 8192, 128, 361, 16, 2048, False, "", (), values)
    return Lifecycle(Phase.READY, "/m/x", 1, 1.0, facts=facts)


@pytest.fixture
def running(store: Store, panel: ParametersPanel) -> ParametersPanel:
    store.publish(HardwareSample(HostSample(0, 24 << 30, 20 << 30, None, None, (0.1,))))
    store.publish(ready())
    store.publish(LIMITS)
    return panel


def number(panel: ParametersPanel, name: str) -> NumberField:
    field = panel.findChild(NumberField, f"param_{name}")
    assert isinstance(field, NumberField)
    return field


def write(panel: ParametersPanel, name: str, text: str, key: Qt.Key = Qt.Key.Key_Return) -> None:
    field = number(panel, name)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, key)


def test_every_row_of_the_catalog_has_its_editor(panel: ParametersPanel):
    for name in CATALOG:
        row = panel.row(name)
        assert row.field.objectName() == f"param_{name}"
        assert row.field.toolTip() == CATALOG[name].help


def test_a_value_that_contradicts_another_is_mended_by_a_click(panel: ParametersPanel, store: Store):
    offers = panel.row("max_num_batched_tokens").offers
    write(panel, "max_num_seqs", "64")
    assert offers.isHidden()
    write(panel, "max_num_batched_tokens", "32")
    first, _ = offers.findChildren(QPushButton)
    assert first.text() == "Set max_num_batched_tokens to 64"
    QTest.mouseClick(first, Qt.MouseButton.LeftButton)
    assert store.edits.values == {"max_num_seqs": 64, "max_num_batched_tokens": 64}
    assert offers.isHidden()


def test_with_no_engine_the_present_value_is_unknown_and_defaults_are_shown(panel: ParametersPanel, store: Store):
    assert panel.row("max_model_len")._present.text() == "—"
    assert number(panel, "stream_interval").current() == 1
    assert number(panel, "max_num_seqs").current() is None
    assert number(panel, "max_num_seqs").text() == "auto"
    assert not panel._bar.isVisible()
    write(panel, "max_num_seqs", "8")
    assert store.edits.values == {"max_num_seqs": 8}
    assert "next load" in panel._bar.apply.text()
    assert not panel._bar.apply.isEnabled(), "nothing has been loaded that could be loaded again"
    store.publish(Lifecycle(Phase.FAILED, "/m/x"))
    assert panel._bar.apply.isEnabled()


def test_the_panel_shows_what_the_engine_reports_and_not_what_was_asked(running: ParametersPanel, store: Store):
    row = running.row("max_num_seqs")
    assert row._present.text() == "16"
    assert "capacity 16" in row._note.text()
    write(running, "max_num_seqs", "4")
    assert row._present.text() == "16"
    store.publish(LiveLimits(9, 5, 16, 2048, 2048, 0, "fcfs"))  # it reports 5, whatever was wished
    assert row._present.text() == "5"


def test_live_edits_apply_at_once_with_the_chosen_way(
    running: ParametersPanel, store: Store, commands: RecordedCommands
):
    write(running, "max_num_seqs", "4")
    bar = running._bar
    assert bar.apply.text() == "Apply 1 now"
    assert bar._mode.isVisible(), "lowering asks what becomes of the surplus"
    assert "frees no" in running.row("max_num_seqs")._note.text()
    bar._mode.button("preempt").click()
    QTest.mouseClick(bar.apply, Qt.MouseButton.LeftButton)
    assert commands.asked == [("apply_limits", LimitsRequest(max_num_seqs=4, mode="preempt"))]


def test_the_slider_runs_to_the_capacity_and_makes_an_edit(running: ParametersPanel, store: Store):
    slider = running.row("max_num_seqs").slider
    assert slider is not None
    assert (slider.minimum(), slider.maximum(), slider.value()) == (1, 16, 16)
    slider.setValue(3)
    assert store.edits.values == {"max_num_seqs": 3}
    assert number(running, "max_num_seqs").current() == 3
    slider.setValue(16)
    assert store.edits.values == {}, "back to what is in force is no edit"


def test_over_the_capacity_and_fixed_rows_need_a_reload(running: ParametersPanel, commands: RecordedCommands):
    write(running, "max_num_seqs", "32")
    assert "needs a reload" in running.row("max_num_seqs")._note.text()
    write(running, "max_model_len", "4096")
    write(running, "max_num_batched_tokens", "1024")
    assert running._bar.apply.text() == "Apply 1 now, reload for 2"
    running._bar.live.click()
    assert commands.asked == [("apply_limits", LimitsRequest(max_num_batched_tokens=1024))]
    commands.asked.clear()
    running._bar.apply.click()
    names = [name for name, _ in commands.asked]
    assert names == ["apply_limits", "reload"]
    assert commands.asked[1][1] == {"max_num_seqs": 32, "max_model_len": 4096, "max_num_batched_tokens": 1024}


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("gpu_memory_utilization", "1.5", "from 0.01 to 1"),
        ("max_model_len", "0", "from 1 to 16,777,216"),
        ("stream_interval", "", "needs a value|from 1"),
        ("seed", "99999999999", "4,294,967,295"),
    ],
)
def test_out_of_range_says_the_range_in_place_and_changes_nothing(
    running: ParametersPanel, store: Store, name: str, text: str, says: str
):
    field = number(running, name)
    field.setFocus()
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete) if not text else QTest.keyClicks(field, text)
    note = running.row(name)._note
    assert note.isVisible()
    shown = note.text().replace("\u202f", ",").replace("\u00a0", ",")
    assert any(part.replace(",", "") in shown.replace(",", "") for part in says.split("|"))
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert store.edits.values == {}
    assert not running._bar.apply.isEnabled()
    running._bar.revert.click()
    assert not note.isVisible()
    assert not running._bar.isVisible()


@pytest.mark.parametrize("word", ["nan", "inf", "-inf", "1e999"])
def test_what_is_pasted_and_no_number_ends_nothing(running: ParametersPanel, store: Store, word: str):
    """To Qt "nan" and "inf" are numbers: one of them in a field ended the whole program."""
    for name in ("max_num_seqs", "watermark"):
        field = number(running, name)
        field.setFocus()
        field.selectAll()
        QApplication.clipboard().setText(word)
        field.lineEdit().paste()
        QTest.keyClick(field, Qt.Key.Key_Return)
        field.lineEdit().setText(word)  # an input method does not ask the validator
        QTest.keyClick(field, Qt.Key.Key_Return)
    assert store.edits.values == {}


def test_large_numbers_and_emptying_work(running: ParametersPanel, store: Store):
    write(running, "kv_cache_memory_bytes", "8589934592")
    assert store.edits.values == {"kv_cache_memory_bytes": 8_589_934_592}
    write(running, "kv_cache_memory_bytes", "auto")
    assert store.edits.values == {}


def test_stepping_stays_in_range_and_reaches_auto(running: ParametersPanel, store: Store):
    field = number(running, "max_num_seqs")
    field.setFocus()
    write(running, "max_num_seqs", "1")
    QTest.keyClick(field, Qt.Key.Key_Down)
    assert field.current() is None
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert field.current() == 1


def test_a_fault_between_rows_is_shown_and_blocks(running: ParametersPanel, store: Store):
    write(running, "block_size", "48")
    row = running.row("block_size")
    assert "48" in row._note.text()
    assert row._note.isVisible()
    assert not running._bar.apply.isEnabled()


def test_presets_say_what_they_change_and_become_edits(running: ParametersPanel, store: Store):
    button = running._presets._buttons["latency"]
    assert button.objectName() == "presetLatency"
    assert "max_num_seqs = 4" in button.toolTip()
    button.click()
    assert store.edits.values["max_num_seqs"] == 4
    assert running.row("max_num_seqs").property("edited") == "true"
    running._bar.revert.click()
    assert store.edits.values == {}
    assert running.row("max_num_seqs").property("edited") == "false"


def test_rows_of_another_device_are_hidden_and_the_search_finds_by_meaning(running: ParametersPanel):
    assert not running.row("cpu_offload_gb").isVisible()
    assert running.row("cpu_kvcache_space_gib").isVisibleTo(running)
    QTest.keyClicks(running._search, "batched tok")
    assert running.row("max_num_batched_tokens").isVisibleTo(running)
    assert not running.row("dtype").isVisibleTo(running)
    QTest.keyClicks(running._search, "zz")
    assert running._none.isVisible()


def test_the_command_line_holds_what_runs_and_the_edits(running: ParametersPanel):
    write(running, "max_model_len", "4096")
    running._copy_command()
    text = QGuiApplication.clipboard().text()
    assert text.startswith("vllm serve /m/x")
    assert "--max-model-len 4096" in text
    assert "--block-size 128" in text


@pytest.mark.parametrize("width", [300, 900])
def test_nothing_is_cut_off_at_any_width(running: ParametersPanel, width: int):
    running.resize(width, 700)
    QApplication.processEvents()
    assert running.width() == width
    assert running._body.width() <= running._scroll.viewport().width()


def test_marks_tell_live_rows_from_the_others(running: ParametersPanel, store: Store):
    for name, spec in CATALOG.items():
        live = row_state(spec, store).live
        assert live == (spec.applies is Applies.LIVE), name


def test_a_plan_without_an_engine_waits_for_a_load(store: Store, panel: ParametersPanel):
    write(panel, "max_num_seqs", "8")
    plan = apply_plan(store)
    assert (plan.waiting, plan.can_load, plan.limits) == (1, False, None)


def test_a_live_change_is_told_with_who_when_and_what(running: ParametersPanel, store: Store):
    change = LiveChange(3, 120, 1, 1_700_000_000.0, "max_num_seqs", 16, 5, by="tuner", preempted=4)
    store.publish(LiveLimits(120, 5, 16, 2048, 2048, 0, "fcfs", 0.0, False, True, (change,)))
    tip = running.row("max_num_seqs")._present.toolTip()
    assert "16 → 5" in tip
    assert "step 120" in tip
    assert "4 preempted" in tip
    assert "by the tuner" in tip
    assert "→" not in running.row("watermark")._present.toolTip()


def test_the_watermark_is_live(running: ParametersPanel, store: Store, commands):
    write(running, "watermark", "0.25")
    plan = apply_plan(store)
    assert plan.live_names == ("watermark",)
    assert plan.limits == LimitsRequest(watermark=0.25)
