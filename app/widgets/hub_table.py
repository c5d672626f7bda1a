"""What a search on the hub found, as a table model."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication

from app.theme.fonts import tabular
from app.widgets.figures import UNKNOWN, count, size
from engine.hub.records import Access

if TYPE_CHECKING:
    from PySide6.QtCore import QObject

    from engine.hub.records import HubModel

Index = QModelIndex | QPersistentModelIndex
# What an engine needs beside the weights at the least: activations, graphs, and a KV cache worth having.
_BESIDE_WEIGHTS = 1.12
_AT_LEAST_BYTES = 1 << 30


class HubColumn(IntEnum):
    """The table's columns, in order."""

    MODEL = 0
    QUANTIZATION = 1
    SIZE = 2
    FITS = 3
    DOWNLOADS = 4


def fits(model: HubModel, memory_bytes: int | None) -> bool | None:
    """Whether the weights and the least beside them go into `memory_bytes`; None where one of both is not known."""
    if model.weights_bytes is None or memory_bytes is None:
        return None
    return model.weights_bytes * _BESIDE_WEIGHTS + _AT_LEAST_BYTES <= memory_bytes


class HubTable(QAbstractTableModel):
    """Models in the hub's order; `only_fitting` leaves out what is known not to fit."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: tuple[HubModel, ...] = ()
        self._shown: list[HubModel] = []
        self._memory: int | None = None
        self._only_fitting = False

    def show_models(self, models: tuple[HubModel, ...], memory_bytes: int | None, *, only_fitting: bool) -> None:
        """Show these; the selection is lost."""
        self.beginResetModel()
        self._all, self._memory, self._only_fitting = models, memory_bytes, only_fitting
        self._shown = [model for model in models if not only_fitting or fits(model, memory_bytes) is not False]
        self.endResetModel()

    @property
    def left_out(self) -> int:
        """How many models are hidden because they do not fit."""
        return len(self._all) - len(self._shown)

    def model_at(self, row: int) -> HubModel:
        """The model in a row."""
        return self._shown[row]

    def rowCount(self, parent: Index | None = None) -> int:
        """Models shown."""
        return 0 if parent is not None and parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index | None = None) -> int:
        """The columns of HubColumn."""
        return 0 if parent is not None and parent.isValid() else len(HubColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The columns' titles."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return [self.tr("Model"), self.tr("Format"), self.tr("Weights"), self.tr("Fits here"),
                    self.tr("Downloads")][section]  # fmt: skip
        if role == Qt.ItemDataRole.TextAlignmentRole and section >= HubColumn.SIZE:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts, alignment and what hovering tells."""
        model, column = self._shown[index.row()], HubColumn(index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(model, column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column >= HubColumn.SIZE:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.FontRole and column >= HubColumn.SIZE:
            return tabular(QGuiApplication.font())
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(model, column)
        return None

    def _text(self, model: HubModel, column: HubColumn) -> str:
        if column is HubColumn.MODEL:
            return model.repo + ("" if model.access is Access.OPEN else f"  ·  {self.tr('gated')}")
        if column is HubColumn.QUANTIZATION:
            return model.quantization or UNKNOWN
        if column is HubColumn.SIZE:
            return size(model.weights_bytes)
        if column is HubColumn.FITS:
            return {True: self.tr("yes"), False: self.tr("no"), None: UNKNOWN}[fits(model, self._memory)]
        return count(model.downloads)

    def _tip(self, model: HubModel, column: HubColumn) -> str:
        if column is HubColumn.FITS:
            return self.tr(
                "Weights, 12 % beside them and 1 GiB, against {memory} of this machine. "
                "Exact once it is downloaded: then the real shapes are known."
            ).format(memory=size(self._memory))
        if column is HubColumn.MODEL and model.access is Access.GATED:
            return self.tr("{model}: its terms have to be agreed to on its page.").format(model=model.repo)
        if column is HubColumn.MODEL and model.access is Access.GATED_BY_HAND:
            return self.tr("{model}: its owner lets each user in by hand.").format(model=model.repo)
        return model.repo
