"""The tray of engines that wait: what each holds, and the way to wake or to end it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.widgets.elided_label import ElidedLabel
from app.widgets.icon import IconButton, IconLabel, PlainButton, Tint
from app.widgets.labels import role_label
from app.widgets.sleeper_words import held_text, limits_text, since_text
from app.widgets.tab_order import tab_through
from engine.domain.lifecycle import Phase
from engine.domain.sleepers import Keep, Sleepers

if TYPE_CHECKING:
    from engine.domain.sleepers import Sleeper

_BUSY = (Phase.LOADING, Phase.UNLOADING)


class SleeperTray(QWidget):
    """One line a model. Hidden where none waits and none is to be kept."""

    wake_asked = Signal(str)
    end_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sleeperTray")
        self.setAccessibleName(self.tr("Models that wait"))
        self._tray = Sleepers()
        self._phase = Phase.OFFLINE
        self._rows: list[_Row] = []
        self._title = role_label(self.tr("Waiting models"), "panelTitle")
        self._limits = ElidedLabel("caption")
        self._all = PlainButton(self.tr("End all"), "link")
        self._all.setObjectName("endSleepers")
        self._all.setToolTip(self.tr("End all models that wait, and give their memory back"))
        self._all.clicked.connect(lambda: self.end_asked.emit(""))
        self._none = role_label(self.tr("The next model that you switch away from waits here."), "caption", wrap=True)
        self._list = QVBoxLayout()
        self._arrange()
        self._draw()

    @property
    def rows(self) -> tuple[_Row, ...]:
        """The lines, top down."""
        return tuple(self._rows)

    def show_tray(self, tray: Sleepers, phase: Phase) -> None:
        """Show who waits; nothing can be woken while an engine loads."""
        if (tray, phase) != (self._tray, self._phase):
            self._tray, self._phase = tray, phase
            self._draw()

    def _draw(self) -> None:
        waiting = self._tray.waiting
        old = {row.checkpoint: row for row in self._rows}
        self._rows = [old.pop(each.checkpoint) if each.checkpoint in old else self._new_row(each) for each in waiting]
        for row in old.values():
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        for place, (row, sleeper) in enumerate(zip(self._rows, waiting, strict=True)):
            row.show_sleeper(sleeper, may_wake=self._phase not in _BUSY)
            if self._list.indexOf(row) != place:
                self._list.insertWidget(place, row)
        tab_through(self._all, self._rows)
        self._limits.show_text(limits_text(self._tray))
        self._limits.setVisible(bool(waiting))
        self._all.setVisible(len(waiting) > 1)
        self._none.setVisible(not waiting)
        self.setVisible(bool(waiting) or self._tray.policy.keep is not Keep.OFF)

    def _new_row(self, sleeper: Sleeper) -> _Row:
        row = _Row(sleeper.checkpoint)
        row.wake.clicked.connect(partial(self.wake_asked.emit, sleeper.checkpoint))
        row.end.clicked.connect(partial(self.end_asked.emit, sleeper.checkpoint))
        return row

    def _arrange(self) -> None:
        line = QFrame()
        line.setObjectName("divider")
        line.setFixedHeight(1)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._title)
        head.addStretch(1)
        head.addWidget(self._all)
        self._list.setSpacing(2)
        inner = QVBoxLayout()
        inner.setContentsMargins(16, 6, 8, 8)
        inner.setSpacing(4)
        inner.addLayout(head)
        inner.addWidget(self._limits)
        inner.addWidget(self._none)
        inner.addLayout(self._list)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(line)
        column.addLayout(inner)


class _Row(QWidget):
    """Name and figures of one model, Wake and End."""

    def __init__(self, checkpoint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.checkpoint = checkpoint
        self._name = ElidedLabel("", middle=True)  # variants of one model differ in how they end
        self._held = role_label("", "caption", wrap=True)
        self.wake = PlainButton(self.tr("Wake"))
        self.wake.setObjectName("wakeSleeper")
        self.end = IconButton("close", self.tr("End"))
        self.end.setObjectName("endSleeper")
        top = Qt.AlignmentFlag.AlignTop
        lower = QHBoxLayout()
        lower.setSpacing(8)
        lower.addWidget(self._held, 1, top)
        lower.addWidget(self.wake, 0, top)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 2, 0, 2)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        grid.addWidget(IconLabel("moon", 16, Tint.MUTED), 0, 0)
        grid.addWidget(self._name, 0, 1)
        grid.addWidget(self.end, 0, 2)
        grid.addLayout(lower, 1, 1, 1, 2)

    def show_sleeper(self, sleeper: Sleeper, *, may_wake: bool) -> None:
        """Draw the newest figures."""
        self._name.show_text(sleeper.name)
        self._held.setText(held_text(sleeper))
        self.setToolTip(since_text(sleeper))
        self.setAccessibleName(f"{sleeper.name}, {held_text(sleeper)}")
        self.wake.setEnabled(may_wake)
        self.wake.setAccessibleName(self.tr("Wake {name}").format(name=sleeper.name))
        self.end.setAccessibleName(self.tr("End {name}").format(name=sleeper.name))
        self.end.setToolTip(self.tr("End {name}, and give its memory back").format(name=sleeper.name))
