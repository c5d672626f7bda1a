"""The load of each core as a row of small columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.widgets import figures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent

    from app.theme.tokens import Theme

_HEIGHT = 28
_WIDEST = 28


class CoreLoad(QWidget):
    """Draws one column a core, filled from below; the tooltip gives the number."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._loads: tuple[float, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Load of each core"))

    def show_loads(self, loads: Sequence[float]) -> None:
        """Draw these loads, 0 to 1."""
        if tuple(loads) != self._loads:
            self._loads = tuple(loads)
            self.setAccessibleDescription(", ".join(figures.percent(load) for load in loads))
            self.update()

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """A low row."""
        return QSize(200, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """As high, narrower."""
        return QSize(60, _HEIGHT)

    def _columns(self) -> Sequence[QRectF]:
        if not self._loads:
            return ()
        pitch = min(float(_WIDEST), self.width() / len(self._loads))
        gap = 2.0 if pitch >= 6 else 0.0
        columns = [QRectF(number * pitch, 0, pitch - gap, self.height()) for number in range(len(self._loads))]
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            columns = [QRectF(self.width() - one.right(), 0, one.width(), one.height()) for one in columns]
        return columns

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the columns."""
        with QPainter(self) as painter:
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
