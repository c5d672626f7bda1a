"""Runs laid beside each other: each figure with its change and confidence interval, what was set otherwise, curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from app.theme.fonts import tabular
from app.widgets.lab_series import Series, rate_of
from app.widgets.lab_span import ChartSpan
from app.widgets.lab_time_chart import TimeChart
from app.widgets.lab_words import definition_text, full_name, value_text
from engine.bench.definitions import BY_KEY

if TYPE_CHECKING:
    from app.bridge.lab_shelf import Comparison
    from app.theme.tokens import Theme
    from engine.bench.comparison import Difference
    from engine.bench.result import RunRecord, Window

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class DifferenceTable(QTableWidget):
    """One row a figure, one column a run; changes are against the first run."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._found: Comparison | None = None
        self.setAccessibleName(self.tr("Differences between the runs"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 9)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        if self._found is not None:
            self.show_comparison(self._found)

    def show_comparison(self, found: Comparison) -> None:
        """Draw this."""
        self._found = found
        titles = [f"{letter(place)}: {record.title}" for place, record in enumerate(found.records)]
        self.setRowCount(0)
        self.setColumnCount(1 + len(titles))
        for column, text in enumerate([self.tr("Figure"), *titles]):
            head = QTableWidgetItem(text)
            head.setTextAlignment(_RIGHT if column else _LEFT)
            self.setHorizontalHeaderItem(column, head)
        for name, values in found.settings:
            self._add_row(name, self.tr("A setting that differs"), [(value, None) for value in values], muted=True)
        first = found.differences[0] if found.differences else ()
        for place, row in enumerate(first):
            others = [rows[place] for rows in found.differences]
            if row.first is None and all(other.second is None for other in others):
                continue
            self._add_figure(row, others)

    def _add_figure(self, first: Difference, others: list[Difference]) -> None:
        unit = BY_KEY[first.key].unit
        cells: list[tuple[str, str | None]] = [(value_text(first.first, unit), None)]
        for other in others:
            colour = {"better": self._theme.good, "worse": self._theme.error}.get(other.verdict)
            cells.append((f"{value_text(other.second, unit)}   {change_text(other)}", colour))
        name = first.key.partition(".")[0]
        self._add_row(full_name(first.key), definition_text(name), cells)

    def _add_row(self, name: str, tip: str, cells: list[tuple[str, str | None]], *, muted: bool = False) -> None:
        row = self.rowCount()
        self.insertRow(row)
        for column, (text, colour) in enumerate([(name, None), *cells]):
            item = QTableWidgetItem(text)
            item.setToolTip(tip)
            item.setTextAlignment(_RIGHT if column else _LEFT)
            if column:
                item.setFont(tabular(self.font()))
            if colour is not None or muted:
                item.setForeground(QColor(colour or self._theme.text_muted))
            self.setItem(row, column, item)


class OverlayCharts(QWidget):
    """The same curve of each run in one chart, from each run's own beginning."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.span = ChartSpan(self)
        self._charts = {
            "tokens_out": TimeChart(theme, self.span, self.tr("Output tokens"), self.tr("per second")),
            "running": TimeChart(theme, self.span, self.tr("Requests under way"), whole=True),
            "ttft_p50_s": TimeChart(theme, self.span, "TTFT p50", "ms"),
            "itl_p50_s": TimeChart(theme, self.span, "ITL p50", "ms"),
        }
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(4)
        for chart in self._charts.values():
            chart.with_x_axis = chart is self._charts["itl_p50_s"]
            column.addWidget(chart, 6 if chart.with_x_axis else 5)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        for chart in self._charts.values():
            chart.use_theme(theme)

    def show_records(self, records: tuple[RunRecord, ...]) -> None:
        """Draw these runs."""
        windows = [record.result.windows if record.result is not None else () for record in records]
        ends = [each[-1].start_s + each[-1].seconds for each in windows if each]
        self.span.reach(max(ends, default=1.0))
        self.span.show_all()
        for key, chart in self._charts.items():
            chart.show_series([_curve(letter(place), key, each, place) for place, each in enumerate(windows)])


def _curve(name: str, key: str, windows: tuple[Window, ...], colour: int) -> Series:
    times = np.array([window.start_s + window.seconds for window in windows])
    values = [_value(window, key) for window in windows]
    return Series(name, times, np.array([np.nan if value is None else value for value in values], float), colour)


def _value(window: Window, key: str) -> float | None:
    if key == "tokens_out":
        return rate_of(window, key)
    found: float | None = getattr(window, key)
    if found is None:
        return None
    return found * 1000 if key.endswith("_s") else float(found)


def letter(place: int) -> str:
    """A run's short name in a comparison: A, B, C, …"""
    return chr(ord("A") + place % 26)


def change_text(row: Difference) -> str:
    """A change with its interval: "+8 % (3 to 13)"; empty where there is none."""
    if row.change is None:
        return ""
    text = _percent(row.change) + "\u202f%"
    if row.low is None or row.high is None:
        return text
    return f"{text} ({_percent(row.low)} … {_percent(row.high)})"


def _percent(share: float) -> str:
    sign = "+" if share > 0 else "−" if share < 0 else "±"
    return sign + QLocale().toString(abs(share) * 100, "f", 1 if abs(share) < 0.1 else 0)
