"""One column of the formats' table as bars, the reference first, each with its ratio to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter

from app.widgets.lab_chart_frame import ChartFrame

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QWidget

    from app.theme.tokens import Theme

_ROW = 26
_GAP = 8


class FormatBars(ChartFrame):
    """Bars from zero. A value that is unknown has none, and says so."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "", parent)
        self._bars: tuple[tuple[str, float | None, str, float | None], ...] = ()

    def show_bars(self, title: str, bars: Sequence[tuple[str, float | None, str, float | None]]) -> None:
        """Draw these: name, value, its text, its ratio to the reference."""
        self.title = title
        self.setAccessibleName(title)
        self._bars = tuple(bars)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """As high as the bars need."""
        return QSize(360, self.line_height() + 8 + _ROW * max(1, len(self._bars)))

    def minimumSizeHint(self) -> QSize:
        """The same height."""
        return QSize(220, self.sizeHint().height())

    def rows(self) -> Iterable[Sequence[object]]:
        """One row a format."""
        yield ["format", self.title, "ratio"]
        for name, value, _, ratio in self._bars:
            yield [name, "" if value is None else value, "" if ratio is None else round(ratio, 4)]

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw names, bars and values."""
        with QPainter(self) as painter:
            painter.setFont(self.small_font())
            painter.setLayoutDirection(self.layoutDirection())
            self._paint_caption(painter)
            metrics = painter.fontMetrics()
            names = max((metrics.horizontalAdvance(bar[0]) for bar in self._bars), default=0) + _GAP
            texts = max((metrics.horizontalAdvance(_text(bar)) for bar in self._bars), default=0) + _GAP
            most = max((bar[1] or 0.0 for bar in self._bars), default=0.0) or 1.0
            top = self.line_height() + 8
            for place, bar in enumerate(self._bars):
                row = QRect(0, top + place * _ROW, self.width(), _ROW)
                self._paint_bar(painter, row, bar, (names, texts), most, is_reference=place == 0)
            self.paint_focus(painter)

    def _paint_caption(self, painter: QPainter) -> None:
        painter.setPen(QColor(self.theme.text_muted))
        room = QRect(0, 0, self.width(), self.line_height() + 2)
        painter.drawText(room, Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter, self.title)

    def _paint_bar(
        self,
        painter: QPainter,
        row: QRect,
        bar: tuple[str, float | None, str, float | None],
        sides: tuple[int, int],
        most: float,
        *,
        is_reference: bool,
    ) -> None:
        names, texts = sides
        room = max(1, row.width() - names - texts)
        length = round(room * (bar[1] or 0.0) / most)
        mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        box = QRect(row.left() + names, row.top() + 5, length, _ROW - 10)
        name = QRect(row.left(), row.top(), names, _ROW)
        text = QRect(box.right() + _GAP, row.top(), texts, _ROW)
        if mirrored:
            box, name, text = (_mirror(part, row) for part in (box, name, text))
        painter.setPen(QColor(self.theme.text))
        painter.drawText(name, Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter, bar[0])
        painter.fillRect(box, self.colour(0 if is_reference else 2))
        painter.setPen(QColor(self.theme.text_muted))
        painter.drawText(text, Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter, _text(bar))

    def line_height(self) -> int:
        """The height of a line of small text."""
        return QFontMetrics(self.small_font()).height()


def _text(bar: tuple[str, float | None, str, float | None]) -> str:
    ratio = bar[3]
    return bar[2] if ratio is None else f"{bar[2]}  ×{QLocale().toString(ratio, 'f', 2)}"


def _mirror(box: QRect, row: QRect) -> QRect:
    return QRect(row.left() + row.right() - box.right(), box.top(), box.width(), box.height())
