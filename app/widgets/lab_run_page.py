"""The lab's first page: the load's set-up at the leading side, the run at the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.widgets.empty_state import EmptyState
from app.widgets.icon import PlainButton
from app.widgets.lab_form import LoadForm
from app.widgets.lab_run_view import RunView
from app.widgets.labels import role_label, show_role
from app.widgets.last_resort_scroll import LastResortScroll
from app.widgets.panel_splitter import PanelSplitter

if TYPE_CHECKING:
    from app.bridge.lab_state import LabRun
    from app.theme.tokens import Theme

_FORM_WIDTH = 308
_LEAST_LINES = QSize(14, 8)  # of what is beside the form, in heights of a line of text: with less it scrolls


class RunPage(QWidget):
    """`start_asked` says that the load of `form` is to be sent."""

    start_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.form = LoadForm()
        self.view = RunView(theme)
        self.start = PlainButton(self.tr("Start the load"), "primary")
        self.start.setObjectName("labStart")
        self.start.clicked.connect(self.start_asked)
        self._problem = role_label("", "error", wrap=True)
        self._problem.setObjectName("labProblem")
        self._estimate = role_label("", "caption", wrap=True)
        self.empty = EmptyState(
            "play",
            self.tr("Measure this engine"),
            self.tr(
                "A load is sent from a process of its own, as users' programs would send it. Its charts and figures "
                "will be here, and every run is kept."
            ),
        )
        self._right = QStackedWidget()
        self._right.addWidget(self.empty)
        self._shown = LastResortScroll(self.view, _LEAST_LINES)
        self._right.addWidget(self._shown)
        self._arrange()

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.view.use_theme(theme)

    def show_problem(self, text: str, *, can_start: bool, is_fault: bool = True) -> None:
        """Say what keeps the load from being sent, if anything; what is nobody's fault is no error."""
        self._problem.setText(text)
        show_role(self._problem, "error" if is_fault else "muted")
        self._problem.setVisible(bool(text))
        self.start.setEnabled(can_start)

    def show_estimate(self, text: str) -> None:
        """Say how long it will take."""
        self._estimate.setText(text)
        self._estimate.setVisible(bool(text))

    def show_run(self, run: LabRun | None) -> None:
        """Draw the run, or say what will be here."""
        self._right.setCurrentWidget(self.empty if run is None else self._shown)
        self.form.set_editable(run is None or not run.going)
        self.start.setText(self.tr("A load is being sent") if run is not None and run.going
                           else self.tr("Start the load"))  # fmt: skip
        if run is not None:
            self.view.show_run(run)

    def _arrange(self) -> None:
        footer = QVBoxLayout()
        footer.setContentsMargins(16, 6, 12, 10)
        footer.setSpacing(6)
        for widget in (self._problem, self._estimate, self.start):
            footer.addWidget(widget)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.form, 1)
        column.addLayout(footer)
        splitter = PanelSplitter(Qt.Orientation.Horizontal, ((left, 3), (self._right, 7)))
        splitter.setStretchFactor(0, 0)
        splitter.setChildrenCollapsible(False)
        splitter.setSizes([_FORM_WIDTH, 10_000])
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(splitter)
