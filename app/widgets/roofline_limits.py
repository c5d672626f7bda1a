"""The line about the measured limits: what they are, and the button that measures them, or stops that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QSizePolicy, QWidget

from app.widgets.icon import PlainButton
from app.widgets.labels import role_label
from app.widgets.roofline_words import ceilings_text
from app.wording.engine import worded

if TYPE_CHECKING:
    from engine.domain.roofline import CeilingsState


class LimitsLine(QWidget):
    """Shows a CeilingsState. While an engine is loaded, measuring asks for a second press: both disturb each other."""

    measure_asked = Signal()
    cancel_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state: CeilingsState | None = None
        self._engine_runs = False
        self._warned = False
        self.text = role_label("", "caption", wrap=True)
        self.bar = QProgressBar()
        self.bar.setRange(0, 100)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(96)
        self.bar.setAccessibleName(self.tr("Measuring the limits"))
        self.button = PlainButton("")
        self.button.setObjectName("measureLimits")
        self.button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.button.clicked.connect(self._press)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.text, 1)
        row.addWidget(self.bar)
        row.addWidget(self.button)

    def show_state(self, state: CeilingsState, *, engine_runs: bool, possible: bool) -> None:
        """Show this; `possible` is False where there is nobody to measure (a replay)."""
        if not engine_runs or state.running:
            self._warned = False
        self._state, self._engine_runs = state, engine_runs
        self.button.setVisible(possible)
        self.bar.setVisible(state.running)
        self.bar.setValue(round(state.progress * 100))
        self._write()

    def _write(self) -> None:
        state = self._state
        if state is None:
            return
        if state.running:
            text = self.tr("Measuring: {0}. A running engine is slower meanwhile.").format(state.step)
            name = self.tr("Stop")
        elif self._warned:
            text = self.tr("An engine is loaded: measuring slows it for ten seconds, and it lowers what is measured.")
            name = self.tr("Measure all the same")
        elif state.error is not None:
            text, name = f"{worded(state.error)} {worded(state.remedy)}".strip(), self.tr("Measure again")
        else:
            text = ceilings_text(state.ceilings)
            name = self.tr("Measure") if state.ceilings is None else self.tr("Measure again")
        self.text.setText(text)
        self.button.setText(name)
        self.button.show_kind("primary" if state.ceilings is None and not state.running else "")

    def _press(self) -> None:
        state = self._state
        if state is None:
            return
        if state.running:
            self.cancel_asked.emit()
        elif self._engine_runs and not self._warned:
            self._warned = True
            self._write()
        else:
            self._warned = False
            self.measure_asked.emit()
