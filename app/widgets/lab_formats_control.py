"""Wires the lab's page of formats to the Store and to the process that compares them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.widgets.empty_state import EmptyState
from app.widgets.lab_formats_form import FormatsForm
from app.widgets.lab_formats_view import FormatsView
from app.widgets.lab_job_control import JobControl
from app.widgets.lab_job_page import JobPage

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from app.bridge.lab_search import LabSearch
    from app.bridge.store import Store
    from app.theme.tokens import Theme


class FormatsControl(JobControl):
    """Owns `page`."""

    form: FormatsForm
    view: FormatsView

    def __init__(self, store: Store, search: LabSearch, theme: Theme, refusal: str, parent: QObject) -> None:
        super().__init__(store, search, refusal, parent, of_formats=True)
        self.form, self.view = FormatsForm(), FormatsView(theme)
        empty = EmptyState(
            "models",
            self.tr("Which format is worth it?"),
            self.tr("One model in its formats, and plain transformers beside them: what each weighs, holds and does on "
                    "this machine, and what it costs in perplexity."),
        )  # fmt: skip
        self.page = JobPage(self.form, self.view, empty, self.tr("Start the comparison"))
        self._connect()
        store.library_changed.connect(self.check)

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
        store = self._store
        if not self.page.isVisible():
            return
        self.form.show_library(store.library, store.lifecycle.checkpoint)
        self._show_problem(self.form.problem(), self.tr("No model is loaded. Load one first."))

    def _texts(self) -> dict[str, str]:
        return {"finished": self.tr("finished"), "cancelled": self.tr("cancelled"),
                "unfinished": self.tr("cut short")}  # fmt: skip
