"""What every chart of the lab has: a caption, axes, a theme, and a menu that copies it as a picture or as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QRect, QSize, Qt
from PySide6.QtGui import QAction, QColor, QFont, QFontMetrics, QGuiApplication, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme.fonts import tabular
from app.widgets.focus_ring import paint_focus_ring

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.theme.tokens import Theme

_PAD = 6
_BESIDE = 3  # pixels: the lowest text of the other axis ends where a text under the plot may begin
_TICK_ROOM = 56  # pixels that a horizontal axis' text needs


class ChartFrame(QWidget):
    """Base of the charts. Subclasses paint into `plot()` and answer their numbers in `rows()`."""

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.title = title
        self.with_x_axis = True
        self.setAccessibleName(title)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        for text, act in (
            (QCoreApplication.translate("LabChart", "Copy as a picture"), self.copy_picture),
            (QCoreApplication.translate("LabChart", "Copy as CSV"), self.copy_csv),
        ):
            action = QAction(text, self)
            action.triggered.connect(lambda _checked=False, act=act: act())
            self.addAction(action)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.theme = theme
        self.update()

    def colour(self, index: int) -> QColor:
        """One of the cycle of colours for series."""
        return QColor(self.theme.series[index % len(self.theme.series)])

    def rows(self) -> Iterable[Sequence[object]]:
        """The chart's numbers as a table, its head first."""
        raise NotImplementedError

    def copy_picture(self) -> None:
        """Put the chart on the clipboard as a picture."""
        QGuiApplication.clipboard().setPixmap(self.grab())

    def copy_csv(self) -> None:
        """Put the chart's numbers on the clipboard."""
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(self.rows())
        QGuiApplication.clipboard().setText(text.getvalue())

    # Measures

    def sizeHint(self) -> QSize:
        """A good size; layouts give what is left."""
        return QSize(360, 130)

    def minimumSizeHint(self) -> QSize:
        """The least that can be read."""
        return QSize(180, 84)

    def small_font(self) -> QFont:
        """The font of axes and captions."""
        font = QFont(self.font())
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.85))
        return tabular(font)

    def line_height(self) -> int:
        """The height of a line of small text."""
        return QFontMetrics(self.small_font()).height()

    def widest_y(self) -> str:
        """A text as wide as any beside the plot."""
        return "88,888"

    def plot(self) -> QRect:
        """Where the values are drawn."""
        height = self.line_height()
        side = QFontMetrics(self.small_font()).horizontalAdvance(self.widest_y()) + _PAD
        return self.rect().adjusted(side, height + 6, -8, -height - 3 if self.with_x_axis else -2)

    # Painting

    def begin(self, painter: QPainter) -> QRect:
        """Set the painter up, fill the plot; returns it."""
        painter.setFont(self.small_font())
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # time and numbers run to the right everywhere
        plot = self.plot()
        painter.fillRect(plot, QColor(self.theme.window))
        return plot

    def paint_title(self, painter: QPainter, text: str) -> int:
        """Write the caption; returns where it ends."""
        painter.setPen(QColor(self.theme.text_muted))
        left = self.plot().left()
        room = QRect(left, 0, self.width() - left, self.line_height() + 2)
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        return left + painter.fontMetrics().horizontalAdvance(text)

    def paint_y_axis(self, painter: QPainter, plot: QRect, places: Iterable[tuple[float, str]]) -> None:
        """Lines across at `places` (pixel, text)."""
        half = painter.fontMetrics().height() // 2
        grid = QPen(QColor(self.theme.line), 1)
        for y, text in places:
            row = round(y)
            painter.setPen(grid)
            painter.drawLine(plot.left(), row, plot.right(), row)
            painter.setPen(QColor(self.theme.text_faint))
            box = QRect(0, row - half, plot.left() - _PAD, 2 * half)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def paint_x_axis(self, painter: QPainter, plot: QRect, places: Iterable[tuple[float, str]]) -> None:
        """Texts under the plot at `places` (pixel, text), none over another or cut off."""
        if not self.with_x_axis:
            return
        painter.setPen(QColor(self.theme.text_faint))
        end = -1_000
        for x, text in places:
            width = painter.fontMetrics().horizontalAdvance(text)
            left = min(max(round(x - width / 2), plot.left() - _BESIDE), self.width() - width)
            if left > end + 6:
                box = QRect(left, plot.bottom() + 2, width + 2, self.line_height())
                painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, text)
                end = left + width

    def paint_nothing(self, painter: QPainter, plot: QRect, text: str) -> None:
        """Say in the plot why nothing is there."""
        painter.setPen(QColor(self.theme.text_faint))
        painter.drawText(plot, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text)

    def paint_focus(self, painter: QPainter) -> None:
        """Show that the keyboard is here."""
        paint_focus_ring(painter, self, self.theme.accent)

    def x_tick_count(self, plot: QRect) -> int:
        """How many texts have room under the plot."""
        return max(1, plot.width() // _TICK_ROOM)

    def y_tick_count(self, plot: QRect) -> int:
        """How many lines across can be told apart."""
        return max(1, plot.height() // (self.line_height() * 2))
