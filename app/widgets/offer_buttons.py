"""The changes that would mend what is said above them, one click each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.widgets.flow_layout import FlowLayout
from app.widgets.icon import PlainButton
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
        self._row = FlowLayout(self, spacing=10)
        self.hide()

    def show_offers(self, offers: tuple[Offer, ...]) -> None:
        """Show the likeliest of these; costs nothing when they are the same."""
        offers = offers[:_MOST]
        if offers != self.offers:
            self.offers = offers
            self._row.clear()
            for label, changes in offers:
                button = PlainButton(worded(label), "link")
                button.clicked.connect(lambda _checked=False, changes=changes: self.taken.emit(changes))
                self._row.addWidget(button)
        self.setVisible(bool(offers))
