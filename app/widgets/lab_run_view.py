"""One run, going on or over: its head, its main figures, and its charts, figures, distributions or requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.widgets import figures
from app.widgets.block_map_figures import FigureRow
from app.widgets.lab_distributions import DistributionView
from app.widgets.lab_figures_table import FiguresTable
from app.widgets.lab_live_charts import LiveCharts, marks_of
from app.widgets.lab_requests import RequestsView
from app.widgets.lab_run_figures import run_figures
from app.widgets.lab_run_head import RunHead
from app.widgets.labels import role_label
from app.widgets.segmented import Segmented

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from app.bridge.lab_state import LabRun
    from app.theme.tokens import Theme
    from app.widgets.lab_distributions import Distribution

VIEWS = ("charts", "figures", "distributions", "requests")


class RunView(QWidget):
    """Draws a LabRun. Only the part that is looked at is drawn.

    `distribution_asked` carries a latency's key where its distribution is wanted; it comes back by
    `show_distribution`.
    """

    distribution_asked = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._run: LabRun | None = None
        self.head = RunHead()
        self.figures = FigureRow(theme)
        self.views = Segmented(
            self.tr("View of the run"),
            (("charts", self.tr("Over time")), ("figures", self.tr("Figures")),
             ("distributions", self.tr("Distributions")), ("requests", self.tr("Requests"))),
        )  # fmt: skip
        self.views.show_key("charts")
        self.charts = LiveCharts(theme)
        self.table = FiguresTable()
        self.distributions = DistributionView(theme)
        self.requests = RequestsView()
        self._left_out = role_label("", "caption")
        self.stack = QStackedWidget()
        for widget in (self.charts, self.table, self.distributions, self.requests):
            self.stack.addWidget(widget)
        self._arrange()
        self.views.chosen.connect(self._show_view)
        self.distributions.key_chosen.connect(self.distribution_asked)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.figures.use_theme(theme)
        self.charts.use_theme(theme)
        self.distributions.use_theme(theme)
        if self._run is not None:
            self.show_run(self._run)

    def show_run(self, run: LabRun) -> None:
        """Draw this run as far as it is known."""
        known = self._run
        self._run = run
        if known is None or known.run_id != run.run_id or known.state == "starting":
            self.charts.span.show_all()
        self.head.show_run(run)
        self.figures.show_figures(run_figures(run, self._theme))
        self._draw_view(run)

    def show_view(self, key: str) -> None:
        """Look at one of VIEWS."""
        self.views.show_key(key)
        self._show_view(key)

    def show_distribution(self, found: Distribution | None) -> None:
        """Draw what `distribution_asked` asked for."""
        run = self._run
        empty = self.tr("No request has ended yet.")
        if run is not None and run.going and self.distributions.key == "itl":
            empty = self.tr("The gaps between tokens are counted once the run is over.")
        elif run is not None and not run.going:
            empty = self.tr("Nothing was measured of this.")
        self.distributions.show_distribution(found, marks_of(run.changes) if run is not None else (), empty)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what came while hidden."""
        super().showEvent(event)
        if self._run is not None:
            self._draw_view(self._run)

    def _show_view(self, key: str) -> None:
        self.stack.setCurrentIndex(VIEWS.index(key))
        if self._run is not None:
            self._draw_view(self._run)

    def _draw_view(self, run: LabRun) -> None:
        told = self.tr("Of {all} requests {shown} are shown; all of them are kept.").format(
            all=figures.count(run.left_out + len(run.samples)), shown=figures.count(len(run.samples))
        )
        self._left_out.setText(told)
        self._left_out.setVisible(bool(run.left_out) and self.views.key in ("distributions", "requests"))
        match self.views.key:
            case "charts":
                self.charts.show_empty(self._why_empty(run))
                self.charts.show_run(run.windows, run.engine, run.changes, run.workload.slos)
            case "figures":
                self.table.show_figures(run.result.figures if run.result is not None else None)
            case "distributions":
                self.distribution_asked.emit(self.distributions.key)
            case _:
                self.requests.show_samples(run.samples)

    def _why_empty(self, run: LabRun) -> str:
        if not run.going:
            return self.tr("Nothing was measured.")
        return self.tr("The first figures come about a second after the first request.")

    def _arrange(self) -> None:
        bar = QHBoxLayout()
        bar.addWidget(self.views)
        bar.addWidget(self._left_out, 1, Qt.AlignmentFlag.AlignTrailing)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 0, 16, 8)
        column.setSpacing(8)
        column.addWidget(self.head)
        column.addWidget(self.figures)
        column.addLayout(bar)
        column.addWidget(self.stack, 1)
