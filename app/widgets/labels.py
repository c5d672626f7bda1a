"""Labels by role, ones with numbers that never change their width, and ones that are cut where room is short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.theme.fonts import tabular

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

_LEAST_LETTERS = 6


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


class ShrinkingLabel(QLabel):
    """A label of one line that takes what its text needs, and is cut with "…" where it cannot have that.

    The text remains the whole one; what shows the label has it in a tooltip.
    """

    def __init__(self, role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    @property
    def is_cut(self) -> bool:
        """Whether not all of the text is seen."""
        return self.fontMetrics().horizontalAdvance(self.text()) > self.contentsRect().width()

    def minimumSizeHint(self) -> QSize:
        """A few letters, or the whole where it is shorter."""
        hint = self.sizeHint()
        return QSize(min(hint.width(), self.fontMetrics().averageCharWidth() * _LEAST_LETTERS), hint.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw what fits."""
        room = self.contentsRect()
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
        leading = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
        with QPainter(self) as painter:
            painter.setLayoutDirection(self.layoutDirection())
            self.style().drawItemText(
                painter, room, int(leading), self.palette(), self.isEnabled(), text, self.foregroundRole()
            )
