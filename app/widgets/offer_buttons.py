"""The changes that would mend what is said above them, one click each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.widgets.icon import PlainButton
from app.widgets.tab_order import tab_through
from app.wording.engine import worded

if TYPE_CHECKING:
    from engine.parameters.offer import Offer

_MOST = 2


class OfferButtons(QWidget):
    """Hidden where there is nothing to offer. `taken` has the changes (a dict) of the button that was clicked."""

    taken = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.offers: tuple[Offer, ...] = ()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 2)
        self._column.setSpacing(0)
        self.hide()

    def show_offers(self, offers: tuple[Offer, ...]) -> None:
        """Show the likeliest of these; costs nothing when they are the same."""
        offers = offers[:_MOST]
        if offers != self.offers:
            self.offers = offers
            while (item := self._column.takeAt(0)) is not None:
                button = item.widget()
                if button is not None:
                    button.hide()
                    button.deleteLater()
            buttons = []
            for label, changes in offers:
                button = PlainButton(worded(label), "link")
                button.clicked.connect(lambda _checked=False, changes=changes: self.taken.emit(changes))
                self._column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeading)
                buttons.append(button)
            tab_through(self, buttons)
        self.setVisible(bool(offers))
