"""The adapters of the running engine: what each holds, one more from the library, one less."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from app.widgets.elided_label import ElidedLabel
from app.widgets.figures import count, size
from app.widgets.icon import IconButton, PlainButton
from app.widgets.labels import role_label
from app.widgets.tab_order import tab_through
from app.wording.engine import worded

if TYPE_CHECKING:
    from app.bridge.adapter_state import AdaptersState, FoundAdapter
    from engine.domain.adapter import LoadedAdapter

_MOST_IN_MENU = 30


class AdaptersCard(QWidget):
    """Hidden where the running engine has no room for adapters."""

    load_asked = Signal(str)  # the folder
    unload_asked = Signal(str)  # the name
    find_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("adaptersCard")
        self.setAccessibleName(self.tr("Adapters of the running engine"))
        self._state: AdaptersState | None = None
        self._lines: list[QWidget] = []
        self.note = role_label("", "caption", wrap=True)
        self.add = PlainButton(self.tr("Load adapter"), "link")
        self.add.setObjectName("loadAdapter")
        self.menu = QMenu(self)
        self.menu.setToolTipsVisible(True)
        self.menu.aboutToShow.connect(self.find_asked)
        self.add.setMenu(self.menu)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(36, 2, 14, 6)
        self._column.setSpacing(3)
        self._column.addWidget(self.note)
        self._column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeading)
        self.hide()

    def show_state(self, state: AdaptersState) -> None:
        """Draw what is known."""
        if state == self._state:
            return
        self._state = state
        self.setVisible(state.engine.enabled)
        for line in self._lines:
            self._column.removeWidget(line)
            line.hide()
            line.deleteLater()
        self._lines = [self._line(adapter) for adapter in state.engine.loaded]
        for place, line in enumerate(self._lines):
            self._column.insertWidget(place, line)
        tab_through(self, self._lines)
        self.add.setEnabled(state.busy is None)
        self.note.setText(self._said(state))
        self._fill_menu(state)

    def _said(self, state: AdaptersState) -> str:
        if state.busy is not None:
            return self.tr("Working on {}…").format(state.busy)
        engine = state.engine
        if not engine.loaded:
            return self.tr("No adapter is loaded. There is room for rank {} and less.").format(count(engine.max_rank))
        return self.tr("A request names one of them as its model; the chat has a choice above it.")

    def _line(self, adapter: LoadedAdapter) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        name = ElidedLabel("mono", middle=True)
        name.show_text(adapter.name)
        what = ElidedLabel("muted")
        what.show_text(self._holds(adapter))
        what.setToolTip(f"{self._holds(adapter)}\n{adapter.path}")
        remove = IconButton("unload", self.tr("Unload {}").format(adapter.name))
        remove.setObjectName(f"unloadAdapter_{adapter.name}")
        remove.setEnabled(self._state is None or self._state.busy is None)
        remove.clicked.connect(partial(self.unload_asked.emit, adapter.name))
        row.addWidget(name, 3)
        row.addWidget(what, 2)
        row.addWidget(remove)
        return line

    def _holds(self, adapter: LoadedAdapter) -> str:
        parts = [size(adapter.size_bytes)] if adapter.size_bytes is not None else []
        if adapter.rank is not None:
            parts.insert(0, self.tr("rank {}").format(count(adapter.rank)))
        parts.append(", ".join(adapter.targets))
        return " · ".join(part for part in parts if part)

    def _fill_menu(self, state: AdaptersState) -> None:
        self.menu.clear()
        loaded = {adapter.path for adapter in state.engine.loaded}
        for found in (state.found or ())[:_MOST_IN_MENU]:
            self.menu.addAction(self._action(found, is_loaded=found.adapter.path in loaded))
        if not state.found:
            looking = self.tr("Looking…") if state.found is None else self.tr("No adapter in the library's folders")
            self.menu.addAction(looking).setEnabled(False)
        self.menu.addSeparator()
        other = self.menu.addAction(self.tr("Another folder…"))
        other.triggered.connect(self._choose_folder)

    def _action(self, found: FoundAdapter, *, is_loaded: bool) -> QAction:
        adapter = found.adapter
        what = " · ".join(
            part
            for part in (
                adapter.name,
                self.tr("rank {}").format(count(adapter.rank)) if adapter.rank is not None else "",
                size(adapter.size_bytes) if adapter.size_bytes is not None else "",
            )
            if part
        )
        action = QAction(what, self.menu)
        why = self.tr("It is loaded.") if is_loaded else worded(found.problem or "") or None
        action.setEnabled(why is None)
        action.setToolTip(f"{why or adapter.base}\n{adapter.path}".strip())
        action.triggered.connect(partial(self.load_asked.emit, adapter.path))
        return action

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self, self.tr("Load the adapter in this folder"))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.load_asked)
        dialog.open()
