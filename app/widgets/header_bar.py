"""The header: which model, load and unload, the state in words, the address for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from app.widgets.icon import IconButton, IconLabel, PlainButton
from app.widgets.labels import role_label
from app.widgets.model_switcher import ModelSwitcher
from app.widgets.record_button import RecordButton
from app.widgets.state_light import StateLight
from engine.domain.lifecycle import Lifecycle, Phase

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from app.bridge.commands import Commands
    from app.bridge.store import Address, Store
    from app.theme.themes import Themes

_CAN_UNLOAD = {Phase.READY, Phase.ASLEEP, Phase.CRASHED}
_BUSY = {Phase.LOADING, Phase.UNLOADING}


class HeaderBar(QWidget):
    """Draws the lifecycle and passes its buttons to the commands, once there are any (`use`).

    In a narrow window the address is left out (the button beside it copies it, and says it); then names are cut.
    """

    def __init__(self, store: Store, themes: Themes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("headerBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._store = store
        self._commands: Commands | None = None
        self._copied_key = ""
        self.switcher = ModelSwitcher(store)
        self.light = StateLight(store, themes)
        self.record = RecordButton(store)
        self.load_button = PlainButton(self.tr("Load"), "primary")
        self.load_button.setObjectName("loadButton")
        self.load_button.clicked.connect(self.load)
        self.unload_button = PlainButton(self.tr("Unload"))
        self.unload_button.setObjectName("unloadButton")
        self.unload_button.setToolTip(self.tr("End the engine and give its memory back"))
        self.unload_button.clicked.connect(self.unload)
        self._address = role_label("", "monoMuted")
        self._address.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._copy = IconButton("copy", "")
        self._copy.setMenu(self._copy_menu())
        self._copy.setPopupMode(IconButton.ToolButtonPopupMode.InstantPopup)
        self._arrange()
        self.switcher.chosen.connect(self._switch)
        for signal in (store.lifecycle_changed, store.library_changed, store.edits_changed):
            signal.connect(self._refresh)
        store.address_changed.connect(self._show_address)
        self._show_address(store.address)
        self._refresh()

    def use(self, commands: Commands) -> None:
        """From now on the buttons act."""
        self._commands = commands
        self._refresh()

    def load(self) -> None:
        """Load the model that the switcher shows, or load it again when it runs."""
        path = self.switcher.candidate
        if self._commands is None or path is None or not self.load_button.isEnabled():
            return
        if self._store.lifecycle.phase is Phase.READY:
            self._commands.reload()
        else:
            self._commands.load(path)

    def unload(self) -> None:
        """End the engine."""
        if self._commands is not None and self.unload_button.isEnabled():
            self._commands.unload()

    @property
    def may_sleep(self) -> bool:
        """Whether there is an engine that could be put to sleep."""
        return self._commands is not None and self._store.lifecycle.phase is Phase.READY

    def put_to_sleep(self) -> None:
        """Let the engine rest, with none in its place."""
        if self._commands is not None and self.may_sleep:
            self._commands.put_to_sleep()

    def copy_address(self) -> None:
        """Put the base address of the OpenAI routes on the clipboard."""
        if self._store.address is not None:
            QGuiApplication.clipboard().setText(f"{self._store.address.url}/v1")

    def copy_key(self) -> None:
        """Put the key on the clipboard, marked as a secret so that clipboard histories leave it out."""
        if self._store.address is not None:
            self._copied_key = self._store.address.token
            data = QMimeData()
            data.setText(self._copied_key)
            data.setData("x-kde-passwordManagerHint", b"secret")
            QGuiApplication.clipboard().setMimeData(data)
            application = QGuiApplication.instance()
            assert application is not None
            application.aboutToQuit.connect(self.take_key_back)

    def take_key_back(self) -> None:
        """Clear the clipboard if the key is still on it.

        A secret does not outlive the program; nor may what Python made: some platforms destroy the clipboard's
        content after the interpreter is gone, which ends in a segmentation fault.
        """
        clipboard = QGuiApplication.clipboard()
        if self._copied_key and clipboard.text() == self._copied_key:
            clipboard.clear()

    def _switch(self, path: str) -> None:
        if self._commands is not None:
            self._commands.load(path)

    def _refresh(self) -> None:
        lifecycle: Lifecycle = self._store.lifecycle
        phase, ready = lifecycle.phase, self._commands is not None
        is_answering = phase not in _BUSY | {Phase.CONNECTING}
        self.load_button.setEnabled(ready and is_answering and self.switcher.candidate is not None)
        names = {Phase.READY: self.tr("Reload"), Phase.ASLEEP: self.tr("Wake")}
        self.load_button.setText(names.get(phase, self.tr("Load")))
        is_next = self.load_button.isEnabled() and phase is not Phase.READY and lifecycle.failure is None
        self.load_button.show_kind("primary" if is_next else "")
        self.load_button.setToolTip(
            self.tr("Load this model again, with the edited parameters (Ctrl+L)")
            if phase is Phase.READY
            else self.tr("Load the chosen model (Ctrl+L)")
        )
        self.unload_button.setEnabled(ready and phase in _CAN_UNLOAD)
        self.switcher.allow(ready and phase not in _BUSY)
        self._show_address(self._store.address)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the address out where there is no room for it."""
        super().resizeEvent(event)
        self._make_room()

    def event(self, event: QEvent) -> bool:
        """Some part has another size: there may be room for the address, or none any more."""
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self._make_room()
        return handled

    def _show_address(self, address: Address | None) -> None:
        text = address.url.removeprefix("http://") if address else ""
        self._address.setText(text)
        label = self.tr("Copy the address of the OpenAI routes, or the key")
        self._copy.setToolTip(f"{text}\n{label}")
        self._copy.setAccessibleName(label)
        self._copy.setVisible(address is not None and self._store.lifecycle.phase is not Phase.OFFLINE)
        self._make_room()

    def _make_room(self) -> None:
        row = self.layout()
        if row is None:
            return
        shows = not self._copy.isHidden()
        if shows:
            beside = row.sizeHint().width()
            if self._address.isHidden():
                beside += self._address.sizeHint().width() + row.spacing()
            shows = beside <= self.width()
        if shows == self._address.isHidden():
            self._address.setVisible(shows)

    def _copy_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.addAction(self.tr("Copy address"), self.copy_address)
        menu.addAction(self.tr("Copy key"), self.copy_key)
        return menu

    def _arrange(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 12, 8)
        row.setSpacing(8)
        row.addWidget(IconLabel("kvdeck", 22))
        row.addWidget(self.switcher)
        row.addStretch(1)
        row.addWidget(self.record)
        row.addSpacing(12)
        row.addWidget(self.light)
        row.addSpacing(12)
        row.addWidget(self.load_button)
        row.addWidget(self.unload_button)
        row.addSpacing(12)
        row.addWidget(self._address)
        row.addWidget(self._copy)
