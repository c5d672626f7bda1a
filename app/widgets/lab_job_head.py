"""Where a search or comparison stands: what happens now, how far it is, the best so far, and the way to end it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.widgets import figures
from app.widgets.elided_label import ElidedLabel
from app.widgets.file_question import ask_to_save
from app.widgets.icon import PlainButton
from app.widgets.lab_sentences import sentence
from app.widgets.labels import role_label, show_role
from app.wording.engine import worded

if TYPE_CHECKING:

    from app.bridge.lab_state import LabJob

_STEPS = 1000


class JobHead(QWidget):
    """Draws a LabJob's progress."""

    cancel_asked = Signal()
    resume_asked = Signal()
    export_asked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ElidedLabel("heading")
        self._words = ElidedLabel("muted")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(self.tr("Progress of the search"))
        self.cancel = PlainButton(self.tr("Cancel"))
        self.cancel.setObjectName("labCancel")
        self.cancel.setToolTip(self.tr("What was in force before is put back; what was measured is kept."))
        self.cancel.clicked.connect(self.cancel_asked)
        self.resume = PlainButton(self.tr("Resume"), "primary")
        self.resume.clicked.connect(self.resume_asked)
        self.export = PlainButton(self.tr("Export…"))
        self.export.clicked.connect(self._ask_export)
        self._message = role_label("", "error", wrap=True)
        names = QVBoxLayout()
        names.setSpacing(2)
        names.addWidget(self._title)
        names.addWidget(self._words)
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addLayout(names, 1)
        top.addWidget(self.export)
        top.addWidget(self.resume)
        top.addWidget(self.cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self.bar)
        column.addWidget(self._message)

    def show_job(self, job: LabJob, title: str) -> None:
        """Draw where it stands."""
        self._title.show_text(title)
        self._words.show_text(self._text(job))
        self.export.setVisible(job.result is not None)
        self.cancel.setVisible(job.going)
        self.cancel.setEnabled(not job.cancelling)
        self.resume.setVisible(job.state in ("unfinished", "broken") and job.job_id is not None)
        share = job.update.share if job.update is not None else None
        self.bar.setVisible(job.going)
        self.bar.setRange(0, _STEPS if share is not None or not job.going else 0)
        self.bar.setValue(round((share or 0.0) * _STEPS))
        text = f"{worded(job.message)} {worded(job.remedy)}".strip()
        if not text and job.result is not None and not job.result.restored:
            text = self.tr("What was in force before could not be put back. Load the model again.")
        self._message.setText(text)
        self._message.setVisible(bool(text))
        show_role(self._message, "error" if job.state == "broken" else "warning")

    def _ask_export(self) -> None:
        kinds = "HTML (*.html);;Markdown (*.md);;CSV (*.csv);;JSON (*.json)"
        title = self.tr("Export the result")
        ask_to_save(self, title, "result.html", kinds, lambda path, _filter: self.export_asked.emit(path))

    def _text(self, job: LabJob) -> str:
        update = job.update
        if not job.going or update is None:
            return {
                "running": self.tr("starting"), "ended": self.tr("finished"), "cancelled": self.tr("cancelled"),
                "broken": self.tr("broke off"), "unfinished": self.tr("cut short"),
            }.get(job.state, job.state)  # fmt: skip
        if job.cancelling:
            return self.tr("ending: what was in force before is put back…")
        parts = [sentence(update.saying)]
        if update.total is not None:
            parts.append(self.tr("{done} of {total}").format(done=figures.count(update.done),
                                                             total=figures.count(update.total)))  # fmt: skip
        if update.left_s is not None:
            parts.append(self.tr("{time} left").format(time=figures.duration(update.left_s)))
        return " · ".join(parts)
