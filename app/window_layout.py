"""Where the docks stand in a window of this size: beside and below the middle, or behind tabs where room is short."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QMainWindow

    from app.widgets.panel_slot import PanelDock

_LEFT, _RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
_BOTTOM = Qt.DockWidgetArea.BottomDockWidgetArea
_AREAS = ("left", "right", "centre")
_MIRRORED = {_LEFT: _RIGHT, _RIGHT: _LEFT}
_TEXT_HEIGHT = 16  # of a line at the usual text size, in pixels
_LOW = (430, 250)  # a window lower than the first plus the second for each step of the text size has a row less
_NARROW = (660, 400)  # and one narrower than that a column less
_LOW_AND_NARROW = (540, 400)  # a low one later: it has no room for two panels above each other
_ROOMY = QSize(1800, 1200)  # from here on a page has room enough beside all docks
_BESIDE_PAGE = 1000  # from here on, at the usual text size, a page has room beside the first column


@dataclass(frozen=True, slots=True)
class Shape:
    """What a window has no room for: a row below the middle, a second column beside it."""

    is_low: bool = False
    is_narrow: bool = False

    @property
    def key(self) -> str:
        """A part of a settings key; empty where there is room for everything."""
        return ("_low" if self.is_low else "") + ("_narrow" if self.is_narrow else "")


class DockLayout:
    """Puts docks where they belong, as the window's size allows.

    In a low window those from below the middle are tabs at its side, in a narrow one all of a side are in one column.
    """

    def __init__(
        self, window: QMainWindow, docks: Sequence[tuple[PanelDock, str]], hidden: Sequence[PanelDock]
    ) -> None:
        """`docks` come with their area ("left", "right", "centre"); `hidden` ones are not shown at first."""
        self._window = window
        self._docks = tuple(docks)
        self._hidden = tuple(hidden)
        self.shape = Shape()

    @property
    def fitting(self) -> Shape:
        """What suits the window's present size and text size."""
        size, scale = self._window.size(), self._scale
        is_low = size.height() < _LOW[0] + _LOW[1] * scale
        least, step = _LOW_AND_NARROW if is_low else _NARROW
        return Shape(is_low, size.width() < least + step * scale)

    @property
    def docks(self) -> list[PanelDock]:
        """All of them."""
        return [dock for dock, _ in self._docks]

    def of(self, area: str) -> list[PanelDock]:
        """The docks of an area, in their order."""
        return [dock for dock, where in self._docks if where == area]

    def reset(self) -> None:
        """Every dock back to where it belongs, with sizes that suit the window's."""
        for dock, _ in self._docks:
            dock.setFloating(False)
            dock.setVisible(dock not in self._hidden)
        self.arrange()

    def arrange(self) -> None:
        """Put the docks that are in the window where they belong; what is hidden or floats remains so."""
        self.shape = self.fitting
        window = self._window
        mirrored = _MIRRORED if window.layoutDirection() is Qt.LayoutDirection.RightToLeft else {}
        columns = self._columns()
        shown = [dock for dock in self.docks if not dock.isFloating() and not dock.isHidden()]
        self._take_out()
        for area, groups in columns.items():
            for group in groups:
                for dock in group:
                    window.addDockWidget(mirrored.get(area, area), dock)
                for before, dock in pairwise(group):
                    window.tabifyDockWidget(before, dock)
        for dock in shown:
            dock.show()
        for group in (group for groups in columns.values() for group in groups):
            next((dock for dock in group if dock in shown), group[0]).raise_()
        self._share(columns)

    def _take_out(self) -> None:
        """No dock is anywhere: moved one by one, they would leave Qt's tab bars behind, which lie over what comes."""
        for dock in self.docks:
            if not dock.isFloating():
                self._window.removeDockWidget(dock)
        layout = self._window.layout()
        if layout is not None:
            layout.activate()

    def in_the_way(self) -> list[PanelDock]:
        """The docks that a page with much on it takes the room of: what lies beside it and below it."""
        size = self._window.size()
        cramped = {
            "left": size.width() < _BESIDE_PAGE * self._scale,
            "right": size.width() < _ROOMY.width(),
            "centre": size.height() < _ROOMY.height(),
        }
        return [dock for dock, area in self._docks if cramped[area]]

    @property
    def _scale(self) -> float:
        return max(1.0, self._window.fontMetrics().height() / _TEXT_HEIGHT)

    def _columns(self) -> dict[Qt.DockWidgetArea, list[list[PanelDock]]]:
        """Each area's groups, one above the other; a group's docks are tabs of one place."""
        left, right, below = ([dock for dock in self.of(area) if not dock.isFloating()] for area in _AREAS)
        columns = {_LEFT: [[dock] for dock in left], _RIGHT: [right], _BOTTOM: [below]}
        if self.shape.is_low and self.shape.is_narrow:
            columns = {_LEFT: [left + right + below]}
        elif self.shape.is_low:
            columns = {_LEFT: [left], _RIGHT: [right + below]}
        elif self.shape.is_narrow:
            columns = {_LEFT: [left, right], _BOTTOM: [below]}
        return {area: [group for group in groups if group] for area, groups in columns.items()}

    def _share(self, columns: dict[Qt.DockWidgetArea, list[list[PanelDock]]]) -> None:
        window, width, height = self._window, self._window.width(), self._window.height()
        left = min(round(max(280 * self._scale, min(width * 0.21, 420))), width // 4)
        right = max(320, min(round(width * 0.26), 640))
        if self.shape.is_narrow:
            left = min(round(300 * self._scale), round(width * 0.42))
        elif self.shape.is_low:
            right = max(round(width * 0.28), 280)
        sizes = {_LEFT: left, _RIGHT: right}
        for area, groups in columns.items():
            first = [group[0] for group in groups]
            if area in sizes:
                window.resizeDocks(first[:1], [sizes[area]][: len(first)], Qt.Orientation.Horizontal)
                shares = [round(height * share) for share in (0.38, 0.62)]
                window.resizeDocks(first, shares[: len(first)], Qt.Orientation.Vertical)
            else:
                window.resizeDocks(first, [max(248, round(height * 0.29))][: len(first)], Qt.Orientation.Vertical)
