"""One of several kinds of a thing, and the numbers that this kind has: an arrival, a distribution of lengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from app.widgets.lab_number import NumberEdit
from app.widgets.labels import role_label
from app.widgets.named_combo import NamedCombo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QWheelEvent


@dataclass(frozen=True, slots=True)
class Part:
    """One number. `key` is the value's field of that name; `start` stands in it when the user first comes to it.

    `optional` is what an empty field means; where it is not empty, the field may be.
    """

    key: str
    name: str
    caption: str
    least: float
    most: float
    start: float | None
    whole: bool = True
    unit: str = ""
    optional: str = ""
    help_text: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: what it is called, what is made of it, and its numbers by row."""

    text: str
    make: type
    rows: tuple[tuple[str, ...], ...]


class ChoiceBox(NamedCombo):
    """A list of pairs (key, text) that the wheel does not change while a form is scrolled."""

    def __init__(self, name: str, choices: Sequence[tuple[object, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        for key, text in choices:
            self.addItem(text, key)

    def choose(self, key: object) -> None:
        """Put one on."""
        self.setCurrentIndex(max(0, self.findData(key)))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the form."""
        event.ignore()


class KindField(QWidget):
    """A list of kinds and, under it, the numbers of the chosen one; `changed` says that something was edited."""

    changed = Signal()

    def __init__(
        self, name: str, parts: Sequence[Part], kinds: Sequence[Kind], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._name = name
        self._parts = {part.key: part for part in parts}
        self._kinds = tuple(kinds)
        self.choice = ChoiceBox(name, [(kind.make.__name__, kind.text) for kind in kinds])
        self.numbers = {part.key: self._number(part) for part in parts}
        self._boxes: dict[str, QWidget] = {}
        self._arrange()
        self.setFocusProxy(self.choice)
        self.choice.currentIndexChanged.connect(self._kind_changed)
        self._show_kind()

    @property
    def kind(self) -> Kind:
        """The chosen one."""
        return self._kinds[max(0, self.choice.currentIndex())]

    def value(self) -> Any:
        """The value that the fields say; ask `problem` first."""
        found = {}
        for key in self._keys():
            number = self.numbers[key]
            found[key] = number.whole if self._parts[key].whole else number.value
        return self.kind.make(**found)

    def show_value(self, value: object) -> None:
        """Fill the fields from such a value."""
        for key, field in self.numbers.items():
            if hasattr(value, key):
                field.show_value(getattr(value, key))
        self.choice.choose(type(value).__name__)
        self._show_kind()

    def offer(self, kinds: set[type]) -> None:
        """Only these kinds can be chosen now; a chosen one that is not among them gives way to the first."""
        model = self.choice.model()
        for place, kind in enumerate(self._kinds):
            flag = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable if kind.make in kinds else Qt.ItemFlag(0)
            model.setData(model.index(place, 0), flag.value, Qt.ItemDataRole.UserRole - 1)
        if self.kind.make not in kinds:
            self.choice.setCurrentIndex(next(i for i, kind in enumerate(self._kinds) if kind.make in kinds))

    def problem(self) -> str:
        """What is wrong, with the remedy; empty where nothing is."""
        for key in self._keys():
            found = self.numbers[key].problem()
            if found:
                return found
        if {"least", "most"} <= set(self._keys()):
            least, most = self.numbers["least"].value, self.numbers["most"].value
            if least is not None and most is not None and least > most:
                return self.tr("{name}: the least is more than the most. Exchange them.").format(name=self._name)
        return ""

    @property
    def trailing(self) -> tuple[NumberEdit, ...]:
        """The numbers that end a row: their units stand under each other."""
        ends = {row[-1] for kind in self._kinds for row in kind.rows if row}
        return tuple(self.numbers[key] for key in self._parts if key in ends)

    def _keys(self) -> tuple[str, ...]:
        return tuple(key for row in self.kind.rows for key in row)

    def _number(self, part: Part) -> NumberEdit:
        field = NumberEdit(
            part.name, part.least, part.most, whole=part.whole, unit=part.unit, optional=part.optional,
            help_text=part.help_text,
        )  # fmt: skip
        field.show_value(part.start)
        field.changed.connect(self.changed)
        return field

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        column.addWidget(self.choice)
        placed: set[str] = set()
        for depth in range(max(len(kind.rows) for kind in self._kinds)):
            line = QHBoxLayout()
            line.setSpacing(6)
            line.addStretch(0)  # takes the room where the row's first number is hidden
            for key in self._parts:
                wanted = any(len(kind.rows) > depth and key in kind.rows[depth] for kind in self._kinds)
                if wanted and key not in placed:
                    placed.add(key)
                    leads = all(row.index(key) == 0 for kind in self._kinds for row in kind.rows if key in row)
                    self._boxes[key] = _captioned(self._parts[key], self.numbers[key], leads=leads)
                    line.addWidget(self._boxes[key], int(leads))
            column.addLayout(line)

    def _kind_changed(self) -> None:
        for key in self._keys():
            part = self._parts[key]
            if self.numbers[key].value is None and not part.optional:
                self.numbers[key].show_value(part.start)
        self._show_kind()
        self.changed.emit()

    def _show_kind(self) -> None:
        shown = self._keys()
        for key, box in self._boxes.items():
            box.setVisible(key in shown)


def _captioned(part: Part, field: NumberEdit, *, leads: bool) -> QWidget:
    """A number with its caption before it; the one that leads a row has its caption at the row's other end."""
    box = QWidget()
    box.setToolTip(part.help_text)
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(6)
    if part.caption:
        row.addWidget(role_label(part.caption, "muted"))
    if leads:
        row.addStretch(1)
    row.addWidget(field)
    return box
