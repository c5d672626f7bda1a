"""A search or an A/B, going on or over: its head, the Pareto chart and the trials, or the pairs; what it explains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.widgets.icon import PlainButton
from app.widgets.lab_ab_table import ABTable
from app.widgets.lab_job_head import JobHead
from app.widgets.lab_pareto import ParetoChart, Point
from app.widgets.lab_sentences import difference_text, sentence, sentences, setting_words
from app.widgets.lab_trials import TrialsTable, setting_text
from app.widgets.lab_words import value_text
from app.widgets.labels import role_label
from app.widgets.panel_splitter import PanelSplitter
from engine.tuner.outcome import ABResult, SearchResult
from engine.tuner.spec import ABSpec, ExperimentSpec, SweepSpec, TunerSpec, objective_of

if TYPE_CHECKING:
    from app.bridge.lab_state import LabApplied, LabJob
    from app.theme.tokens import Theme
    from engine.domain.lifecycle import ParameterValue
    from engine.tuner.outcome import Trial


class SearchView(QWidget):
    """Draws a LabJob. `apply_asked` carries a Setting, `roll_back_asked` brings back what was before it."""

    apply_asked = Signal(object)
    roll_back_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._job: LabJob | None = None
        self.head = JobHead()
        self.pareto = ParetoChart(theme)
        self.trials = TrialsTable()
        self.pairs = ABTable(theme)
        self._explanation = role_label("", "", wrap=True)
        self._explanation.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._choice = role_label("", "muted", wrap=True)
        self.apply = PlainButton(self.tr("Apply it"), "primary")
        self.apply.setObjectName("labApply")
        self.roll_back = PlainButton(self.tr("Roll back"))
        self.roll_back.setObjectName("labRollBack")
        self.roll_back.hide()
        self.apply.clicked.connect(self._apply)
        self.roll_back.clicked.connect(self.roll_back_asked)
        self.pareto.chosen.connect(self._chosen_in_chart)
        self.trials.chosen.connect(self._chosen_in_table)
        self._applied_busy = False
        self._arrange()

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.pareto.use_theme(theme)
        self.pairs.theme = theme
        if self._job is not None:
            self.show_job(self._job)

    def show_job(self, job: LabJob) -> None:
        """Draw this job as far as it is known."""
        other = self._job is None or self._job.job_id != job.job_id
        self._job = job
        self.head.show_job(job, self._title(job))
        if isinstance(job.spec, ABSpec):
            self._stack.setCurrentWidget(self.pairs)
            self._show_ab(job, job.spec)
        elif isinstance(job.spec, SweepSpec | TunerSpec):
            self._stack.setCurrentWidget(self._search)
            self._show_search(job, job.spec, choose_best=other)
        self._refresh_choice()

    def show_applied(self, applied: LabApplied) -> None:
        """Offer the way back from what was applied."""
        self._applied_busy = applied.busy
        self.roll_back.setVisible(applied.before is not None)
        self.roll_back.setEnabled(not applied.busy)
        if applied.before is not None:
            text = setting_words(applied.before)
            self.roll_back.setToolTip(self.tr("Puts back {setting}").format(setting=text))
        self._refresh_choice()

    # What is drawn

    def _title(self, job: LabJob) -> str:
        kinds = {TunerSpec: self.tr("Tuner"), SweepSpec: self.tr("Sweep"), ABSpec: self.tr("A or B"),
                 ExperimentSpec: self.tr("Formats")}  # fmt: skip
        return f"{kinds[type(job.spec)]} · {job.spec.title}" if job.spec.title else kinds[type(job.spec)]

    def _show_search(self, job: LabJob, spec: SweepSpec | TunerSpec, *, choose_best: bool) -> None:
        result = job.result if isinstance(job.result, SearchResult) else None
        best = result.best if result is not None else (job.update.best if job.update is not None else None)
        objective = objective_of(spec)
        self.trials.show_trials(job.trials, objective, best)
        points = [point for trial in job.trials if (point := _point(trial, best)) is not None]
        front = result.front if result is not None else _front(points)
        coming, nothing = self.tr("The first point comes with the first trial."), self.tr("Nothing was measured.")
        self.pareto.show_points(points, front, coming if job.going else nothing)
        if result is not None and (choose_best or self.trials.current is None):
            self._choose(best)
        self._explanation.setText(sentences(result.explanation) if result is not None else "")
        self._explanation.setVisible(result is not None and bool(result.explanation))

    def _show_ab(self, job: LabJob, spec: ABSpec) -> None:
        if isinstance(job.result, ABResult) and job.result.differences:
            self.pairs.show_result(job.result)
            self._explanation.setText(difference_text(job.result.differences[0], job.result.confidence))
        else:
            self.pairs.show_pairs(job.pairs, objective_of(spec))
            self._explanation.setText("")
        self._explanation.setVisible(bool(self._explanation.text()))

    # Choosing and applying

    def chosen_setting(self) -> dict[str, ParameterValue] | None:
        """The setting that "Apply" would bring into force; None where none is chosen."""
        job = self._job
        if job is None:
            return None
        if isinstance(job.result, ABResult) and job.result.differences:
            first = job.result.differences[0]
            if not first.shown:
                return None
            return dict(job.result.b if first.better == "b" else job.result.a)
        trial = next((one for one in job.trials if one.number == self.trials.current), None)
        return None if trial is None or not trial.setting else dict(trial.setting)

    def _apply(self) -> None:
        setting = self.chosen_setting()
        if setting is not None:
            self.apply_asked.emit(setting)

    def _choose(self, number: int | None) -> None:
        self.trials.choose(number)
        self.pareto.choose(number)
        self._refresh_choice()

    def _chosen_in_chart(self, number: int) -> None:
        self.trials.choose(number)
        self._refresh_choice()

    def _chosen_in_table(self, number: int) -> None:
        self.pareto.choose(number)
        self._refresh_choice()

    def _refresh_choice(self) -> None:
        setting = self.chosen_setting()
        job = self._job
        self.apply.setEnabled(setting is not None and not self._applied_busy and job is not None and not job.going)
        if setting is None:
            self._choice.setText(self.tr("Choose a point or a trial to apply it."))
            return
        self._choice.setText(setting_words(setting))

    def _arrange(self) -> None:
        self._search = PanelSplitter(Qt.Orientation.Vertical, ((self.pareto, 5), (self.trials, 5)))
        self._search.setChildrenCollapsible(False)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._search)
        self._stack.addWidget(self.pairs)
        bottom = QHBoxLayout()
        bottom.setSpacing(8)
        bottom.addWidget(self._choice, 1)
        bottom.addWidget(self.roll_back)
        bottom.addWidget(self.apply)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 0, 16, 8)
        column.setSpacing(8)
        column.addWidget(self.head)
        column.addWidget(self._explanation)
        column.addWidget(self._stack, 1)
        column.addLayout(bottom)


def _point(trial: Trial, best: int | None) -> Point | None:
    found = trial.figures
    if found is None or found.ttft is None:
        return None
    lines = [
        setting_text(trial),
        f"{value_text(found.tokens_out_per_s, 'tokens/s')} · TTFT p95 {value_text(found.ttft.p95, 's')}",
        sentence(trial.reason), sentence(trial.outcome),
    ]  # fmt: skip
    return Point(
        trial.number, found.tokens_out_per_s, found.ttft.p95, "\n".join(line for line in lines if line),
        trial.number == best, trial.is_present,
    )  # fmt: skip


def _front(points: list[Point]) -> list[int]:
    """Which points no other beats in both, by rising rate."""
    found, lowest = [], float("inf")
    for point in sorted(points, key=lambda one: (-one.rate, one.latency_s)):
        if point.latency_s < lowest:
            lowest = point.latency_s
            found.append(point.number)
    return found[::-1]
