"""One device's memory and load: its name, the bar, the figures and the last minutes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.widgets import figures
from app.widgets.block_map_figures import Figure, FigureRow
from app.widgets.block_map_inspector import InspectorLine
from app.widgets.history_chart import HistoryChart
from app.widgets.labels import role_label, show_role
from app.widgets.memory_bar import MemoryBar
from app.widgets.memory_bar_parts import memory_parts
from app.wording.engine import worded
from engine.metrics.memory_history import MemoryHistory, MemoryPoint

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from app.theme.tokens import Theme
    from engine.domain.gpu import GpuSample, HostSample
    from engine.metrics.memory_split import MemorySplit


_TEXT_HEIGHT = 16  # of a line at the usual text size, in pixels
_WIDE = 620  # from here on the history stands beside the figures, unless there is
_HIGH = 300  # room enough under them


class MemoryCard(QWidget):
    """Base of the cards: title, total, bar, figures, an optional extra widget, history.

    The history is under the figures where the card is narrow or high, and beside them where it is wide and low.
    """

    def __init__(self, theme: Theme, extra: QWidget | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.history = MemoryHistory()
        self.title = role_label("", "panelTitle")
        self.note = InspectorLine()
        self.bar = MemoryBar(theme)
        self.figures = FigureRow(theme)
        self.chart = HistoryChart(self.history, theme)
        self.chart.pointed.connect(self._show_point)
        self._pointed: MemoryPoint | None = None
        self._total_text = ""
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.title)
        head.addWidget(self.note, 1)
        numbers = QHBoxLayout()
        numbers.setSpacing(13)
        numbers.addWidget(self.figures)
        if extra is not None:
            numbers.addWidget(extra, alignment=Qt.AlignmentFlag.AlignTop)
        numbers.addStretch(1)
        self._lower = QBoxLayout(QBoxLayout.Direction.TopToBottom)
        left = QVBoxLayout()
        left.addLayout(numbers)
        left.addStretch(1)
        self._lower.addLayout(left)
        self._lower.addWidget(self.chart)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.bar)
        column.addSpacing(2)
        column.addLayout(self._lower, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the history beside the figures, or under them."""
        super().resizeEvent(event)
        scale = max(1.0, self.fontMetrics().height() / _TEXT_HEIGHT)
        is_beside = self.width() >= _WIDE * scale and self.height() < _HIGH * scale
        self._lower.setDirection(QBoxLayout.Direction.LeftToRight if is_beside else QBoxLayout.Direction.TopToBottom)
        self._lower.setSpacing(20 if is_beside else 8)
        self._lower.setStretch(0, 11 if is_beside else 0)
        self._lower.setStretch(1, 9)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.theme = theme
        for widget in (self.bar, self.figures, self.chart):
            widget.use_theme(theme)

    def remember(self, point: MemoryPoint) -> None:
        """Keep a sample for the history, also while nothing is drawn."""
        self.history.add(point)

    def show_split(self, split: MemorySplit) -> None:
        """Write the total beside the name and draw the chart."""
        used = None if split.total_bytes is None or split.free_bytes is None else split.total_bytes - split.free_bytes
        self._total_text = self.tr("{0} of {1} used").format(
            figures.gib(used, unit=False), figures.gib(split.total_bytes))
        self._show_point(self._pointed)
        self.chart.update()

    def _show_point(self, point: MemoryPoint | None) -> None:
        self._pointed = point
        self.note.show_text(self._head_text() if point is None else self._point_text(point))

    def _head_text(self) -> str:
        return self._total_text

    def _point_text(self, point: MemoryPoint) -> str:
        ago = figures.duration(max(0.0, (time.monotonic_ns() - point.monotonic_ns) / 1e9))
        parts = [self.tr("{0} ago").format(ago)]
        parts += [f"{part.name} {figures.gib(part.size_bytes)}" for part in memory_parts(point.split, self.theme)
                  if part.size_bytes]
        parts.append(self.tr("utilization {0}").format(figures.percent(point.utilization)))
        return " · ".join(parts)


