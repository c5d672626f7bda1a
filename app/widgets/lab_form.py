"""The set-up of a load: a preset, the few fields that matter, and the rest folded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.widgets.fold_mark import fold_mark
from app.widgets.icon import PlainButton
from app.widgets.lab_fields import LoadFields
from app.widgets.lab_form_scroll import FormScroll
from app.widgets.lab_kind import ChoiceBox
from app.widgets.lab_presets import load_presets
from app.widgets.labels import role_label

if TYPE_CHECKING:
    from PySide6.QtGui import QWheelEvent

    from app.widgets.lab_presets import LoadPreset
    from engine.bench.workload import Workload


class LoadForm(FormScroll):
    """Makes a Workload out of `fields`; `changed` says that something was edited."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Set-up of the load"))
        self._presets = load_presets()
        self._from = self._presets[0].workload
        self.fields = LoadFields(self)
        self.preset = ChoiceBox(self.tr("Load"), [(preset.key, preset.name) for preset in self._presets])
        self.preset.setObjectName("labPreset")
        self._about = role_label("", "caption", wrap=True)
        self._fold = PlainButton("", "link")
        self._fold.setObjectName("labMore")
        self._more = QWidget()
        self.folded.append(self._more)
        self._arrange()
        self.preset.activated.connect(lambda index: self.show_preset(self._presets[index]))
        self._fold.clicked.connect(lambda: self.show_more(shown=self._more.isHidden()))
        self.fields.changed.connect(self._edited)
        self.show_preset(self._presets[0])

    def workload(self) -> Workload:
        """The load that the fields say, named for what it was made from; ask `fields.problems` first."""
        made = self.fields.workload(self._from.name)
        if made == self._from:
            return made
        return msgspec.structs.replace(made, name=self.tr("{load} (edited)").format(load=self._from.name))

    def show_workload(self, workload: Workload) -> None:
        """Fill the fields from a load, a former run's say."""
        self._from = workload
        self.fields.show_workload(workload)

    def show_preset(self, preset: LoadPreset) -> None:
        """Fill the fields from a preset."""
        self.preset.choose(preset.key)
        self._about.setText(preset.text)
        self.show_workload(msgspec.structs.replace(preset.workload, name=preset.name))

    def choose_preset(self, key: str) -> None:
        """Fill the fields from the preset of this key."""
        self.show_preset(next(preset for preset in self._presets if preset.key == key))

    def show_more(self, *, shown: bool) -> None:
        """Unfold the fields that are seldom needed, or fold them."""
        self._more.setVisible(shown)
        self._fold.setText(f"{fold_mark(self, unfolded=shown)} " + self.tr("More"))

    def _edited(self) -> None:
        self._prompt_row.setVisible(not self.fields.data.has_prompts)
        self.changed.emit()

    def _arrange(self) -> None:
        column = self.column
        column.addWidget(self.preset)
        column.addWidget(self._about)
        fields = self.fields
        self._prompt_row = _under(self.tr("Prompts, each different"), fields.prompt)
        for row in (
            _under(self.tr("Requests come"), fields.arrival), _under(self.tr("Texts"), fields.data),
            _beside(self.tr("Shared system prompt"), fields.system),
            self._prompt_row, _under(self.tr("Answers"), fields.output),
            _beside(self.tr("It ends after"), fields.requests), _beside(self.tr("or"), fields.duration),
            _heading(self.tr("A good answer (SLO)")), _beside("TTFT ≤", fields.ttft), _beside("TPOT ≤", fields.tpot),
            _beside("E2E ≤", fields.e2e),
        ):  # fmt: skip
            column.addWidget(row)
        column.addSpacing(4)
        column.addWidget(self._fold, alignment=Qt.AlignmentFlag.AlignLeading)
        self._arrange_more()
        column.addWidget(self._more)
        column.addStretch(1)
        self.aligned = fields.trailing
        self.show_more(shown=False)

    def _arrange_more(self) -> None:
        fields = self.fields
        column = QVBoxLayout(self._more)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        for row in (
            _under(self.tr("Route"), fields.route),
            _beside(self.tr("Warm-up"), fields.warm_up), _beside(self.tr("Temperature"), fields.temperature),
            _beside(self.tr("Seed"), fields.seed), _beside(self.tr("Time-out of a request"), fields.timeout),
            fields.ignore_eos, fields.cut,
        ):  # fmt: skip
            column.addWidget(row)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll, and keep what is at the end from scrolling what is around it."""
        super().wheelEvent(event)
        event.accept()


def _heading(text: str) -> QWidget:
    label = role_label(text, "muted")
    label.setContentsMargins(0, 6, 0, 0)
    return label


def _under(caption: str, field: QWidget) -> QWidget:
    """A field with its caption above it."""
    box = QWidget()
    column = QVBoxLayout(box)
    column.setContentsMargins(0, 6, 0, 0)
    column.setSpacing(3)
    label = role_label(caption, "muted")
    label.setBuddy(field)
    column.addWidget(label)
    column.addWidget(field)
    return box


def _beside(caption: str, field: QWidget) -> QWidget:
    """A field at the trailing edge with its caption before it."""
    box = QWidget()
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    label = role_label(caption, "muted")
    label.setBuddy(field)
    row.addWidget(label)
    row.addStretch(1)
    row.addWidget(field)
    return box
