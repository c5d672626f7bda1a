"""What pages of dialogs are put together from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QHeaderView, QTableView, QVBoxLayout, QWidget

if TYPE_CHECKING:
    from PySide6.QtCore import QAbstractItemModel


def dialog_page(*widgets: QWidget) -> QWidget:
    """These, one under the other."""
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(10)
    for widget in widgets:
        column.addWidget(widget)
    return page


def button_row(left: QWidget | None, middle: QWidget | None, right: QWidget) -> QWidget:
    """Buttons at the two ends of a line; the last one is what the page is for."""
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    if left is not None:
        row.addWidget(left)
    row.addStretch(1)
    if middle is not None:
        row.addWidget(middle)
    row.addWidget(right)
    return holder


def differences_view(model: QAbstractItemModel, name: str) -> QTableView:
    """A plain table over the whole width. `name` is what screen readers say."""
    view = QTableView()
    view.setModel(model)
    view.setAccessibleName(name)
    view.setShowGrid(False)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setTabKeyNavigation(False)
    view.verticalHeader().hide()
    header = view.horizontalHeader()
    header.setHighlightSections(False)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    return view
