"""The formats of one model against each other: the table, one of its columns as bars, and what they explain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.theme.fonts import tabular
from app.widgets import figures
from app.widgets.lab_formats_chart import FormatBars
from app.widgets.lab_job_head import JobHead
from app.widgets.lab_kind import ChoiceBox
from app.widgets.lab_sentences import sentences
from app.widgets.lab_words import column_definition, column_name, value_text
from app.widgets.labels import role_label
from engine.tuner.outcome import COLUMNS, ExperimentResult, ratio_to

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.bridge.lab_state import LabJob
    from app.theme.tokens import Theme
    from engine.tuner.outcome import Column, Row

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class FormatsView(QWidget):
    """Draws a LabJob whose spec is an experiment."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Row, ...] = ()
        self.head = JobHead()
        self.table = QTableWidget(0, len(COLUMNS) + 2)
        self.choice = ChoiceBox(
            self.tr("Column of the chart"), [(column.field, column_name(column.field)) for column in COLUMNS]
        )
        self.choice.choose("load_tokens_per_s")
        self._definition = role_label("", "caption", wrap=True)
        self.bars = FormatBars(theme)
        self._explanation = role_label("", "", wrap=True)
        self._explanation.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._set_up_table()
        self._arrange()
        self.choice.currentIndexChanged.connect(self._show_bars)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.bars.use_theme(theme)

    def show_job(self, job: LabJob) -> None:
        """Draw this job as far as it is known."""
        self.head.show_job(job, job.spec.title or self.tr("Formats of one model"))
        self._rows = job.rows
        self.table.setRowCount(len(job.rows))
        for place, row in enumerate(job.rows):
            self._fill(place, row)
        self._show_bars()
        texts = job.result.explanation if isinstance(job.result, ExperimentResult) else ()
        self._explanation.setText(sentences(texts))
        self._explanation.setVisible(bool(texts))

    def _fill(self, place: int, row: Row) -> None:
        cells = [row.label, self._state(row), *(cell_text(row, column) for column in COLUMNS)]
        tip = "\n".join(text for text in (row.error, *row.notes) if text)
        for column, text in enumerate(cells):
            item = QTableWidgetItem(text)
            item.setToolTip(tip)
            item.setTextAlignment(_RIGHT if column > 1 else _LEFT)
            if column > 1:
                item.setFont(tabular(self.table.font()))
            self.table.setItem(place, column, item)

    def _state(self, row: Row) -> str:
        return {"waiting": self.tr("waiting"), "running": self.tr("running"), "done": self.tr("done"),
                "failed": self.tr("failed")}.get(row.state, row.state)  # fmt: skip

    def _show_bars(self) -> None:
        column = next(each for each in COLUMNS if each.field == self.choice.currentData())
        self._definition.setText(column_definition(column.field))
        reference = next((row for row in self._rows if row.is_reference), None)
        rows: Sequence[Row] = sorted(self._rows, key=lambda row: not row.is_reference)
        self.bars.show_bars(
            column_name(column.field),
            [
                (row.label, getattr(row, column.field), cell_text(row, column),
                 None if reference is None or row is reference else ratio_to(row, reference, column.field))
                for row in rows
            ],
        )  # fmt: skip

    def _set_up_table(self) -> None:
        table = self.table
        table.setAccessibleName(self.tr("Formats against each other"))
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 9)
        table.horizontalHeader().setHighlightSections(False)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        heads = [(self.tr("Format"), ""), (self.tr("State"), ""),
                 *((column_name(column.field), column_definition(column.field)) for column in COLUMNS)]  # fmt: skip
        for place, (text, tip) in enumerate(heads):
            head = QTableWidgetItem(text)
            head.setToolTip(tip)
            head.setTextAlignment(_RIGHT if place > 1 else _LEFT)
            table.setHorizontalHeaderItem(place, head)

    def _arrange(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(10)
        line.addWidget(self.choice)
        line.addWidget(self._definition, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 0, 16, 8)
        column.setSpacing(8)
        column.addWidget(self.head)
        column.addWidget(self.table, 1)
        column.addLayout(line)
        column.addWidget(self.bars)
        column.addWidget(self._explanation)


def cell_text(row: Row, column: Column) -> str:
    """A row's value in a column, with its unit."""
    value = getattr(row, column.field)
    match column.unit:
        case "bytes":
            return figures.size(value)
        case "s":
            return figures.duration(value)
        case "tokens":
            return figures.count(value)
        case "tokens/s":
            return value_text(value, "tokens/s")
        case _:
            return figures.significant(value, 4)
