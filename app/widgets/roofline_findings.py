"""What the roofline tells, as short paragraphs; those that a parameter would move have a button to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.theme.fonts import tabular
from app.widgets.icon import PlainButton
from app.widgets.labels import role_label
from app.widgets.roofline_words import action, sentence, title

if TYPE_CHECKING:
    from engine.metrics.roofline import Part
    from engine.metrics.roofline_advice import Finding, Rule


class FindingCard(QWidget):
    """One finding; its words change in place while it holds."""

    acted = Signal(object)

    def __init__(self, finding: Finding, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._finding = finding
        self._title = role_label("", "panelTitle", wrap=True)
        self._text = role_label("", "", wrap=True)
        self._text.setFont(tabular(self._text.font()))
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.button = PlainButton("", "link")
        self.button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.button.clicked.connect(lambda: self.acted.emit(self._finding))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        for widget in (self._title, self._text):
            column.addWidget(widget)
        column.addWidget(self.button, alignment=Qt.AlignmentFlag.AlignLeading)
        self.show_finding(finding)

    def show_finding(self, finding: Finding) -> None:
        """Say the newest numbers."""
        self._finding = finding
        for label, text in ((self._title, title(finding)), (self._text, sentence(finding))):
            if label.text() != text:
                label.setText(text)
        name = action(finding)
        if self.button.text() != name:
            self.button.setText(name)
        self.button.setVisible(bool(name))
        self.button.setToolTip(
            self.tr("Writes it into the parameter table; nothing changes before you apply it there.")
            if finding.parameter is not None
            else self.tr("Nothing is loaded by this.")
        )


class FindingList(QWidget):
    """All findings, from above; `acted` carries the one whose button was pressed."""

    acted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scrollBody")
        self._cards: dict[tuple[Rule, Part], FindingCard] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 8, 8)
        self._column.setSpacing(10)
        self._column.addStretch(1)

    def show_findings(self, found: tuple[Finding, ...]) -> None:
        """Say these; a card that stays keeps the keyboard."""
        wanted = {(one.rule, one.part): one for one in found}
        for key in [key for key in self._cards if key not in wanted]:
            card = self._cards.pop(key)
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        for place, (key, finding) in enumerate(wanted.items()):
            if key in self._cards:
                self._cards[key].show_finding(finding)
            else:
                self._cards[key] = FindingCard(finding)
                self._cards[key].acted.connect(self.acted)
            if self._column.indexOf(self._cards[key]) != place:
                self._column.insertWidget(place, self._cards[key])

    def cards(self) -> tuple[FindingCard, ...]:
        """The cards, from above."""
        return tuple(sorted(self._cards.values(), key=self._column.indexOf))
