"""The row above the timeline: what its colours mean, static batches, all of it, and the newest step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from app.widgets.block_map_legend import BlockLegend, LegendItem
from app.widgets.icon import IconButton
from app.widgets.timeline_words import kind_names
from engine.metrics.timeline import SpanKind

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from app.theme.tokens import Theme


def span_colours(theme: Theme) -> dict[SpanKind, str]:
    """The colour of each kind of span: who waits is pale or warns, who computes is bright."""
    return {
        SpanKind.QUEUED: theme.memory_others,
        SpanKind.PREFILL: theme.prefill,
        SpanKind.DECODE: theme.decode,
        SpanKind.PREEMPTED: theme.error,
        SpanKind.RECOMPUTE: theme.memory_rest,
    }


class TimelineToolbar(QWidget):
    """Legend at the leading side, buttons at the trailing one."""

    follow_asked = Signal(bool)
    fit_asked = Signal()
    ghosts_toggled = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.legend = BlockLegend(theme)
        self.slowest = self._button("search", self.tr("The slowest requests: their steps and blocks"))
        self.slowest.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.ghosts = self._button("models", self.tr("Show where static batches would have each request (S)"))
        self.ghosts.setCheckable(True)
        self.ghosts.toggled.connect(self.ghosts_toggled)
        fit = self._button("fit", self.tr("Show all that is kept (0)"))
        fit.clicked.connect(self.fit_asked)
        self.follow = self._button("live", self.tr("Follow the newest step (End)"))
        self.follow.setCheckable(True)
        self.follow.setChecked(True)
        self.follow.clicked.connect(self.follow_asked)
        self._buttons = QWidget()
        row = QHBoxLayout(self._buttons)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        row.addStretch(1)
        for button in (self.slowest, self.ghosts, fit, self.follow):
            row.addWidget(button)
        self._parts = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._parts.setContentsMargins(0, 0, 0, 0)
        self._parts.setSpacing(2)
        self._parts.addWidget(self.legend, 1)
        self._parts.addWidget(self._buttons)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)  # see BlockLegend
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.use_theme(theme)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        names, colours = kind_names(), span_colours(theme)
        self.legend.use_theme(theme)
        self.legend.show_items(tuple(LegendItem((colours[kind],), name) for kind, name in names.items()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The legend beside the buttons where it has room in one line, else below them in as many as it needs."""
        super().resizeEvent(event)
        beside = self.width() - self._buttons.sizeHint().width() - self._parts.spacing()
        fits = self.legend.heightForWidth(beside) <= self.legend.minimumSizeHint().height() + 1
        direction = QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.BottomToTop
        if self._parts.direction() != direction:
            self._parts.setDirection(direction)
            self.updateGeometry()

    def show_following(self, *, following: bool) -> None:
        """Show whether the view follows."""
        self.follow.setChecked(following)

    def _button(self, icon: str, label: str) -> IconButton:
        return IconButton(icon, label)
