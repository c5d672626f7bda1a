"""A run's figures: latencies by percentile, rates and counts below, each with its definition on hover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from app.theme.fonts import tabular
from app.widgets.lab_words import definition_text, figure_name, unit_of, value_text

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from engine.bench.result import Figures, Spread

_SPREADS = ("ttft", "tpot", "tpot_with_first", "itl", "e2e", "queue", "prefill", "decode", "lag")
_PARTS = ("p50", "p90", "p95", "p99", "mean", "deviation", "least", "most")
_SINGLE = (
    "tokens_out_per_s", "tokens_in_per_s", "requests_per_s", "goodput_per_s", "good_share", "prefix_hit_rate",
    "cached_share", "preemptions", "most_running", "successful", "incomplete", "failed", "duration_s",
)  # fmt: skip
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class FiguresTable(QTableWidget):
    """Read only; Ctrl+C copies what is chosen, or all of it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, len(_PARTS) + 1, parent)
        heads = [
            self.tr("Figure"), "p50", "p90", "p95", "p99", self.tr("mean"), self.tr("deviation"), self.tr("least"),
            self.tr("most"),
        ]  # fmt: skip
        for column, text in enumerate(heads):
            head = QTableWidgetItem(text)
            head.setTextAlignment(_RIGHT if column else _LEFT)
            self.setHorizontalHeaderItem(column, head)
        self.setAccessibleName(self.tr("Figures of the run"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 9)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setHighlightSections(False)

    def show_figures(self, found: Figures | None) -> None:
        """Draw these."""
        self.clearSpans()
        self.setRowCount(0)
        if found is None:
            return
        for name in _SPREADS:
            spread: Spread | None = getattr(found, name)
            if spread is not None:
                self._add_spread(name, spread, self._source(name, found))
        for name in _SINGLE:
            value = getattr(found, name)
            if value is not None:
                self._add_single(name, value_text(float(value), unit_of(name)))
        for reason, count in sorted(found.failures.items(), key=lambda item: -item[1]):
            self._add_row(self.tr("failed"), reason, [f"{count} × {reason}"])
            self._stand_alone()

    def _source(self, name: str, found: Figures) -> str:
        if name in ("queue", "prefill", "decode") and found.phases_from == "histograms":
            return self.tr(
                "From vLLM's own histograms: interpolated within a bucket, other clients' requests are in it."
            )
        return ""

    def _add_spread(self, name: str, spread: Spread, note: str) -> None:
        values = [value_text(getattr(spread, part), "s") for part in _PARTS]
        tip = definition_text(name) + (f"\n{note}" if note else "")
        self._add_row(figure_name(name), tip, values)

    def _add_single(self, name: str, text: str) -> None:
        self._add_row(figure_name(name), definition_text(name), [text])
        self._stand_alone()

    def _add_row(self, name: str, tip: str, values: list[str]) -> None:
        row = self.rowCount()
        self.insertRow(row)
        for column, text in enumerate((name, *values)):
            item = QTableWidgetItem(text)
            item.setToolTip(tip)
            if column:
                item.setTextAlignment(_RIGHT)
                item.setFont(tabular(self.font()))
            self.setItem(row, column, item)

    def _stand_alone(self) -> None:
        """The newest row has one value, which belongs under none of the heads."""
        row = self.rowCount() - 1
        self.setSpan(row, 1, 1, len(_PARTS))
        item = self.item(row, 1)
        if item is not None:
            item.setTextAlignment(_LEFT)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy on Ctrl+C."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QApplication.clipboard().setText(self.text())
            event.accept()
        else:
            super().keyPressEvent(event)

    def text(self) -> str:
        """The chosen rows (all where none is) with tabs between the columns."""
        rows = sorted({index.row() for index in self.selectedIndexes()}) or list(range(self.rowCount()))
        items = [[self.item(row, column) for column in range(self.columnCount())] for row in rows]
        return "\n".join("\t".join(item.text() if item is not None else "" for item in line) for line in items)
