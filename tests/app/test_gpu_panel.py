"""The GPU panel: what is known is drawn, what is not is a dash."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from app.panels.gpu import GpuPanel
from app.theme.tokens import DARK, LIGHT
from engine.domain.gpu import GpuProcess, GpuSample, HardwareSample, HostSample
from engine.domain.lifecycle import EngineFacts, Lifecycle, Phase

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.panels.panel import PanelContext

_GIB = 1 << 30
_PROCESSES = (GpuProcess(7, "VLLM::EngineCore", 60 * _GIB, True), GpuProcess(9, "train.py", 8 * _GIB, False))
_GPU = GpuSample(1, 0, "GPU-0", "NVIDIA H200", 100 * _GIB, 70 * _GIB, 60 * _GIB, 10 * _GIB, _PROCESSES, 0.5, 0.25,
                 300.0, 700.0, 61, 1980, 3201)  # fmt: skip
_HOST = HostSample(1, 24 * _GIB, 14 * _GIB, 3 * _GIB, 1.5, (0.25, 0.75))
_FACTS = EngineFacts(
    vllm_version="0", checkpoint="c", served_model_name="c", device="cuda", dtype="bfloat16", quantization=None,
    max_model_len=8, block_size=16, num_blocks=8, max_num_seqs=8, max_num_batched_tokens=8, async_scheduling=True,
    page_path="", processes=(), parameters={}, gpu_uuids=("GPU-0",), kv_cache_bytes=40 * _GIB, weights_bytes=10 * _GIB,
)  # fmt: skip
_READY = Lifecycle(Phase.READY, facts=_FACTS)


@pytest.fixture
def panel(qtbot: QtBot, context: PanelContext) -> GpuPanel:
    widget = GpuPanel(context)
    qtbot.addWidget(widget)
    widget.resize(640, 320)
    widget.show()
    return widget


def _later(sample: GpuSample, second: float) -> HardwareSample:
    at = int(second * 1e9)
    return HardwareSample(dataclasses.replace(_HOST, monotonic_ns=at), (dataclasses.replace(sample, monotonic_ns=at),))


def test_the_split_is_drawn_on_the_scale_of_the_card(panel: GpuPanel) -> None:
    panel.context.store.publish(_READY)
    panel.context.store.publish(_later(_GPU, 1))
    bar = panel.cards["GPU-0"].bar.bar
    picture = bar.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)

    def at(share: float) -> str:
        return picture.pixelColor(int(picture.width() * share), picture.height() // 2).name()

    assert at(0.05) == DARK.memory_weights
    assert at(0.30) == DARK.memory_kv_cache
    assert at(0.55) == DARK.memory_rest
    assert at(0.65) == DARK.memory_others
    assert at(0.85) == DARK.memory_free
    assert bar.part_at(bar.width() * 0.65) == "others"
    assert "8.00\u202fGiB" in bar._tips["others"]
    assert "train.py" in bar._tips["others"]
    assert "EngineCore" not in bar._tips["others"]


def test_unknown_is_a_dash(panel: GpuPanel) -> None:
    nothing = dataclasses.replace(
        _GPU, used_bytes=None, ours_bytes=None, others_bytes=None, processes=(), utilization=None,
        memory_utilization=None, power_w=None, power_limit_w=None, temperature_c=None, sm_clock_mhz=None,
        memory_clock_mhz=None,
    )  # fmt: skip
    panel.context.store.publish(_later(nothing, 1))
    card = panel.cards["GPU-0"]
    words = card.figures.accessibleDescription() + card.bar.bar.accessibleDescription() + card.note.text()
    assert words.count("—") >= 12
    assert "0" not in words.replace("100\u202fGiB", "")


def test_without_a_driver_the_machine_is_shown_and_why(panel: GpuPanel) -> None:
    facts = dataclasses.replace(_FACTS, device="cpu", gpu_uuids=(), kv_cache_bytes=_GIB, weights_bytes=_GIB)
    panel.context.store.publish(dataclasses.replace(_READY, facts=facts))
    panel.context.store.publish(HardwareSample(_HOST, (), None, "No NVIDIA driver answers."))
    assert "No NVIDIA driver answers." in panel.host_card.note.text()
    assert panel.host_card.isVisible()
    words = panel.host_card.bar.bar.accessibleDescription()
    assert words.startswith("weights 1.00\u202fGiB, KV cache 1.00\u202fGiB, rest 1.00\u202fGiB, others 7.00\u202fGiB")
    assert panel.cores.accessibleDescription() == "25\u202f%, 75\u202f%"
    assert "1.5 of 2 cores" in panel.host_card.figures.accessibleDescription()


def test_cards_come_and_go_with_the_gpus(panel: GpuPanel) -> None:
    second = dataclasses.replace(_GPU, uuid="GPU-1", index=1)
    panel.context.store.publish(HardwareSample(_HOST, (_GPU, second)))
    assert [card.title.text() for card in panel.cards.values()] == ["GPU 0 · NVIDIA H200", "GPU 1 · NVIDIA H200"]
    assert panel.host_card.isHidden()
    panel.context.store.publish(HardwareSample(_HOST, (second,)))
    assert list(panel.cards) == ["GPU-1"]


def test_the_gpus_that_the_engine_holds_come_first(panel: GpuPanel) -> None:
    sample = HardwareSample(_HOST, tuple(dataclasses.replace(_GPU, uuid=f"GPU-{n}", index=n) for n in range(3)))
    panel.context.store.publish(sample)
    panel.context.store.publish(
        dataclasses.replace(_READY, facts=dataclasses.replace(_FACTS, gpu_uuids=("GPU-2", "GPU-1")))
    )

    def shown() -> list[str]:
        layout = panel.cards["GPU-0"].parentWidget().layout()
        return sorted(panel.cards, key=lambda uuid: layout.indexOf(panel.cards[uuid]))

    assert shown() == ["GPU-1", "GPU-2", "GPU-0"]
    panel.context.store.publish(Lifecycle(Phase.IDLE))
    assert shown() == ["GPU-0", "GPU-1", "GPU-2"]


def test_the_history_is_kept_while_hidden_and_drawn_in_the_same_hues(panel: GpuPanel) -> None:
    panel.context.store.publish(_READY)
    panel.hide()
    for second in range(1, 400):
        panel.context.store.publish(_later(_GPU, second))
    assert len(panel.cards["GPU-0"].history) == 399
    panel.show()
    chart = panel.cards["GPU-0"].chart

    def at(share: float) -> str:
        picture, plot = chart.grab().toImage(), chart._plot_area()
        return picture.pixelColor(plot.center().x(), round(plot.bottom() - plot.height() * share)).name()

    assert at(0.05) == DARK.memory_weights
    assert at(0.30) == DARK.memory_kv_cache
    assert at(0.65) == DARK.memory_others
    assert at(0.85) == DARK.memory_free
    panel.context.themes.use("light")
    assert at(0.30) == LIGHT.memory_kv_cache


def test_before_the_first_sample_it_says_what_will_be_here(panel: GpuPanel) -> None:
    assert panel.stack.currentWidget() is panel.empty


@pytest.mark.parametrize("width", [660, 730, 900])
def test_a_low_panel_still_shows_the_first_card_whole(panel: GpuPanel, width: int) -> None:
    panel.resize(width, 300)
    panel.context.store.publish(_later(_GPU, 1))
    panel.resize(width, panel.minimumSizeHint().height())
    panel.context.store.publish(_later(_GPU, 2))
    QApplication.processEvents()
    (card,) = panel.cards.values()
    viewport = panel.area.viewport()
    assert card.chart.mapTo(viewport, card.chart.rect().bottomLeft()).y() < viewport.height()
