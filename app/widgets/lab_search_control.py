"""Wires the lab's page of searches to the Store and to the process that carries them out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.widgets.empty_state import EmptyState
from app.widgets.lab_job_control import JobControl
from app.widgets.lab_job_page import JobPage
from app.widgets.lab_search_form import SearchForm
from app.widgets.lab_search_view import SearchView
from engine.tuner.presets import live_axes

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QObject

    from app.bridge.lab_search import LabSearch
    from app.bridge.lab_state import LabApplied
    from app.bridge.store import Store
    from app.theme.tokens import Theme
    from engine.bench.workload import Workload


class SearchControl(JobControl):
    """Owns `page`. `workload` answers the load of the first page, which is the one that is searched with."""

    form: SearchForm
    view: SearchView

    def __init__(
        self, store: Store, search: LabSearch, workload: Callable[[], Workload], theme: Theme, refusal: str,
        parent: QObject,
    ) -> None:  # fmt: skip
        super().__init__(store, search, refusal, parent, of_formats=False)
        self._workload = workload
        self.form, self.view = SearchForm(), SearchView(theme)
        empty = EmptyState(
            "parameters",
            self.tr("Let it search"),
            self.tr("The tuner finds the parameters with the most goodput under your SLOs, shows what it tried and "
                    "why, and puts back what was in force before. A click applies a point."),
        )  # fmt: skip
        self.page = JobPage(self.form, self.view, empty, self.tr("Start the search"))
        self._connect()
        self.view.apply_asked.connect(search.apply)
        self.view.roll_back_asked.connect(search.roll_back)
        store.lab_applied_changed.connect(self._take_applied)
        store.limits_changed.connect(self.check)

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
        store = self._store
        if not self.page.isVisible():
            return
        if store.limits is not None:
            self.form.show_axes(live_axes(store.limits))
        workload = self._workload()
        self.form.load.setText(self.tr("{load} (set it up on the first page)").format(load=workload.name))
        self._show_problem(self.form.problem(workload), self.tr("No model is loaded. Load one first."))

    def _take_applied(self, applied: LabApplied) -> None:
        self.view.show_applied(applied)

    def _texts(self) -> dict[str, str]:
        return {"finished": self.tr("finished"), "cancelled": self.tr("cancelled"),
                "unfinished": self.tr("cut short")}  # fmt: skip
