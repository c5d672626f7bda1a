"""Nothing is cut off: in each state, theme and text size every label has the room that its text needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QSizePolicy, QWidget

from app.bridge.store import Notice
from app.main_window import MainWindow
from app.panels.gpu import GpuPanel
from app.panels.registry import PANELS
from app.preferences import TEXT_SIZE, Preferences
from app.widgets.block_map_figures import FigureRow
from app.widgets.block_map_inspector import InspectorLine
from app.widgets.chat_editor import GrowingEdit
from app.widgets.elided_label import ElidedLabel
from app.widgets.log_book import LogBook
from app.widgets.status_line import StatusNumber
from app.widgets.step_chart_lanes import stacked_lanes
from benchmarks.page_traffic import PageTraffic
from engine.domain.gpu import GpuProcess, GpuSample, HardwareSample, HostSample
from engine.domain.lifecycle import (
    EngineFacts,
    Failure,
    Lifecycle,
    LiveLimits,
    Phase,
    RemedyAction,
    ServingStats,
    Stage,
    StageTiming,
)
from tests.app.showing import shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from PySide6.QtCore import QSettings
    from pytestqt.qtbot import QtBot

    from app.bridge.store import Store
    from app.panels.panel import PanelContext

_GIB = 1 << 30
_USUAL_LINE = 18
# Widths that once were cut: a part below a GiB has two digits more, a share of waste three.
_HOST = HostSample(1, 24 * _GIB, 13 * _GIB, round(2.101 * _GIB), 11.5, (1.0,) * 16)
_GPU = GpuSample(1, 0, "GPU-0", "NVIDIA H200", 141 * _GIB, 72 * _GIB, 62 * _GIB, 8 * _GIB,
                 (GpuProcess(7, "VLLM::EngineCore", 62 * _GIB, True), GpuProcess(9, "train.py", 8 * _GIB, False)),
                 1.0, 0.55, 700.0, 700.0, 88, 1980, 3201)  # fmt: skip
_FACTS = EngineFacts(
    vllm_version="0.32.0", checkpoint="/m/SmolLM2-135M-Instruct", served_model_name="SmolLM2-135M-Instruct",
    device="cpu", dtype="bfloat16", quantization=None, max_model_len=8192, block_size=16, num_blocks=38_000,
    max_num_seqs=128, max_num_batched_tokens=2048, async_scheduling=True, page_path="", processes=(), parameters={},
    gpu_uuids=("GPU-0",), kv_cache_bytes=2 * _GIB, weights_bytes=round(0.101 * _GIB),
)  # fmt: skip
_FAILURE = Failure(
    "context_too_long", "max_model_len 131,072 needs 4.50 GiB of KV cache, 1.00 GiB is there.", "Lower max_model_len.",
    ("longest request that fits  29,120 tokens",),
    (RemedyAction("max_model_len 29,120", {"max_model_len": 29120}),), ("ValueError",),
)  # fmt: skip


@pytest.fixture
def window(
    store: Store, context: PanelContext, settings: QSettings, preferences: Preferences, qtbot: QtBot
) -> Iterator[MainWindow]:
    """The whole window at the smallest size that it has to be good at."""
    result = MainWindow(store, context.themes, settings, LogBook(store), PANELS)
    result.use(context.commands)
    yield from shown(result, context, qtbot)


def _settle() -> None:
    for _ in range(4):
        QApplication.processEvents()


def _cut_off(window: QWidget) -> list[str]:
    """What has less room than its text needs, in words."""
    found = [_named(label) for label in window.findChildren(QLabel) if label.isVisible() and _is_cut(label)]
    found += [
        _named(button) for button in window.findChildren(QAbstractButton)
        if button.isVisible() and button.text() and button.width() < button.minimumSizeHint().width()
    ]
    for row in window.findChildren(FigureRow):
        if row.isVisible():
            found += [f"{figure.name} {figure.text}" for figure in row.cut_off()]
    return found


def _is_cut(label: QLabel) -> bool:
    if isinstance(label, ElidedLabel):  # larger text may cut a name short, whose tooltip has it
        at_usual_size = label.fontMetrics().height() <= _USUAL_LINE
        return at_usual_size and label.text() != label.accessibleName()
    if not label.text():
        return False
    if label.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Ignored:
        return False  # one that shortens itself, by its own rules
    if label.wordWrap():
        return label.height() < label.heightForWidth(label.width())
    return label.width() < label.sizeHint().width() or label.height() < label.fontMetrics().height()


def _named(widget: QLabel | QAbstractButton) -> str:
    return f"{type(widget).__name__} {widget.text()!r} has {widget.size()}, wants {widget.sizeHint()}"


def _busy(store: Store, folder: Path) -> None:
    """An engine under load: figures as wide as they get."""
    traffic = PageTraffic(folder / "page", 38_000)
    traffic.add("chatcmpl-first-0123abcd", 3_000)
    for number in range(100):
        traffic.add(f"chatcmpl-{number:032x}-0123abcd", 3_001 + number, share="chatcmpl-first-0123abcd")
    store.publish(Lifecycle(Phase.READY, checkpoint=_FACTS.checkpoint, facts=_FACTS))
    store.publish(LiveLimits(1, 128, 128, 2048, 2048, 0, "fcfs"))
    store.publish(ServingStats(1, 5.0, 1e5, 34_958.0, 12.5, 12.5, 20.0, 0.0123, 0.02, 3.0, 0.1, 128, 1200, 1.0, 9, 2))
    store.publish(traffic.publish())
    traffic.close()


def _load(store: Store) -> None:
    stages = (StageTiming(Stage.STARTING, 0.0, 3.1), StageTiming(Stage.WEIGHTS, 3.1, 9.9, 1.0, 12.5),
              StageTiming(Stage.COMPILING, 13.0))  # fmt: skip
    store.publish(Lifecycle(Phase.LOADING, checkpoint=_FACTS.checkpoint, elapsed_s=131.0, stages=stages))


@pytest.mark.parametrize("text_size", [1.0, 1.3])
@pytest.mark.parametrize("gpus", [(), (_GPU,)], ids=["cpu", "gpu"])
def test_nothing_is_cut_off_in_any_state(
    window: MainWindow, store: Store, preferences: Preferences, tmp_path: Path, gpus: tuple[GpuSample, ...],
    text_size: float,
) -> None:  # fmt: skip
    preferences.set(TEXT_SIZE, text_size)
    window.reset_layout()
    _settle()
    faults = {"empty": _cut_off(window)}
    store.publish(HardwareSample(_HOST, gpus, driver_note="There is no NVIDIA driver on this machine."))
    _load(store)
    _settle()
    faults["loading"] = _cut_off(window)
    _busy(store, tmp_path)
    _settle()
    window.status.refresh()
    _settle()
    faults["busy"] = _cut_off(window)
    store.clear_engine()
    store.publish(Lifecycle(Phase.FAILED, checkpoint=_FACTS.checkpoint, failure=_FAILURE, previous_checkpoint="/m/x"))
    _settle()
    faults["failed"] = _cut_off(window)
    assert {state: cut for state, cut in faults.items() if cut} == {}


@pytest.mark.parametrize("size", [(1280, 800), (1440, 900)], ids=str)
@pytest.mark.parametrize("gpus", [(), (_GPU,)], ids=["cpu", "gpu"])
def test_the_memory_of_one_device_needs_no_scrolling(
    window: MainWindow, store: Store, gpus: tuple[GpuSample, ...], size: tuple[int, int], tmp_path: Path
) -> None:
    window.resize(*size)
    _settle()
    window.reset_layout()
    _busy(store, tmp_path)
    store.publish(HardwareSample(_HOST, gpus, driver_note="There is no NVIDIA driver on this machine."))
    _settle()
    panel = window.slots["gpu"].panel
    assert isinstance(panel, GpuPanel)
    assert panel.area.verticalScrollBar().maximum() == 0


def test_the_smallest_window_has_room_for_the_figures_under_a_notice(
    window: MainWindow, store: Store, tmp_path: Path
) -> None:
    window.resize(1024, 640)
    _settle()
    window.reset_layout()
    store.publish(HardwareSample(_HOST, (_GPU,)))
    _busy(store, tmp_path)
    store.publish(Notice("warning", "The chats' database is held by another program.", "Close the other KVDeck."))
    _settle()
    store.publish(HardwareSample(_HOST, (_GPU,)))  # the next sample takes no more room than there is
    _settle()
    cache = window.slots["cache"].panel
    assert cache is not None
    rows = [row for row in cache.findChildren(FigureRow) if row.isVisible()]
    assert rows
    assert [row.height() >= row.minimumSizeHint().height() for row in rows] == [True] * len(rows)


def test_a_hint_longer_than_the_field_is_cut_to_its_line(qtbot: QtBot) -> None:
    field = GrowingEdit()
    qtbot.addWidget(field)
    field.setPlaceholderText("Message to SmolLM2-135M-Instruct")
    field.resize(120, field.height())
    field.show()
    assert field.placeholderText().endswith("…")
    assert field.fontMetrics().horizontalAdvance(field.placeholderText()) <= field.viewport().width()
    field.resize(400, field.height())
    assert field.placeholderText() == "Message to SmolLM2-135M-Instruct"


@pytest.mark.parametrize(("height", "lanes"), [(60, 1), (100, 1), (150, 2), (220, 3), (500, 3)])
def test_the_step_chart_shows_as_many_plots_as_can_be_read(height: int, lanes: int) -> None:
    found = stacked_lanes(QRect(40, 0, 300, height), 14, (1.0, 1.0, 1.0), 4)
    assert len(found) == lanes
    assert all(lane.area.height() >= 28 and lane.area.bottom() <= height for lane in found)
    assert found[0].area.height() == max(lane.area.height() for lane in found)  # tokens per step come first


def test_a_line_too_long_uses_fewer_words_before_it_is_cut(qtbot: QtBot) -> None:
    line = InspectorLine()
    qtbot.addWidget(line)
    wordings = ("step 12 · 790 prefill + 0 decode of 2,048 · 1 running", "790 prefill + 0 decode", "step 12")
    line.show_text(*wordings)
    for wording in wordings:
        line.resize(line.fontMetrics().horizontalAdvance(wording) + 1, 20)
        assert line.shown == wording
    line.resize(20, 20)
    assert line.shown.endswith("…")
    assert line.toolTip() == wordings[0]


def test_captions_and_numbers_of_the_status_line_share_a_baseline(window: MainWindow) -> None:
    for number in window.status.findChildren(StatusNumber):
        labels = number.findChildren(QLabel)
        baselines = [label.y() + _baseline(label) for label in labels]
        assert max(baselines) - min(baselines) <= 1, number.accessibleName()


def _baseline(label: QLabel) -> int:
    """Where a label of one line, centred in its contents, has its letters stand."""
    metrics, room = label.fontMetrics(), label.contentsRect()
    return room.top() + (room.height() - metrics.height()) // 2 + metrics.ascent()
