"""Wires the lab's first page to the Store and the desk: whether a load can be sent, sending it, drawing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.bridge.store import Look, Selection
from app.widgets import figures
from app.widgets.lab_distributions import count_distribution
from app.widgets.lab_estimate import expected_s
from app.widgets.lab_run_page import RunPage
from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from app.bridge.lab_desk import LabDesk
    from app.bridge.lab_state import LabRun
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.theme.tokens import Theme
    from engine.bench.sample import Sample
    from engine.bench.workload import Workload

_DRAW_EVERY_MS = 100


class RunControl(QObject):
    """Owns `page`. `refusal` says why this window sends no load at all; empty where it does."""

    def __init__(
        self, store: Store, tasks: Tasks, desk: LabDesk | None, theme: Theme, refusal: str, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._store, self._tasks, self._desk, self._refusal = store, tasks, desk, refusal
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_DRAW_EVERY_MS)
        self._later.timeout.connect(self._draw_newest)
        page = self.page = RunPage(theme)
        page.start_asked.connect(self.start)
        page.form.changed.connect(self.check)
        page.view.distribution_asked.connect(self._count)
        page.view.requests.timeline_asked.connect(self._show_in_timeline)
        if desk is not None:
            page.view.head.pause_asked.connect(lambda pause: desk.pause() if pause else desk.resume())
            page.view.head.stop_asked.connect(lambda: desk.stop())
        store.lab_run_changed.connect(self._take)
        store.lifecycle_changed.connect(self.check)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.page.use_theme(theme)

    def draw(self) -> None:
        """Catch up with what happened while hidden."""
        self.page.show_run(self._store.lab_run)
        self.check()

    def start(self) -> None:
        """Send the load of the form, where it can be sent."""
        self.check()
        if self._desk is not None and self.page.start.isEnabled():
            workload = self.page.form.workload()
            self._desk.start(workload, workload.name)

    def use_load(self, workload: Workload) -> None:
        """Fill the form with a former run's load."""
        self.page.form.show_workload(workload)

    def check(self, _what: object = None) -> None:
        """Say whether the form's load can be sent, and how long it would take."""
        store, page = self._store, self.page
        if not page.isVisible():
            return
        facts = store.lifecycle.facts if store.lifecycle.phase is Phase.READY else None
        going = store.lab_run is not None and store.lab_run.going
        problems = page.form.fields.problems(facts.max_model_len if facts is not None else None)
        can_start = not problems and facts is not None and not going and not self._refusal
        page.show_problem(
            "" if going else self._why_not(problems), can_start=can_start, is_fault=bool(problems or self._refusal)
        )
        page.show_estimate("" if problems or going else self._estimate())

    def _why_not(self, problems: tuple[str, ...]) -> str:
        if self._refusal:
            return self._refusal
        if problems:
            return problems[0]
        if self._store.lifecycle.phase is not Phase.READY:
            return self.tr("No model is loaded. Load one; then the load can be sent.")
        return ""

    def _estimate(self) -> str:
        run = self._store.lab_run
        rate = run.result.figures.tokens_out_per_s if run is not None and run.result is not None else None
        expected = expected_s(self.page.form.workload(), rate)
        if expected is None:
            return self.tr("How long it takes is known after the first answers.")
        return self.tr("It will take about {time}.").format(time=figures.duration(expected))

    def _take(self, run: LabRun | None) -> None:
        """Draw, not more often than it can be read; a new run and the end of one at once."""
        if run is None or not run.going or run.state == "starting":
            self._draw_newest()
        elif not self._later.isActive():
            self._later.start()

    def _draw_newest(self) -> None:
        if self.page.isVisible():
            self.draw()

    def _count(self, key: str) -> None:
        """Count a latency's distribution in a thread."""
        run = self._store.lab_run
        if run is not None:
            self._tasks.start(self._show_distribution(run, key), self.tr("Distribution"))

    async def _show_distribution(self, run: LabRun, key: str) -> None:
        samples = run.samples
        if (key == "itl" or run.left_out) and self._desk is not None and run.run_id is not None and not run.going:
            samples = await self._desk.samples(run.run_id)
        until_s = run.windows[-1].start_s + run.windows[-1].seconds if run.windows else None
        found = await count_distribution(samples, key, until_s)
        present = self._store.lab_run
        overtaken = present is None or present.run_id != run.run_id or self.page.view.distributions.key != key
        if not overtaken:
            self.page.view.show_distribution(found)

    def _show_in_timeline(self, sample: Sample) -> None:
        self._store.publish(Selection(sample.request_id))
        self._store.publish(Look("timeline"))
