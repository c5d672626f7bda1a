"""The acts on a whole chat: in the pane's menu, in the window's menu, and by keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QStandardPaths, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QFileDialog, QMenu

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from app.widgets.chat_desk import ChatDesk


class ChatActions(QMenu):
    """Signals for what concerns the pane; copying and exporting are done here."""

    new_asked = Signal()
    search_asked = Signal()
    prompt_asked = Signal()
    again_asked = Signal()
    stop_asked = Signal()
    delete_asked = Signal()

    def __init__(self, desk: ChatDesk, pane: QWidget) -> None:
        super().__init__(pane)
        self._desk = desk
        self._pane = pane
        self._add(self.tr("New chat"), "Ctrl+N", self.new_asked.emit)
        self._add(self.tr("Search all chats"), "Ctrl+F", self.search_asked.emit)
        self._add(self.tr("System prompt"), "", self.prompt_asked.emit)
        self.addSeparator()
        self._add(self.tr("Answer again"), "Ctrl+Shift+R", self.again_asked.emit)
        self.stop = self._add(self.tr("Stop the answer"), "", self.stop_asked.emit)
        self.addSeparator()
        self._add(self.tr("Copy chat as Markdown"), "", self._copy)
        self._add(self.tr("Export chat as Markdown…"), "", lambda: self._export("md"))
        self._add(self.tr("Export chat as JSON…"), "", lambda: self._export("json"))
        self.addSeparator()
        self._add(self.tr("Delete chat"), "", self.delete_asked.emit)

    def _add(self, text: str, keys: str, act: Callable[[], None]) -> QAction:
        action = QAction(text, self._pane)
        if keys:
            action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(lambda _checked=False: act())
        self._pane.addAction(action)
        self.addAction(action)
        return action

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._desk.as_markdown())

    def _export(self, ending: str) -> None:
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        title = self._desk.chat.conversation.title
        name = "".join(letter if letter.isalnum() or letter in " -_" else "_" for letter in title).strip()
        place = str(Path(folder) / f"{name or 'chat'}.{ending}")
        dialog = QFileDialog(self._pane, self.tr("Export chat"), place)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(ending)
        dialog.selectFile(place)
        dialog.fileSelected.connect(lambda path: self._desk.export(Path(path)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
