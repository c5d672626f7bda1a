"""Wires the lab's page of formats to the Store and to the process that compares them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.widgets.empty_state import EmptyState
from app.widgets.lab_formats_form import FormatsForm
from app.widgets.lab_formats_view import FormatsView
from app.widgets.lab_job_page import JobPage
from engine.domain.lifecycle import Phase
from engine.tuner.spec import ExperimentSpec

if TYPE_CHECKING:
    from pathlib import Path

    from app.bridge.lab_search import LabSearch
    from app.bridge.lab_state import LabJob, LabJobs
    from app.bridge.store import Store
    from app.theme.tokens import Theme
    from engine.tuner.messages import Job


class FormatsControl(QObject):
    """Owns `page`."""

    def __init__(self, store: Store, search: LabSearch, theme: Theme, refusal: str, parent: QObject) -> None:
        super().__init__(parent)
        self._store, self._search, self._refusal = store, search, refusal
        self.form, self.view = FormatsForm(), FormatsView(theme)
        empty = EmptyState(
            "models",
            self.tr("Which format is worth it?"),
            self.tr("One model in its formats, and plain transformers beside them: what each weighs, holds and does on "
                    "this machine, and what it costs in perplexity."),
        )  # fmt: skip
        page = self.page = JobPage(self.form, self.view, empty, self.tr("Start the comparison"))
        page.start_asked.connect(self.start)
        page.job_chosen.connect(search.show)
        page.job_deleted.connect(search.delete)
        self.form.changed.connect(self.check)
        self.view.head.cancel_asked.connect(search.cancel)
        self.view.head.resume_asked.connect(self._resume)
        self.view.head.export_asked.connect(self._export)
        store.lab_job_changed.connect(self._take)
        store.lab_jobs_changed.connect(self._take_jobs)
        store.lifecycle_changed.connect(self.check)
        store.library_changed.connect(self.check)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.view.use_theme(theme)

    def draw(self) -> None:
        """Catch up with what happened while hidden."""
        self._take(self._store.lab_job)
        self._search.find()
        self.check()

    def start(self) -> None:
        """Begin the comparison, where it can be begun."""
        self.check()
        if self.page.start.isEnabled():
            self._search.start(self.form.spec())

    def check(self, _what: object = None) -> None:
        """Say whether the comparison can be begun."""
        store, page = self._store, self.page
        if not page.isVisible():
            return
        self.form.show_library(store.library, store.lifecycle.checkpoint)
        run, job = store.lab_run, store.lab_job
        going = (run is not None and run.going) or (job is not None and job.going)
        ready = store.lifecycle.phase is Phase.READY
        self.form.set_editable(not going)
        text = self._refusal or self.form.problem() or ("" if ready else self.tr("No model is loaded. Load one first."))
        page.show_problem("" if going else text, going=going, can_start=not (text or going))

    def _take(self, job: LabJob | None) -> None:
        if not self.page.isVisible():
            return
        ours = job is not None and isinstance(job.spec, ExperimentSpec)
        self.page.show_view(any_job=ours)
        if job is not None and ours:
            self.view.show_job(job)
        self.check()

    def _take_jobs(self, jobs: LabJobs | None) -> None:
        if jobs is None or not self.page.isVisible():
            return
        present = self._store.lab_job.job_id if self._store.lab_job is not None else None
        texts = {"finished": self.tr("finished"), "cancelled": self.tr("cancelled"),
                 "unfinished": self.tr("cut short")}  # fmt: skip
        self.page.show_jobs(self._ours(jobs), texts, present)

    def _ours(self, jobs: LabJobs) -> tuple[Job, ...]:
        return tuple(job for job in jobs.jobs if isinstance(job.spec, ExperimentSpec))

    def _export(self, path: Path) -> None:
        if self._store.lab_job is not None:
            self._search.export(self._store.lab_job, path)

    def _resume(self) -> None:
        job, jobs = self._store.lab_job, self._store.lab_jobs
        found = next((one for one in jobs.jobs if job is not None and one.id == job.job_id), None) if jobs else None
        if found is not None:
            self._search.resume(found)
