"""What a search tried, one trial a row: the setting, why, what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from app.theme.fonts import tabular
from app.widgets.lab_sentences import sentence, setting_words
from app.widgets.lab_words import full_name, unit_of, value_text
from engine.bench.definitions import value_of
from engine.tuner.outcome import TrialState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.tuner.outcome import Trial

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_MEASURED_ROWS = 60  # for the columns' widths
_OUTCOME, _NUMBERS = 6, (0, 2, 3, 4)


class TrialsTable(QTableWidget):
    """`chosen` carries a trial's number."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, 7, parent)
        self._numbers: list[int] = []
        self._drawn: list[tuple[Trial, str, bool]] = []
        self.setAccessibleName(self.tr("Trials"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 9)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setResizeContentsPrecision(_MEASURED_ROWS)
        header.setStretchLastSection(True)
        self.itemSelectionChanged.connect(self._selected)

    def show_trials(self, trials: Sequence[Trial], objective: str, best: int | None) -> None:
        """Draw these; what is chosen stays chosen."""
        present = self.current
        heads = ["#", self.tr("Setting"), full_name(objective), self.tr("Output"), "TTFT p95", self.tr("State"),
                 self.tr("What came of it")]  # fmt: skip
        for column, text in enumerate(heads):
            head = QTableWidgetItem(text)
            head.setTextAlignment(_RIGHT if column in _NUMBERS else _LEFT)
            self.setHorizontalHeaderItem(column, head)
        self.blockSignals(True)
        self.setRowCount(len(trials))
        self._numbers = [trial.number for trial in trials]
        known, self._drawn = self._drawn, [(trial, objective, trial.number == best) for trial in trials]
        for row, cells in enumerate(self._drawn):
            if row >= len(known) or known[row] != cells:  # of thousands, one has changed
                self._fill(row, cells[0], objective, is_best=cells[2])
        self.blockSignals(False)
        self.choose(present)

    @property
    def current(self) -> int | None:
        """The chosen trial's number."""
        rows = self.selectionModel().selectedRows() if self.selectionModel() is not None else []
        return self._numbers[rows[0].row()] if rows and rows[0].row() < len(self._numbers) else None

    def choose(self, number: int | None) -> None:
        """Choose a trial, without saying so."""
        self.blockSignals(True)
        if number in self._numbers:
            self.selectRow(self._numbers.index(number))
        else:
            self.clearSelection()
        self.blockSignals(False)

    def _selected(self) -> None:
        if self.current is not None:
            self.chosen.emit(self.current)

    def _fill(self, row: int, trial: Trial, objective: str, *, is_best: bool) -> None:
        unit = unit_of(objective)
        found = trial.figures
        cells = (
            f"{trial.number}" + (" ★" if is_best else ""), setting_text(trial),
            ("≤ " if trial.state is TrialState.PRUNED else "") + value_text(trial.score, unit),  # what it could come to
            value_text(None if found is None else found.tokens_out_per_s, "tokens/s"),
            value_text(None if found is None else value_of(found, "ttft.p95"), "s"),
            self._state_text(trial), trial.error or sentence(trial.outcome),
        )  # fmt: skip
        tip = "\n".join(text for text in (sentence(trial.reason), sentence(trial.outcome), trial.error) if text)
        for column, text in enumerate(cells):
            item = QTableWidgetItem(text)
            item.setToolTip(tip)
            item.setTextAlignment(_RIGHT if column in _NUMBERS else _LEFT)
            if column in _NUMBERS:
                item.setFont(tabular(self.font()))
            self.setItem(row, column, item)

    def _state_text(self, trial: Trial) -> str:
        present = self.tr("as it was")
        return {
            TrialState.RUNNING: self.tr("running"), TrialState.MEASURED: self.tr("measured"),
            TrialState.PRUNED: self.tr("ended early"), TrialState.REFUSED: self.tr("refused"),
            TrialState.FAILED: self.tr("failed"),
        }[trial.state] + (f" · {present}" if trial.is_present else "")  # fmt: skip


def setting_text(trial: Trial) -> str:
    """A trial's setting in one line."""
    return setting_words(trial.setting)
