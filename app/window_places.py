"""Where the window and its docks stand, remembered for each screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shiboken6
from PySide6.QtCore import QByteArray, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QSettings
    from PySide6.QtGui import QScreen
    from PySide6.QtWidgets import QMainWindow

    from app.window_layout import DockLayout

_VERSION = 4  # raise when the docks change, so that an old state is not forced onto new ones
_DEFAULT = QSize(1440, 900)
_SMALLEST = QSize(820, 440)  # a screen of 1366 x 768 at 150 % has 911 x 512, less what the desktop takes
_SETTLE_MS = 300
_FRAME = QSize(32, 64)  # what a window manager may put around it, with the title bar to stay on the screen


class WindowPlaces(QObject):
    """Saves and restores geometry and docks under the name and size of the screen that the window is on.

    What the docks are in a low or narrow window is kept apart from what they are in one with room for all.
    """

    def __init__(
        self, window: QMainWindow, layout: DockLayout, settings: QSettings, name: str, is_usual: Callable[[], bool]
    ) -> None:
        """`name` keeps the places of another kind of window apart from those of the usual one, where it is not empty.

        `is_usual` answers whether the docks are as the user has them, and none is put away for a page.
        """
        super().__init__(window)
        self._layout = layout
        self._is_usual = is_usual
        self._settled: tuple[str, QByteArray] | None = None
        self._settling = QTimer(self, singleShot=True, interval=_SETTLE_MS)
        self._settling.timeout.connect(self._settle)
        for dock in layout.docks:
            for moved in (dock.resized, dock.visibilityChanged, dock.dockLocationChanged, dock.topLevelChanged):
                moved.connect(self._moved)
        self._prefix = f"{name}_" if name else ""
        self._window = window
        self._settings = settings
        self._screen: str | None = None

    def restore(self) -> bool:
        """Put window and docks where they were; False where nothing is known, and the default layout is to be made."""
        self._window.setMinimumSize(_SMALLEST)
        geometry = self._settings.value(f"{self._prefix}window/geometry")
        if not (isinstance(geometry, QByteArray) and self._window.restoreGeometry(geometry)):
            self._centre()
        self._screen = screen_key(self._window.screen())
        return self._restore_docks()

    def save(self) -> None:
        """Remember the present places."""
        self._settling.stop()
        self._settings.setValue(f"{self._prefix}window/geometry", self._window.saveGeometry())
        if self._screen is not None:
            self._settings.setValue(self._key, self._window.saveState(_VERSION))

    def follow(self) -> None:
        """The window has room for more than it had, or for less: remember its docks, and bring those of its new size.

        What is remembered is how they last stood still: by now Qt has squeezed them into the new size.
        """
        if self._screen is not None and self._settled is not None and self._settled[0] == self._key:
            self._settings.setValue(*self._settled)
        if not self._restore_docks():
            self._layout.arrange()

    def screen_changed(self, screen: QScreen) -> None:
        """Remember the docks for the screen that the window leaves, and bring those of the new one, if known."""
        if screen_key(screen) != self._screen:
            self.save()
            self._screen = screen_key(screen)
            self._restore_docks()

    @property
    def is_settled(self) -> bool:
        """Whether the docks have stood still for a moment."""
        return not self._settling.isActive()

    def _moved(self, *_how: object) -> None:
        if shiboken6.isValid(self._window) and self._window.isVisible():  # docks of a window that goes are hidden last
            self._settling.start()

    def _settle(self) -> None:
        if self._is_usual():
            self._settled = (self._key, self._window.saveState(_VERSION))

    @property
    def _key(self) -> str:
        return f"{self._prefix}docks/{self._screen}{self._layout.shape.key}"

    def _restore_docks(self) -> bool:
        self._layout.shape = self._layout.fitting
        state = self._settings.value(self._key)
        return isinstance(state, QByteArray) and self._window.restoreState(state, _VERSION)

    def _centre(self) -> None:
        screen = QGuiApplication.primaryScreen()
        is_real = screen is not None and QGuiApplication.platformName() != "offscreen"  # which has 800 x 800
        free = screen.availableGeometry() if is_real else QRect(QPoint(0, 0), _DEFAULT)
        size = _DEFAULT if free.width() <= 1920 else QSize(round(free.width() * 0.8), round(free.height() * 0.85))
        fitting = size.boundedTo(free.size() - _FRAME).expandedTo(_SMALLEST)
        box = QRect(QPoint(0, 0), fitting)
        box.moveCenter(free.center())
        self._window.setGeometry(box)
        if is_real and fitting != size:  # a screen with no more room than that is best filled
            self._window.setWindowState(self._window.windowState() | Qt.WindowState.WindowMaximized)


def screen_key(screen: QScreen) -> str:
    """A screen's name and size, as a key of the settings file."""
    name = "".join(letter if letter.isalnum() else "_" for letter in screen.name()) or "screen"
    return f"{name}_{screen.size().width()}x{screen.size().height()}"
