"""Which formats of which model are compared, and what with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QVBoxLayout, QWidget

from app.tables.models import Family, group_families
from app.widgets import figures
from app.widgets.lab_form_scroll import FormScroll
from app.widgets.lab_kind import ChoiceBox
from app.widgets.lab_number import NumberEdit, unit_tokens
from app.widgets.labels import role_label
from engine.tuner.presets import formats_experiment

if TYPE_CHECKING:
    from engine.domain.checkpoint import Checkpoint, Library
    from engine.tuner.spec import ExperimentSpec

_FEWEST = 2


class FormatsForm(FormScroll):
    """Makes an ExperimentSpec; `changed` says that something was edited."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Set-up of the comparison"))
        self._families: tuple[Family, ...] = ()
        self._boxes: list[tuple[QCheckBox, Checkpoint]] = []
        self.family = ChoiceBox(self.tr("Model"), [])
        self._list = QVBoxLayout()
        self._list.setSpacing(2)
        self.transformers = QCheckBox(self.tr("Plain transformers, one by one"))
        self.transformers.setChecked(True)
        self.transformers.setToolTip(
            self.tr("What most people come from: the same prompts, answered one by one, on this machine.")
        )
        self.perplexity = NumberEdit(
            self.tr("Perplexity"), 0, 100_000, unit=unit_tokens(),
            help_text=self.tr("Over so many tokens of the text that ships with KVDeck; 0: not measured."),
        )  # fmt: skip
        self.perplexity.show_value(1024)
        self._arrange()
        self.family.currentIndexChanged.connect(self._show_family)
        self.transformers.toggled.connect(lambda _on: self.changed.emit())
        self.perplexity.changed.connect(self.changed)

    def show_library(self, library: Library | None, present: str | None) -> None:
        """Offer the families that have two formats or more; the one of the `present` checkpoint first."""
        families = group_families(library.checkpoints) if library is not None else ()
        families = tuple(family for family in families if len(_loadable(family)) >= _FEWEST)
        if families == self._families:
            return
        chosen = self.family.currentText()
        self._families = families
        self.family.blockSignals(True)
        self.family.clear()
        for family in families:
            self.family.addItem(family.name)
        ours = [i for i, f in enumerate(families) if any(v.checkpoint.path == present for v in f.variants)]
        kept = self.family.findText(chosen)
        self.family.setCurrentIndex(kept if kept >= 0 else (ours[0] if ours else 0))
        self.family.blockSignals(False)
        self._show_family()

    def chosen(self) -> list[Checkpoint]:
        """The checkpoints that are ticked."""
        return [checkpoint for box, checkpoint in self._boxes if box.isChecked()]

    def spec(self) -> ExperimentSpec:
        """What is to be done; ask `problem` first."""
        made = formats_experiment(self.chosen(), title=self.family.currentText())
        return msgspec.structs.replace(
            made, perplexity_tokens=self.perplexity.whole or 0, transformers=self.transformers.isChecked()
        )

    def problem(self) -> str:
        """What cannot be, with its remedy; empty where it can be begun."""
        if not self._families:
            return self.tr("No model is here in two formats. Build the starter model's variants in Models.")
        wanted = len(self.chosen()) + (1 if self.transformers.isChecked() else 0)
        if not self.chosen() or wanted < _FEWEST:
            return self.tr("There is nothing to compare. Tick two formats, or one and transformers.")
        return self.perplexity.problem()

    def _show_family(self) -> None:
        while (item := self._list.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._boxes = []
        index = self.family.currentIndex()
        for checkpoint, label in _loadable(self._families[index]) if 0 <= index < len(self._families) else ():
            box = QCheckBox(f"{label} · {figures.size(checkpoint.size_bytes)}")
            box.setChecked(True)
            box.toggled.connect(lambda _on: self.changed.emit())
            self._boxes.append((box, checkpoint))
            self._list.addWidget(box)
        self.fit()
        self.changed.emit()

    def _arrange(self) -> None:
        column = self.column
        about = self.tr(
            "Each format is loaded in turn and measured alone and at load: size, memory, capacity, speed, perplexity. "
            "What is loaded now comes back at the end."
        )
        column.addWidget(role_label(about, "caption", wrap=True))
        column.addSpacing(6)
        column.addWidget(role_label(self.tr("Model"), "muted"))
        column.addWidget(self.family)
        column.addSpacing(6)
        column.addWidget(role_label(self.tr("Formats"), "muted"))
        column.addLayout(self._list)
        column.addWidget(self.transformers)
        column.addSpacing(6)
        line = QHBoxLayout()
        line.addWidget(role_label(self.tr("Perplexity over"), "muted"))
        line.addStretch(1)
        line.addWidget(self.perplexity)
        column.addLayout(line)
        column.addStretch(1)


def _loadable(family: Family) -> list[tuple[Checkpoint, str]]:
    return [(one.checkpoint, one.label) for one in family.variants if not one.refusal]
