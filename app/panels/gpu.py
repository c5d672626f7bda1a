"""The GPU panel: memory, load, power and temperature of each GPU, and what of it is this engine's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from app.panels.panel import Panel
from app.widgets.empty_state import EmptyState
from app.widgets.memory_bar_card import GpuCard, HostCard
from app.widgets.memory_bar_cores import CoreLoad
from engine.metrics.memory_history import MemoryPoint
from engine.metrics.memory_split import MemorySplit, split_gpu, split_host

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from app.panels.panel import PanelContext
    from app.theme.tokens import Theme
    from engine.domain.gpu import GpuSample, HardwareSample, HostSample
    from engine.domain.lifecycle import EngineFacts, Lifecycle, Phase

_MARGIN = 16
_BELOW = 8
_MOST_SHARE = 0.2  # of the window's height: in a low one the map would be squeezed
_MOST_ASKED = 170  # pixels, enough for a card of the usual text size: in larger ones the middle needs the room more


class GpuPanel(Panel):
    """Draws the newest HardwareSample: a card a GPU, or the machine's memory and cores where there is none."""

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.cards: dict[str, GpuCard] = {}
        self.cores = CoreLoad(context.themes.current)
        self.host_card = HostCard(context.themes.current, self.cores)
        self.empty = EmptyState(
            "gpu", self.tr("Memory and load"),
            self.tr("Who holds the GPU's memory, and how busy it is. The first sample comes within a second."),
        )
        self._build()
        context.store.hardware_changed.connect(self._take)
        self._waiting: dict[str, GpuSample] = {}
        self._engine: tuple[Phase, EngineFacts | None] | None = None
        context.store.lifecycle_changed.connect(self._lifecycle_changed)
        context.themes.changed.connect(self._use_theme)
        if context.store.hardware is not None:
            self._take(context.store.hardware)

    def _build(self) -> None:
        body = QWidget()
        body.setObjectName("scrollBody")
        self._cards_layout = QVBoxLayout(body)
        self._cards_layout.setContentsMargins(_MARGIN, 2, _MARGIN, _BELOW)
        self._cards_layout.setSpacing(10)
        self._cards_layout.addWidget(self.host_card, 1)
        self.area = QScrollArea()
        self.area.setAccessibleName(self.tr("Memory and load"))
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setWidget(body)
        self.stack = QStackedLayout(self)
        self.stack.addWidget(self.empty)
        self.stack.addWidget(self.area)

    # Samples

    def _take(self, sample: HardwareSample | None) -> None:
        """Keep every sample for the histories; draw only what can be seen."""
        if sample is None:
            return
        lifecycle = self.context.store.lifecycle
        self._match_cards(sample)
        for gpu in sample.gpus:
            split = split_gpu(gpu, lifecycle)
            self.cards[gpu.uuid].remember(MemoryPoint(gpu.monotonic_ns, split, gpu.utilization))
        host = sample.host
        self.host_card.remember(MemoryPoint(host.monotonic_ns, split_host(host, lifecycle), _mean(host)))
        self._draw(sample)

    def _match_cards(self, sample: HardwareSample) -> None:
        present = {gpu.uuid for gpu in sample.gpus}
        for uuid in [uuid for uuid in self.cards if uuid not in present]:
            card = self.cards.pop(uuid)
            self._cards_layout.removeWidget(card)
            card.hide()
            card.deleteLater()
        for gpu in sample.gpus:
            if gpu.uuid not in self.cards:
                self.cards[gpu.uuid] = GpuCard(self.context.themes.current)
                self._cards_layout.addWidget(self.cards[gpu.uuid], 1)

    def _lifecycle_changed(self, lifecycle: Lifecycle) -> None:
        if self._engine != (lifecycle.phase, lifecycle.facts):  # a load tells of itself ten times a second
            self._engine = lifecycle.phase, lifecycle.facts
            self._draw_newest()

    def _draw_newest(self) -> None:
        if self.context.store.hardware is not None:
            self._draw(self.context.store.hardware)

    def _draw(self, sample: HardwareSample) -> None:
        if not self.isVisible():
            return
        was_empty = self.stack.currentWidget() is not self.area
        self.stack.setCurrentWidget(self.area)
        self.host_card.setVisible(not sample.gpus)
        if not sample.gpus:
            self._draw_host(sample.host, sample.driver_note or self.tr("No GPU was found."))
        self._order(sample)
        if self.context.pace is None or was_empty:
            for gpu in sample.gpus:
                self._draw_gpu(gpu)
        else:
            self._waiting = {gpu.uuid: gpu for gpu in sample.gpus}
            self.context.pace.soon(self._draw_next)
        self._ask_for_room()

    def _ask_for_room(self) -> None:
        """The first card is to be seen whole: the window would take the room of a panel that scrolls for others."""
        first = self._cards_layout.itemAt(1 if self.cards else 0)
        card = first.widget() if first is not None else None
        layout = card.layout() if card is not None else None
        if layout is None:
            return
        width = self.width() - 2 * _MARGIN - self.area.verticalScrollBar().sizeHint().width()
        needed = layout.totalMinimumHeightForWidth(width) + 2 + _BELOW
        height = min(needed, _MOST_ASKED)
        if self.window() is not self:
            height = min(height, round(self.window().height() * _MOST_SHARE))
        if height != self.area.minimumHeight():
            self.area.setMinimumHeight(height)

    def _draw_next(self) -> None:
        """Draw the next card that waits: each in a frame of its own, since its history takes long to paint."""
        if not self._waiting:
            return
        gpu = self._waiting.pop(next(iter(self._waiting)))
        if gpu.uuid in self.cards:
            self._draw_gpu(gpu)
        if self._waiting and self.context.pace is not None:
            self.context.pace.soon(self._draw_next)

    def _order(self, sample: HardwareSample) -> None:
        """The GPUs that the engine holds come first; among each other they stay as the driver counts them."""
        wanted = [self.cards[gpu.uuid] for gpu in sorted(sample.gpus, key=lambda gpu: not self._is_held(gpu))]
        layout = self._cards_layout
        if wanted != sorted(wanted, key=layout.indexOf):
            for card in wanted:  # to the end, one after the other
                layout.removeWidget(card)
                layout.addWidget(card, 1)

    def _is_held(self, gpu: GpuSample) -> bool:
        facts = self.context.store.lifecycle.facts
        return facts is not None and gpu.uuid in facts.gpu_uuids

    def _draw_host(self, host: HostSample, why: str) -> None:
        self.host_card.show_sample(host, split_host(host, self.context.store.lifecycle), why)
        self.cores.show_loads(host.cpu_utilization)

    def _draw_gpu(self, gpu: GpuSample) -> None:
        split: MemorySplit = split_gpu(gpu, self.context.store.lifecycle)
        self.cards[gpu.uuid].show_sample(gpu, split, held=self._is_held(gpu))

    def _use_theme(self, theme: Theme) -> None:
        self.cores.use_theme(theme)
        for card in (self.host_card, *self.cards.values()):
            card.use_theme(theme)
        self._draw_newest()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was sampled while hidden."""
        super().showEvent(event)
        self._draw_newest()


def _mean(host: HostSample) -> float | None:
    return sum(host.cpu_utilization) / len(host.cpu_utilization) if host.cpu_utilization else None
