"""One plot of the timeline: a time axis shared with the others, a caption inside, lines for pointer and replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor, QFont

from app.widgets import figures
from app.widgets.quick_axis import QuickAxis
from app.widgets.record_button import clock_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.theme.tokens import Theme

AXIS_WIDTH = 46
_AXIS_HEIGHT = 20
_TICK_ROOM = 15  # pixels that a number on the value axis needs


class TimeAxis(QuickAxis):
    """Time since the timeline's beginning: as a clock, with tenths or milliseconds where the ticks are that close."""

    def tickStrings(self, values: Sequence[float], _scale: float, spacing: float) -> list[str]:
        """The ticks' texts; none before the beginning."""
        return [self._text(value, spacing) if value >= 0 else "" for value in values]

    def _text(self, value: float, spacing: float) -> str:
        if spacing >= 0.1:
            return clock_text(value, tenths=spacing < 1)
        return QCoreApplication.translate("Timeline", "{0} s").format(f"{value:.3f}")


class ValueAxis(QuickAxis):
    """Whole numbers by locale, no more of them than have room one above the other."""

    def tickSpacing(self, least: float, most: float, size: float) -> list[tuple[float, float]]:
        """The distances of the ticks, as (distance, offset)."""
        count = max(1.0, size / _TICK_ROOM)
        levels = super().tickSpacing(least, most, size)
        fitting = [level for level in levels if (most - least) / level[0] <= count]
        if fitting:
            return fitting
        distance, offset = levels[0]
        while (most - least) / distance > count:
            distance *= 2
        return [(distance, offset)]

    def tickStrings(self, values: Sequence[float], _scale: float, spacing: float) -> list[str]:
        """The ticks' texts."""
        return [figures.count(value) if spacing >= 1 else figures.significant(value, 2) for value in values]


class TimeBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """Wheel zooms in time at the pointer, sideways goes through it; Ctrl and wheel zooms the lanes' height."""

    def __init__(self, *, tall: bool = False) -> None:
        super().__init__(enableMenu=False)
        self._tall = tall
        self.height_chosen = False
        self.setMouseEnabled(x=True, y=tall)

    def wheelEvent(self, event: Any, axis: int | None = None) -> None:
        """Zoom or go on."""
        event.accept()
        if event.orientation() == Qt.Orientation.Horizontal:
            (begin, end), _ = self.viewRange()
            self.translateBy(x=-(end - begin) * event.delta() / 1200)
            self.sigRangeChangedManually.emit([True, False])
        elif self._tall and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.height_chosen = True
            super().wheelEvent(event, axis=1)
        else:
            super().wheelEvent(event, axis=0 if axis is None else axis)


class TimePlot(pg.PlotItem):  # type: ignore[misc]
    """A plot with the time along its lower edge (`with_time`) or without."""

    def __init__(self, *, with_time: bool, tall: bool = False) -> None:
        self.box = TimeBox(tall=tall)
        axes: dict[str, Any] = {"bottom": TimeAxis("bottom"), "left": ValueAxis("left")}
        super().__init__(viewBox=self.box, axisItems=axes, enableMenu=False)
        self.hideButtons()
        self.axes_named = axes
        axes["left"].setWidth(AXIS_WIDTH)
        for axis in axes.values():
            axis.setStyle(tickLength=-4, autoExpandTextSpace=False)
            axis.enableAutoSIPrefix(False)
        self.show_time(shown=with_time)
        self.caption = pg.TextItem("", anchor=(0, 0))
        self.caption.setParentItem(self.box)
        self.caption.setPos(4, -1)
        self.caption.setZValue(20)
        self.pointer = pg.InfiniteLine(angle=90, movable=False)
        self.place = pg.InfiniteLine(angle=90, movable=False)
        for line in (self.pointer, self.place):
            line.hide()
            line.setZValue(15)
            self.addItem(line, ignoreBounds=True)

    def show_time(self, *, shown: bool) -> None:
        """Whether the time stands along the lower edge."""
        axis = self.axes_named["bottom"]
        axis.setStyle(showValues=shown)
        axis.setHeight(_AXIS_HEIGHT if shown else 3)

    def use_theme(self, theme: Theme, font: QFont) -> None:
        """Draw with another theme's colours."""
        for axis in self.axes_named.values():
            axis.setPen(QColor(theme.line))
            axis.setTextPen(QColor(theme.text_faint))
            axis.setTickFont(font)
        self.caption.setColor(QColor(theme.text_muted))
        self.caption.setFont(font)
        surface = QColor(theme.surface)
        surface.setAlpha(170)
        self.caption.fill = pg.mkBrush(surface)
        self.pointer.setPen(pg.mkPen(QColor(theme.text_faint), width=1))
        self.place.setPen(pg.mkPen(QColor(theme.accent), width=2))

    def show_line(self, line: pg.InfiniteLine, seconds: float | None) -> None:
        """Put a line at a time, or take it away."""
        line.setVisible(seconds is not None)
        if seconds is not None:
            line.setValue(seconds)
