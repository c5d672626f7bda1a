"""The lab: send a load, watch it, keep what it came to, compare, and let it search for better settings."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.bridge.store import Look, Selection
from app.panels.panel import Panel
from app.widgets import figures
from app.widgets.segmented import Segmented
from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QShowEvent

    from app.bridge.lab_state import LabRun
    from app.panels.panel import PanelContext
    from app.theme.tokens import Theme
    from app.widgets.lab_run_page import RunPage
    from engine.bench.sample import Sample

_DRAW_EVERY_S = 0.1
_MARGIN = 14


class LabPanel(Panel):
    """Wires the lab's pages to its desk. Pages are made when they are first looked at; a hidden one draws nothing."""

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self.run_page: RunPage | None = None
        self._drawn_s = 0.0
        self.pages = Segmented(self.tr("Page of the lab"), (("run", self.tr("Run")),))
        self.pages.show_key("run")
        self.stack = QStackedWidget()
        top = QHBoxLayout()
        top.setContentsMargins(_MARGIN, 0, _MARGIN, 6)
        top.addWidget(self.pages)
        top.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.stack, 1)
        self.setFocusProxy(self.pages.button("run"))
        store = context.store
        store.lab_run_changed.connect(self._take_run)
        store.lifecycle_changed.connect(self._check)
        context.themes.changed.connect(self._use_theme)
        self._add_actions()

    def _add_actions(self) -> None:
        entries: tuple[tuple[str, Callable[[], object]], ...] = (
            (self.tr("Start the load"), self.start),
            (self.tr("Pause the load, or go on"), lambda: self._need_run_page().view.head.pause.click()),
            (self.tr("Stop the load"), lambda: self._need_run_page().view.head.stop.click()),
        )
        for text, act in entries:
            action = QAction(text, self)
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            action.triggered.connect(lambda _checked=False, act=act: act())
            self.addAction(action)

    # The run page

    def start(self) -> None:
        """Send the load of the form, where it can be sent."""
        page, lab = self._need_run_page(), self.context.lab
        self._check()
        if lab is not None and page.start.isEnabled():
            workload = page.form.workload()
            lab.start(workload, workload.name)

    def _need_run_page(self) -> RunPage:
        """Made when it is first looked at."""
        if self.run_page is None:
            from app.widgets.lab_run_page import RunPage

            page = self.run_page = RunPage(self.context.themes.current)
            page.start_asked.connect(self.start)
            page.form.changed.connect(self._check)
            lab = self.context.lab
            if lab is not None:
                page.view.head.pause_asked.connect(lambda pause: lab.pause() if pause else lab.resume())
                page.view.head.stop_asked.connect(lambda: lab.stop())
            page.view.distribution_asked.connect(self._count)
            page.view.requests.timeline_asked.connect(self._show_in_timeline)
            self.stack.addWidget(page)
            page.show_run(self.context.store.lab_run)
            self._check()
        return self.run_page

    def _take_run(self, run: LabRun | None) -> None:
        page = self.run_page
        if page is None or not self.isVisible():
            return
        clock = time.monotonic()
        ended = run is not None and not run.going
        if ended or clock - self._drawn_s >= _DRAW_EVERY_S:
            self._drawn_s = clock
            page.show_run(run)
            self._check()

    def _check(self, _what: object = None) -> None:
        """Whether the form's load can be sent, and how long it would take."""
        page, store = self.run_page, self.context.store
        if page is None or not self.isVisible():
            return
        facts = store.lifecycle.facts if store.lifecycle.phase is Phase.READY else None
        going = store.lab_run is not None and store.lab_run.going
        problems = page.form.fields.problems(facts.max_model_len if facts is not None else None)
        page.show_problem(self._why_not(problems, going=going),
                          can_start=not problems and facts is not None and not going)  # fmt: skip
        page.show_estimate("" if problems or going else self._estimate())

    def _why_not(self, problems: tuple[str, ...], *, going: bool) -> str:
        if going:
            return ""
        if problems:
            return problems[0]
        if self.context.replay is not None:
            return self.tr("This window replays a recording. Start KVDeck without one to send a load.")
        if self.context.store.lifecycle.phase is not Phase.READY:
            return self.tr("No model is loaded. Load one; then the load can be sent.")
        return ""

    def _estimate(self) -> str:
        from app.widgets.lab_estimate import expected_s

        page, run = self._need_run_page(), self.context.store.lab_run
        rate = run.result.figures.tokens_out_per_s if run is not None and run.result is not None else None
        expected = expected_s(page.form.workload(), rate)
        if expected is None:
            return self.tr("How long it takes is known after the first answers.")
        return self.tr("It will take about {time}.").format(time=figures.duration(expected))

    def _count(self, key: str) -> None:
        """Count a latency's distribution in a thread; a wish that was overtaken by another is dropped."""
        run = self.context.store.lab_run
        if run is not None:
            self.context.tasks.start(self._show_distribution(run, key), self.tr("Distribution"))

    async def _show_distribution(self, run: LabRun, key: str) -> None:
        from app.widgets.lab_distributions import count_distribution

        lab = self.context.lab
        samples = run.samples
        if key == "itl" and lab is not None and run.run_id is not None and not run.going:
            samples = await lab.samples(run.run_id)
        until_s = run.windows[-1].start_s + run.windows[-1].seconds if run.windows else None
        found = await count_distribution(samples, key, until_s)
        page = self.run_page
        if page is not None and page.view.distributions.key == key:
            page.view.show_distribution(found)

    def _show_in_timeline(self, sample: Sample) -> None:
        self.context.store.publish(Selection(sample.request_id))
        self.context.store.publish(Look("timeline"))

    # The panel as a whole

    def _use_theme(self, theme: Theme) -> None:
        if self.run_page is not None:
            self.run_page.use_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while hidden."""
        super().showEvent(event)
        page = self._need_run_page()
        page.show_run(self.context.store.lab_run)
        self._check()
