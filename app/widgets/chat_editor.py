"""Text fields that grow with what is written: the message input and the editor of a sent message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.widgets.icon import PlainButton
from app.widgets.line_breaks import WrappedEdit

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

_MOST_LINES = 9


class GrowingEdit(WrappedEdit):
    """A plain text field of one to nine lines. Enter or Ctrl+Enter sends, Shift+Enter begins a new line, Esc gives up.

    Its keys come before shortcuts of the window that use the same ones.
    """

    sent = Signal()
    escaped = Signal()
    recalled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hint = ""
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self._fit()

    def setPlaceholderText(self, text: str) -> None:
        """What stands there while it is empty: cut to one line, since the field is as high as what is written."""
        self._hint = text
        self._cut_hint()

    def _cut_hint(self) -> None:
        room = self.viewport().width() - round(2 * self.document().documentMargin())
        super().setPlaceholderText(self.fontMetrics().elidedText(self._hint, Qt.TextElideMode.ElideRight, room))

    def event(self, event: QEvent) -> bool:
        """Take Enter and Esc before the window's shortcuts do."""
        ours = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in ours:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Send, give up, bring back the last message, or write."""
        plain_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if plain_enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.sent.emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif event.key() == Qt.Key.Key_Up and not self.toPlainText():
            self.recalled.emit()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """A larger font needs higher lines."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A narrower field breaks into more lines."""
        super().resizeEvent(event)
        self._cut_hint()
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """Any width, one line."""
        return QSize(60, self.minimumHeight())

    def _fit(self) -> None:
        lines = max(1, int(self.document().size().height()))  # QPlainTextEdit measures in lines
        shown = min(lines, _MOST_LINES)
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(policy.ScrollBarAsNeeded if lines > shown else policy.ScrollBarAlwaysOff)
        height = shown * self.fontMetrics().lineSpacing() + round(2 * self.document().documentMargin()) + 10
        if self.height() != height or self.minimumHeight() != height:
            self.setFixedHeight(height)


class MessageEditor(QWidget):
    """Edits a message that was sent; the versions before stay."""

    accepted = Signal(str)
    cancelled = Signal()

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._field = GrowingEdit()
        self._field.setPlainText(text)
        self._field.setAccessibleName(self.tr("Edit the message"))
        self._field.sent.connect(self._accept)
        self._field.escaped.connect(self.cancelled)
        send, cancel = PlainButton(self.tr("Send"), "primary"), PlainButton(self.tr("Cancel"), "quiet")
        send.clicked.connect(self._accept)
        cancel.clicked.connect(self.cancelled)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(cancel)
        row.addWidget(send)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._field)
        column.addLayout(row)

    def take_focus(self) -> None:
        """Put the cursor at the end of the text."""
        self._field.setFocus()
        self._field.moveCursor(self._field.textCursor().MoveOperation.End)

    def _accept(self) -> None:
        text = self._field.toPlainText().strip()
        if text:
            self.accepted.emit(text)
