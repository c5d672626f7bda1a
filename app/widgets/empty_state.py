"""What a panel shows while it has nothing to show: what will be here, and the one act that brings it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.widgets.icon import IconLabel, PlainButton, Tint
from app.widgets.labels import role_label
from app.widgets.upright_scroll import UprightScroll

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

_TEXT_WIDTH = 380
_MARGIN = 16
_SPACES = 28  # between the four


class EmptyState(QWidget):
    """Icon, title, one or two sentences, and at most one button (none where `action` is empty).

    Words that have no room scroll.
    """

    activated = Signal()

    def __init__(self, icon: str, title: str, text: str, action: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("emptyState")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._icon = IconLabel(icon, 36, Tint.FAINT)
        self._title = role_label(title, "heading", wrap=True)
        self._text = role_label(text, "muted", wrap=True)
        self.button = PlainButton(action, "primary")
        self.button.setVisible(bool(action))
        self.button.clicked.connect(self.activated)
        self._arrange()

    def show_state(self, icon: str, title: str, text: str, action: str = "") -> None:
        """Say something else."""
        self._icon.show_icon(icon, Tint.ERROR if icon == "error" else Tint.FAINT)
        self._title.setText(title)
        self._text.setText(text)
        self.button.setText(action)
        self.button.setVisible(bool(action))
        self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little room, the words come before the icon."""
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        width = min(_TEXT_WIDTH, self.width() - 2 * _MARGIN)
        words = sum(label.heightForWidth(width) for label in (self._title, self._text))
        button = 0 if self.button.isHidden() else self.button.sizeHint().height()
        self._icon.setVisible(self.height() >= words + button + self._icon.height() + _SPACES + 2 * _MARGIN)

    def _arrange(self) -> None:
        body = QWidget()
        body.setMaximumWidth(_TEXT_WIDTH)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._icon, alignment=Qt.AlignmentFlag.AlignHCenter)
        column.addSpacing(4)
        for label in (self._title, self._text):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(label)
        column.addSpacing(8)
        column.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignHCenter)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(body, 100)
        middle.addStretch(1)
        page = QWidget()
        page.setObjectName("scrollBody")
        outer = QVBoxLayout(page)
        outer.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        outer.addStretch(2)
        outer.addLayout(middle)
        outer.addStretch(3)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(UprightScroll(page))
