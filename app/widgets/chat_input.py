"""Where a message is written: the growing field, Send or Stop, the options, and what is missing if nothing runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.widgets.chat_editor import GrowingEdit
from app.widgets.chat_options import OptionsPopover
from app.widgets.icon import IconButton, PlainButton
from app.widgets.labels import role_label
from engine.chat.transcript import SamplingOptions

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from app.widgets.chat_state import Readiness

_BANNER_ROOM = 32  # margins and the space between the two


class ChatInput(QWidget):
    """The lower edge of the chat pane. A draft stays while nothing can be sent."""

    sent = Signal(str)
    stopped = Signal()
    recalled = Signal()
    options_changed = Signal(object)
    remedy_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = GrowingEdit()
        self.field.setObjectName("chatInput")
        self.field.setAccessibleName(self.tr("Message"))
        self.field.setToolTip(self.tr("Enter sends, Shift+Enter begins a new line, Esc stops the answer"))
        self.send = PlainButton(self.tr("Send"), "primary")
        self.send.setObjectName("chatSend")
        self.stop = PlainButton(self.tr("Stop"))
        self.stop.setObjectName("chatStop")
        self.stop.setToolTip(self.tr("Stop the answer; what is written stays (Esc)"))
        self._tune = IconButton("parameters", self.tr("Sampling options"))
        self._tune.setObjectName("chatOptionsButton")
        self._summary = role_label("", "caption")
        self._popover = OptionsPopover(self)
        self._missing = role_label("", "muted", wrap=True)
        self._remedy = PlainButton("", "link")
        self._remedy.setObjectName("chatRemedy")
        self._banner = QWidget()
        self._options = SamplingOptions()
        self._ready = False
        self._answering = False
        self._connect()
        self._arrange()
        self.show_options(SamplingOptions())
        self._refresh()

    def show_readiness(self, readiness: Readiness) -> None:
        """Say whether a message can be sent, and what to do where not."""
        self._ready = readiness.ready
        self.field.setPlaceholderText(readiness.placeholder)
        self._missing.setText(readiness.sentence)
        self._remedy.setText(readiness.remedy)
        self._remedy.setVisible(bool(readiness.remedy))
        self._banner.setVisible(bool(readiness.sentence))
        self._fit_banner()
        self._refresh()

    def show_answering(self, answering: bool) -> None:
        """Stop in place of Send while an answer streams."""
        self._answering = answering
        self._refresh()

    def show_options(self, options: SamplingOptions) -> None:
        """Say in a few words what deviates from the model's defaults."""
        self._options = options
        names = {"temperature": "temp", "top_p": "top_p", "max_tokens": "max", "seed": "seed"}
        values = ((short, getattr(options, name)) for name, short in names.items())
        self._summary.setText(" · ".join(f"{short} {value:g}" for short, value in values if value is not None))

    def show_draft(self, text: str) -> None:
        """Put a text into the field, cursor at its end."""
        self.field.setPlainText(text)
        self.field.moveCursor(self.field.textCursor().MoveOperation.End)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the line above the field anew."""
        super().resizeEvent(event)
        self._fit_banner()

    def _fit_banner(self) -> None:
        """The sentence and its remedy beside each other where both fit into one line, else one above the other."""
        wide = self._missing.fontMetrics().horizontalAdvance(self._missing.text()) + self._remedy.sizeHint().width()
        fits = wide + _BANNER_ROOM <= self.width()
        self._banner_row.setDirection(QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom)

    def _connect(self) -> None:
        self.field.textChanged.connect(self._refresh)
        self.field.sent.connect(self._send)
        self.field.escaped.connect(self.stopped)
        self.field.recalled.connect(self.recalled)
        self.send.clicked.connect(self._send)
        self.stop.clicked.connect(self.stopped)
        self._remedy.clicked.connect(self.remedy_asked)
        self._tune.clicked.connect(lambda: self._popover.open_at(self._options, self._tune))
        self._popover.changed.connect(self.options_changed)

    def _send(self) -> None:
        text = self.field.toPlainText().strip()
        if text and self._ready and not self._answering:
            self.field.clear()
            self.sent.emit(text)

    def _refresh(self) -> None:
        self.send.setEnabled(self._ready and bool(self.field.toPlainText().strip()))
        self.send.setVisible(not self._answering)
        self.stop.setVisible(self._answering)

    def _arrange(self) -> None:
        self._banner_row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._banner)
        self._banner_row.setContentsMargins(0, 0, 0, 0)
        self._banner_row.setSpacing(2)
        self._banner_row.addWidget(self._missing, 1)
        self._banner_row.addWidget(self._remedy, 0, Qt.AlignmentFlag.AlignLeading)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self._tune)
        self._summary.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row.addWidget(self._summary, 1)
        row.addWidget(self.stop)
        row.addWidget(self.send)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 6, 16, 8)
        column.setSpacing(6)
        column.addWidget(self._banner)
        column.addWidget(self.field)
        column.addLayout(row)
        for before, after in ((self.field, self.send), (self.send, self.stop), (self.stop, self._tune)):
            QWidget.setTabOrder(before, after)
