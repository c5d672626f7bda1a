"""Editors for one value each: number, switch, choice, text. Every one can also be empty where the row allows it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QHBoxLayout, QLineEdit, QWidget

from app.widgets.named_combo import NamedCombo
from engine.parameters.spec import Kind, ParameterSpec

if TYPE_CHECKING:
    from engine.domain.lifecycle import ParameterValue

_AUTO = -(2.0**60)  # below every value of every row; drawn as "auto"
_HIGHEST = 2.0**60


class NumberField(QDoubleSpinBox):
    """A spin box that lets a value outside the range be typed, so that the row can say what the range is.

    `typed` carries what stands in it while it is written (None for "auto" or nothing), `committed` when it is done.
    """

    typed = Signal(object)
    committed = Signal(object)

    def __init__(self, spec: ParameterSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._spec = spec
        self._whole = spec.kind is Kind.INT
        self._shown: ParameterValue = None
        self.setLocale(QLocale())
        self.setDecimals(0 if self._whole else 4)
        self.setRange(_AUTO, _HIGHEST)
        self.setSingleStep(spec.step or (1 if self._whole else 0.05))
        self.setKeyboardTracking(False)
        self.setGroupSeparatorShown(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.lineEdit().setTextMargins(4, 0, 0, 0)
        self.lineEdit().textEdited.connect(lambda text: self.typed.emit(self._read(text)))
        self.editingFinished.connect(self._commit)
        self.valueChanged.connect(lambda _value: self._commit())

    def show_value(self, value: ParameterValue) -> None:
        """Show `value` without telling anyone."""
        self._shown = value
        self.blockSignals(True)
        self.setValue(float(value) if isinstance(value, int | float) else _AUTO)
        self.blockSignals(False)

    def current(self) -> ParameterValue:
        """What stands in it, None for "auto"."""
        return self._from_number(self.value())

    def sizeHint(self) -> QSize:
        """Room for a number of seven digits; the range that may be typed is far wider than that."""
        return QSize(self.fontMetrics().horizontalAdvance("0,000,000") + 40, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Room for four digits."""
        return QSize(self.fontMetrics().horizontalAdvance("0,000") + 40, super().minimumSizeHint().height())

    def stepBy(self, steps: int) -> None:
        """Steps stay inside the range, and come from "auto" to its lower end."""
        low = self._spec.minimum if self._spec.minimum is not None else -_HIGHEST
        high = self._spec.maximum if self._spec.maximum is not None else _HIGHEST
        if self.value() <= _AUTO:
            self.setValue(low if steps > 0 else _AUTO)
            return
        wanted = self.value() + steps * self.singleStep()
        if self._whole and self.singleStep() > 1 and self.value() == low and steps > 0:
            wanted = (low // self.singleStep() + steps) * self.singleStep()  # from 1 to 256, not to 257
        if wanted < low and self.value() <= low and self._spec.optional:
            self.setValue(_AUTO)
            return
        self.setValue(min(max(wanted, low), high))

    def stepEnabled(self) -> QDoubleSpinBox.StepEnabledFlag:
        """Both ways; the ends are in `stepBy`."""
        return QDoubleSpinBox.StepEnabledFlag.StepUpEnabled | QDoubleSpinBox.StepEnabledFlag.StepDownEnabled

    def textFromValue(self, value: float) -> str:
        """By locale, without zeros at the end."""
        if value <= _AUTO:
            return self.tr("auto")
        if self._whole:
            return self.locale().toString(round(value))
        return self.locale().toString(value, "f", QLocale.FloatingPointPrecisionOption.FloatingPointShortest.value)

    def valueFromText(self, text: str) -> float:
        """The number in the text; "auto" or nothing is the empty value."""
        value = self._read(text)
        return float(value) if isinstance(value, int | float) else _AUTO

    def validate(self, text: str, pos: int) -> object:  # type: ignore[override]
        """Anything that is or may become a number or "auto" can be typed."""
        word = text.strip()
        auto = self.tr("auto")
        if not word or word == auto or self._number(word) is not None:
            return (QValidator.State.Acceptable, text, pos)
        partial = auto.startswith(word) or all(letter.isdigit() or letter in "+-.,' \u00a0\u202f" for letter in word)
        return (QValidator.State.Intermediate if partial else QValidator.State.Invalid, text, pos)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the table unless this field has the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Select all, so that typing replaces it."""
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.selectAll()

    def _commit(self) -> None:
        value = self.current()
        if value != self._shown:
            self._shown = value
            self.committed.emit(value)

    def _read(self, text: str) -> ParameterValue:
        number = self._number(text.strip())
        return None if number is None else self._from_number(number)

    def _number(self, word: str) -> float | None:
        value, valid = self.locale().toDouble(word)
        if not valid:
            value, valid = QLocale.c().toDouble(word.replace("_", ""))
        return value if valid and math.isfinite(value) else None  # "nan" and "inf" are numbers to Qt

    def _from_number(self, number: float) -> ParameterValue:
        if number <= _AUTO:
            return None
        return round(number) if self._whole and number == round(number) else number


class SwitchField(QWidget):
    """On or off; a choice with "auto" where the row may be empty."""

    committed = Signal(object)

    def __init__(self, spec: ParameterSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        self._check = QCheckBox()
        self._choice = ChoiceField(("on", "off"), optional=True)
        self._optional = spec.optional
        editor: QWidget = self._choice if spec.optional else self._check
        row.addWidget(editor)
        if not spec.optional:
            row.addStretch(1)
        self.setFocusProxy(editor)
        self._check.toggled.connect(self._toggled)
        self._choice.committed.connect(lambda text: self.committed.emit(None if text is None else text == "on"))

    def setAccessibleName(self, name: str) -> None:
        """Name the editor inside, which is what a screen reader meets."""
        super().setAccessibleName(name)
        self._check.setAccessibleName(name)
        self._choice.setAccessibleName(name)

    def show_value(self, value: ParameterValue) -> None:
        """Show `value` without telling anyone."""
        self._check.blockSignals(True)
        self._check.setChecked(value is True)
        self._check.blockSignals(False)
        self._check.setText(self.tr("on") if value is True else self.tr("off"))
        self._choice.show_value(None if value is None else ("on" if value else "off"))

    def current(self) -> ParameterValue:
        """True, False, or None for "auto"."""
        if not self._optional:
            return self._check.isChecked()
        text = self._choice.current()
        return None if text is None else text == "on"

    def _toggled(self, is_on: bool) -> None:
        self._check.setText(self.tr("on") if is_on else self.tr("off"))
        self.committed.emit(is_on)


class ChoiceField(NamedCombo):
    """One of a few words, with "auto" first where the row may be empty."""

    committed = Signal(object)

    def __init__(self, choices: tuple[str, ...], *, optional: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumWidth(76)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        if optional:
            self.addItem(self.tr("auto"), None)
        for choice in choices:
            self.addItem({"on": self.tr("on"), "off": self.tr("off")}.get(choice, choice), choice)
        self.activated.connect(lambda _index: self.committed.emit(self.currentData()))

    def show_value(self, value: ParameterValue) -> None:
        """Show `value`; one that is not in the list (reported by the engine) is added to it."""
        index = self.findData(value)
        if index < 0 and value is not None:
            self.addItem(str(value), value)
            index = self.count() - 1
        self.setCurrentIndex(index)

    def current(self) -> ParameterValue:
        """The chosen word, None for "auto"."""
        data = self.currentData()
        return None if data is None else str(data)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the table."""
        event.ignore()


class TextField(QLineEdit):
    """Free text; empty is "auto" where the row may be empty."""

    committed = Signal(object)

    def __init__(self, spec: ParameterSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._optional = spec.optional
        self._shown: ParameterValue = None
        self.setPlaceholderText(self.tr("auto") if spec.optional else "")
        self.setMinimumWidth(76)
        self.editingFinished.connect(self._commit)

    def show_value(self, value: ParameterValue) -> None:
        """Show `value` without telling anyone; not while it is written."""
        self._shown = value
        if not self.hasFocus() or not self.isModified():
            self.setText("" if value is None else str(value))
            self.setCursorPosition(0)

    def current(self) -> ParameterValue:
        """The text, None when empty and allowed to be."""
        text = self.text().strip()
        return None if not text and self._optional else text

    def _commit(self) -> None:
        self.setModified(False)
        value = self.current()
        if value != self._shown:
            self._shown = value
            self.committed.emit(value)


ParameterField = NumberField | SwitchField | ChoiceField | TextField


def field_for(spec: ParameterSpec) -> ParameterField:
    """The editor that suits the row."""
    if spec.kind in (Kind.INT, Kind.FLOAT):
        return NumberField(spec)
    if spec.kind is Kind.BOOL:
        return SwitchField(spec)
    if spec.kind is Kind.CHOICE:
        return ChoiceField(spec.choices, optional=spec.optional)
    return TextField(spec)
