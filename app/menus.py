"""The window's actions: every command with its shortcut, in the menus and for the command palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from app.panels.panel import Panel


class Menus(QObject):
    """Builds the menu bar. Actions are parented to the window, so that their shortcuts work everywhere in it."""

    def __init__(self, window: QObject, bar: QMenuBar) -> None:
        super().__init__(window)
        self._window = window
        self.bar = bar
        self.file = self._menu(self.tr("&File"))
        self.model = self._menu(self.tr("&Model"))
        self.panel = self._menu(self.tr("&Panel"))
        self.view = self._menu(self.tr("&View"))
        self.help = self._menu(self.tr("&Help"))

    def add(
        self, menu: QMenu, text: str, act: Callable[[], object], shortcut: str | QKeySequence.StandardKey | None = None
    ) -> QAction:
        """One action in a menu."""
        action = QAction(text, self._window)
        if shortcut is not None:
            action.setShortcut(QKeySequence(shortcut))
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _checked=False: act())
        menu.addAction(action)
        return action

    def add_choice(
        self, menu: QMenu, title: str, choices: list[tuple[str, str]], present: str, act: Callable[[str], object]
    ) -> QActionGroup:
        """A submenu of which one entry is on. The group's actions carry their keys as data."""
        submenu = menu.addMenu(title)
        group = QActionGroup(submenu)
        for key, text in choices:
            action = submenu.addAction(text)
            action.setCheckable(True)
            action.setData(key)
            action.setChecked(key == present)
            group.addAction(action)
            action.triggered.connect(lambda _checked=False, key=key: act(key))
        return group

    def add_panel(self, title: str, panel: Panel) -> None:
        """The actions of a panel as a submenu of its own."""
        actions = [action for action in panel.actions() if action.text()]
        if actions:
            self.panel.addMenu(title).addActions(actions)

    def all_actions(self) -> Iterator[tuple[str, QAction]]:
        """Every action that can be triggered, with the path of menus that leads to it."""
        for top in self.bar.actions():
            menu = top.menu()
            if isinstance(menu, QMenu):
                yield from _leaves(menu, plain(top.text()))

    def _menu(self, title: str) -> QMenu:
        menu = self.bar.addMenu(title)
        menu.setToolTipsVisible(True)
        return menu


def plain(text: str) -> str:
    """An action's text without its mnemonic."""
    return text.replace("&&", "\0").replace("&", "").replace("\0", "&").split("\t")[0]


def keys_of(action: QAction) -> str:
    """An action's shortcut as this platform writes it; also one that a panel handles itself, named after a tab."""
    own = action.text().partition("\t")[2]
    return own or action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def _leaves(menu: QMenu, path: str) -> Iterator[tuple[str, QAction]]:
    for action in menu.actions():
        submenu = action.menu()
        if isinstance(submenu, QMenu):
            yield from _leaves(submenu, f"{path} › {plain(action.text())}")
        elif not action.isSeparator() and action.text():
            yield path, action
