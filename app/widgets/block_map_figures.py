"""The figures above the block map: tabular, each with its meaning on hover, wrapping where the panel is narrow."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.theme.fonts import tabular

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from app.theme.tokens import Theme

_GAP = 13
_LINE_GAP = 8
_SWATCH = 4
_INDENT = 9


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: its name, its text ("—" where unknown), the widest text to keep room for, and its meaning.

    `colour` is a swatch before it, `tint` a colour for the number (a warning); None for none.
    Where the figures need more than one line, optional ones are left out if the others then fit into one; else one
    that begins a group begins a line. What has no place in the lines that there are (`limit_lines`) is left out.
    """

    name: str
    text: str
    widest: str
    meaning: str
    colour: str | None = None
    tint: str | None = None
    begins_group: bool = False
    optional: bool = False


class FigureRow(QWidget):
    """Draws figures from the leading edge, name over number, in as many lines as the width asks for."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._figures: tuple[Figure, ...] = ()
        self._widths: dict[tuple[str, str], float] = {}
        self._most_lines: int | None = None
        self._places: list[QRectF] = []
        self._made: tuple[QFont, tuple[QFont, QFont]] | None = None
        # Not fixed in height: layouts would cap it at the hint, which knows only the width of before.
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_figures(self, figures: Sequence[Figure]) -> None:
        """Draw these figures; the layout changes only if one needs more room than was kept for it."""
        figures = tuple(figures)
        if figures == self._figures:
            return
        widths = [self._width_of(figure) for figure in self._figures]
        self._figures = figures
        if widths != [self._width_of(figure) for figure in figures]:
            self._place(self.width())
            self.updateGeometry()
        self.setAccessibleDescription(", ".join(f"{figure.name} {figure.text}" for figure in figures))
        self.update()

    def limit_lines(self, most: int | None) -> None:
        """In a low panel: no more lines than these; None for as many as are needed."""
        if most != self._most_lines:
            self._most_lines = most
            self._place(self.width())
            self.updateGeometry()

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.update()

    def cut_off(self) -> list[Figure]:
        """The figures that are shown and do not fit into the widget."""
        inside = QRectF(self.rect()).adjusted(-1, -1, 1, 1)
        shown = zip(self._figures, self._places, strict=False)
        return [one for one, place in shown if not place.isEmpty() and
                not (inside.contains(place) and self._width_of(one) <= place.width())]

    def hasHeightForWidth(self) -> bool:
        """Narrower means higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all lines at this width."""
        return self._lines_at(width) * round(self._line_height() + _LINE_GAP) - _LINE_GAP

    def sizeHint(self) -> QSize:
        """One line of all figures."""
        wide = sum(self._width_of(figure) + _GAP for figure in self._figures)
        return QSize(ceil(wide) or 480, self.heightForWidth(max(self.width(), 200)))

    def minimumSizeHint(self) -> QSize:
        """One figure's width."""
        return QSize(160, round(self._line_height()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap again."""
        super().resizeEvent(event)
        self._place(self.width())

    def changeEvent(self, event: QEvent) -> None:
        """Measure again in another font."""
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.LayoutDirectionChange):
            self._widths.clear()
            self._place(self.width())
            self.updateGeometry()
        super().changeEvent(event)

    def event(self, event: QEvent) -> bool:
        """Explain the figure under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            for figure, place in zip(self._figures, self._places, strict=False):
                if place.contains(event.pos().toPointF()):
                    QToolTip.showText(event.globalPos(), f"<p>{figure.meaning}</p>", self, place.toRect())
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw names and numbers."""
        with QPainter(self) as painter:
            self._paint(painter)

    def _paint(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        leading = Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignTop
        leading = leading | Qt.TextFlag.TextDontClip
        leading |= Qt.AlignmentFlag.AlignRight if self._is_mirrored() else Qt.AlignmentFlag.AlignLeft
        names, numbers = self._fonts()
        below = QFontMetricsF(names).height() + 1
        for figure, place in zip(self._figures, self._places, strict=False):
            if place.isEmpty():
                continue
            if figure.colour is not None:
                x = place.right() - _SWATCH if self._is_mirrored() else place.left()
                painter.setPen(QColor(self._theme.line))
                painter.setBrush(QColor(figure.colour))
                painter.drawRoundedRect(QRectF(x + 0.5, place.top() + 2.5, _SWATCH, place.height() - 5), 1.5, 1.5)
                place = place.adjusted(0 if self._is_mirrored() else _INDENT, 0,
                                       -_INDENT if self._is_mirrored() else 0, 0)
            painter.setLayoutDirection(self.layoutDirection())
            painter.setFont(names)
            painter.setPen(QColor(self._theme.text_muted))
            painter.drawText(place, leading, figure.name)
            painter.setFont(numbers)
            painter.setPen(QColor(figure.tint or self._theme.text))
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # numbers and units keep their order
            painter.drawText(place.adjusted(0, below, 0, 0), leading, figure.text)

    def _is_mirrored(self) -> bool:
        return self.layoutDirection() == Qt.LayoutDirection.RightToLeft

    def _fonts(self) -> tuple[QFont, QFont]:
        """Names' and numbers', made once for a font."""
        if self._made is None or self._made[0] != self.font():
            self._made = (QFont(self.font()), figure_fonts(self.font()))
        return self._made[1]

    def _line_height(self) -> float:
        names, numbers = self._fonts()
        return QFontMetricsF(names).height() + 1 + QFontMetricsF(numbers).height()

    def _width_of(self, figure: Figure) -> float:
        """Room for the name and the widest text; for the text itself where it is longer than foreseen, and then on."""
        key = (figure.name, figure.widest + ("|" if figure.colour else ""))
        known = self._widths.get(key)
        if known is None or len(figure.text) >= len(figure.widest):
            names, numbers = (QFontMetricsF(font) for font in self._fonts())
            wide = max(map(numbers.horizontalAdvance, (figure.widest, figure.text)))
            indent = _INDENT if figure.colour is not None else 0
            needed = indent + ceil(max(names.horizontalAdvance(figure.name), wide)) + 1
            known = self._widths[key] = max(needed, known or 0)
        return known

    def _lines_at(self, width: int) -> int:
        return len({place.top() for place in self._layout_at(width) if not place.isEmpty()}) or 1

    def _place(self, width: int) -> None:
        self._places = self._layout_at(width)
        self.update()

    def _layout_at(self, width: int) -> list[QRectF]:
        """A rectangle for each figure; an empty one for those that are left out."""
        places = self._lines_of(width, by_groups=True)
        if self._most_lines is None:
            return places
        lowest = self._most_lines * (self._line_height() + _LINE_GAP) - 1
        if all(place.top() < lowest for place in places):
            return places
        return [place if place.top() < lowest else QRectF() for place in self._lines_of(width, by_groups=False)]

    def _lines_of(self, width: int, *, by_groups: bool) -> list[QRectF]:
        """As many lines as are needed: one that begins a group begins a line, or else each line is filled."""
        places: list[QRectF] = []
        widths = [self._width_of(figure) for figure in self._figures]
        wraps = sum(widths) + _GAP * (len(widths) - 1) > width
        needful = [wide for figure, wide in zip(self._figures, widths, strict=True) if not figure.optional]
        leaves_out = wraps and sum(needful) + _GAP * (len(needful) - 1) <= width
        x, y, height = 0.0, 0.0, self._line_height()
        for figure, needed in zip(self._figures, widths, strict=True):
            if leaves_out and figure.optional:
                places.append(QRectF())
                continue
            if not leaves_out and x > 0 and (x + needed > width or (wraps and by_groups and figure.begins_group)):
                x, y = 0.0, y + height + _LINE_GAP
            left = width - x - needed if self._is_mirrored() else x
            places.append(QRectF(left, y, needed, height))
            x += needed + _GAP
        return places


def figure_fonts(base: QFont) -> tuple[QFont, QFont]:
    """The fonts of a figure's name and of its number, from a widget's."""
    names = QFont(base)
    names.setPointSizeF(max(7.5, names.pointSizeF() * 0.88))
    numbers = QFont(base)
    numbers.setPointSizeF(numbers.pointSizeF() * 1.12)
    numbers.setWeight(QFont.Weight.DemiBold)
    return names, tabular(numbers)
