"""The lab: send a load, watch it, keep what it came to, compare, and let it search for better settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.panels.panel import Panel
from app.widgets.segmented import Segmented

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QShowEvent

    from app.panels.panel import PanelContext
    from app.theme.tokens import Theme
    from app.widgets.lab_formats_control import FormatsControl
    from app.widgets.lab_run_control import RunControl
    from app.widgets.lab_runs_control import RunsControl
    from app.widgets.lab_search_control import SearchControl
    from engine.bench.workload import Workload

_MARGIN = 16


class LabPanel(Panel):
    """The lab's pages, each made when it is first looked at; one that is hidden draws nothing."""

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._run: RunControl | None = None
        self._runs: RunsControl | None = None
        self._search: SearchControl | None = None
        self._formats: FormatsControl | None = None
        replays = self.tr("This window replays a recording. Start KVDeck without one to send a load.")
        self._refusal = replays if context.replay is not None else ""
        self.pages = Segmented(
            self.tr("Page of the lab"),
            (("run", self.tr("Load")), ("runs", self.tr("Runs")), ("search", self.tr("Tune")),
             ("formats", self.tr("Formats"))),
        )  # fmt: skip
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
        self.lead_to(self.pages.button("run"))
        self.pages.chosen.connect(self.show_page)
        context.themes.changed.connect(self._use_theme)
        self._add_actions()

    @property
    def run(self) -> RunControl:
        """The page that sends a load and shows its run."""
        if self._run is None:
            from app.widgets.lab_run_control import RunControl

            context = self.context
            desk, theme = context.lab.desk if context.lab is not None else None, context.themes.current
            self._run = RunControl(context.store, context.tasks, desk, theme, self._refusal, self)
            self.stack.addWidget(self._run.page)
        return self._run

    @property
    def runs(self) -> RunsControl | None:
        """The page of the runs that are kept; None where there is no desk."""
        if self._runs is None and self.context.lab is not None:
            from app.widgets.lab_runs_control import RunsControl

            context = self.context
            self._runs = RunsControl(
                context.store, context.tasks, self.context.lab.shelf, context.themes.current, self
            )
            self._runs.opened.connect(lambda: self.show_page("run"))
            self._runs.load_chosen.connect(self._use_load)
            self.stack.addWidget(self._runs.page)
        return self._runs

    @property
    def search(self) -> SearchControl | None:
        """The page that tunes, sweeps and lays A against B; None where there is no lab."""
        if self._search is None and self.context.lab is not None:
            from app.widgets.lab_search_control import SearchControl

            context = self.context
            self._search = SearchControl(
                context.store, self.context.lab.search, self.run.page.form.workload, context.themes.current,
                self._refusal, self,
            )  # fmt: skip
            self.stack.addWidget(self._search.page)
        return self._search

    @property
    def formats(self) -> FormatsControl | None:
        """The page that compares a model's formats; None where there is no lab."""
        if self._formats is None and self.context.lab is not None:
            from app.widgets.lab_formats_control import FormatsControl

            context = self.context
            self._formats = FormatsControl(
                context.store, self.context.lab.search, context.themes.current, self._refusal, self
            )
            self.stack.addWidget(self._formats.page)
        return self._formats

    def show_page(self, key: str) -> None:
        """Bring a page to the front: "run", "runs", "search" or "formats"."""
        self.pages.show_key(key)
        control = self._control(key)
        if control is not None:
            self.stack.setCurrentWidget(control.page)
            control.draw()

    def _control(self, key: str) -> RunControl | RunsControl | SearchControl | FormatsControl | None:
        match key:
            case "runs":
                return self.runs
            case "search":
                return self.search
            case "formats":
                return self.formats
            case _:
                return self.run

    def _use_load(self, workload: Workload) -> None:
        self.show_page("run")
        self.run.use_load(workload)

    def _add_actions(self) -> None:
        entries: tuple[tuple[str, Callable[[], object]], ...] = (
            (self.tr("Start the load"), lambda: self.run.start()),
            (self.tr("Pause the load, or go on"), lambda: self.run.page.view.head.pause.click()),
            (self.tr("Stop the load"), lambda: self.run.page.view.head.stop.click()),
            (self.tr("Go to the slowest request"), lambda: self.run.page.view.requests.show_slowest()),
        )
        for text, act in entries:
            action = QAction(text, self)
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            action.triggered.connect(lambda _checked=False, act=act: act())
            self.addAction(action)

    def _use_theme(self, theme: Theme) -> None:
        for control in (self._run, self._runs, self._search, self._formats):
            if control is not None:
                control.use_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while hidden."""
        super().showEvent(event)
        self.show_page(self.pages.key or "run")
