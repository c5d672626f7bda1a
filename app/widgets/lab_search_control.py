"""Wires the lab's page of searches to the Store and to the process that carries them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.widgets.empty_state import EmptyState
from app.widgets.lab_job_page import JobPage
from app.widgets.lab_search_form import SearchForm
from app.widgets.lab_search_view import SearchView
from engine.domain.lifecycle import Phase
from engine.tuner.presets import live_axes
from engine.tuner.spec import ExperimentSpec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.bridge.lab_search import LabSearch
    from app.bridge.lab_state import LabApplied, LabJob, LabJobs
    from app.bridge.store import Store
    from app.theme.tokens import Theme
    from engine.bench.workload import Workload
    from engine.tuner.messages import Job


class SearchControl(QObject):
    """Owns `page`. `workload` answers the load of the first page, which is the one that is searched with."""

    def __init__(
        self, store: Store, search: LabSearch, workload: Callable[[], Workload], theme: Theme, refusal: str,
        parent: QObject,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._store, self._search, self._workload, self._refusal = store, search, workload, refusal
        self.form, self.view = SearchForm(), SearchView(theme)
        empty = EmptyState(
            "parameters",
            self.tr("Let it search"),
            self.tr("The tuner finds the parameters with the most goodput under your SLOs, shows what it tried and "
                    "why, and puts back what was in force before. A click applies a point."),
        )  # fmt: skip
        page = self.page = JobPage(self.form, self.view, empty, self.tr("Start the search"))
        page.start_asked.connect(self.start)
        page.job_chosen.connect(search.show)
        page.job_deleted.connect(search.delete)
        self.form.changed.connect(self.check)
        self.view.head.cancel_asked.connect(search.cancel)
        self.view.head.resume_asked.connect(self._resume)
        self.view.head.export_asked.connect(self._export)
        self.view.apply_asked.connect(search.apply)
        self.view.roll_back_asked.connect(search.roll_back)
        store.lab_job_changed.connect(self._take)
        store.lab_jobs_changed.connect(self._take_jobs)
        store.lab_applied_changed.connect(self._take_applied)
        store.lifecycle_changed.connect(self.check)
        store.limits_changed.connect(self.check)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.view.use_theme(theme)

    def draw(self) -> None:
        """Catch up with what happened while hidden."""
        self._take(self._store.lab_job)
        self._take_applied(self._store.lab_applied)
        self._search.find()
        self.check()

    def start(self) -> None:
        """Begin what the form says, where it can be begun."""
        self.check()
        if self.page.start.isEnabled():
            self._search.start(self.form.spec(self._workload()))

    def check(self, _what: object = None) -> None:
        """Say whether the search can be begun."""
        store, page = self._store, self.page
        if not page.isVisible():
            return
        if store.limits is not None:
            self.form.show_axes(live_axes(store.limits))
        workload = self._workload()
        self.form.load.setText(self.tr("{load} (set it up on the first page)").format(load=workload.name))
        run, job = store.lab_run, store.lab_job
        going = (run is not None and run.going) or (job is not None and job.going)
        ready = store.lifecycle.phase is Phase.READY
        problem = self.form.problem(workload)
        self.form.set_editable(not going)
        text = self._refusal or problem or ("" if ready else self.tr("No model is loaded. Load one first."))
        page.show_problem("" if going else text, going=going, can_start=not (text or going))

    def _take(self, job: LabJob | None) -> None:
        if not self.page.isVisible():
            return
        ours = job is not None and not isinstance(job.spec, ExperimentSpec)
        self.page.show_view(any_job=ours)
        if job is not None and ours:
            self.view.show_job(job)
        self.check()

    def _take_jobs(self, jobs: LabJobs | None) -> None:
        if jobs is None or not self.page.isVisible():
            return
        present = self._store.lab_job.job_id if self._store.lab_job is not None else None
        self.page.show_jobs(self._ours(jobs), self._texts(), present)

    def _take_applied(self, applied: LabApplied) -> None:
        self.view.show_applied(applied)

    def _ours(self, jobs: LabJobs) -> tuple[Job, ...]:
        return tuple(job for job in jobs.jobs if not isinstance(job.spec, ExperimentSpec))

    def _texts(self) -> dict[str, str]:
        return {"finished": self.tr("finished"), "cancelled": self.tr("cancelled"),
                "unfinished": self.tr("cut short")}  # fmt: skip

    def _export(self, path: Path) -> None:
        if self._store.lab_job is not None:
            self._search.export(self._store.lab_job, path)

    def _resume(self) -> None:
        job, jobs = self._store.lab_job, self._store.lab_jobs
        if job is not None and jobs is not None:
            found = next((one for one in jobs.jobs if one.id == job.job_id), None)
            if found is not None:
                self._search.resume(found)
