"""Lets the block map's glows fade, together with the snapshots as long as these come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QObject

    from app.widgets.block_map_image import BlockImage

_FADE_MS = 40


class FadeTimer(QTimer):
    """Fades by a level every 40 ms, while anything glows. `refresh` has what changed painted.

    A level that is due waits for the next snapshot, with which the map is painted anyway; where none has come until
    the next level is due, it is painted by itself.
    """

    def __init__(self, image: BlockImage, refresh: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._image = image
        self._refresh = refresh
        self._is_due = False
        self.setInterval(_FADE_MS)
        self.timeout.connect(self.fade_soon)

    def take_along(self) -> None:
        """A snapshot is about to be painted: fade with it what is due."""
        if self._is_due:
            self._is_due = False
            self._image.fade()

    def begin(self) -> None:
        """Go on until nothing glows any more."""
        if self._image.is_moving and not self.isActive():
            self.start()

    def end(self) -> None:
        """Put out every glow at once."""
        self.stop()
        self._is_due = False
        self._image.stop_glow()

    def fade_soon(self) -> None:
        """A level is due."""
        if self._is_due:
            self.fade()
        elif self._image.is_moving:
            self._is_due = True
        else:
            self.stop()

    def fade(self) -> None:
        """Fade by a level and have it painted."""
        self._is_due = False
        self._image.fade()
        self._image.catch_up()
        if not self._image.is_moving:
            self.stop()
        self._refresh()
