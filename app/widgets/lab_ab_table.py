"""What an A/B came to: each figure under A and B, and B over A with its confidence interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from app.theme.fonts import tabular
from app.widgets.lab_sentences import difference_text
from app.widgets.lab_words import full_name, unit_of, value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.theme.tokens import Theme
    from engine.tuner.outcome import ABResult, Difference, Pair

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ABTable(QTableWidget):
    """While it goes on, one row a pair of runs; at the end one row a figure."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(0, 5, parent)
        self.theme = theme
        self.setAccessibleName(self.tr("A against B"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 9)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setStretchLastSection(True)

    def show_pairs(self, pairs: Sequence[Pair], objective: str) -> None:
        """Draw the pairs that are done."""
        unit = unit_of(objective)
        self._heads([self.tr("Pair"), "A", "B", self.tr("Order"), full_name(objective)])
        self.setRowCount(len(pairs))
        for row, pair in enumerate(pairs):
            cells = [str(row + 1), value_text(pair.a, unit), value_text(pair.b, unit), pair.order.upper(), ""]
            self._fill(row, cells, "", None)

    def show_result(self, result: ABResult) -> None:
        """Draw the differences; a shown one is coloured by which side it speaks for."""
        confidence = QLocale().toString(result.confidence * 100, "g", 3)
        self._heads([self.tr("Figure"), "A", "B", self.tr("B over A ({0} % interval)").format(confidence),
                     self.tr("In words")])  # fmt: skip
        self.setRowCount(len(result.differences))
        for row, each in enumerate(result.differences):
            unit = unit_of(each.key)
            said = difference_text(each, result.confidence)
            cells = [full_name(each.key), value_text(each.mean_a, unit), value_text(each.mean_b, unit),
                     ratio_text(each), said]  # fmt: skip
            colour = self.theme.good if each.shown and each.better == "b" else None
            self._fill(row, cells, said, self.theme.warning if each.shown and each.better == "a" else colour)

    def _heads(self, texts: list[str]) -> None:
        for column, text in enumerate(texts):
            head = QTableWidgetItem(text)
            head.setTextAlignment(_RIGHT if 0 < column < 4 else _LEFT)
            self.setHorizontalHeaderItem(column, head)

    def _fill(self, row: int, cells: list[str], tip: str, colour: str | None) -> None:
        for column, text in enumerate(cells):
            item = QTableWidgetItem(text)
            item.setToolTip(tip)
            item.setTextAlignment(_RIGHT if 0 < column < 4 else _LEFT)
            item.setFont(tabular(self.font()))
            if colour is not None and column == 3:
                item.setForeground(QColor(colour))
            self.setItem(row, column, item)


def ratio_text(row: Difference) -> str:
    """ "1.12 (1.05 … 1.20)", "—" where it is unknown."""
    if row.ratio is None:
        return "—"
    locale = QLocale()
    text = locale.toString(row.ratio, "f", 3)
    if row.low is None or row.high is None:
        return text
    return f"{text} ({locale.toString(row.low, 'f', 3)} … {locale.toString(row.high, 'f', 3)})"
