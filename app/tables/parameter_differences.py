"""Two sets of parameters side by side, as a table model: only what differs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication

from app.theme.fonts import mono
from engine.parameters.catalog import CATALOG, LIVE_NAMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtCore import QObject

    from engine.domain.lifecycle import ParameterValue

Index = QModelIndex | QPersistentModelIndex
_UNSET = "—"


@dataclass(frozen=True, slots=True)
class Difference:
    """One parameter whose two values differ; None is "vLLM decides"."""

    name: str
    before: ParameterValue
    after: ParameterValue

    @property
    def is_live(self) -> bool:
        """Whether it can be brought into force without a reload."""
        return self.name in LIVE_NAMES


def differences(
    before: Mapping[str, ParameterValue], after: Mapping[str, ParameterValue]
) -> tuple[Difference, ...]:
    """What differs, in the table's order. A name that `after` lacks stays as it is."""
    return tuple(
        Difference(name, before.get(name, row.default), after[name])
        for name, row in CATALOG.items()
        if name in after and after[name] != before.get(name, row.default)
    )


def written(value: ParameterValue) -> str:
    """A value as vLLM spells it."""
    if value is None:
        return _UNSET
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


class DifferencesTable(QAbstractTableModel):
    """Name, value before, value after, and how it comes into force."""

    def __init__(self, before_title: str, after_title: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._titles = (self.tr("Parameter"), before_title, after_title, self.tr("In force"))
        self.rows: tuple[Difference, ...] = ()

    def show_rows(self, rows: tuple[Difference, ...]) -> None:
        """Show these."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        """Differences."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Four."""
        return 0 if parent is not None and parent.isValid() else len(self._titles)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The columns' titles."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts; names and values in the fixed-width font."""
        row = self.rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            how = self.tr("at once") if row.is_live else self.tr("with a reload")
            return (row.name, written(row.before), written(row.after), how)[index.column()]
        if role == Qt.ItemDataRole.FontRole and index.column() < 3:
            return mono(QGuiApplication.font())
        return None
