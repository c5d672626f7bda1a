"""Searches and comparisons in a process of their own, told through the Store; and a setting into force and back."""

from __future__ import annotations

import asyncio
import dataclasses
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.bridge.lab_state import LabApplied, LabJob, LabJobs
from app.bridge.store import Notice
from engine.domain.errors import EngineBusy, KVDeckError
from engine.domain.lifecycle import Phase
from engine.tuner.jobs import JobStore
from engine.tuner.messages import Broken, Ended, JobState, PairChanged, RowChanged, TrialChanged, Update
from engine.tuner.outcome import ABResult, ExperimentResult, SearchResult
from engine.tuner.process import CANCELLED_EARLY, LabProcess

if TYPE_CHECKING:
    from pathlib import Path

    from app.bridge.lab_desk import LabDesk
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.client.engine import EngineClient
    from engine.tuner.messages import Job, Message
    from engine.tuner.outcome import Result
    from engine.tuner.spec import Setting, Spec

_BY = "window"
_POLL_S = 0.05
_STATES = {JobState.UNFINISHED: "unfinished", JobState.FINISHED: "ended", JobState.CANCELLED: "cancelled"}


class LabSearch(QObject):
    """One job at a time; how it goes is in the Store (`lab_job`), those that are kept are in `lab_jobs`."""

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        desk: LabDesk,
        engine: EngineClient | None,
        folder: Path,
        parent: QObject | None = None,
    ) -> None:
        """`engine` is the client that a setting is applied through, None where there is none."""
        super().__init__(parent)
        self._store, self._tasks, self._desk, self._engine = store, tasks, desk, engine
        self._folder = folder
        self._process: LabProcess | None = None
        self.jobs = JobStore(folder)

    @property
    def going(self) -> bool:
        """Whether a job goes on. Its process may outlive it for a moment."""
        job = self._store.lab_job
        return job is not None and job.going

    # What the panel asks for

    def start(self, spec: Spec) -> None:
        """Begin a search or a comparison on the engine that is ready."""
        self._tasks.start(self._run(spec, None), self.tr("Search"))

    def resume(self, job: Job) -> None:
        """Go on with a job that was cut short."""
        self._tasks.start(self._run(job.spec, job.id), self.tr("Search"))

    def cancel(self) -> None:
        """End early; what was in force before is put back."""
        job, process = self._store.lab_job, self._process
        if job is not None and job.going and process is not None:
            self._store.publish(dataclasses.replace(job, cancelling=True))
            if process.running:  # else `_run` tells it
                self._tasks.start(process.cancel(), self.tr("Cancel"))

    def find(self) -> None:
        """List the jobs that are kept."""
        self._tasks.start(self._list(), self.tr("List the searches"))

    def show(self, job: Job) -> None:
        """Look at a job that is over; not while one goes on."""
        if not self.going:
            self._store.publish(shown_job(job))

    def delete(self, job: Job) -> None:
        """Remove a job that is over; the runs that it made stay."""
        self._tasks.start(self._delete(job.id), self.tr("Delete"))

    def apply(self, setting: Setting) -> None:
        """Bring a setting into force; the one before can be had back."""
        self._tasks.start(self._apply(setting, keep=True), self.tr("Apply"))

    def roll_back(self) -> None:
        """Put back what was in force before the last `apply`."""
        before = self._store.lab_applied.before
        if before is not None:
            self._tasks.start(self._apply(before, keep=False), self.tr("Roll back"))

    def export(self, job: LabJob, path: Path) -> None:
        """Write what a job came to into a file; its suffix says how (.html, .md, .csv, .json)."""
        self._tasks.start(self._export(job, path), self.tr("Export"))

    async def close(self) -> None:
        """End the present job's process; what was in force before is put back, and the job can be resumed."""
        process = self._process
        if process is not None:
            await process.close()

    # How it is done

    async def _run(self, spec: Spec, job_id: str | None) -> None:
        store = self._store
        address = store.address
        if self.going or self._desk.going:
            raise EngineBusy(self.tr("The lab is at work already."), remedy=self.tr("Stop that first."))
        if store.lifecycle.phase is not Phase.READY or address is None:
            raise EngineBusy(self.tr("No model is loaded."), remedy=self.tr("Load one, then start again."))
        await self._desk.open()
        while self._process is not None:  # noqa: ASYNC110 - the last job has ended, its process is just going
            await asyncio.sleep(_POLL_S)
        path = self._desk.runs.path
        assert path is not None
        process = self._process = LabProcess(address.url, address.token, store=path, jobs=self._folder)
        store.publish(LabJob(spec, "running", job_id))
        try:
            if job_id is None:
                job_id = await process.start(spec)
            else:
                await process.resume(job_id)
            cancelling = store.lab_job is not None and store.lab_job.cancelling
            store.publish(LabJob(spec, "running", job_id, cancelling=cancelling))
            if cancelling:
                await process.cancel()
            async for message in process.messages():
                self._take(message)
        finally:
            await asyncio.shield(process.close())
            self._process = None
            self._end_open()
            await self._list()

    def _end_open(self) -> None:
        """Whatever happened: a job without a process goes on no more."""
        job = self._store.lab_job
        if job is not None and job.going:
            self._store.publish(dataclasses.replace(job, state="unfinished", cancelling=False))

    def _take(self, message: Message) -> None:
        job = self._store.lab_job
        if job is None:
            return
        match message:
            case Update():
                job = dataclasses.replace(job, update=message)
            case TrialChanged(trial=trial):
                others = [one for one in job.trials if one.number != trial.number]
                trials = tuple(sorted((*others, trial), key=lambda one: one.number))
                job = dataclasses.replace(job, trials=trials)
            case PairChanged(pair=pair):
                job = dataclasses.replace(job, pairs=(*job.pairs, pair))
            case RowChanged(row=row):
                known = {one.key for one in job.rows}
                rows = [row if one.key == row.key else one for one in job.rows]
                job = dataclasses.replace(job, rows=tuple(rows) if row.key in known else (*job.rows, row))
            case Ended(result=result):
                job = _with_result(job, result)
            case Broken() if message.kind == CANCELLED_EARLY:
                job = dataclasses.replace(job, state="cancelled", cancelling=False)
            case Broken():
                job = dataclasses.replace(
                    job, state="broken", message=message.message, remedy=message.remedy, cancelling=False
                )
            case _:
                return
        self._store.publish(job)

    async def _list(self) -> None:
        self._store.publish(LabJobs(await asyncio.to_thread(self.jobs.jobs)))

    async def _delete(self, job_id: str) -> None:
        await asyncio.to_thread(self.jobs.delete, job_id)
        await self._list()

    async def _export(self, job: LabJob, path: Path) -> None:
        from engine.domain.whole_file import write_whole
        from engine.tuner.export import to_csv, to_json, to_markdown
        from engine.tuner.report import to_html

        if job.result is None:
            raise KVDeckError(self.tr("There is no result yet."), remedy=self.tr("Wait until it has ended."))
        make = {".csv": to_csv, ".json": to_json, ".html": to_html}.get(path.suffix.lower(), to_markdown)
        try:
            await asyncio.to_thread(write_whole, path, make(job.result).encode())
        except OSError as error:
            message = self.tr("{file} could not be written: {reason}.").format(file=path, reason=error.strerror)
            raise KVDeckError(message, remedy=self.tr("Choose another folder.")) from error
        self._store.publish(Notice("info", self.tr("Written: {file}").format(file=path.name), str(path)))

    async def _apply(self, setting: Setting, *, keep: bool) -> None:
        from engine.tuner.apply import apply_setting

        if self._engine is None:
            raise EngineBusy(self.tr("There is no engine here."), remedy=self.tr("Start KVDeck without a recording."))
        if self.going:
            raise EngineBusy(self.tr("The lab is at work already."), remedy=self.tr("Stop that first."))
        known = self._store.lab_applied
        self._store.publish(dataclasses.replace(known, busy=True))
        try:
            applied = await apply_setting(self._engine, setting, by=_BY)
        except BaseException:
            self._store.publish(dataclasses.replace(known, busy=False))
            raise
        self._store.publish(LabApplied(dict(setting), applied.before) if keep else LabApplied())


def shown_job(job: Job) -> LabJob:
    """A job that is kept, as it is drawn."""
    known = LabJob(job.spec, _STATES[job.state], job.id)
    return known if job.result is None else _with_result(known, job.result)


def _with_result(job: LabJob, result: Result) -> LabJob:
    state = "cancelled" if result.cancelled else "ended"
    changes: dict[str, Any] = {}
    match result:
        case SearchResult():
            changes["trials"] = result.trials
        case ABResult():
            changes["pairs"] = result.pairs
        case ExperimentResult():
            changes["rows"] = result.rows
    return dataclasses.replace(job, state=state, result=result, cancelling=False, **changes)
