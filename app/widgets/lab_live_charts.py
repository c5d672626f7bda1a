"""A run over time: throughput, requests under way, latencies and errors, one under the other on one axis of time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from app.widgets.lab_series import Mark, Series, rate_of
from app.widgets.lab_span import ChartSpan
from app.widgets.lab_time_chart import TimeChart
from app.widgets.lab_words import change_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from app.bridge.lab_state import EnginePoint
    from app.theme.tokens import Theme
    from engine.bench.result import Annotation, Window
    from engine.bench.workload import Slos

_WIDE = 1080  # pixels from which two charts stand beside each other


class LiveCharts(QWidget):
    """Five charts over one span of time."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.span = ChartSpan(self)
        self.tokens = TimeChart(theme, self.span, self.tr("Tokens"), self.tr("per second"))
        self.load = TimeChart(theme, self.span, self.tr("Requests"), whole=True)
        self.ttft = TimeChart(theme, self.span, "TTFT", "ms")
        self.itl = TimeChart(theme, self.span, "ITL", "ms")
        self.errors = TimeChart(theme, self.span, self.tr("Ended"), self.tr("per second"))
        self.charts = (self.tokens, self.load, self.ttft, self.itl, self.errors)
        self._columns = 0
        self._shown: tuple[object, ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 4, 0, 0)
        self._grid.setSpacing(4)
        self._grid.setOriginCorner(Qt.Corner.TopLeftCorner)
        self._place(1)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._shown = ()
        for chart in self.charts:
            chart.use_theme(theme)

    def show_empty(self, text: str) -> None:
        """What the charts say while there is nothing to draw."""
        for chart in self.charts:
            chart.show_empty(text)

    def show_run(
        self,
        windows: Sequence[Window],
        engine: Sequence[EnginePoint],
        changes: Sequence[Annotation],
        slos: Slos,
    ) -> None:
        """Draw a run as far as it is known; nothing where that is what is drawn (progress is told more often)."""
        known, self._shown = self._shown, (windows, engine, changes, slos)
        if known and all(one is other for one, other in zip(known, self._shown, strict=True)):
            return
        times = np.array([window.start_s + window.seconds for window in windows])
        marks = marks_of(changes)
        self.span.reach(float(times[-1]) if times.size else 1.0)

        def line(name: str, values: list[float | None], colour: int) -> Series:
            return Series(name, times, np.array([np.nan if v is None else v for v in values], dtype=float), colour)

        def rate(key: str) -> list[float | None]:
            return [rate_of(window, key) for window in windows]

        def milliseconds(key: str) -> list[float | None]:
            return [None if (v := getattr(window, key)) is None else v * 1000 for window in windows]

        self.tokens.show_series(
            [line(self.tr("out"), rate("tokens_out"), 0), line(self.tr("in"), rate("tokens_in"), 1)], marks
        )
        under_way = line(self.tr("under way"), [window.running for window in windows], 3)
        self.load.show_series([under_way, *self._engine(engine)], marks)
        self.ttft.show_series([line("p50", milliseconds("ttft_p50_s"), 0), line("p95", milliseconds("ttft_p95_s"), 1)],
                              marks)  # fmt: skip
        self.itl.show_series([line("p50", milliseconds("itl_p50_s"), 0), line("p95", milliseconds("itl_p95_s"), 1)],
                             marks)  # fmt: skip
        good = [line(self.tr("good"), rate("good"), 2)] if any(w.good is not None for w in windows) else []
        self.errors.show_series(
            [
                line(self.tr("successful"), rate("successful"), 0), *good,
                line(self.tr("incomplete"), rate("incomplete"), 1), line(self.tr("failed"), rate("failed"), 5),
            ],
            marks,
        )  # fmt: skip
        self.ttft.show_limits([(slos.ttft_s * 1000, "SLO")] if slos.ttft_s is not None else [])

    def _engine(self, points: Sequence[EnginePoint]) -> list[Series]:
        if not points:  # a run of before: nobody looked at the engine
            return []
        times = np.array([point.at_s for point in points])
        return [
            Series(self.tr("running"), times, np.array([float(point.running) for point in points]), 0),
            Series(self.tr("waiting"), times, np.array([float(point.waiting) for point in points]), 1),
        ]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Two columns where there is room."""
        super().resizeEvent(event)
        self._place(2 if self.width() >= _WIDE else 1)

    def _place(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for place, chart in enumerate(self.charts):
            whole_row = columns if place == len(self.charts) - 1 else 1
            self._grid.addWidget(chart, place // columns, place % columns, 1, whole_row)
            chart.names_changes = place < columns
            chart.with_x_axis = place == len(self.charts) - 1
            chart.update()
        rows = -(-len(self.charts) // columns)
        for row in range(len(self.charts)):
            extra = 2 if row == rows - 1 else 0  # the one with the time below it
            self._grid.setRowStretch(row, 10 + extra if row < rows else 0)


def marks_of(changes: Sequence[Annotation]) -> list[Mark]:
    """Flags for the live changes of a run, in the order of time."""
    return [Mark(note.at_s, note.text, change_text(note)) for note in sorted(changes, key=lambda note: note.at_s)]
