"""The model panel: checkpoints by family, one click to load or switch."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QMenu, QToolButton, QVBoxLayout, QWidget

from app.panels.panel import Panel
from app.tables.models import first_families, group_families
from app.widgets.flow_layout import FlowLayout
from app.widgets.icon import IconButton, PlainButton
from app.widgets.labels import role_label
from app.widgets.model_family import FamilyRow
from app.widgets.model_menu import ModelMenu, open_folder
from app.widgets.model_starter import StarterCard
from app.widgets.sleeper_tray import SleeperTray
from app.widgets.tab_order import tab_through
from app.widgets.upright_scroll import UprightScroll

if TYPE_CHECKING:
    from PySide6.QtGui import QShowEvent

    from app.panels.panel import PanelContext
    from app.tables.models import Family
    from app.widgets.model_chip import VariantChip
    from engine.domain.checkpoint import Checkpoint


_NEW_ROWS = 4  # built in one turn of the loop: 2 to 6 ms each, and laid out
_MOST_ROWS = 80  # shown until more are asked for: each lays all of them out anew


class ModelsPanel(Panel):
    """Lists the checkpoints of the library, and offers the starter model where there are none."""

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        self._families: tuple[Family, ...] = ()
        self._found: tuple[tuple[Checkpoint, ...], str, tuple[Family, ...]] = ((), "", ())
        self._rows: list[FamilyRow] = []
        self._kept: dict[Family, FamilyRow] = {}  # shown already, and not reached yet by `_add_rows`
        self._most, self._present = _MOST_ROWS, ""
        self._rest = QTimer(self, singleShot=True, interval=0)
        self._rest.timeout.connect(self._add_rows)
        self._filter = QLineEdit()
        self._filter.setObjectName("modelFilter")
        self._filter.setPlaceholderText(self.tr("Filter models"))
        self._filter.setAccessibleName(self.tr("Filter models"))
        self._filter.setClearButtonEnabled(True)
        self._more = IconButton("more", self.tr("Folders"))
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self)
        self._nothing = role_label("", "muted", wrap=True)
        self._add = PlainButton(self.tr("Add a folder…"), "link")
        self._find = PlainButton(self.tr("Find models on the hub…"), "link")
        self._show_more = PlainButton("", "link")
        self._starter = StarterCard()
        self.tray = SleeperTray()
        self._body = QWidget()
        self._column = QVBoxLayout(self._body)
        self._arrange()
        self._connect()
        self._library_changed()

    def variant(self, checkpoint: str) -> VariantChip | None:
        """The chip of the checkpoint at this path, None where it is not shown."""
        chips = (chip for row in self._rows for chip in row.chips)
        return next((chip for chip in chips if chip.variant.checkpoint.path == checkpoint), None)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while hidden."""
        super().showEvent(event)
        if self.context.store.sleepers.waiting:
            self.context.commands.measure_sleepers()
        self._library_changed()

    def _arrange(self) -> None:
        self._body.setObjectName("scrollBody")
        self._column.setContentsMargins(0, 0, 0, 8)
        self._column.setSpacing(4)
        links = FlowLayout(spacing=4)
        links.addWidget(self._add)
        links.addWidget(self._find)
        add = QHBoxLayout()
        add.setContentsMargins(16, 0, 12, 0)
        add.addLayout(links)
        self._nothing.setContentsMargins(16, 8, 12, 0)
        more = QHBoxLayout()
        more.setContentsMargins(16, 0, 12, 0)
        more.addWidget(self._show_more)
        more.addStretch(1)
        self._column.addLayout(more)  # families stand above it
        self._column.addWidget(self.tray)
        self._column.addWidget(self._starter)
        self._column.addWidget(self._nothing)
        self._column.addLayout(add)
        self._column.addStretch(1)
        scroll = UprightScroll(self._body)
        scroll.setAccessibleName(self.tr("Models"))
        top = QHBoxLayout()
        top.setContentsMargins(16, 2, 8, 4)
        top.setSpacing(4)
        top.addWidget(self._filter, 1)
        top.addWidget(self._more)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(scroll, 1)

    def _connect(self) -> None:
        store, commands = self.context.store, self.context.commands
        store.library_changed.connect(self._library_changed)
        store.lifecycle_changed.connect(self._lifecycle_changed)
        store.starter_changed.connect(self._starter_changed)
        store.sleepers_changed.connect(self._sleepers_changed)
        self.tray.wake_asked.connect(commands.wake)
        self.tray.end_asked.connect(commands.end_sleeper)
        self._filter.textChanged.connect(self._filter_changed)
        self._show_more.clicked.connect(self._more_asked)
        self._add.clicked.connect(self._add_folder)
        self._find.clicked.connect(self._find_on_hub)
        self._starter.build_asked.connect(lambda: commands.build_starter())
        self._starter.cancel_asked.connect(commands.cancel_starter)
        self._starter.load_asked.connect(commands.load)
        self._action(self.tr("Find models on the hub…"), "", self._find_on_hub)
        self._action(self.tr("Add a folder…"), "", self._add_folder)
        self._action(self.tr("Look for models again"), "F5", commands.rescan)
        self._more.setMenu(self._menu)
        self._menu.aboutToShow.connect(self._list_folders)

    def _action(self, text: str, keys: str, act: object) -> None:
        action = QAction(text, self)
        if keys:
            action.setShortcut(QKeySequence(keys))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        assert callable(act)
        action.triggered.connect(lambda _checked=False: act())
        self.addAction(action)

    # Drawing

    def _library_changed(self) -> None:
        if self.isVisible() or not self._families:
            self._draw_families()

    def _filter_changed(self) -> None:
        self._most = _MOST_ROWS
        self._draw_families()

    def _more_asked(self) -> None:
        self._most += _MOST_ROWS
        self._draw_families()

    def _draw_families(self) -> None:
        library = self.context.store.library
        checkpoints = library.checkpoints if library is not None else ()
        found = self._grouped(checkpoints, self._filter.text())
        self._present = self.context.store.lifecycle.checkpoint or ""
        families = first_families(found, self._most, self._present)
        left_out = len(found) - len(families)
        self._show_more.setText(self.tr("%n more: show some of them, or filter", "", left_out))
        self._show_more.setVisible(left_out > 0)
        if families != self._families:
            self._families = families
            self._replace_rows()
        self._say_nothing(bool(checkpoints))
        self._lifecycle_changed()
        self._sleepers_changed()
        self._starter_changed()

    def _grouped(self, checkpoints: tuple[Checkpoint, ...], text: str) -> tuple[Family, ...]:
        """Thousands take some ten milliseconds: only where they changed."""
        if self._found[0] is not checkpoints or self._found[1] != text:
            self._found = (checkpoints, text, group_families(checkpoints, text))
        return self._found[2]

    def _replace_rows(self) -> None:
        """Keep the rows of families that did not change."""
        wanted = set(self._families)
        present = [*self._rows, *self._kept.values()]
        self._kept = {row.family: row for row in present if row.family in wanted}
        for row in present:
            if row.family not in wanted:
                self._column.removeWidget(row)
                row.hide()
                row.deleteLater()
        self._rows = []
        self._add_rows()

    def _add_rows(self) -> None:
        """New rows a few at a time, the rest in later turns of the loop: a library may hold hundreds."""
        fresh = 0
        for family in self._families[len(self._rows) :]:
            row = self._kept.pop(family, None)
            if row is None:
                if fresh == _NEW_ROWS:
                    self._rest.start()
                    return
                fresh += 1
                row = self._new_row(family)
                row.show_lifecycle(self.context.store.lifecycle)
                row.show_sleepers(self.context.store.sleepers)
            if self._column.indexOf(row) != len(self._rows):
                self._column.insertWidget(len(self._rows), row)
                tab_through(self._rows[-1] if self._rows else row.parentWidget() or self, (row,))
            self._rows.append(row)

    def _new_row(self, family: Family) -> FamilyRow:
        row = FamilyRow(family, self.context.themes)
        row.chosen.connect(self.context.commands.load)
        row.cancel_asked.connect(self.context.commands.cancel_load)
        row.menu_asked.connect(self._show_menu)
        return row

    def _lifecycle_changed(self) -> None:
        if self.isVisible() and (self.context.store.lifecycle.checkpoint or "") != self._present:
            self._draw_families()
        elif self.isVisible():
            for row in self._rows:
                row.show_lifecycle(self.context.store.lifecycle)
            self.tray.show_tray(self.context.store.sleepers, self.context.store.lifecycle.phase)

    def _sleepers_changed(self) -> None:
        if self.isVisible():
            for row in self._rows:
                row.show_sleepers(self.context.store.sleepers)
            self.tray.show_tray(self.context.store.sleepers, self.context.store.lifecycle.phase)

    def _starter_changed(self) -> None:
        library = self.context.store.library
        known = library is not None and bool(library.checkpoints)
        looking = library is None or (library.scanning and not known) or bool(self._filter.text())
        self._starter.show_progress(None if looking else self.context.store.starter, first=not known)

    def _say_nothing(self, any_known: bool) -> None:
        library = self.context.store.library
        if library is None or (library.scanning and not any_known):
            text = self.tr("Looking for models…")
        elif not any_known:
            text = self.tr("Models in Hugging Face's cache and in your folders appear here.")
        elif not self._rows:
            text = self.tr("No model matches “{}”.").format(self._filter.text())
        else:
            text = ""
        self._nothing.setText(text)
        self._nothing.setVisible(bool(text))
        for link in (self._add, self._find):
            link.setVisible(library is not None and not any_known and not library.scanning)

    # Acts

    def _list_folders(self) -> None:
        self._menu.clear()
        self._menu.addActions(self.actions())
        library = self.context.store.library
        if library is None or not library.searched:
            return
        self._menu.addSection(self.tr("Folders that are searched"))
        for folder in library.searched:
            sub = self._menu.addMenu(folder.replace("&", "&&"))
            sub.addAction(self.tr("Open folder"), partial(open_folder, folder))
            sub.addAction(self.tr("Look there no longer"), partial(self.context.commands.remove_folder, folder))

    def _find_on_hub(self) -> None:
        action = self.window().findChild(QAction, "findOnHub")
        if action is not None:
            action.trigger()

    def _add_folder(self) -> None:
        dialog = QFileDialog(self, self.tr("Add a folder with models"), str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.context.commands.add_folder)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _show_menu(self, path: str, place: QPoint) -> None:
        chip = self.variant(path)
        if chip is None:
            return
        menu = ModelMenu(chip, self.context.store, self.context.commands, self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(place)
