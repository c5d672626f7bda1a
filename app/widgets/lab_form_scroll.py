"""A form that scrolls upwards and downwards only: it asks for as much width as its widest field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QShowEvent

    from app.widgets.lab_number import NumberEdit


class FormScroll(QScrollArea):
    """Fields go into `column`. Those in `folded` count for the width while they are hidden, too.

    The units of the `aligned` numbers, each at the end of its row, have one width: so the numbers stand in a column.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its fields take the keyboard, and scroll it
        self.folded: list[QWidget] = []
        self.aligned: Sequence[NumberEdit] = ()
        self._body = QWidget()
        self._body.setObjectName("scrollBody")
        self.column = QVBoxLayout(self._body)
        self.column.setContentsMargins(16, 4, 12, 12)
        self.column.setSpacing(6)
        self.setWidget(self._body)

    def set_editable(self, editable: bool) -> None:
        """Whether the fields can be edited: not while what they say is being carried out."""
        self._body.setEnabled(editable)

    def showEvent(self, event: QShowEvent) -> None:
        """As wide as the widest field."""
        super().showEvent(event)
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        """Keep the width right when the text size changes."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.fit()

    def fit(self) -> None:
        """Ask for the room that the fields need."""
        for number in self.aligned:
            number.unit.setMinimumWidth(0)
        room = max((number.unit.sizeHint().width() for number in self.aligned), default=0)
        for number in self.aligned:
            number.unit.setMinimumWidth(room)
        margins = self.column.contentsMargins()
        widths = [part.minimumSizeHint().width() + margins.left() + margins.right() for part in self.folded]
        widest = max(self._body.minimumSizeHint().width(), *widths, 0)
        self.setMinimumWidth(widest + self.verticalScrollBar().sizeHint().width())
