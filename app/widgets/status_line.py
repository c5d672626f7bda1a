"""The bottom line: five numbers that say how the engine does, and the log one click away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolTip, QWidget

from app.widgets import figures
from app.widgets.icon import IconButton
from app.widgets.labels import TabularLabel, role_label

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from app.bridge.store import Store
    from engine.domain.gpu import GpuSample, HardwareSample

_SPACING = 14
_REFRESH_MS = 200  # numbers that change 30 times a second cannot be read


class StatusNumber(QWidget):
    """A caption and a number whose width never changes (`longest` is the widest text it foresees)."""

    def __init__(self, caption: str, longest: str, help_text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._caption = role_label(caption, "caption")
        self._number = TabularLabel(longest, "number")
        self._number.setAlignment(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
        self.setToolTip(help_text)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._caption)
        row.addWidget(self._number)
        self._align()
        self.show_number(figures.UNKNOWN)

    @property
    def text(self) -> str:
        """The number as it stands there."""
        return self._number.text()

    def show_number(self, text: str, caption: str | None = None) -> None:
        """Show a number, and another caption where one is given."""
        if caption is not None and caption != self._caption.text():
            self._caption.setText(caption)
        if text != self._number.text() or not self.accessibleName():
            self._number.show_text(text)
            self.setAccessibleName(f"{self._caption.text()} {text}")

    def changeEvent(self, event: QEvent) -> None:
        """Keep caption and number on one line when the text size changes."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._align()

    def _align(self) -> None:
        """Move the caption down by what its smaller letters stand too high: both share one baseline."""
        small, large = self._caption.fontMetrics(), self._number.fontMetrics()
        higher = (large.ascent() - large.descent()) - (small.ascent() - small.descent())
        self._caption.setContentsMargins(0, max(0, higher), 0, 0)


