"""What the lab's two pages of jobs share: the page's wiring to the Store and to the process that carries them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from engine.domain.lifecycle import Phase
from engine.tuner.spec import ExperimentSpec

if TYPE_CHECKING:
    from pathlib import Path

    from app.bridge.lab_search import LabSearch
    from app.bridge.lab_state import LabJob, LabJobs
    from app.bridge.store import Store
    from app.theme.tokens import Theme
    from app.widgets.lab_formats_form import FormatsForm
    from app.widgets.lab_formats_view import FormatsView
    from app.widgets.lab_job_page import JobPage
    from app.widgets.lab_search_form import SearchForm
    from app.widgets.lab_search_view import SearchView
    from engine.tuner.messages import Job


class JobControl(QObject):
    """Owns `page`, of a form and a view; `of_formats` is whether its jobs are comparisons of formats or searches."""

    page: JobPage
    form: FormatsForm | SearchForm
    view: FormatsView | SearchView

    def __init__(self, store: Store, search: LabSearch, refusal: str, parent: QObject, *, of_formats: bool) -> None:
        super().__init__(parent)
        self._store, self._search, self._refusal = store, search, refusal
        self._of_formats = of_formats

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.view.use_theme(theme)

    def check(self, _what: object = None) -> None:
        """Say whether a job can be begun."""
        raise NotImplementedError

    def start(self) -> None:
        """Begin what the form says, where it can be begun."""
        raise NotImplementedError

    def _connect(self) -> None:
        store, page, search, head = self._store, self.page, self._search, self.view.head
        page.start_asked.connect(self.start)
        page.job_chosen.connect(search.show)
        page.job_deleted.connect(search.delete)
        self.form.changed.connect(self.check)
        head.cancel_asked.connect(search.cancel)
        head.resume_asked.connect(self._resume)
        head.export_asked.connect(self._export)
        store.lab_job_changed.connect(self._take)
        store.lab_jobs_changed.connect(self._take_jobs)
        store.lifecycle_changed.connect(self.check)

    def _show_problem(self, problem: str | None, no_model: str) -> None:
        """Say what is in the way: a refusal, the form's `problem`, or that there is no model."""
        run, job = self._store.lab_run, self._store.lab_job
        going = (run is not None and run.going) or (job is not None and job.going)
        ready = self._store.lifecycle.phase is Phase.READY
        self.form.set_editable(not going)
        text = self._refusal or problem or ("" if ready else no_model)
        fault = bool(self._refusal or problem)
        self.page.show_problem("" if going else text, going=going, can_start=not (text or going), is_fault=fault)

    def _is_ours(self, spec: object) -> bool:
        return isinstance(spec, ExperimentSpec) == self._of_formats

    def _take(self, job: LabJob | None) -> None:
        if not self.page.isVisible():
            return
        ours = job is not None and self._is_ours(job.spec)
        self.page.show_view(any_job=ours)
        if job is not None and ours:
            self.view.show_job(job)
        self.check()

    def _take_jobs(self, jobs: LabJobs | None) -> None:
        if jobs is None or not self.page.isVisible():
            return
        present = self._store.lab_job.job_id if self._store.lab_job is not None else None
        ours: tuple[Job, ...] = tuple(job for job in jobs.jobs if self._is_ours(job.spec))
        self.page.show_jobs(ours, self._texts(), present)

    def _texts(self) -> dict[str, str]:
        """What the states of a job are called."""
        raise NotImplementedError

    def _export(self, path: Path) -> None:
        if self._store.lab_job is not None:
            self._search.export(self._store.lab_job, path)

    def _resume(self) -> None:
        job, jobs = self._store.lab_job, self._store.lab_jobs
        if job is not None and jobs is not None:
            found = next((one for one in jobs.jobs if one.id == job.job_id), None)
            if found is not None:
                self._search.resume(found)
