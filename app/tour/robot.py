"""The tour's hands and eyes: real clicks and keys on the window's real widgets, and pictures of it."""

from __future__ import annotations

import asyncio
import re
import time
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QScrollArea, QWidget

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from PySide6.QtGui import QImage

_W = TypeVar("_W", bound=QWidget)
_POLL_S = 0.05
_FIND_S = 10.0
_CLICK_POINT = 8  # from a check box's left edge: its own click area is the indicator and the text, not the rest


class StepFailed(Exception):
    """A step of the tour did not hold; the message says what was expected and what was there."""


class Robot:
    """Finds widgets by object name in one window and uses them as a user's mouse and keyboard would.

    A widget counts only if a user could reach it: visible, enabled, and with some of it on the screen (scrolled into
    view where it lies in a scroll area).
    """

    def __init__(self, window: QWidget, folder: Path) -> None:
        self._window = window
        self._folder = folder
        self._pictures = 0

    def find(self, name: str, kind: type[_W]) -> _W | None:
        """The reachable widget of this name, or None."""
        for widget in self._window.findChildren(kind, name):
            if widget.isVisible() and self._bring_into_view(widget):
                return widget
        return None

    async def wait_for(self, name: str, kind: type[_W], timeout_s: float = _FIND_S) -> _W:
        """Wait until the widget is there and enabled. Raises StepFailed with what is wrong with it."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            widget = self.find(name, kind)
            if widget is not None and widget.isEnabled():
                return widget
            await asyncio.sleep(_POLL_S)
        raise StepFailed(f"{name} is not there to use: {self._why_not(name, kind)}.")

    async def click(self, name: str, timeout_s: float = _FIND_S) -> None:
        """Click the button of this name with the left mouse button, at its middle."""
        await self.click_button(await self.wait_for(name, QAbstractButton, timeout_s))

    async def click_button(self, button: QAbstractButton) -> None:
        """Click a button that has no name of its own. Raises StepFailed where a user could not."""
        if not button.isVisible() or not button.isEnabled() or not self._bring_into_view(button):
            raise StepFailed(f"The button {button.text()!r} is not there to use.")
        QTest.mouseClick(button, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, _target(button))
        await asyncio.sleep(0)

    async def type_text(self, name: str, text: str) -> QWidget:
        """Click into a text field, clear it as a user would, and type; returns the field."""
        field = await self.wait_for(name, QWidget)
        inside = getattr(field, "viewport", lambda: field)()
        QTest.mouseClick(inside, Qt.MouseButton.LeftButton)
        QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(field, text)
        await asyncio.sleep(0)
        return field

    async def press(self, field: QWidget, key: Qt.Key) -> None:
        """Press and release one key in a widget."""
        QTest.keyClick(field, key)
        await asyncio.sleep(0)

    async def until(self, holds: Callable[[], bool], timeout_s: float, what: str) -> float:
        """Wait until `holds`; returns the seconds it took. Raises StepFailed naming `what` did not come true."""
        start = time.monotonic()
        while not holds():
            if time.monotonic() - start > timeout_s:
                raise StepFailed(f"{what}: not within {timeout_s:.0f} s.")
            await asyncio.sleep(_POLL_S)
        return time.monotonic() - start

    async def picture(self, name: str) -> Path:
        """Write a PNG of the window as it is; encoding happens in a thread, so that the window keeps its pace."""
        self._pictures += 1
        words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        path = self._folder / f"{self._pictures:02d}-{words}.png"
        image = self._window.grab().toImage()
        if not await asyncio.to_thread(_save, image, path):
            raise StepFailed(f"The picture {path} could not be written.")
        return path

    def _bring_into_view(self, widget: QWidget) -> bool:
        if widget.visibleRegion().isEmpty():
            parent = widget.parentWidget()
            while parent is not None and not isinstance(parent, QScrollArea):
                parent = parent.parentWidget()
            if parent is not None:
                parent.ensureWidgetVisible(widget)
        return not widget.visibleRegion().isEmpty()

    def _why_not(self, name: str, kind: type[QWidget]) -> str:
        found = self._window.findChildren(kind, name)
        if not found:
            return "the window has no such widget"
        if not any(widget.isVisible() for widget in found):
            return "it is hidden"
        return "it is disabled" if not any(widget.isEnabled() for widget in found) else "it is out of sight"


def _target(button: QAbstractButton) -> QPoint:
    middle = button.rect().center()
    return middle if button.hitButton(middle) else QPoint(_CLICK_POINT, middle.y())


def _save(image: QImage, path: Path) -> bool:
    return bool(image.save(str(path)))
