"""Draws the rows of the list of requests that are neither selected nor under the pointer, which are nearly all.

Under a style sheet Qt takes a tenth of a millisecond a cell, and this list is drawn ten times a second. Places and font
are asked from the style once for each column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QPalette, QPixmap
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QPainter
    from PySide6.QtWidgets import QTableView

_MOST_TEXTS = 4000


@dataclass(frozen=True, slots=True)
class _Cell:
    """How one column's cells look; places are from a cell's upper left corner."""

    text: QRect
    icon: QRect
    font: QFont
    metrics: QFontMetrics
    flags: int


class CellModel(Protocol):
    """A view's model, asked without an index of Qt's for each cell: that takes a third of the time of drawing it."""

    def columnCount(self) -> int:
        """Columns."""

    def text_at(self, row: int, column: int) -> str:
        """What a cell says."""

    def colour_at(self, row: int) -> QColor:
        """The colour of a row's icon."""


class RequestRows:
    """Draws cells of a view whose model has texts, and icons in one colour."""

    def __init__(self, view: QTableView, model: CellModel) -> None:
        self._view, self._model = view, model
        self._cells: dict[tuple[int, int], _Cell] = {}
        self._texts: dict[tuple[int, int, str], str] = {}
        self._icons: dict[tuple[int, int], QPixmap] = {}

    def forget(self) -> None:
        """Style, font or direction may have changed: ask again."""
        self._cells.clear()
        self._texts.clear()

    def paint(self, painter: QPainter, rows: Iterable[int]) -> None:
        """Draw these rows."""
        view, model, header = self._view, self._model, self._view.horizontalHeader()
        last: _Cell | None = None
        columns = [at for at in range(model.columnCount()) if not header.isSectionHidden(at)]
        places = [(at, view.columnViewportPosition(at), view.columnWidth(at)) for at in columns]
        painter.setPen(view.palette().color(QPalette.ColorRole.Text))
        lines = [(row, view.rowViewportPosition(row), view.rowHeight(row)) for row in rows]
        for column, x, width in places:
            for row, y, height in lines:
                cell = self._cells.get((column, width)) or self._cell(column, width, row, height)
                if cell is not last:
                    painter.setFont(cell.font)
                    last = cell
                text = self._shown(column, cell, model.text_at(row, column))
                painter.drawText(cell.text.translated(x, y), cell.flags, text)
                if not cell.icon.isEmpty():
                    colour = model.colour_at(row)
                    painter.drawPixmap(cell.icon.topLeft() + QPoint(x, y), self._icon(colour, cell.icon.size()))

    def _cell(self, column: int, width: int, row: int, height: int) -> _Cell:
        view = self._view
        index = view.model().index(row, column)
        option = QStyleOptionViewItem()
        view.initViewItemOption(option)
        option.rect = QRect(0, 0, width, height)
        delegate = view.itemDelegate()
        assert isinstance(delegate, QStyledItemDelegate)
        delegate.initStyleOption(option, index)
        style = view.style()
        place = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, view)
        margin = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, view) + 1
        has_icon = bool(option.features & QStyleOptionViewItem.ViewItemFeature.HasDecoration)
        icon = style.subElementRect(QStyle.SubElement.SE_ItemViewItemDecoration, option, view) if has_icon else QRect()
        side = QStyle.visualAlignment(option.direction, option.displayAlignment)
        flags = int(side | Qt.AlignmentFlag.AlignAbsolute) | int(Qt.TextFlag.TextSingleLine)
        font = QFont(option.font)  # of its own: the option's ends with it
        cell = _Cell(place.adjusted(margin, 0, -margin, 0), icon, font, QFontMetrics(font), flags)
        self._cells[(column, width)] = cell
        return cell

    def _shown(self, column: int, cell: _Cell, text: str) -> str:
        width = cell.text.width()
        shown = self._texts.get((column, width, text))
        if shown is None:
            if len(self._texts) > _MOST_TEXTS:
                self._texts.clear()
            shown = cell.metrics.elidedText(text, self._view.textElideMode(), width)
            self._texts[(column, width, text)] = shown
        return shown

    def _icon(self, colour: QColor, size: QSize) -> QPixmap:
        ratio = self._view.devicePixelRatioF()
        key = (colour.rgba(), round(ratio * 100))
        found = self._icons.get(key)
        if found is None:
            pixmap = QPixmap(self._view.iconSize() * ratio)
            pixmap.fill(colour)
            pixmap.setDevicePixelRatio(ratio)
            found = self._icons[key] = QIcon(pixmap).pixmap(size, ratio)
        return found
