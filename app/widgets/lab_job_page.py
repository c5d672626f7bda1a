"""A page with a set-up at the leading side and a job's view at the other: for searches and for formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QDateTime, QLocale, QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.widgets.icon import IconButton, PlainButton
from app.widgets.lab_kind import ChoiceBox
from app.widgets.labels import role_label, show_role
from app.widgets.last_resort_scroll import LastResortScroll
from app.widgets.panel_splitter import PanelSplitter

if TYPE_CHECKING:
    from app.widgets.empty_state import EmptyState
    from engine.tuner.messages import Job

_FORM_WIDTH = 308
_LEAST_LINES = QSize(14, 8)  # of what is beside the form, in heights of a line of text: with less it scrolls


class JobPage(QWidget):
    """`start_asked` says that what `form` says is to be done, `job_chosen` carries a Job of before to be looked at."""

    start_asked = Signal()
    job_chosen = Signal(object)
    job_deleted = Signal(object)

    def __init__(
        self, form: QWidget, view: QWidget, empty: EmptyState, start: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._jobs: tuple[Job, ...] = ()
        self._start_text = start
        self.start = PlainButton(start, "primary")
        self.start.setObjectName("labJobStart")
        self.start.clicked.connect(self.start_asked)
        self._problem = role_label("", "error", wrap=True)
        self.past = ChoiceBox(self.tr("Earlier ones"), [])
        self.past.activated.connect(self._choose)
        self.delete = IconButton("trash", self.tr("Remove the chosen one from the list"))
        self.delete.clicked.connect(self._delete)
        self._right = QStackedWidget()
        self._right.addWidget(empty)
        self._empty, self._view = empty, LastResortScroll(view, _LEAST_LINES)
        self._right.addWidget(self._view)
        self._arrange(form)

    def show_view(self, *, any_job: bool) -> None:
        """The job's view, or what will be here."""
        self._right.setCurrentWidget(self._view if any_job else self._empty)

    def show_problem(self, text: str, *, going: bool, can_start: bool, is_fault: bool = True) -> None:
        """Say what keeps it from being begun, if anything; what is nobody's fault is no error."""
        self._problem.setText(text)
        show_role(self._problem, "error" if is_fault else "muted")
        self._problem.setVisible(bool(text))
        self.start.setEnabled(can_start)
        self.start.setText(self.tr("The lab is at work") if going else self._start_text)

    def show_jobs(self, jobs: tuple[Job, ...], texts: dict[str, str], present: str | None) -> None:
        """List the jobs of before; `texts` names the states."""
        self._jobs = jobs
        self.past.clear()
        self.past.addItem(self.tr("Earlier ones…"))
        for job in jobs:
            when = QLocale().toString(_moment(job), QLocale.FormatType.ShortFormat)
            self.past.addItem(f"{when} · {job.spec.title or job.id} · {texts.get(job.state.value, job.state.value)}")
        self.past.setCurrentIndex(next((i + 1 for i, job in enumerate(jobs) if job.id == present), 0))
        self.past.setEnabled(bool(jobs))
        self.delete.setEnabled(bool(jobs))

    def _choose(self, index: int) -> None:
        if index > 0:
            self.job_chosen.emit(self._jobs[index - 1])

    def _delete(self) -> None:
        index = self.past.currentIndex()
        if index > 0:
            self.job_deleted.emit(self._jobs[index - 1])

    def _arrange(self, form: QWidget) -> None:
        past = QHBoxLayout()
        past.setSpacing(4)
        past.addWidget(self.past, 1)
        past.addWidget(self.delete)
        footer = QVBoxLayout()
        footer.setContentsMargins(16, 6, 12, 10)
        footer.setSpacing(6)
        footer.addWidget(self._problem)
        footer.addWidget(self.start)
        footer.addLayout(past)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(form, 1)
        column.addLayout(footer)
        splitter = PanelSplitter(Qt.Orientation.Horizontal, ((left, 3), (self._right, 7)))
        splitter.setStretchFactor(0, 0)
        splitter.setChildrenCollapsible(False)
        splitter.setSizes([_FORM_WIDTH, 10_000])
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(splitter)


def _moment(job: Job) -> QDateTime:
    return QDateTime.fromSecsSinceEpoch(round(job.created_unix_s))
