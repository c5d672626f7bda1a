"""Labels by role, and labels with numbers that never change their width."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.theme.fonts import tabular


def role_label(text: str, role: str, *, wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """A label in one of the style sheet's roles ("muted", "caption", "heading", "mono", ...)."""
    label = QLabel(text, parent)
    label.setProperty("role", role)
    label.setWordWrap(wrap)
    label.setTextFormat(Qt.TextFormat.PlainText)
    return label


def show_role(label: QLabel, role: str) -> None:
    """Change a label's role, restyling only when it is another one."""
    if label.property("role") != role:
        label.setProperty("role", role)
        label.style().unpolish(label)
        label.style().polish(label)


class TabularLabel(QLabel):
    """A label with figures of one width that keeps room for its longest text, so that nothing beside it moves."""

    def __init__(self, longest: str = "", role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._longest = longest
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.setFont(tabular(self.font()))
        self._reserve()

    def show_text(self, text: str) -> None:
        """Show `text`; costs nothing when it is the same. Grows once for a text longer than foreseen."""
        if text == self.text():
            return
        self.setText(text)
        if len(text) > len(self._longest):
            self._longest = text
            self._reserve()

    def changeEvent(self, event: QEvent) -> None:
        """Keep the right room when the text size changes."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._reserve()

    def _reserve(self) -> None:
        self.ensurePolished()
        # Of one size in both directions: else Qt lays the whole window out for each new text.
        size = QSize(self.fontMetrics().horizontalAdvance(self._longest) + 2, self.sizeHint().height())
        if size != self.minimumSize():
            self.setFixedSize(size)
