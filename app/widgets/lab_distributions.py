"""How a run's latencies are distributed, altogether and over time, one kind at a time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.widgets.lab_heat_map import HeatMapChart
from app.widgets.lab_histogram import HistogramChart
from app.widgets.lab_kind import ChoiceBox
from app.widgets.lab_words import definition_text, figure_name
from app.widgets.labels import role_label
from engine.bench.figures import LATENCIES, HeatMap, Histogram, heat_map, histogram, spread_of, values_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.theme.tokens import Theme
    from app.widgets.lab_series import Mark
    from engine.bench.result import Spread
    from engine.bench.sample import Sample

_BINS = 72
_FEW = 400  # values, up to which fewer and larger cells say more
_NOT_LIVE = "itl"  # gaps come from the file, once the run is over


@dataclass(frozen=True, slots=True)
class Distribution:
    """One latency of one run, ready to be drawn."""

    found: Histogram
    over_time: HeatMap
    spread: Spread | None


def distribution_of(samples: Sequence[Sample], key: str, until_s: float | None) -> Distribution | None:
    """Count; takes a while for many samples, so call it in a thread. None where there is no value."""
    times, values = values_of(samples, key)
    if not values.size:
        return None
    fine = values.size > _FEW
    over_time = heat_map(times, values, columns=120 if fine else 56, rows=40 if fine else 22, until_s=until_s)
    return Distribution(histogram(values, _BINS if fine else _BINS // 2, log=True), over_time, spread_of(values))


class DistributionView(QWidget):
    """Draws one latency. `key_chosen` carries the key of another one that is wanted."""

    key_chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.choice = ChoiceBox(self.tr("Latency"), [(key, figure_name(key)) for key in LATENCIES])
        self.histogram = HistogramChart(theme, self.tr("Requests by latency"))
        self.heat_map = HeatMapChart(theme, self.tr("Over time"))
        self._about = role_label("", "caption", wrap=True)
        top = QHBoxLayout()
        top.setSpacing(10)
        top.addWidget(self.choice)
        top.addWidget(self._about, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 6, 0, 0)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self.histogram, 1)
        column.addWidget(self.heat_map, 1)
        self.choice.currentIndexChanged.connect(self._chosen)
        self._show_about()

    @property
    def key(self) -> str:
        """The chosen latency."""
        return str(self.choice.currentData())

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.histogram.use_theme(theme)
        self.heat_map.use_theme(theme)

    def show_distribution(self, found: Distribution | None, marks: Sequence[Mark] = (), empty: str = "") -> None:
        """Draw it; `empty` says why there is none."""
        spread = None if found is None else found.spread
        self.histogram.show_histogram(None if found is None else found.found, spread, empty)
        self.heat_map.show_map(None if found is None else found.over_time, marks, empty)

    def _chosen(self) -> None:
        self._show_about()
        self.key_chosen.emit(self.key)

    def _show_about(self) -> None:
        self._about.setText(definition_text(self.key))


async def count_distribution(samples: Sequence[Sample], key: str, until_s: float | None) -> Distribution | None:
    """As `distribution_of`, in a thread."""
    return await asyncio.to_thread(distribution_of, samples, key, until_s)
