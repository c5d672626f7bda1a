"""The runs that are kept: listed, noted, deleted and brought back, compared and written into files."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from app.bridge.lab_state import MOST_SAMPLES, LabRun, LabRuns
from app.bridge.store import Notice
from engine.bench.result import RunResult, RunState
from engine.bench.store import RunFilter
from engine.bench.tally import figures_of
from engine.domain.errors import KVDeckError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from pathlib import Path

    from app.bridge.lab_desk import LabDesk
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.bench.comparison import Difference
    from engine.bench.result import RunRecord
    from engine.bench.sample import Sample


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs beside each other: the first is what the others are measured against.

    `differences` has for each further run its rows, all in the same order of figures; `settings` what differs in what
    was measured: name, and the value of each run.
    """

    records: tuple[RunRecord, ...]
    differences: tuple[tuple[Difference, ...], ...]
    settings: tuple[tuple[str, tuple[str, ...]], ...]


class LabShelf(QObject):
    """What is listed is in the Store (`lab_runs`). Everything on the disk happens in threads."""

    def __init__(self, store: Store, tasks: Tasks, desk: LabDesk, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._tasks = tasks
        self._desk = desk
        self._text = ""
        self._deleted: tuple[str, ...] = ()

    # What the panel asks for

    def find(self, text: str | None = None) -> None:
        """List the runs that match; None lists anew what was asked for last."""
        if text is not None:
            self._text = text
        self._start(self._list(), self.tr("List the runs"))

    def delete(self, run_ids: Sequence[str]) -> None:
        """Take runs off the list; `undo` brings the last ones back."""
        self._start(self._change(self._desk.runs.delete, tuple(run_ids), deleted=tuple(run_ids)), self.tr("Delete"))

    def undo(self) -> None:
        """Bring back what was deleted last."""
        if self._deleted:
            self._start(self._change(self._desk.runs.restore, self._deleted, deleted=()), self.tr("Undo"))

    def set_notes(self, run_id: str, notes: str) -> None:
        """Replace a run's notes."""
        self._start(self._change(self._desk.runs.set_notes, run_id, notes), self.tr("Notes"))

    def set_title(self, run_id: str, title: str) -> None:
        """Rename a run."""
        self._start(self._change(self._desk.runs.set_title, run_id, title), self.tr("Rename"))

    def set_baseline(self, run_id: str, baseline: bool) -> None:  # a slot: Qt hands the state over by position
        """Mark a run as a baseline, or no longer."""
        self._start(self._change(self._desk.runs.set_baseline, run_id, baseline), self.tr("Baseline"))

    def export(self, run_ids: Sequence[str], path: Path) -> None:
        """Write runs into a file; its suffix says how (.csv, .json, .md, .html, .baseline)."""
        self._start(self._export(tuple(run_ids), path), self.tr("Export"))

    def show(self, run_id: str) -> None:
        """Put a run that is over where the present one is drawn; not while one goes on."""
        if not self._desk.going:
            self._start(self._show(run_id), self.tr("Open the run"))

    async def compare(self, run_ids: Sequence[str]) -> Comparison:
        """Lay runs beside each other. Raises KVDeckError."""
        await self._desk.open()
        return await asyncio.to_thread(self._compare, tuple(run_ids))

    def _start(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        self._tasks.start(work, name)

    # How it is done

    async def _list(self) -> None:
        await self._desk.open()
        wanted = RunFilter(text=self._text)
        records = await asyncio.to_thread(self._desk.runs.runs, wanted)
        self._store.publish(LabRuns(records, self._deleted, self._desk.runs.notice or "", self._text))

    async def _change(
        self, act: Callable[..., None], *values: Any, deleted: tuple[str, ...] | None = None
    ) -> None:
        await self._desk.open()
        await asyncio.to_thread(act, *values)
        if deleted is not None:
            self._deleted = deleted
        await self._list()

    async def _show(self, run_id: str) -> None:
        await self._desk.open()
        record = await asyncio.to_thread(self._desk.runs.run, run_id)
        result = record.result
        runs = self._desk.runs
        samples = await asyncio.to_thread(runs.samples, run_id, gaps=False, most=MOST_SAMPLES)
        count = await asyncio.to_thread(runs.count_samples, run_id)
        if result is None and samples:  # its end was never written: what was measured is there all the same
            found = await asyncio.to_thread(lambda: figures_of(runs.samples(run_id), record.workload.slos))
            result = RunResult(found)
        self._store.publish(
            LabRun(
                record.title,
                record.workload,
                RunState.STOPPED.value if record.state is RunState.RUNNING else record.state.value,
                run_id=record.id,
                origin_ns=result.origin_monotonic_ns if result is not None else None,
                windows=result.windows if result is not None else (),
                samples=samples,
                left_out=count - len(samples),
                changes=record.annotations,
                result=result,
                message=record.error,
            )
        )

    async def _export(self, run_ids: tuple[str, ...], path: Path) -> None:
        await self._desk.open()
        try:
            await asyncio.to_thread(self._write, run_ids, path)
        except OSError as error:
            message = self.tr("{file} could not be written: {reason}.").format(file=path, reason=error.strerror)
            raise KVDeckError(message, remedy=self.tr("Choose another folder.")) from error
        self._store.publish(Notice("info", self.tr("Written: {file}").format(file=path.name), str(path)))

    def _write(self, run_ids: tuple[str, ...], path: Path) -> None:
        from engine.domain.whole_file import write_whole

        if path.suffix == ".baseline":
            from engine.bench.regression import save_baseline

            save_baseline(path, self._desk.runs.run(run_ids[0]))
            return
        write_whole(path, self._document(run_ids, path.suffix.lower()))

    def _document(self, run_ids: tuple[str, ...], suffix: str) -> bytes:
        """The runs as a document of this kind."""
        from engine.bench import export, report

        runs = self._desk.runs
        records = [runs.run(run_id) for run_id in run_ids]
        samples = [runs.samples(run_id) for run_id in run_ids]
        if suffix == ".csv":
            return (export.samples_csv(samples[0]) if len(records) == 1 else export.runs_csv(records)).encode()
        if suffix == ".json":
            parts = [export.run_json(record, found) for record, found in zip(records, samples, strict=True)]
            return parts[0] if len(parts) == 1 else b"[\n" + b",\n".join(parts) + b"]\n"
        if len(records) == 1:
            made = export.run_markdown(records[0]) if suffix == ".md" else report.run_report(records[0], samples[0])
            return made.encode()
        found = self._compare(run_ids)
        pairs = list(zip(records[1:], samples[1:], found.differences, strict=True))
        if suffix == ".md":
            return "\n".join(export.comparison_markdown(records[0], one, rows) for one, _, rows in pairs).encode()
        other, its_samples, rows = pairs[0]
        return report.comparison_report(records[0], other, rows, (samples[0], its_samples)).encode()

    def _compare(self, run_ids: tuple[str, ...]) -> Comparison:
        from engine.bench.comparison import Side, compare
        from engine.bench.setup import differences

        runs = self._desk.runs
        records = tuple(runs.run(run_id) for run_id in run_ids)
        sides = [_side(record, runs.samples(record.id), Side) for record in records]
        found = tuple(compare(sides[0], side) for side in sides[1:])
        values: dict[str, list[str]] = {}
        for place, record in enumerate(records[1:], 1):
            for name, first, other in differences(records[0].setup, record.setup):
                values.setdefault(name, [first] * len(records))[place] = other
        return Comparison(records, found, tuple((name, tuple(each)) for name, each in values.items()))


def _side(record: RunRecord, samples: tuple[Sample, ...], make: Callable[..., Any]) -> Any:
    result = record.result
    return make(
        samples,
        result.windows if result is not None else (),
        result.figures if result is not None else None,
        record.workload.slos,
    )

