"""The roofline beside what it tells, and the line about the measured limits under both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.widgets.empty_state import EmptyState
from app.widgets.labels import role_label
from app.widgets.roofline_findings import FindingList
from app.widgets.roofline_limits import LimitsLine
from app.widgets.roofline_plot import RooflinePlot

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from app.theme.tokens import Theme
    from engine.metrics.roofline import Roof
    from engine.metrics.roofline_advice import Finding
    from engine.metrics.roofline_window import Standing


_WIDE_FROM = 520


class RooflinePage(QWidget):
    """Draws what it is told."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot = RooflinePlot(theme)
        self.findings = FindingList()
        self.limits = LimitsLine()
        self.note = role_label("", "muted", wrap=True)
        self._empty = EmptyState("help", "", "")
        self._empty.hide()
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setAccessibleName(self.tr("What the roofline tells"))
        self._scroll.setWidget(self.findings)
        side = QVBoxLayout()
        side.setSpacing(6)
        side.addWidget(self.note)
        side.addWidget(self._scroll, 1)
        side.addWidget(self.limits, alignment=Qt.AlignmentFlag.AlignBottom)
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._parts.setContentsMargins(0, 0, 0, 0)
        self._parts.setSpacing(8)
        self._parts.addWidget(self.plot, 5)
        self._parts.addWidget(self._empty, 9)
        self._parts.addLayout(side, 6)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Plot and words beside each other where there is room, else one under the other."""
        super().resizeEvent(event)
        wide = self.width() > 1.2 * self.height() and self.width() >= _WIDE_FROM
        self._parts.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)

    def show_all(self, standing: Standing | None, roof: Roof | None, found: tuple[Finding, ...], note: str) -> None:
        """Draw this; `note` says what is missing."""
        self.plot.show_standing(standing, roof)
        self.findings.show_findings(found)
        is_blank = standing is None and roof is None  # axes without anything on them say nothing
        self.plot.setVisible(not is_blank)
        self._empty.setVisible(is_blank)
        self._scroll.setVisible(bool(found) or not is_blank)
        if is_blank:
            self._empty.show_state("help", self.tr("How close to the limit"), note)
        self.note.setText(note)
        self.note.setVisible(bool(note) and not is_blank)
