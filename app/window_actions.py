"""What stands in the window's menus, and what each entry does."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, QUrl
from PySide6.QtGui import QAction, QDesktopServices, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QDialog

from app.dialogs.about import AboutDialog
from app.dialogs.command_palette import CommandPalette, PaletteEntry
from app.dialogs.settings import SettingsDialog
from app.dialogs.shortcuts import ShortcutsDialog
from app.menus import keys_of, plain
from app.panels.panel import Pausable
from app.preferences import TEXT_SIZE, THEME
from app.resources import GUIDE
from app.theme.fonts import TEXT_SIZES
from app.widgets.checkpoint_names import checkpoint_label, loadable
from app.widgets.figures import percent
from app.widgets.file_question import ask_for_folder
from engine.domain.lifecycle import Phase
from engine.domain.paths import log_dir

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.bridge.commands import Commands
    from app.bridge.store import Store
    from app.main_window import MainWindow
    from app.panels.panel import PanelSpec
    from app.preferences import Preferences
    from engine.domain.lifecycle import Lifecycle


class WindowActions(QObject):
    """Fills the menus. Entries that need the commands are off until `use`."""

    def __init__(
        self, window: MainWindow, store: Store, preferences: Preferences, panels: tuple[PanelSpec, ...]
    ) -> None:
        super().__init__(window)
        self._window = window
        self._store = store
        self._preferences = preferences
        self._commands: Commands | None = None
        self._needing_commands: list[QAction] = []
        self._guide: QDialog | None = None
        self._fill_file()
        self._fill_model()
        self._fill_panel()
        self._fill_view(panels)
        self._fill_help()
        store.lifecycle_changed.connect(self._refresh)
        store.library_changed.connect(self._refresh)
        store.address_changed.connect(self._refresh)
        self._refresh()

    def use(self, commands: Commands) -> None:
        """From now on every entry acts."""
        self._commands = commands
        for action in self._needing_commands:
            action.setEnabled(True)
        self._refresh()

    def open_palette(self) -> None:
        """Show the command palette."""
        CommandPalette([*self._model_entries(), *self._action_entries()], self._window).open_over(self._window)

    def _fill_model(self) -> None:
        menus, window = self._window.menus, self._window
        self._load = menus.add(menus.model, self.tr("Load or reload"), window.header.load, "Ctrl+L")
        self._unload = menus.add(menus.model, self.tr("Unload"), window.header.unload, "Ctrl+Shift+U")
        self._sleep = menus.add(menus.model, self.tr("Put to sleep"), window.header.put_to_sleep)
        self._cancel = menus.add(menus.model, self.tr("Cancel the load"), window.stages.cancel_button.click, "Ctrl+.")
        menus.model.addSeparator()
        self._later(self.tr("Add a folder with checkpoints…"), self._add_folder)
        self._later(self.tr("Build the starter model"), lambda commands: commands.build_starter())
        menus.model.addSeparator()
        self._drop = menus.add(menus.model, self.tr("Drop all reusable prefixes"), self._drop_prefixes)
        self._copy = menus.add(
            menus.model, self.tr("Copy the server's address"), window.header.copy_address, "Ctrl+Shift+C"
        )

    def _fill_file(self) -> None:
        """What stands at the end of the first menu of every program."""
        menus = self._window.menus
        menus.file.addSeparator()
        settings = menus.add(menus.file, self.tr("Settings…"), self._settings, "Ctrl+,")
        settings.setMenuRole(QAction.MenuRole.PreferencesRole)
        quit_it = menus.add(menus.file, self.tr("Quit"), self._window.close, "Ctrl+Q")
        quit_it.setMenuRole(QAction.MenuRole.QuitRole)

    def _fill_panel(self) -> None:
        menus = self._window.menus
        menus.add(menus.panel, _with_keys(self.tr("Send the message"), "Ctrl+Enter"), partial(self._press, "chatSend"))
        menus.add(menus.panel, _with_keys(self.tr("Stop the answer"), "Esc"), partial(self._press, "chatStop"))
        menus.panel.addSeparator()

    def _fill_view(self, panels: tuple[PanelSpec, ...]) -> None:
        menus, window, view = self._window.menus, self._window, self._window.menus.view
        for spec in sorted(panels, key=lambda spec: spec.shortcut or spec.title):
            title = QCoreApplication.translate("Panels", spec.title)
            menus.add(view, title, partial(window.show_panel, spec.key), spec.shortcut)
        menus.add(view, self.tr("Log"), window.show_log, "Ctrl+Shift+L")
        view.addSeparator()
        menus.add(view, _with_keys(self.tr("Pause the live view, or go on"), "Space"), self._pause)
        view.addSeparator()
        menus.add(view, self.tr("Command palette…"), self.open_palette, "Ctrl+K")
        view.addSeparator()
        themes = [("system", self.tr("as the system")), ("dark", self.tr("dark")), ("light", self.tr("light"))]
        self._themes = menus.add_choice(
            view, self.tr("Theme"), themes, self._preferences.theme, lambda key: self._preferences.set(THEME, key)
        )
        sizes = [(str(size), percent(size)) for size in TEXT_SIZES]
        self._sizes = menus.add_choice(
            view,
            self.tr("Text size"),
            sizes,
            str(self._preferences.text_size),
            lambda key: self._preferences.set(TEXT_SIZE, float(key)),
        )
        menus.add(view, self.tr("Larger text"), lambda: self._step_text(1), QKeySequence.StandardKey.ZoomIn)
        menus.add(view, self.tr("Smaller text"), lambda: self._step_text(-1), QKeySequence.StandardKey.ZoomOut)
        menus.add(view, self.tr("Normal text"), lambda: self._preferences.set(TEXT_SIZE, 1.0), "Ctrl+0")
        view.addSeparator()
        menus.add(view, self.tr("Full screen"), self._full_screen, "F11")
        menus.add(view, self.tr("Hide or show the side panels"), window.toggle_sides, "Ctrl+B")
        menus.add(view, self.tr("Reset the layout"), window.reset_layout)
        self._preferences.changed.connect(self._show_choices)

    def _fill_help(self) -> None:
        menus = self._window.menus
        if GUIDE.is_file():
            menus.add(menus.help, self.tr("User guide"), self._show_guide, "Shift+F1")
        menus.add(menus.help, self.tr("Keyboard shortcuts"), self._shortcuts, "F1")
        menus.add(menus.help, self.tr("Open the folder with the log files"), _open_log_folder)
        menus.help.addSeparator()
        menus.add(menus.help, self.tr("About KVDeck"), self._about).setMenuRole(QAction.MenuRole.AboutRole)

    def _later(self, text: str, act: Callable[[Commands], object], shortcut: str | None = None) -> None:
        """An entry that works once there are commands."""

        def run() -> None:
            if self._commands is not None:
                act(self._commands)

        action = self._window.menus.add(self._window.menus.model, text, run, shortcut)
        action.setEnabled(False)
        self._needing_commands.append(action)

    def _drop_prefixes(self) -> None:
        if self._commands is not None:
            self._commands.reset_prefix_cache()

    def _refresh(self, *_topic: object) -> None:
        lifecycle: Lifecycle = self._store.lifecycle
        self._cancel.setEnabled(lifecycle.phase is Phase.LOADING)
        self._load.setEnabled(self._window.header.load_button.isEnabled())
        self._unload.setEnabled(self._window.header.unload_button.isEnabled())
        self._sleep.setEnabled(self._window.header.may_sleep)
        self._drop.setEnabled(self._commands is not None and lifecycle.phase is Phase.READY)
        self._copy.setEnabled(self._store.address is not None)

    def _show_choices(self) -> None:
        for group, present in (
            (self._themes, self._preferences.theme),
            (self._sizes, str(self._preferences.text_size)),
        ):
            for action in group.actions():
                action.setChecked(action.data() == present)

    def _step_text(self, direction: int) -> None:
        present = self._preferences.text_size
        nearest = min(range(len(TEXT_SIZES)), key=lambda index: abs(TEXT_SIZES[index] - present))
        index = min(max(nearest + direction, 0), len(TEXT_SIZES) - 1)
        self._preferences.set(TEXT_SIZE, TEXT_SIZES[index])

    def _pause(self) -> None:
        for slot in self._window.slots.values():
            panel: object = slot.panel
            if isinstance(panel, Pausable):
                panel.set_paused(not panel.paused)

    def _press(self, name: str) -> None:
        """Press a panel's own button, where it can be pressed."""
        button = self._window.findChild(QAbstractButton, name)
        if button is not None and button.isVisible():
            button.click()

    def _full_screen(self) -> None:
        window = self._window
        window.showNormal() if window.isFullScreen() else window.showFullScreen()

    def _add_folder(self, commands: Commands) -> None:
        title = self.tr("A folder with checkpoints")
        ask_for_folder(self._window, title, lambda folder: commands.add_folder(str(folder)))

    def _settings(self) -> None:
        SettingsDialog(self._preferences, self._window, reset_layout=self._window.reset_layout).open()

    def _shortcuts(self) -> None:
        ShortcutsDialog(self._window.menus.all_actions(), self._window).open()

    def _show_guide(self) -> None:
        """The guide stays open beside the window; there is one of it."""
        if self._guide is None:
            from app.dialogs.guide import GuideDialog  # late: it is rarely asked for

            self._guide = GuideDialog(GUIDE, self._window)
        self._guide.show()
        self._guide.raise_()
        self._guide.activateWindow()

    def _about(self) -> None:
        AboutDialog(self._store, self._window).open()

    def _action_entries(self) -> list[PaletteEntry]:
        """Each command once: a panel's own menu offers some again that the window's menus have."""
        panels = plain(self._window.menus.panel.title())
        actions = list(self._window.menus.all_actions())
        of_window = {plain(action.text()) for path, action in actions if not path.startswith(panels)}
        return [
            PaletteEntry(plain(action.text()), path, keys_of(action), action.trigger, action.isEnabled())
            for path, action in actions
            if not (path.startswith(panels) and plain(action.text()) in of_window)
        ]

    def _model_entries(self) -> list[PaletteEntry]:
        commands, library = self._commands, self._store.library
        if commands is None:
            return []
        present = self._store.lifecycle.checkpoint if self._store.lifecycle.facts else None
        return [
            PaletteEntry(
                self.tr("Load {name}").format(name=checkpoint_label(library, checkpoint.path)),
                self.tr("Model"),
                "",
                partial(commands.load, checkpoint.path),
                self._store.lifecycle.phase is not Phase.LOADING,
            )
            for checkpoint in loadable(library)
            if checkpoint.path != present
        ]


def _with_keys(text: str, keys: str) -> str:
    """A menu's text beside keys that a panel takes itself, written as the menu writes all others."""
    return f"{text}\t{QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)}"


def _open_log_folder() -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_dir())))