class StatusLine(QWidget):
    """Draws the newest counters, memory and serving figures, a few times a second and only while visible.

    What a narrow window has no room for is left out, the last ones first, and stands in the line's tooltip.
    """

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("statusLine")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._store = store
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_REFRESH_MS)
        self._timer.timeout.connect(self.refresh)
        self.running = StatusNumber(
            self.tr("running"), "0,000", self.tr("Requests that the scheduler runs in its present step.")
        )
        self.waiting = StatusNumber(self.tr("waiting"), "0,000", self.tr("Requests that wait for room in the batch."))
        self.usage = StatusNumber(
            self.tr("KV cache"),
            "100 %",
            self.tr("Share of the KV cache's blocks that requests own, as vLLM counts it."),
        )
        self.memory = StatusNumber(self.tr("VRAM"), "000.0 / 000.0 GiB", self.tr("Memory in use, of all there is."))
        self.rate = StatusNumber(
            self.tr("output"),
            "00,000 tok/s",
            self.tr("Generated tokens per second over the last seconds, all requests."),
        )
        self.ttft = StatusNumber(
            self.tr("TTFT p50"),
            "00.0 ms",
            self.tr("Median time from a request's start to its first token, over the last seconds' requests."),
        )
        self.log_button = IconButton("log", self.tr("Show the log (Ctrl+Shift+L)"))
        self._numbers = (self.running, self.waiting, self.usage, self.memory, self.rate, self.ttft)
        self._dividers = {number: _divider() for number in self._numbers[2:]}
        self._arrange()
        for signal in (store.cache_changed, store.hardware_changed, store.serving_changed, store.lifecycle_changed):
            signal.connect(self._schedule)

    def refresh(self) -> None:
        """Draw the newest figures now."""
        self._show_scheduler()
        self._show_memory(self._store.hardware)
        serving = self._store.serving
        told = serving if serving and "generation_tokens_per_s" not in serving.untold else None
        self.rate.show_number(figures.per_second(told.generation_tokens_per_s if told else None, self.tr("tok")))
        self.ttft.show_number(figures.duration(serving.ttft_p50_s if serving else None))

    def come_last(self) -> None:
        """Stand behind everything that is in the window by now when Tab is pressed, as it stands below it."""
        row = self.layout()
        if row is not None:
            self.log_button.setParent(None)  # what comes into a window comes last in it
            row.addWidget(self.log_button)
            self.log_button.show()

    @property
    def left_out(self) -> tuple[StatusNumber, ...]:
        """The numbers that there is no room for."""
        return tuple(number for number in self._numbers if number.isHidden())

    def minimumSizeHint(self) -> QSize:
        """Room for the first number and the log."""
        row = self.layout()
        sides = row.contentsMargins().left() + row.contentsMargins().right() if row is not None else 0
        width = self.running.sizeHint().width() + self.log_button.sizeHint().width() + sides + _SPACING
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out what does not fit."""
        super().resizeEvent(event)
        self._make_room()

    def changeEvent(self, event: QEvent) -> None:
        """Another text size needs another width."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and self.layout() is not None:
            self._make_room()

    def event(self, event: QEvent) -> bool:
        """Tell of what was left out."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self.left_out:
            QToolTip.showText(event.globalPos(), "\n".join(one.accessibleName() for one in self.left_out), self)
            return True
        return super().event(event)

    def _make_room(self) -> None:
        """Hide the last numbers, as many as it takes."""
        left = self.width() - self.minimumSizeHint().width()
        fits = True
        for number in self._numbers[1:]:
            divider = self._dividers.get(number)
            left -= number.sizeHint().width() + _SPACING + (1 + _SPACING if divider is not None else 0)
            fits = fits and left >= 0
            number.setVisible(fits)
            if divider is not None:
                divider.setVisible(fits)

    def _show_scheduler(self) -> None:
        cache, serving = self._store.cache, self._store.serving
        if cache is not None:
            running, waiting, usage = cache.counters.num_running, cache.counters.num_waiting, cache.counters.usage
        elif serving is not None and not {"running", "waiting", "kv_cache_usage"} & set(serving.untold):
            running, waiting, usage = serving.running, serving.waiting, serving.kv_cache_usage
        else:
            for number in (self.running, self.waiting, self.usage):
                number.show_number(figures.UNKNOWN)
            return
        self.running.show_number(figures.count(running))
        self.waiting.show_number(figures.count(waiting))
        self.usage.show_number(figures.percent(usage))

    def _show_memory(self, hardware: HardwareSample | None) -> None:
        if hardware is None:
            self.memory.show_number(figures.UNKNOWN)
            return
        if not hardware.gpus:
            host = hardware.host
            used = figures.gib(host.total_bytes - host.available_bytes, unit=False)
            self.memory.show_number(f"{used} / {figures.gib(host.total_bytes)}", self.tr("RAM"))
            return
        gpus = self._engine_gpus(hardware)
        used_bytes = _total([gpu.used_bytes for gpu in gpus])
        total_bytes = _total([gpu.total_bytes for gpu in gpus])
        self.memory.show_number(f"{figures.gib(used_bytes, unit=False)} / {figures.gib(total_bytes)}", self.tr("VRAM"))

    def _engine_gpus(self, hardware: HardwareSample) -> tuple[GpuSample, ...]:
        """The GPUs that the running engine uses; all of them while none does."""
        facts = self._store.lifecycle.facts
        wanted = facts.gpu_uuids if facts else ()
        return tuple(gpu for gpu in hardware.gpus if gpu.uuid in wanted) or hardware.gpus

    def _schedule(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _arrange(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 5, 8, 5)
        row.setSpacing(_SPACING)
        for number in self._numbers:
            if number in self._dividers:
                row.addWidget(self._dividers[number])
            row.addWidget(number)
        row.addStretch(1)
        row.addWidget(self.log_button)


def _divider() -> QFrame:
    line = QFrame()
    line.setObjectName("divider")
    line.setFixedSize(1, 16)
    return line


def _total(values: list[int | None]) -> int | None:
    """The sum, or None where one part is unknown: half a sum would be a lie."""
    known = [value for value in values if value is not None]
    return sum(known) if values and len(known) == len(values) else None
