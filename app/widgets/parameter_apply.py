"""The bar under the table: one button that brings all edits into force, the way back, and what it will cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.widgets.icon import PlainButton
from app.widgets.labels import role_label
from app.widgets.segmented import Segmented

if TYPE_CHECKING:
    from app.tables.parameters import ApplyPlan


class ApplyBar(QWidget):
    """Hidden while nothing is edited. `apply_asked` carries "drain" or "preempt"."""

    apply_asked = Signal(str)
    live_asked = Signal(str)
    revert_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("applyBar")
        self._note = role_label("", "caption", wrap=True)
        self._mode = Segmented(
            self.tr("Requests over the new limit"),
            (("drain", self.tr("Let them finish")), ("preempt", self.tr("Preempt"))),
        )
        self._mode.show_key("drain")
        self._mode.button("drain").setToolTip(
            self.tr("No new request starts until enough have finished. Nothing is computed twice.")
        )
        self._mode.button("preempt").setToolTip(
            self.tr("The surplus goes back to the queue at once and is recomputed later. Nothing is lost.")
        )
        self.apply = PlainButton("", "primary")
        self.apply.setObjectName("applyButton")
        self.apply.clicked.connect(lambda: self.apply_asked.emit(self._mode.key or "drain"))
        self.live = PlainButton("")
        self.live.setObjectName("applyLiveButton")
        self.live.clicked.connect(lambda: self.live_asked.emit(self._mode.key or "drain"))
        self.revert = PlainButton(self.tr("Revert"), "quiet")
        self.revert.setObjectName("revertButton")
        self.revert.setToolTip(self.tr("Forget all edits that are not in force"))
        self.revert.clicked.connect(self.revert_asked)
        self._arrange()
        self.hide()

    def show_plan(self, plan: ApplyPlan, *, any_edit: bool, blocked: bool, running: int | None) -> None:
        """Say what the button will do; `blocked` while a value contradicts another or does not fit its row."""
        self.setVisible(any_edit or blocked)
        now, later = len(plan.live_names), len(plan.reload_names)
        self.apply.setText(self._apply_text(plan, now, later))
        self.apply.setEnabled(not blocked and not plan.is_empty and (not plan.waiting or plan.can_load))
        self.live.setText(self.tr("Only the {} now").format(now))
        self.live.setVisible(bool(now and later))
        self.live.setEnabled(not blocked)
        self._mode.setVisible(plan.lowers_seqs)
        self._note.setText(self._note_text(plan, later, running, blocked=blocked))
        self._note.setVisible(bool(self._note.text()))
        names = ", ".join((*plan.live_names, *plan.reload_names))
        self.apply.setToolTip(names)
        self.live.setToolTip(", ".join(plan.live_names))

    def _apply_text(self, plan: ApplyPlan, now: int, later: int) -> str:
        if plan.waiting:
            if plan.can_load:
                return self.tr("Load with {} changed").format(plan.waiting)
            return self.tr("{} in force at the next load").format(plan.waiting)
        if now and later:
            return self.tr("Apply {now} now, reload for {later}").format(now=now, later=later)
        if later:
            return self.tr("Reload for {}").format(later)
        return self.tr("Apply {} now").format(now)

    def _note_text(self, plan: ApplyPlan, later: int, running: int | None, *, blocked: bool) -> str:
        if blocked:
            return self.tr("A value marked in red has to be changed first.")
        if later and running:
            return self.tr("A reload ends the requests that run: {}.").format(running)
        if plan.lowers_any and not later:
            return self.tr("Lowering frees no VRAM: buffers and KV cache keep the size they got at load.")
        return ""

    def _arrange(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        buttons.addWidget(self.apply, 1)
        buttons.addWidget(self.revert)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 8, 12, 8)
        column.setSpacing(6)
        column.addWidget(self._note)
        column.addWidget(self._mode)
        column.addLayout(buttons)
        column.addWidget(self.live)