class GpuCard(MemoryCard):
    """One GPU, and whether it is one of the running engine's."""

    _held = False

    def show_sample(self, sample: GpuSample, split: MemorySplit, *, held: bool = False) -> None:
        """Draw this sample and its split; `held` is whether the engine was given this GPU."""
        self._held = held
        self.title.setText(self.tr("GPU {0} · {1}").format(sample.index, sample.name))
        self.bar.show_split(split, sample.processes)
        self.figures.show_figures(gpu_figures(sample, self.theme))
        self.show_split(split)
        show_role(self.note, "error" if sample.error else "caption")
        if sample.error:
            self.note.show_text(worded(sample.error))

    def _head_text(self) -> str:
        return " · ".join(part for part in (self._total_text, self.tr("the engine's") if self._held else "") if part)


class HostCard(MemoryCard):
    """The machine itself, where no GPU is, and why it stands there."""

    _why = ""

    def show_sample(self, sample: HostSample, split: MemorySplit, why: str = "") -> None:
        """Draw this sample and its split; `why` says in a sentence why there is no GPU."""
        self._why = worded(why)
        self.title.setText(self.tr("System memory"))
        self.bar.show_split(split)
        self.figures.show_figures(host_figures(sample))
        self.show_split(split)

    def _head_text(self) -> str:
        return " · ".join(part for part in (self._total_text, self._why) if part)


def gpu_figures(sample: GpuSample, theme: Theme) -> tuple[Figure, ...]:
    """Load, power, temperature and clocks of a GPU."""
    tr = QCoreApplication.translate
    power = figures.UNKNOWN
    if sample.power_w is not None:
        power = f"{figures.count(sample.power_w)} / {figures.count(sample.power_limit_w)}\u202fW"
    near_limit = (sample.power_w is not None and sample.power_limit_w is not None
                  and sample.power_w >= 0.98 * sample.power_limit_w)
    hot = sample.temperature_c is not None and sample.temperature_c >= 85
    return (
        Figure(tr("GpuFigures", "utilization"), figures.percent(sample.utilization), "100 %",
               tr("GpuFigures", "Share of the time in which at least one kernel ran. It says nothing of how well "
                  "the kernels filled the GPU.")),
        Figure(tr("GpuFigures", "memory load"), figures.percent(sample.memory_utilization), "100 %",
               tr("GpuFigures", "Share of the time in which the memory controller read or wrote. Decode is bound by "
                  "memory bandwidth, so this is high while tokens are generated.")),
        Figure(tr("GpuFigures", "power"), power, "888 / 888 W",
               tr("GpuFigures", "Power drawn now, and the limit set for this card. At the limit the clocks go down."),
               tint=theme.warning if near_limit else None),
        Figure(tr("GpuFigures", "temperature"), _with_unit(sample.temperature_c, "°C"), "888 °C",
               tr("GpuFigures", "Temperature of the GPU."), tint=theme.warning if hot else None),
        Figure(tr("GpuFigures", "SM clock"), _with_unit(sample.sm_clock_mhz, "MHz"), "8,888 MHz",
               tr("GpuFigures", "Clock of the streaming multiprocessors.")),
        Figure(tr("GpuFigures", "memory clock"), _with_unit(sample.memory_clock_mhz, "MHz"), "88,888 MHz",
               tr("GpuFigures", "Clock of the memory.")),
    )


def host_figures(sample: HostSample) -> tuple[Figure, ...]:
    """What the engine's processes and the processor do."""
    tr = QCoreApplication.translate
    cores = len(sample.cpu_utilization)
    mean = sum(sample.cpu_utilization) / cores if cores else None
    busy = figures.UNKNOWN
    if sample.engine_cpu is not None:
        busy = tr("GpuFigures", "{0} of {1} cores").format(figures.significant(sample.engine_cpu, 2), cores)
    widest = tr("GpuFigures", "{0} of {1} cores").format("8" * len(str(cores)) + ".8", cores)
    return (
        Figure(tr("GpuFigures", "engine"), figures.gib(sample.engine_bytes), "88.8 GiB",
               tr("GpuFigures", "Memory of this engine's processes, from the operating system.")),
        Figure(tr("GpuFigures", "engine's load"), busy, widest,
               tr("GpuFigures", "How many cores the engine's processes keep busy.")),
        Figure(tr("GpuFigures", "all cores"), figures.percent(mean), "100 %",
               tr("GpuFigures", "Mean load of all cores, whoever causes it.")),
    )


def _with_unit(number: float | None, unit: str) -> str:
    return figures.UNKNOWN if number is None else f"{figures.count(number)}\u202f{unit}"
