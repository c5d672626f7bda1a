"""The load of each core as a row of small columns under their name, in line with the figures beside them."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.widgets import figures
from app.widgets.block_map_figures import figure_fonts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent

    from app.theme.tokens import Theme

_WIDEST = 16
_GAP = 2


class CoreLoad(QWidget):
    """Draws one column a core, filled from below; the tooltip gives the number.

    Name and columns stand as high as a FigureRow's names and numbers.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._loads: tuple[float, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._name = self.tr("each core")
        self.setAccessibleName(self.tr("Load of each core"))

    def show_loads(self, loads: Sequence[float]) -> None:
        """Draw these loads, 0 to 1."""
        if tuple(loads) != self._loads:
            if len(loads) != len(self._loads):
                self.updateGeometry()
            self._loads = tuple(loads)
            self.setAccessibleDescription(", ".join(figures.percent(load) for load in loads))
            self.update()

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Name and columns."""
        count = max(1, len(self._loads))
        wide = max(self._name_metrics().horizontalAdvance(self._name), min(count * _WIDEST, 160))
        return QSize(ceil(wide) + 1, ceil(self._name_metrics().height() + 1 + self._number_height()))

    def minimumSizeHint(self) -> QSize:
        """The name fits."""
        return QSize(ceil(self._name_metrics().horizontalAdvance(self._name)) + 1, self.sizeHint().height())

    def _name_metrics(self) -> QFontMetricsF:
        return QFontMetricsF(figure_fonts(self.font())[0])

    def _number_height(self) -> float:
        return QFontMetricsF(figure_fonts(self.font())[1]).height()

    def _columns(self) -> Sequence[QRectF]:
        if not self._loads:
            return ()
        top = self._name_metrics().height() + 3
        height = self._number_height() - 5
        pitch = min(float(_WIDEST), self.width() / len(self._loads))
        gap = float(_GAP) if pitch >= 3 * _GAP else 0.0
        columns = [QRectF(number * pitch, top, pitch - gap, height) for number in range(len(self._loads))]
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            columns = [QRectF(self.width() - one.right(), top, one.width(), height) for one in columns]
        return columns

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw name and columns."""
        with QPainter(self) as painter:
            painter.setFont(figure_fonts(self.font())[0])
            painter.setPen(QColor(self._theme.text_muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignTop, self._name)
            for load, column in zip(self._loads, self._columns(), strict=True):
                painter.fillRect(column, QColor(self._theme.memory_free))
                height = column.height() * min(1.0, max(0.0, load))
                painter.fillRect(QRectF(column.left(), column.bottom() - height, column.width(), height),
                                 QColor(self._theme.accent))

    def event(self, event: QEvent) -> bool:
        """Say which core is under the pointer and how busy it is."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            for number, column in enumerate(self._columns()):
                if column.contains(event.pos().toPointF()):
                    text = self.tr("core {0}: {1}").format(number, figures.percent(self._loads[number]))
                    QToolTip.showText(event.globalPos(), text, self)
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)
