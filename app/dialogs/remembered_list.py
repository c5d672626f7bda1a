"""Settings' list of what the window remembers, with a way to forget each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.widgets.icon import PlainButton
from app.widgets.labels import role_label

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.remembered import Memory, Remembered


class RememberedList(QWidget):
    """One row a thing. `reset_layout` puts the panels back at once: the layout is written again when KVDeck ends."""

    def __init__(
        self, remembered: Remembered, reset_layout: Callable[[], None] | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._remembered = remembered
        self._reset_layout = reset_layout
        self._rows = QWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(role_label(self.tr("Remembered from the last time"), ""))
        column.addWidget(self._rows)
        self._column = column
        self._show()

    def _show(self) -> None:
        """Build the rows anew: there are four at most."""
        rows = QWidget()
        grid = QGridLayout(rows)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(0, 1)
        found = self._remembered.found()
        for row, memory in enumerate(found):
            words = self._words(memory)
            forget = PlainButton(self._verb(memory), "link")
            forget.setObjectName(f"forget-{memory.what}")
            forget.setAccessibleName(f"{self._verb(memory)}: {words}")
            forget.clicked.connect(partial(self._forget, memory.what))
            grid.addWidget(role_label(words, "caption", wrap=True), row, 0)
            grid.addWidget(forget, row, 1, alignment=Qt.AlignmentFlag.AlignTrailing)
        if not found:
            grid.addWidget(role_label(self.tr("Nothing."), "caption"), 0, 0)
        self._column.replaceWidget(self._rows, rows)
        self._rows.hide()
        self._rows.deleteLater()
        self._rows = rows
        rows.show()

    def _verb(self, memory: Memory) -> str:
        return self.tr("Reset") if memory.what == "layout" else self.tr("Forget")

    def _words(self, memory: Memory) -> str:
        return {
            "model": self.tr("The model that is offered first: {name}").format(name=memory.value),
            "chat": self.tr("The chat that was open"),
            "panels": self.tr("How the panels were left: colours, pages, columns"),
            "layout": self.tr("Where the window and its panels were"),
        }[memory.what]

    def _forget(self, what: str, _checked: bool = False) -> None:
        self._remembered.forget(what)
        if what == "layout" and self._reset_layout is not None:
            self._reset_layout()
        self._show()
