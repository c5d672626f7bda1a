"""How long blocks live, lie unused, and wait to be found again: three distributions, read while they are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.widgets import figures
from app.widgets.elided_label import ElidedLabel
from app.widgets.labels import role_label
from app.widgets.time_histogram import TimeHistogramView, histogram_text

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from app.bridge.commands import Commands
    from app.bridge.store import Store
    from app.theme.tokens import Theme
    from engine.domain.block_times import BlockTimes

_INTERVAL_MS = 2000


class BlockTimesView(QScrollArea):
    """Asks the engine every two seconds while it is visible and steps go on; a recording brings its own."""

    def __init__(self, store: Store, commands: Commands, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store, self._commands = store, commands
        self._step: int | None = None
        self.setAccessibleName(self.tr("Times of blocks"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        titles = self._titles()
        self.charts = tuple(TimeHistogramView(name, theme) for name, _ in titles)
        self.texts = tuple(ElidedLabel("muted") for _ in titles)
        self.found_in_use = role_label("", "muted", wrap=True)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 2, 8, 4)
        column.setSpacing(3)
        for (name, meaning), chart, text in zip(titles, self.charts, self.texts, strict=True):
            title = role_label(name, "panelTitle")
            title.setToolTip(meaning)
            head = QHBoxLayout()
            head.setSpacing(10)
            head.addWidget(title)
            head.addWidget(text, 1)
            column.addLayout(head)
            column.addWidget(chart)
            column.addSpacing(4)
        column.addWidget(self.found_in_use)
        column.addStretch(1)
        body.setObjectName("scrollBody")
        self.setWidget(body)
        self._timer = QTimer(self)
        self._timer.setInterval(_INTERVAL_MS)
        self._timer.timeout.connect(self._read)
        store.block_times_changed.connect(self._show)

    def _titles(self) -> tuple[tuple[str, str], ...]:
        """The names of the distributions, and what they measure."""
        return (
            (
                self.tr("Residency"),
                self.tr("From when a block is handed out until its content is lost: evicted, or freed when not full"),
            ),
            (
                self.tr("Idle before eviction"),
                self.tr("From when nobody holds a cached block any more until it is evicted"),
            ),
            (
                self.tr("Reuse gap"),
                self.tr("From when nobody holds a cached block any more until a request finds it again"),
            ),
        )

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        for chart in self.charts:
            chart.use_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Read, and go on reading while it is seen."""
        super().showEvent(event)
        self._show(self._store.block_times)
        self._read()
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Read no more."""
        self._timer.stop()
        super().hideEvent(event)

    def _read(self) -> None:
        snapshot = self._store.cache
        if snapshot is None or self._store.replay is not None or snapshot.counters.step == self._step:
            return
        self._step = snapshot.counters.step
        self._commands.read_block_times()

    def _show(self, times: BlockTimes | None) -> None:
        if times is None:
            self._step = None
        if not self.isVisible():
            return
        histograms = (times.residency, times.idle, times.reuse_gap) if times is not None else (None,) * 3
        for chart, text, histogram in zip(self.charts, self.texts, histograms, strict=True):
            chart.show_histogram(histogram)
            text.show_text(histogram_text(histogram))
        if times is None:
            nothing = self._store.replay is not None
            self.found_in_use.setText(self.tr("This recording holds none up to here.") if nothing else "")
        else:
            found = self.tr("Blocks found while another request still held them: {0} · since the engine started")
            self.found_in_use.setText(found.format(figures.count(times.found_in_use)))
