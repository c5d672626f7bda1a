"""One distribution of times as bars over doubling buckets, with its numbers in words and each bar's on hover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from app.theme.fonts import tabular
from app.widgets import figures
from engine.domain.block_times import NUM_BUCKETS, bucket_bounds_ms

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from app.theme.tokens import Theme
    from engine.domain.block_times import TimeHistogram

_BARS = 40  # the least height of the bars, in pixels
_LABELLED = (0, 4, 7, 10, 14, 16, 20, 23)  # buckets whose lower bound stands below, where there is room


class TimeHistogramView(QWidget):
    """Draws a TimeHistogram. Time runs to the right in every language, as all charts do here."""

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._theme = theme
        self._histogram: TimeHistogram | None = None
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.update()

    def show_histogram(self, histogram: TimeHistogram | None) -> None:
        """Draw this; costs nothing where it is the same."""
        if histogram != self._histogram:
            self._histogram = histogram
            self.setAccessibleDescription(histogram_text(histogram))
            self.update()

    def sizeHint(self) -> QSize:
        """Bars and a line of labels."""
        return QSize(260, _BARS + self.fontMetrics().height() + 4)

    def minimumSizeHint(self) -> QSize:
        """The least that can be read."""
        return QSize(160, self.sizeHint().height())

    def bucket_at(self, x: float) -> int:
        """The bucket at this horizontal place."""
        return min(NUM_BUCKETS - 1, max(0, int(x / max(1.0, self.width() / NUM_BUCKETS))))

    def bar_text(self, bucket: int) -> str:
        """A bar in words."""
        count = self._histogram.counts[bucket] if self._histogram is not None else 0
        share = count / self._histogram.total if self._histogram is not None and self._histogram.total else 0.0
        text = QCoreApplication.translate("BlockTimes", "{0}: {1} ({2})")
        return text.format(bucket_text(bucket), figures.count(count), figures.percent(share))

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the bars and their scale."""
        font = QFont(tabular(self.font()))
        font.setPointSizeF(max(7.0, font.pointSizeF() * 0.82))
        metrics = QFontMetricsF(font)
        floor = self.height() - metrics.height() - 3
        width = self.width() / NUM_BUCKETS
        with QPainter(self) as painter:
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # as time runs
            painter.setFont(font)
            painter.fillRect(QRectF(0, floor, self.width(), 1), QColor(self._theme.line))
            counts = self._histogram.counts if self._histogram is not None else ()
            most = max(counts, default=0)
            for bucket, count in enumerate(counts):
                if count:
                    height = max(2.0, (floor - 2) * count / most)
                    painter.fillRect(
                        QRectF(bucket * width + 1, floor - height, max(1.0, width - 2), height),
                        QColor(self._theme.block_used),
                    )
            painter.setPen(QColor(self._theme.text_muted))
            end = -1.0
            for bucket in _LABELLED:
                text = _bound(bucket_bounds_ms(bucket)[0]) if bucket else "0"
                x = bucket * width
                if x > end and x + metrics.horizontalAdvance(text) <= self.width():
                    painter.drawText(QRectF(x, floor + 2, 200, metrics.height()), Qt.AlignmentFlag.AlignLeft, text)
                    end = x + metrics.horizontalAdvance(text) + 6

    def event(self, event: QEvent) -> bool:
        """Explain the bar under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            if self._histogram is not None and self._histogram.total:
                QToolTip.showText(event.globalPos(), self.bar_text(self.bucket_at(event.pos().x())), self)
            return True
        return super().event(event)


def bucket_text(bucket: int) -> str:
    """A bucket's bounds in words."""
    low, high = bucket_bounds_ms(bucket)
    if high is None:
        return QCoreApplication.translate("BlockTimes", "over {0}").format(_bound(low))
    if not bucket:
        return QCoreApplication.translate("BlockTimes", "under {0}").format(_bound(high))
    text = QCoreApplication.translate("BlockTimes", "{0} to {1}")
    return text.format(_bound(low), _bound(high))


def histogram_text(histogram: TimeHistogram | None) -> str:
    """How many there were, and where half and nine tenths of them lie."""
    if histogram is None or not histogram.total:
        return QCoreApplication.translate("BlockTimes", "none yet")
    half, most = histogram.quantile_bucket(0.5), histogram.quantile_bucket(0.9)
    text = QCoreApplication.translate("BlockTimes", "{0} in all · median {1} · nine tenths within {2}")
    high = bucket_bounds_ms(most or 0)[1]
    within = bucket_text(most or 0) if high is None else _bound(high)
    return text.format(figures.count(histogram.total), bucket_text(half or 0), within)


def _bound(ms: int) -> str:
    """A bucket's bound: whole milliseconds, from a second on as all times are written."""
    return figures.duration(ms / 1000) if ms >= 1000 else f"{figures.count(ms)}\u202fms"
