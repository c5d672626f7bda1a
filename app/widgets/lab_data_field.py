"""Where a load's texts come from: made up, or out of a file that the user chooses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.widgets.file_question import ask_to_open
from app.widgets.icon import IconButton
from app.widgets.lab_kind import ChoiceBox
from app.widgets.lab_number import NumberEdit
from app.widgets.labels import role_label
from engine.bench.workload import (
    AsRecorded,
    Bursts,
    ClosedLoop,
    Fixed,
    FromData,
    LogNormal,
    Normal,
    OpenLoop,
    Ramp,
    RecordedLog,
    ShareGpt,
    Synthetic,
    Uniform,
    UserJsonl,
)

if TYPE_CHECKING:
    from engine.bench.workload import Dataset

_LIVE: set[type] = {ClosedLoop, OpenLoop, Bursts, Ramp}
_LENGTHS: set[type] = {Fixed, Uniform, Normal, LogNormal}
_WITH_TURNS = ("Synthetic", "ShareGpt")


class DataField(QWidget):
    """Chooses a data set; `changed` says that something was edited."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = ChoiceBox(
            self.tr("Texts"),
            [
                ("Synthetic", self.tr("made up, all different")), ("ShareGpt", self.tr("ShareGPT file")),
                ("UserJsonl", self.tr("my JSONL file")), ("RecordedLog", self.tr("recorded log")),
            ],
        )  # fmt: skip
        self.path = QLineEdit()
        self.path.setObjectName("labDataPath")
        self.path.setAccessibleName(self.tr("File with the data"))
        self.path.setPlaceholderText(self.tr("Choose a file"))
        self.browse = IconButton("folder", self.tr("Choose the file with the data"))
        self.turns = NumberEdit(
            self.tr("Turns of a conversation"), 1, 1000,
            help_text=self.tr("Each turn sends the whole past again, with the answers."),
        )  # fmt: skip
        self.turns.show_value(1)
        self._arrange()
        self.setFocusProxy(self.kind)
        self.kind.currentIndexChanged.connect(self._kind_changed)
        self.path.textChanged.connect(self._edited)
        self.turns.changed.connect(self.changed)
        self.browse.clicked.connect(self._choose_file)
        self._show_kind()

    @property
    def has_prompts(self) -> bool:
        """Whether the prompts come from the data, so that nobody has to say how long they are."""
        return str(self.kind.currentData()) != "Synthetic"

    @property
    def arrivals(self) -> set[type]:
        """The arrivals that go with it."""
        return _LIVE | {AsRecorded} if self.kind.currentData() == "RecordedLog" else _LIVE

    @property
    def output_lengths(self) -> set[type]:
        """The lengths of answers that go with it."""
        return _LENGTHS | {FromData} if self.has_prompts else _LENGTHS

    def value(self) -> Dataset:
        """What the fields say; ask `problem` first."""
        path = self.path.text().strip()
        match self.kind.currentData():
            case "Synthetic":
                return Synthetic(turns=self.turns.whole or 1)
            case "ShareGpt":
                return ShareGpt(path=path, turns=self.turns.whole or 1)
            case "UserJsonl":
                return UserJsonl(path=path)
            case _:
                return RecordedLog(path=path)

    def show_value(self, dataset: Dataset) -> None:
        """Fill the fields; a preset without a file leaves the one that was chosen."""
        self.kind.choose(type(dataset).__name__)
        self.turns.show_value(getattr(dataset, "turns", 1))
        path = getattr(dataset, "path", "")
        if path:
            self.path.setText(path)
        self._show_kind()

    def problem(self) -> str:
        """What is wrong, with the remedy; empty where nothing is."""
        if self.kind.currentData() in _WITH_TURNS and self.turns.problem():
            return self.turns.problem()
        if not self.has_prompts:
            return ""
        path = self.path.text().strip()
        if not path:
            return self.tr("No file is chosen. Choose the one with the data.")
        if not Path(path).expanduser().is_file():
            return self.tr("There is no file {path}. Choose another one.").format(path=path)
        return ""

    def _arrange(self) -> None:
        self._file = QWidget()
        line = QHBoxLayout(self._file)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        line.addWidget(self.path, 1)
        line.addWidget(self.browse)
        self._turns = QWidget()
        row = QHBoxLayout(self._turns)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(role_label(self.tr("turns of a conversation"), "muted"))
        row.addStretch(1)
        row.addWidget(self.turns)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(5)
        for part in (self.kind, self._file, self._turns):
            column.addWidget(part)

    def _choose_file(self) -> None:
        patterns = self.tr("Data (*.json *.jsonl *.kvdeck);;All files (*)")
        folder = str(Path(self.path.text()).parent) if self.path.text() else ""
        title = self.tr("File with the data")
        ask_to_open(self, title, lambda file: self.path.setText(str(file)), folder=folder, filters=patterns)

    def _kind_changed(self) -> None:
        self._show_kind()
        self.changed.emit()

    def _edited(self) -> None:
        wrong = self.has_prompts and bool(self.problem())
        if bool(self.path.property("invalid")) != wrong:
            self.path.setProperty("invalid", wrong)
            self.path.style().unpolish(self.path)
            self.path.style().polish(self.path)
        self.changed.emit()

    def _show_kind(self) -> None:
        self._file.setVisible(self.has_prompts)
        self._turns.setVisible(self.kind.currentData() in _WITH_TURNS)
