"""What the load does at present: its state, how far it is, how long it will take, and pause and stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.widgets import figures
from app.widgets.elided_label import ElidedLabel
from app.widgets.icon import PlainButton
from app.widgets.lab_words import phase_text, state_text
from app.widgets.labels import role_label, show_role
from app.wording.engine import worded

if TYPE_CHECKING:
    from app.bridge.lab_state import LabRun

_STEPS = 1000


class RunHead(QWidget):
    """Draws a LabRun's progress. `pause_asked` carries whether to pause (or to go on)."""

    pause_asked = Signal(bool)
    stop_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._paused = False
        self._title = ElidedLabel("heading")
        self._words = ElidedLabel("muted")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, _STEPS)
        self.bar.setAccessibleName(self.tr("Progress of the load"))
        self.pause = PlainButton(self.tr("Pause"))
        self.pause.setObjectName("labPause")
        self.pause.setEnabled(False)
        self.pause.clicked.connect(lambda: self.pause_asked.emit(not self._paused))
        self.stop = PlainButton(self.tr("Stop"))
        self.stop.setObjectName("labStop")
        self.stop.clicked.connect(self.stop_asked)
        self._message = role_label("", "muted", wrap=True)
        self._message.hide()
        self._arrange()

    def show_run(self, run: LabRun) -> None:
        """Draw where it stands."""
        self._title.show_text(run.title)
        progress = run.progress
        self._paused = progress is not None and progress.phase == "paused"
        for button in (self.pause, self.stop):
            button.setVisible(run.going)
            button.setEnabled(not run.stopping)
        self.pause.setEnabled(run.state == "running" and not run.stopping)
        self.pause.setText(self.tr("Go on") if self._paused else self.tr("Pause"))
        self._show_bar(run)
        self._words.show_text(self._text(run))
        failed = run.state == "failed"
        self._message.setText(f"{worded(run.message)} {worded(run.remedy)}".strip())
        self._message.setToolTip(run.details)
        self._message.setVisible(bool(run.message))
        show_role(self._message, "error" if failed else "warning")

    def _show_bar(self, run: LabRun) -> None:
        progress = run.progress
        self.bar.setVisible(run.going)
        share = progress.share if progress is not None else None
        if share is None:
            self.bar.setRange(0, 0 if run.going else _STEPS)
        else:
            self.bar.setRange(0, _STEPS)
            self.bar.setValue(round(share * _STEPS))

    def _text(self, run: LabRun) -> str:
        progress = run.progress
        if run.stopping:
            return self.tr("stopping…")
        if not run.going or progress is None:
            return state_text(run.state)
        parts = [phase_text(progress.phase)]
        if progress.phase != "preparing":
            done = progress.successful + progress.incomplete + progress.failed
            if progress.total is not None:
                parts.append(
                    self.tr("{done} of {total}").format(done=figures.count(done), total=figures.count(progress.total))
                )
            else:
                parts.append(self.tr("{done} done").format(done=figures.count(done)))
            parts.append(_whole(progress.elapsed_s))
            if progress.left_s is not None:
                parts.append(self.tr("{time} left").format(time=_whole(progress.left_s)))
        return " · ".join(parts)

    def _arrange(self) -> None:
        names = QVBoxLayout()
        names.setSpacing(2)
        names.addWidget(self._title)
        names.addWidget(self._words)
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addLayout(names, 1)
        for button in (self.pause, self.stop):
            top.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self.bar)
        column.addWidget(self._message)


def _whole(seconds: float) -> str:
    """A time without tenths, which would only flicker."""
    return figures.duration(seconds) if seconds >= 100 else f"{figures.count(seconds)}\u202fs"
