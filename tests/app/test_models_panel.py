"""The model panel: what each chip says and does, and the starter model from the offer to its last variant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.panels.models import ModelsPanel
from app.tables.models import group_families
from app.widgets.model_chip import ChipState
from app.widgets.model_menu import ModelMenu
from engine.domain.checkpoint import (
    AttentionShape,
    Checkpoint,
    Library,
    Quantization,
    StarterProgress,
    StarterVariant,
    Verdict,
    VerdictKind,
)
from engine.domain.lifecycle import EngineFacts, Lifecycle, Phase, Stage, StageTiming

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store
    from app.panels.panel import PanelContext

FAMILY = "SmolLM2-135M-Instruct"
UNPACKED = Verdict(VerdictKind.RUNS_UNPACKED, "This CPU has no 4-bit kernels: weights are unpacked at load.")
REFUSED = Verdict(VerdictKind.REFUSED, "FP8 needs AVX-512 here.")


def checkpoint(label: str, family: str = FAMILY, **more: Any) -> Checkpoint:
    name = family if label == "BF16" else f"{family}-{label}"
    values: dict[str, Any] = {
        "path": f"/models/{name}",
        "name": name,
        "family": family,
        "source": "starter",
        "architecture": "LlamaForCausalLM",
        "model_type": "llama",
        "quantization": Quantization(None, label, 4, "4 bit, group 32"),
        "parameters": 134_515_008,
        "size_bytes": 118 << 20,
        "weights_bytes": 118 << 20,
        "weight_dtype": "BF16",
        "max_context": 8192,
        "attention": AttentionShape("gqa", 30, 9, 3, 64),
        "has_chat_template": True,
        "needs_remote_code": False,
        "pickled_files": (),
    }
    return Checkpoint(**{**values, **more})


LIBRARY = Library(
    (
        checkpoint("INT8"),
        checkpoint("AWQ", verdict=UNPACKED),
        checkpoint("BF16"),
        checkpoint("FP8", verdict=REFUSED),
        checkpoint("BF16", "Broken-1B", problem="model.safetensors is cut short: 12 of 988 MB are there."),
    ),
    ("/models",),
)


class RecordedCommands:
    """The real commands; what would reach the engine or the disk is noted instead."""

    def __init__(self, commands: Any) -> None:
        self._commands = commands
        self.asked: list[tuple[str, tuple[object, ...]]] = []

    def __getattr__(self, name: str) -> Any:
        if name in ("load", "cancel_load", "build_starter", "cancel_starter", "add_folder", "remove_folder", "rescan"):
            return lambda *arguments: self.asked.append((name, arguments))
        return getattr(self._commands, name)


@pytest.fixture
def commands(commands: Any) -> RecordedCommands:
    return RecordedCommands(commands)


@pytest.fixture
def panel(qtbot: QtBot, context: PanelContext, commands: RecordedCommands) -> ModelsPanel:
    result = ModelsPanel(context)
    qtbot.addWidget(result)
    result.resize(300, 600)
    result.show()
    return result


def chip(panel: ModelsPanel, label: str, family: str = FAMILY):
    name = family if label == "BF16" else f"{family}-{label}"
    found = panel.variant(f"/models/{name}")
    assert found is not None
    return found


def click(widget: Any) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def ready(label: str) -> Lifecycle:
    name = f"{FAMILY}-{label}"
    facts = EngineFacts(
        "0.32.0", f"/models/{name}", name, "cpu", "bfloat16", None, 8192, 128, 361, 16, 2048, False, "", (), {}
    )
    return Lifecycle(Phase.READY, f"/models/{name}", 1, 1.0, facts=facts)


def test_families_hold_their_variants_in_a_fixed_order_and_are_found_by_every_word():
    families = group_families(LIBRARY.checkpoints)
    assert [family.name for family in families] == ["Broken-1B", FAMILY]
    assert [variant.label for variant in families[1].variants] == ["BF16", "AWQ", "FP8", "INT8"]
    assert [family.name for family in group_families(LIBRARY.checkpoints, "smol awq")] == [FAMILY]
    assert group_families(LIBRARY.checkpoints, "smol mistral") == ()


def test_two_checkpoints_of_one_quantization_are_told_apart():
    twins = (checkpoint("AWQ"), checkpoint("AWQ", name=f"{FAMILY}-AWQ-g64", path="/other"))
    labels = [variant.label for variant in group_families(twins)[0].variants]
    assert len(set(labels)) == 2
    assert "AWQ-g64" in labels


def test_one_click_loads(panel: ModelsPanel, store: Store, commands: RecordedCommands):
    store.publish(LIBRARY)
    assert chip(panel, "AWQ").objectName() == f"variant_{FAMILY}_AWQ"
    click(chip(panel, "AWQ"))
    assert commands.asked == [("load", (f"/models/{FAMILY}-AWQ",))]


@pytest.mark.parametrize(("label", "family", "why"), [("FP8", FAMILY, "AVX-512"), ("BF16", "Broken-1B", "cut short")])
def test_what_cannot_run_explains_instead_of_loading(
    panel: ModelsPanel, store: Store, commands: RecordedCommands, label: str, family: str, why: str
):
    store.publish(LIBRARY)
    QApplication.processEvents()
    refused = chip(panel, label, family)
    assert why in refused.accessibleDescription()
    click(refused)
    assert commands.asked == []
    row = next(row for row in panel._rows if row.family.name == family)
    assert why in row._why.text()
    assert row._why.isVisibleTo(panel)


def test_a_variant_that_is_unpacked_says_so_when_it_is_looked_at(panel: ModelsPanel, store: Store):
    store.publish(LIBRARY)
    row = next(row for row in panel._rows if row.family.name == FAMILY)
    assert not row._why.isVisibleTo(panel)
    chip(panel, "AWQ").setFocus()
    QApplication.processEvents()
    assert "unpacked at load" in row._why.text()


def test_the_running_and_the_loading_one_are_marked(panel: ModelsPanel, store: Store, commands: RecordedCommands):
    store.publish(LIBRARY)
    stages = (StageTiming(Stage.STARTING, 0, 4, None, 5.0), StageTiming(Stage.WEIGHTS, 4, None, 0.4, 5.0))
    store.publish(Lifecycle(Phase.LOADING, f"/models/{FAMILY}-AWQ", 1, 5.0, stages=stages))
    assert chip(panel, "AWQ").state is ChipState.LOADING
    row = next(row for row in panel._rows if row.family.name == FAMILY)
    assert "reading weights 40" in row._about.text()
    click(chip(panel, "AWQ"))
    assert commands.asked == []
    click(row._cancel)
    assert commands.asked == [("cancel_load", ())]
    store.publish(ready("AWQ"))
    assert chip(panel, "AWQ").state is ChipState.RUNNING
    assert chip(panel, "INT8").state is ChipState.IDLE
    assert "running" in chip(panel, "AWQ").accessibleName()
    assert "fits 5.6 × 8k" in row._about.text(), "(361 - 1) blocks of 128 over 8,192"


def test_what_has_to_be_known_of_the_running_engine_stands_below_it(panel: ModelsPanel, store: Store):
    store.publish(LIBRARY)
    state = ready("INT8")
    assert state.facts is not None
    notes = ("Restarted by itself: The EngineCore was killed.",)
    store.publish(replace(state, facts=replace(state.facts, notes=notes)))
    row = next(row for row in panel._rows if row.family.name == FAMILY)
    assert row._why.text() == notes[0]
    assert not row._why.isHidden()
    store.publish(Lifecycle(Phase.IDLE))
    assert row._why.isHidden()


def test_the_filter_and_its_empty_state(panel: ModelsPanel, store: Store):
    store.publish(LIBRARY)
    QTest.keyClicks(panel._filter, "broken")
    assert [row.family.name for row in panel._rows] == ["Broken-1B"]
    QTest.keyClicks(panel._filter, "zz")
    assert "brokenzz" in panel._nothing.text()
    assert panel._nothing.isVisible()


def test_rows_that_did_not_change_are_kept(panel: ModelsPanel, store: Store):
    store.publish(LIBRARY)
    before = chip(panel, "AWQ")
    store.publish(replace(LIBRARY, checkpoints=(*LIBRARY.checkpoints, checkpoint("BF16", "New-7B"))))
    assert chip(panel, "AWQ") is before
    assert chip(panel, "BF16", "New-7B") is not None


def test_a_library_of_hundreds_comes_a_few_rows_at_a_time(panel: ModelsPanel, store: Store, qtbot: QtBot):
    many = tuple(checkpoint("BF16", f"Model-{number:03}") for number in range(60))
    store.publish(Library(many, ("/models",)))
    first = list(panel._rows)
    assert 0 < len(first) < len(many)
    store.publish(Library(many[3:], ("/models",)))  # what comes meanwhile is not lost
    qtbot.waitUntil(lambda: len(panel._rows) == 57)
    assert panel._rows[: len(first) - 3] == first[3:]
    places = [panel._column.indexOf(row) for row in panel._rows]
    assert places == list(range(57))
    assert [row.family for row in panel._rows] == list(panel._families)


def test_of_thousands_the_first_are_shown_and_the_one_that_runs(
    panel: ModelsPanel, store: Store, commands: RecordedCommands, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("app.panels.models._MOST_ROWS", 4)
    many = tuple(checkpoint("INT8", f"Model-{number:02}") for number in range(12))
    panel._filter.setText("Model")
    store.publish(replace(LIBRARY, checkpoints=many))
    assert [row.family.name for row in panel._rows] == [f"Model-{number:02}" for number in range(4)]
    assert "8 more" in panel._show_more.text()
    store.publish(Lifecycle(Phase.LOADING, many[9].path, 1))
    assert [row.family.name for row in panel._rows][-1] == "Model-09"
    assert panel._rows[-1].chips[0].state is ChipState.LOADING
    click(panel._show_more)
    assert len(panel._rows) == 9
    click(panel._show_more)
    assert len(panel._rows) == 12
    assert panel._show_more.isHidden()
    panel._filter.setText("Model-1")
    assert [row.family.name for row in panel._rows] == ["Model-10", "Model-11"]


def test_the_command_line_is_that_of_the_checkpoint(panel: ModelsPanel, store: Store):
    store.publish(LIBRARY)
    menu = ModelMenu(chip(panel, "AWQ"), store, panel.context.commands, panel)
    next(action for action in menu.actions() if action.text() == "Copy as vllm serve command").trigger()
    text = QGuiApplication.clipboard().text()
    assert text.startswith(f"vllm serve /models/{FAMILY}-AWQ")
    assert f"--served-model-name {FAMILY}-AWQ" in text


def starter(*states: str, running: bool = False, **more: Any) -> StarterProgress:
    keys = ("bf16", "awq", "gptq", "fp8", "int8")
    variants = tuple(
        StarterVariant(key, key.upper(), state, f"/cache/{key}") for key, state in zip(keys, states, strict=False)
    )
    return StarterProgress(variants, running, **more)


def test_with_no_model_the_starter_is_offered_built_stopped_and_gone_on_with(
    panel: ModelsPanel, store: Store, commands: RecordedCommands
):
    card = panel._starter
    assert not card.isVisible()
    assert "Looking" in panel._nothing.text()
    store.publish(Library((), ("/models",)))
    store.publish(starter("absent", "absent"))
    assert card.start.isVisible()
    assert "98 MB" in card._text.text()
    click(card.start)
    store.publish(starter("ready", "building", running=True, progress=0.4, step="layer 12 of 30", remaining_s=100.0))
    assert not card.start.isVisible()
    assert card._bar.value() == 400
    assert "layer 12 of 30" in card._step.text()
    click(card._rows["bf16"].load)
    click(card.cancel)
    store.publish(starter("ready", "partial"))
    assert card.start.text() == "Go on building"
    click(card.start)
    assert commands.asked == [
        ("build_starter", ()),
        ("load", ("/cache/bf16",)),
        ("cancel_starter", ()),
        ("build_starter", ()),
    ]
    store.publish(starter("ready", "ready"))
    assert not card.isVisible()


def test_a_failed_build_says_cause_and_remedy_and_can_be_tried_again(panel: ModelsPanel, store: Store):
    store.publish(Library((), ()))
    store.publish(starter("partial", error="There is no room: 118 MB are needed.", remedy="Free some disk space."))
    card = panel._starter
    assert card._error.text() == "There is no room: 118 MB are needed."
    assert card._remedy.isVisible()
    assert card.start.text() == "Try again"


def test_a_hidden_panel_draws_nothing_and_catches_up(panel: ModelsPanel, store: Store):
    store.publish(LIBRARY)
    panel.hide()
    store.publish(ready("AWQ"))
    assert chip(panel, "AWQ").state is ChipState.IDLE
    panel.show()
    assert chip(panel, "AWQ").state is ChipState.RUNNING
