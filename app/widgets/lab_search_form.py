"""The set-up of a search: what is done, which parameters it may change, what counts as better, and how long it may."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from app.widgets.lab_axes import AxesField
from app.widgets.lab_form_scroll import FormScroll
from app.widgets.lab_kind import ChoiceBox
from app.widgets.lab_number import NumberEdit
from app.widgets.lab_words import full_name
from app.widgets.labels import role_label
from app.widgets.segmented import Segmented
from app.wording.engine import worded
from engine.domain.errors import KVDeckError
from engine.tuner.spec import ABSpec, SweepSpec, TunerSpec, check_spec, num_points

if TYPE_CHECKING:
    from engine.bench.workload import Workload
    from engine.tuner.spec import Axis, Spec

_OBJECTIVES = ("goodput_per_s", "good_share", "tokens_out_per_s", "requests_per_s", "ttft.p95", "tpot.p50", "itl.p95",
               "e2e.p95")  # fmt: skip
KINDS = ("tuner", "sweep", "ab")


class SearchForm(FormScroll):
    """Makes a Spec for a load; `changed` says that something was edited."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Set-up of the search"))
        self.kind = Segmented(
            self.tr("What is done"),
            (("tuner", self.tr("Tune")), ("sweep", self.tr("Sweep")), ("ab", self.tr("A or B"))),
        )
        self.kind.show_key("tuner")
        self._about = role_label("", "caption", wrap=True)
        self.load = role_label("", "muted", wrap=True)
        self.objective = ChoiceBox(
            self.tr("What counts"),
            [("", self.tr("goodput, else output tokens")), *((key, full_name(key)) for key in _OBJECTIVES)],
        )
        self.axes = AxesField()
        self._points = role_label("", "caption")
        self._make_limits()
        self._arrange()
        self.kind.chosen.connect(self._kind_chosen)
        self.objective.currentIndexChanged.connect(self.changed)
        self.axes.changed.connect(self._edited)
        self._show_kind()

    @property
    def chosen_kind(self) -> str:
        """One of KINDS."""
        return self.kind.key or "tuner"

    def show_axes(self, axes: tuple[Axis, ...]) -> None:
        """Offer these, unless the user has chosen some already."""
        if not self.axes.rows:
            self.axes.show_axes(axes)

    def show_kind(self, key: str) -> None:
        """Put one of KINDS on."""
        self.kind.show_key(key)
        self._kind_chosen(key)

    def spec(self, workload: Workload) -> Spec:
        """What is to be done with this load. Raises KVDeckError that says what cannot be."""
        objective = str(self.objective.currentData()) or None
        budget = self.budget.value
        budget_s = None if budget is None else budget * 60
        found: Spec
        match self.chosen_kind:
            case "sweep":
                found = SweepSpec(
                    workload=workload, axes=self.axes.axes(), repeats=self.repeats.whole or 1, objective=objective,
                    budget_s=budget_s, title=workload.name,
                )
            case "ab":
                a, b = self.axes.pair()
                found = ABSpec(
                    workload=workload, a=a, b=b, blocks=self.blocks.whole or 6, objective=objective,
                    restarts=self.restarts.isChecked(), title=workload.name,
                )
            case _:
                found = TunerSpec(
                    workload=workload, axes=self.axes.axes(), objective=objective, most_trials=self.trials.whole,
                    budget_s=budget_s, restarts=self.restarts.isChecked(), title=workload.name,
                )  # fmt: skip
        check_spec(found)
        return found

    def problem(self, workload: Workload) -> str:
        """What cannot be, with its remedy; empty where it can be begun."""
        asked = {"tuner": (self.trials, self.budget), "sweep": (self.repeats, self.budget), "ab": (self.blocks,)}
        for number in asked[self.chosen_kind]:
            if number.problem():
                return number.problem()
        try:
            self.spec(workload)
        except KVDeckError as error:
            return f"{worded(error.message)} {worded(error.remedy)}".strip()
        return ""

    def _make_limits(self) -> None:
        self.trials = NumberEdit(
            self.tr("Work, in runs"), 2, 4096, optional=self.tr("auto"),
            help_text=self.tr(
                "As much work as so many whole runs of the load, spent on more and shorter runs. Empty: a fifth of "
                "the grid, at least 6."
            ),
        )
        self.repeats = NumberEdit(self.tr("Runs of each point"), 1, 50)
        self.repeats.show_value(1)
        self.blocks = NumberEdit(
            self.tr("Pairs of runs"), 3, 200,
            help_text=self.tr("A and B run in turns, so that a drift of the machine hits both."),
        )
        self.blocks.show_value(6)
        self.budget = NumberEdit(
            self.tr("Longest time"), 0.1, 10_080, whole=False, unit=self.tr("min"), optional=self.tr("any")
        )  # fmt: skip
        self.restarts = QCheckBox(self.tr("May reload the model"))
        self.restarts.setToolTip(self.tr("Live parameters come first; each value of another one costs a reload."))
        for number in (self.trials, self.repeats, self.blocks, self.budget):
            number.changed.connect(self.changed)
        self.restarts.toggled.connect(lambda _on: self.changed.emit())

    def _edited(self) -> None:
        text = ""
        if self.chosen_kind != "ab":
            try:
                text = self.tr("Points in the grid: {count}").format(count=num_points(self.axes.axes()))
            except KVDeckError:
                text = ""
        self._points.setText(text)
        self.changed.emit()

    def _kind_chosen(self, _key: str) -> None:
        self._show_kind()
        self._edited()

    def _show_kind(self) -> None:
        kind = self.chosen_kind
        self._about.setText(
            {
                "tuner": self.tr("Finds the best setting in a fraction of a sweep's time, and says why it tried each."),
                "sweep": self.tr("Measures every point of the grid: slow, and the whole picture."),
                "ab": self.tr("Two settings in turns on the same load, with a confidence interval."),
            }[kind]
        )
        for row, kinds in self._limits.items():
            row.setVisible(kind in kinds)
        self._points.setVisible(kind != "ab")
        self.axes.show_pair(pair=kind == "ab")

    def _arrange(self) -> None:
        column = self.column
        column.addWidget(self.kind)
        column.addWidget(self._about)
        for caption, widget in (
            (self.tr("Load"), self.load), (self.tr("What counts"), self.objective),
            (self.tr("Parameters"), self.axes),
        ):  # fmt: skip
            column.addSpacing(6)
            column.addWidget(role_label(caption, "muted"))
            column.addWidget(widget)
        column.addWidget(self._points)
        column.addSpacing(6)
        self._limits: dict[QWidget, tuple[str, ...]] = {
            _beside(self.tr("Runs of work at most"), self.trials): ("tuner",),
            _beside(self.tr("Runs of each point"), self.repeats): ("sweep",),
            _beside(self.tr("Pairs of runs"), self.blocks): ("ab",),
            _beside(self.tr("Time at most"), self.budget): ("tuner", "sweep"),
        }
        for row in self._limits:
            column.addWidget(row)
        self.aligned = (self.trials, self.repeats, self.blocks, self.budget)
        self._limits[self.restarts] = ("tuner", "ab")
        column.addWidget(self.restarts)
        column.addStretch(1)


def _beside(caption: str, field: NumberEdit) -> QWidget:
    box = QWidget()
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(role_label(caption, "muted"))
    row.addStretch(1)
    row.addWidget(field)
    return box
