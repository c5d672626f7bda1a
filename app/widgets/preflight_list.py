"""What is worth knowing before a load, one line each, with the one click that mends it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.widgets.elided_label import ElidedLabel
from app.widgets.figures import count, significant
from app.widgets.icon import IconLabel, PlainButton, Tint
from app.widgets.tab_order import tab_through
from app.wording.engine import worded
from engine.checkpoints.advice import Level

if TYPE_CHECKING:
    from engine.checkpoints.advice import Advice

_ICONS = {
    Level.BLOCKS: ("error", Tint.ERROR),
    Level.WARNS: ("warning", Tint.MUTED),
    Level.TELLS: ("info", Tint.FAINT),
}


class PreflightList(QWidget):
    """Lines of advice; hovering shows the whole sentence with its remedy."""

    mend_asked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Before the load"))
        self.advice: tuple[Advice, ...] = ()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 0, 12, 4)
        self._column.setSpacing(3)
        self.hide()

    def show_advice(self, advice: tuple[Advice, ...]) -> None:
        """Show these, the gravest first; costs nothing when they are the same."""
        if advice == self.advice:
            return
        self.advice = advice
        while self._column.count():
            item = self._column.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        lines = [self._line(each) for each in advice]
        for line in lines:
            self._column.addWidget(line)
        tab_through(self, lines)
        self.setVisible(bool(advice))

    def _offer(self, advice: Advice) -> str:
        value = advice.edits[0][1]
        if isinstance(value, bool) or not isinstance(value, int | float) or len(advice.edits) > 1:
            return self.tr("Set")
        return self.tr("Use {value}").format(value=count(value) if isinstance(value, int) else significant(value, 3))

    def _line(self, advice: Advice) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        icon, tint = _ICONS[advice.level]
        row.addWidget(IconLabel(icon, 14, tint), alignment=Qt.AlignmentFlag.AlignVCenter)
        words = ElidedLabel("caption")
        message, remedy = worded(advice.message), worded(advice.remedy)
        words.show_text(message)
        words.setToolTip(f"{message} {remedy}".strip())
        row.addWidget(words, 1)
        if advice.edits or advice.orphans or advice.ends_sleepers:
            mend = PlainButton(self._offer(advice) if advice.edits else self.tr("End"), "link")
            mend.setToolTip(remedy)
            mend.setAccessibleDescription(remedy)
            mend.clicked.connect(partial(self.mend_asked.emit, advice))
            row.addWidget(mend)
        return line
