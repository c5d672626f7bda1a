"""Which parameters are varied, and their values: a row each, added from the catalog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.widgets.icon import IconButton
from app.widgets.lab_kind import ChoiceBox
from app.widgets.labels import role_label
from app.widgets.tab_order import tab_through
from engine.domain.errors import ParameterInvalid
from engine.parameters.catalog import CATALOG
from engine.parameters.spec import Applies, Kind

if TYPE_CHECKING:
    from engine.domain.lifecycle import ParameterValue
    from engine.parameters.spec import ParameterSpec
    from engine.tuner.spec import Axis, Setting

_TRUE, _FALSE = ("true", "on", "yes", "1"), ("false", "off", "no", "0")


def parsed(spec: ParameterSpec, text: str) -> ParameterValue:
    """A word as a value of this parameter. Raises ParameterInvalid."""
    word = text.strip()
    if spec.optional and word.lower() in ("", "auto", "none"):
        return None
    value: ParameterValue = word
    try:
        if spec.kind is Kind.INT:
            value = int(word.replace("\u202f", ""))
        elif spec.kind is Kind.FLOAT:
            value = float(word)
    except ValueError:
        return spec.check(word)  # which says what it should be
    if spec.kind is Kind.BOOL and word.lower() in (*_TRUE, *_FALSE):
        value = word.lower() in _TRUE
    return spec.check(value)


def shown(value: ParameterValue) -> str:
    """A value as the fields have it."""
    if value is None:
        return "auto"
    return str(value).lower() if isinstance(value, bool) else str(value)


class AxisRow(QWidget):
    """One parameter: its values in one field (a search) or in two (A and B)."""

    changed = Signal()
    removed = Signal(str)

    def __init__(self, spec: ParameterSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = spec
        live = self.tr("live: no reload") if spec.applies is Applies.LIVE else self.tr("each value needs a reload")
        self._name = role_label(spec.name, "mono")
        self._name.setToolTip(f"{spec.help}\n{live}")
        self._how = role_label("●" if spec.applies is Applies.LIVE else "↻", "muted")
        self._how.setToolTip(live)
        self.values, self.a, self.b = QLineEdit(), QLineEdit(), QLineEdit()
        captions = (
            (self.values, self.tr("{name}: values to try"), self.tr("values, with commas")),
            (self.a, self.tr("{name} in A"), "A"), (self.b, self.tr("{name} in B"), "B"),
        )  # fmt: skip
        for field, name, hint in captions:
            field.setAccessibleName(name.format(name=spec.name))
            field.setPlaceholderText(hint)
            field.textChanged.connect(self.changed)
        remove = IconButton("close", self.tr("Leave {name} alone").format(name=spec.name), size=12)
        remove.clicked.connect(lambda: self.removed.emit(spec.name))
        top = QHBoxLayout()
        top.setSpacing(6)
        for widget in (self._how, self._name):
            top.addWidget(widget)
        top.addStretch(1)
        top.addWidget(remove)
        fields = QHBoxLayout()
        fields.setSpacing(6)
        self._letters = role_label("A", "muted"), role_label("B", "muted")
        parts: tuple[QWidget, ...] = (self.values, self._letters[0], self.a, self._letters[1], self.b)
        for part in parts:
            fields.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 2)
        column.setSpacing(2)
        column.addLayout(top)
        column.addLayout(fields)
        self.show_pair(pair=False)

    def show_pair(self, *, pair: bool) -> None:
        """Show the fields of A and B, or the one of a search."""
        self.values.setVisible(not pair)
        for widget in (*self._letters, self.a, self.b):
            widget.setVisible(pair)

    def show_values(self, values: tuple[ParameterValue, ...]) -> None:
        """Fill the fields."""
        self.values.setText(", ".join(shown(value) for value in values))
        self.a.setText(shown(values[-1]))
        self.b.setText(shown(values[0]))

    def parsed_values(self) -> tuple[ParameterValue, ...]:
        """The values to try. Raises ParameterInvalid."""
        words = [word for word in self.values.text().replace(";", ",").split(",") if word.strip()]
        if not words:
            raise ParameterInvalid(
                self.tr("{name} has no values to try.").format(name=self.spec.name),
                remedy=self.tr("Give some, with commas between them, or leave it out."),
            )
        return tuple(dict.fromkeys(parsed(self.spec, word) for word in words))


class AxesField(QWidget):
    """All rows, and a list to add another parameter from; `changed` says that something was edited."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: dict[str, AxisRow] = {}
        self._pair = False
        self.add = ChoiceBox(self.tr("Add a parameter"), [])
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(self.add)
        self.add.activated.connect(self._add_chosen)
        self._fill_list()

    def show_axes(self, axes: tuple[Axis, ...]) -> None:
        """Put these rows in."""
        for name in list(self.rows):
            self._remove(name)
        for axis in axes:
            self._add(axis.name, axis.values)
        self.changed.emit()

    def show_pair(self, *, pair: bool) -> None:
        """Ask for A and B, or for values to try."""
        self._pair = pair
        for row in self.rows.values():
            row.show_pair(pair=pair)

    def axes(self) -> tuple[Axis, ...]:
        """The axes of a search. Raises ParameterInvalid."""
        from engine.tuner.spec import Axis

        return tuple(Axis(name, row.parsed_values()) for name, row in self.rows.items())

    def pair(self) -> tuple[Setting, Setting]:
        """The settings A and B. Raises ParameterInvalid."""
        a = {name: parsed(row.spec, row.a.text()) for name, row in self.rows.items()}
        b = {name: parsed(row.spec, row.b.text()) for name, row in self.rows.items()}
        return a, b

    def _add_chosen(self, index: int) -> None:
        name = self.add.itemData(index)
        if name:
            spec = CATALOG[name]
            values: tuple[ParameterValue, ...] = spec.choices or (
                (False, True) if spec.kind is Kind.BOOL else (spec.default,)
            )
            self._add(name, values)
            self.rows[name].values.setFocus()
            self.changed.emit()

    def _add(self, name: str, values: tuple[ParameterValue, ...]) -> None:
        row = AxisRow(CATALOG[name])
        row.show_values(values)
        row.show_pair(pair=self._pair)
        row.changed.connect(self.changed)
        row.removed.connect(self._removed)
        self.rows[name] = row
        self._column.insertWidget(self._column.count() - 1, row)
        tab_through(self, self.rows.values())
        self._fill_list()

    def _removed(self, name: str) -> None:
        self._remove(name)
        self.changed.emit()

    def _remove(self, name: str) -> None:
        row = self.rows.pop(name)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._fill_list()

    def _fill_list(self) -> None:
        self.add.clear()
        self.add.addItem(self.tr("Add a parameter…"), "")
        for name, spec in CATALOG.items():
            if name not in self.rows:
                self.add.addItem(("● " if spec.applies is Applies.LIVE else "↻ ") + name, name)
