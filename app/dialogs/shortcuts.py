"""Every keyboard shortcut on one page, read from the actions themselves."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from app.menus import keys_of, plain
from app.widgets.labels import role_label
from app.widgets.screen_room import within_screen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QAction


_SECTION_GAP = 12
_WIDTH = 480
_LETTERS = 60  # that a line has room for, its keys with it


class ShortcutsDialog(QDialog):
    """`actions` are pairs of menu path and action; those without a shortcut are left out."""

    def __init__(self, actions: Iterable[tuple[str, QAction]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Keyboard shortcuts"))
        body = QWidget()
        body.setObjectName("scrollBody")
        grid = QGridLayout(body)
        grid.setContentsMargins(20, 16, 20, 16)
        grid.setHorizontalSpacing(32)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(0, 1)
        with_keys = [(path, action) for path, action in actions if keys_of(action)]
        for path, group in groupby(with_keys, key=lambda pair: pair[0]):
            if grid.count():
                grid.setRowMinimumHeight(grid.rowCount(), _SECTION_GAP)
            grid.addWidget(role_label(path, "panelTitle"), grid.rowCount(), 0, 1, 2)
            for _, action in group:
                row = grid.rowCount()
                grid.addWidget(role_label(plain(action.text()), "", wrap=True), row, 0)
                keys = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignTop
                grid.addWidget(role_label(keys_of(action), "key"), row, 1, keys)
        grid.setRowStretch(grid.rowCount(), 1)
        scroll = QScrollArea()
        scroll.setAccessibleName(self.tr("Keyboard shortcuts"))
        scroll.setWidgetResizable(True)
        scroll.setWidget(body)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 12)
        column.addWidget(scroll, 1)
        column.addWidget(buttons)
        buttons.setContentsMargins(0, 0, 16, 0)
        wanted = max(_WIDTH, body.minimumSizeHint().width(), _LETTERS * self.fontMetrics().averageCharWidth())
        self.resize(within_screen(self, QSize(wanted, 600)))
