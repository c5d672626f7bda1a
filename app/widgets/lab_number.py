"""A number in a form: by locale, with its unit, empty where that is allowed, and its fault told in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QLocale, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from app.widgets import figures
from app.widgets.labels import role_label

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

_DIGITS = 6


class NumberEdit(QWidget):
    """One line for a number from `least` to `most`. Up and down step it; `changed` says that it was edited."""

    changed = Signal()

    def __init__(
        self,
        name: str,
        least: float,
        most: float,
        *,
        whole: bool = True,
        unit: str = "",
        optional: str = "",
        help_text: str = "",
        parent: QWidget | None = None,
    ) -> None:
        """`optional` is what an empty field means ("no limit"); without it a number is needed."""
        super().__init__(parent)
        self.name, self.least, self.most = name, least, most
        self._whole, self._optional = whole, optional
        self.line = _Line(self)
        self.line.setAccessibleName(f"{name} ({unit})" if unit else name)
        self.line.setPlaceholderText(optional)
        self.line.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.line.setMaxLength(14)
        self.line.setToolTip(help_text)
        self.line.textChanged.connect(self._edited)
        self.unit = role_label(unit, "muted")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.line)
        row.addWidget(self.unit)
        self._fit()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setFocusProxy(self.line)

    def changeEvent(self, event: QEvent) -> None:
        """Keep room for the digits when the text size changes."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        self.line.ensurePolished()
        self.line.setFixedWidth(self.line.fontMetrics().horizontalAdvance("8" * _DIGITS) + 20)

    @property
    def value(self) -> float | None:
        """The number; None where the field is empty or says nothing that could be one."""
        return self._read()

    @property
    def whole(self) -> int | None:
        """The number as a whole one."""
        found = self._read()
        return None if found is None else round(found)

    def show_value(self, value: float | None) -> None:
        """Put a number in; None empties the field."""
        text = "" if value is None else self._text(value)
        if text != self.line.text():
            self.line.setText(text)
        self._mark()

    def problem(self) -> str:
        """What is wrong with it, with the remedy; empty where nothing is."""
        text = self.line.text().strip()
        if not text:
            return "" if self._optional else self._said(self.tr("{name} is empty: give {range}."))
        found = self._read()
        if found is None:
            return self._said(self.tr("{name} is no number: give {range}."))
        if not self.least <= found <= self.most:
            return self._said(self.tr("{name} has to be {range}."))
        return ""

    def step(self, direction: int) -> None:
        """A little more or less, in proportion to what is there."""
        found = self._read()
        if found is None:
            found = self.least
        by = max(1.0 if self._whole else 0.1, 10.0 ** (len(str(int(abs(found)))) - 2) if abs(found) >= 100 else 0.0)
        self.show_value(min(self.most, max(self.least, round(found + by * direction, 3))))

    def _said(self, sentence: str) -> str:
        least, most = self._text(self.least), self._text(self.most)
        return sentence.format(name=self.name, range=self.tr("{0} to {1}").format(least, most))

    def _text(self, value: float) -> str:
        if self._whole:
            return figures.count(value)
        return QLocale().toString(float(value), "g", 6)

    def _read(self) -> float | None:
        text = self.line.text().strip()
        number, good = QLocale().toDouble(text)
        if not good:
            number, good = QLocale.c().toDouble(text)
        if not good or not math.isfinite(number) or (self._whole and number != round(number)):
            return None
        return number

    def _edited(self) -> None:
        self._mark()
        self.changed.emit()

    def _mark(self) -> None:
        wrong = bool(self.problem())
        if bool(self.line.property("invalid")) != wrong:
            self.line.setProperty("invalid", wrong)
            self.line.style().unpolish(self.line)
            self.line.style().polish(self.line)


class _Line(QLineEdit):
    """Steps with the arrow keys, as a spin box does."""

    def __init__(self, owner: NumberEdit) -> None:
        super().__init__()
        self._owner = owner

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Up and down step."""
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._owner.step(1 if event.key() == Qt.Key.Key_Up else -1)
            event.accept()
        else:
            super().keyPressEvent(event)


def unit_tokens() -> str:
    """The unit of lengths."""
    return QCoreApplication.translate("LabForm", "tokens")
