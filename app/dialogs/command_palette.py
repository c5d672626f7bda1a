"""The command palette: every command by a few of its letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.widgets.labels import role_label
from app.widgets.palette_row import PaletteRow
from app.widgets.screen_room import within_screen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_WIDTH = 560
_WIDE = 35  # lines' heights: as much in larger text
_ROWS = 11
_FREE = 8  # pixels to the edges of the screen
_MOVES = (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp)


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """One command: its name, where it belongs, its shortcut, what it does, and whether it can be done now."""

    text: str
    place: str
    shortcut: str
    act: Callable[[], object]
    enabled: bool = True


def score(query: str, text: str) -> float | None:
    """How well `query` names `text`, more is better; None where its letters do not occur in this order.

    Letters that begin a word and letters that follow each other count more, so "lg" finds "Load GPTQ" first; what is
    the beginning of a word as it stands counts most, so "lo" finds "Load or reload" before "Live view, or go on".
    """
    lowered = text.lower()
    total, at, previous = _whole_beginning(query.lower().strip(), lowered), 0, -2
    for letter in query.lower().replace(" ", ""):
        found = _best_position(lowered, letter, at, previous)
        if found < 0:
            return None
        begins = found == 0 or not lowered[found - 1].isalnum()
        total += 4.0 if begins else 2.5 if found == previous + 1 else 1.0
        at, previous = found + 1, found
    return total - len(text) * 0.01


def _whole_beginning(query: str, text: str) -> float:
    """What it is worth that a word of `text` begins with `query`."""
    at = text.find(query)
    while at > 0 and text[at - 1].isalnum():
        at = text.find(query, at + 1)
    return 2.0 * len(query) if at >= 0 else 0.0


def _best_position(text: str, letter: str, start: int, previous: int) -> int:
    """The next letter if it follows the last match, else where it begins a word, else its first occurrence."""
    if previous + 1 == start < len(text) and text[start] == letter:
        return start
    first = text.find(letter, start)
    at = first
    while at >= 0:
        if at == 0 or not text[at - 1].isalnum():
            return at
        at = text.find(letter, at + 1)
    return first


class CommandPalette(QDialog):
    """Opens over the window's upper middle; typing filters, arrows choose, Enter does, Esc leaves."""

    def __init__(self, entries: Sequence[PaletteEntry], parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("commandPalette")
        self.setAccessibleName(self.tr("Command palette"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._entries = list(entries)
        self.field = QLineEdit()
        self.field.setPlaceholderText(self.tr("Type a command or a model"))
        self.field.setAccessibleName(self.field.placeholderText())
        self.field.textChanged.connect(self._filter)
        self.field.installEventFilter(self)
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Commands"))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.itemClicked.connect(lambda _item: self.run())
        self.none = role_label(self.tr("Nothing is called that."), "muted")
        self.none.setContentsMargins(10, 6, 10, 6)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.field)
        column.addWidget(self.list, 1)
        column.addWidget(self.none, 1, Qt.AlignmentFlag.AlignTop)
        self._filter("")

    def open_over(self, window: QWidget) -> None:
        """Show it over this window."""
        height = self.field.sizeHint().height() + self._row_height * _ROWS + 30
        width = max(_WIDTH, round(_WIDE * self.fontMetrics().height()))
        self.resize(within_screen(self, QSize(min(width, window.width() - 40), height)))
        box = self.rect()
        box.moveTopLeft(window.mapToGlobal(QPoint((window.width() - self.width()) // 2, window.height() // 8)))
        free = window.screen().availableGeometry().adjusted(0, 0, -_FREE, -_FREE)
        self.move(min(box.x(), free.right() - box.width()), min(box.y(), free.bottom() - box.height()))
        self.show()
        self.field.setFocus()

    def run(self) -> None:
        """Do what is chosen, after the palette has gone."""
        row = self.list.currentRow()
        if row < 0:
            return
        entry: PaletteEntry = self.list.item(row).data(Qt.ItemDataRole.UserRole)
        if entry.enabled:
            self.close()
            entry.act()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The field keeps the keyboard; keys that move or choose act on the list."""
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.run()
                return True
            if event.key() in _MOVES:
                self.list.event(event)
                return True
        return super().eventFilter(watched, event)

    @property
    def _row_height(self) -> int:
        return self.fontMetrics().height() + 16

    def _filter(self, query: str) -> None:
        self.list.clear()
        row_height = self._row_height
        for entry in self._ranked(query):
            item = QListWidgetItem()
            item.setData(Qt.ItemDataRole.UserRole, entry)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{entry.text}, {entry.place}")
            row = PaletteRow(entry.text, entry.place, entry.shortcut, entry.enabled)
            item.setSizeHint(QSize(0, row_height))
            self.list.addItem(item)
            self.list.setItemWidget(item, row)
        self.list.setCurrentRow(0)
        self.list.setVisible(self.list.count() > 0)
        self.none.setVisible(self.list.count() == 0)

    def _ranked(self, query: str) -> list[PaletteEntry]:
        if not query.strip():
            return self._entries
        scored = ((score(query, f"{entry.text} {entry.place}"), entry) for entry in self._entries)
        found = [(value + (0.5 if entry.enabled else 0.0), entry) for value, entry in scored if value is not None]
        return [entry for _, entry in sorted(found, key=lambda pair: -pair[0])]
