"""Wires the lab's page of runs to the Store and the shelf."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.widgets.file_question import ask_to_save
from app.widgets.lab_runs_page import RunsPage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.bridge.lab_shelf import LabShelf
    from app.bridge.lab_state import LabRun, LabRuns
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.theme.tokens import Theme


class RunsControl(QObject):
    """Owns `page`. `opened` says that the first page is to be shown, `load_chosen` carries a load for its form."""

    opened = Signal()
    load_chosen = Signal(object)

    def __init__(self, store: Store, tasks: Tasks, shelf: LabShelf, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._store, self._tasks, self._shelf = store, tasks, shelf
        self._was_going = False
        page = self.page = RunsPage(theme)
        page.filter_changed.connect(shelf.find)
        page.delete_asked.connect(shelf.delete)
        page.undo_asked.connect(shelf.undo)
        page.baseline_asked.connect(shelf.set_baseline)
        page.notes_edited.connect(shelf.set_notes)
        page.again_asked.connect(self.load_chosen)
        page.open_asked.connect(self._open)
        page.empty.activated.connect(self.opened)
        page.export_asked.connect(self._ask_export)
        page.compare_asked.connect(lambda ids: tasks.start(self._compare(ids), self.tr("Compare")))
        store.lab_runs_changed.connect(self._take)
        store.lab_run_changed.connect(self._follow)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.page.use_theme(theme)

    def draw(self) -> None:
        """Read the list anew: another program may have added to it."""
        self._shelf.find()

    def _take(self, runs: LabRuns | None) -> None:
        if runs is not None and self.page.isVisible():
            self.page.show_runs(runs)

    def _follow(self, run: LabRun | None) -> None:
        """A run that began or ended changes the list."""
        going = run is not None and run.going
        if going != self._was_going:
            self._was_going = going
            if self.page.isVisible():
                self._shelf.find()

    def _open(self, run_id: str) -> None:
        self._shelf.show(run_id)
        self.opened.emit()

    async def _compare(self, run_ids: Sequence[str]) -> None:
        self.page.show_comparison(await self._shelf.compare(run_ids))

    def _ask_export(self, run_ids: Sequence[str]) -> None:
        kinds = {
            self.tr("Report with pictures (*.html)"): ".html",
            "CSV (*.csv)": ".csv",
            "JSON (*.json)": ".json",
            "Markdown (*.md)": ".md",
        }
        if len(run_ids) == 1:
            kinds[self.tr("Baseline for kvdeck bench (*.baseline)")] = ".baseline"

        def export(path: Path, kind: str) -> None:
            suffix = path.suffix if path.suffix in kinds.values() else kinds.get(kind, ".html")
            self._shelf.export(run_ids, path.with_suffix(suffix))

        ask_to_save(self.page, self.tr("Export runs"), "run.html", ";;".join(kinds), export)
