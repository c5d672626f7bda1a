"""Settings' list of the checkpoints whose own code may run unasked, and the way to take that back."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget

from app.widgets.labels import role_label

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from app.consents import Consents, KeptConsent

_ROWS_SHOWN = 4
_CONSENT = Qt.ItemDataRole.UserRole


class ConsentList(QWidget):
    """One row a folder; Delete or the button takes back what is selected. Without any it says so."""

    def __init__(self, consents: Consents, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._consents = consents
        self._none = role_label(
            self.tr("None: KVDeck asks before it loads one."), "caption", wrap=True
        )
        self._list = QListWidget()
        self._list.setAccessibleName(self.tr("Checkpoints whose code runs unasked"))
        self._list.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._list.itemSelectionChanged.connect(self._follow_selection)
        self._revoke = QPushButton(self.tr("Ask again"))
        self._revoke.setObjectName("consentRevoke")
        self._revoke.setToolTip(self.tr("KVDeck asks again before it loads the selected checkpoints"))
        self._revoke.clicked.connect(self._take_back)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(role_label(self.tr("Checkpoints that run code of their own unasked"), ""))
        column.addWidget(self._none)
        column.addWidget(self._list)
        column.addWidget(self._revoke, alignment=Qt.AlignmentFlag.AlignLeading)
        self._show()

    def _show(self) -> None:
        kept = self._consents.kept()
        self._list.clear()
        for consent in kept:
            item = QListWidgetItem(f"{PurePath(consent.path).name}: {self._what(consent)}")
            item.setToolTip(consent.path)
            item.setData(_CONSENT, consent)
            self._list.addItem(item)
        self._fit()
        self._none.setVisible(not kept)
        self._list.setVisible(bool(kept))
        self._revoke.setVisible(bool(kept))
        self._follow_selection()

    def _fit(self) -> None:
        """As high as its rows, up to a few of them."""
        self._list.ensurePolished()
        rows = min(self._list.count(), _ROWS_SHOWN)
        height = sum(self._list.sizeHintForRow(row) + 2 * self._list.spacing() for row in range(rows))
        margins = self._list.contentsMargins()
        self._list.setFixedHeight(height + margins.top() + margins.bottom() + 2)

    def showEvent(self, event: QShowEvent) -> None:
        """Rows have their height once the theme's style is on them."""
        super().showEvent(event)
        self._fit()

    def _what(self, consent: KeptConsent) -> str:
        return self.tr("Python code") if consent.what == "trust_remote_code" else self.tr("pickled weights")

    def _follow_selection(self) -> None:
        self._revoke.setEnabled(bool(self._list.selectedItems()))

    def _take_back(self) -> None:
        self._consents.revoke(item.data(_CONSENT) for item in self._list.selectedItems())
        self._show()
