"""One memory as a stacked bar on its own scale, its parts named and numbered under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QPainter, QPainterPath
from PySide6.QtWidgets import QSizePolicy, QToolTip, QVBoxLayout, QWidget

from app.widgets import figures
from app.widgets.block_map_figures import Figure, FigureRow
from app.widgets.memory_bar_parts import MemoryPart, memory_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent

    from app.theme.tokens import Theme
    from engine.domain.gpu import GpuProcess
    from engine.metrics.memory_split import MemorySplit

_HEIGHT = 16
_RADIUS = 4
_WIDEST = "88.8 GiB"  # a part of less than a GiB needs more, and then gets it
_LISTED_PROCESSES = 12


class StackedBar(QWidget):
    """Draws parts from the leading edge on the scale of `total_bytes`; what is unknown stays hatched."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parts: tuple[MemoryPart, ...] = ()
        self._total: int | None = None
        self._tips: dict[str, str] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_parts(self, parts: tuple[MemoryPart, ...], total: int | None, tips: dict[str, str]) -> None:
        """Draw these parts; `tips` are the tooltips by part key."""
        self._tips = tips
        if (parts, total) != (self._parts, self._total):
            self._parts, self._total = parts, total
            self.setAccessibleDescription(
                ", ".join(f"{part.name} {figures.gib(part.size_bytes)}" for part in parts)
            )
            self.update()

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """A slim bar."""
        return QSize(320, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        """As high, narrower."""
        return QSize(80, _HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw the bar."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            outline = QPainterPath()
            outline.addRoundedRect(QRectF(0.5, 0.5, self.width() - 1, self.height() - 1), _RADIUS, _RADIUS)
            painter.setClipPath(outline)
            painter.fillRect(self.rect(), QColor(self._theme.memory_free))
            if self._total is None or self._free_is_unknown():
                painter.fillRect(self.rect(), QBrush(QColor(self._theme.line), Qt.BrushStyle.BDiagPattern))
            for part, area in self._areas():
                painter.fillRect(area, QColor(part.colour))
            painter.setClipping(False)
            painter.setPen(QColor(self._theme.line))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(outline)

    def _free_is_unknown(self) -> bool:
        return any(part.key == "free" and part.size_bytes is None for part in self._parts)

    def _areas(self) -> Sequence[tuple[MemoryPart, QRectF]]:
        """Each known part's area. A part that is there is at least a pixel wide."""
        if not self._total:
            return ()
        areas, x = [], 0.0
        for part in self._parts:
            if part.key == "free" or not part.size_bytes:
                continue
            width = max(1.0, self.width() * part.size_bytes / self._total)
            left = self.width() - x - width if self.layoutDirection() == Qt.LayoutDirection.RightToLeft else x
            areas.append((part, QRectF(left, 0, max(1.0, width - 1), self.height())))
            x += width
        return areas

    def part_at(self, x: float) -> str:
        """The key of the part at this place; what no part covers is free."""
        for part, area in self._areas():
            if area.left() <= x <= area.right() + 1:
                return part.key
        return "free"

    def event(self, event: QEvent) -> bool:
        """Explain the part under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tips.get(self.part_at(event.pos().x()), ""), self)
            return True
        return super().event(event)


class MemoryBar(QWidget):
    """A StackedBar with a figure for each part under it, which are its legend."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.bar = StackedBar(theme)
        self.numbers = FigureRow(theme)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.bar)
        layout.addWidget(self.numbers)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.bar.use_theme(theme)
        self.numbers.use_theme(theme)

    def show_split(self, split: MemorySplit, processes: Sequence[GpuProcess] = ()) -> None:
        """Draw this split; `processes` are named in the tooltip of the others' part."""
        parts = memory_parts(split, self._theme)
        tips = {part.key: f"{part.name}: {figures.gib(part.size_bytes)}\n{part.meaning}" for part in parts}
        named = self._process_lines(processes)
        if named:
            for key in ("others", "unattributed"):
                if key in tips:
                    tips[key] += "\n" + named
        self.bar.show_parts(parts, split.total_bytes, tips)
        # Without an engine nobody asks for its parts: two dashes would say that something is amiss.
        own = {"weights", "kv_cache"} if split.weights_bytes is None and split.kv_cache_bytes is None else set()
        if own and not split.rest_bytes:
            own.add("rest")
        self.numbers.show_figures([
            Figure(part.name, figures.gib(part.size_bytes), _WIDEST, tips[part.key].replace("\n", "<br>"), part.colour)
            for part in parts if part.key not in own
        ])

    def _process_lines(self, processes: Sequence[GpuProcess]) -> str:
        others = [process for process in processes if not process.is_ours]
        others.sort(key=lambda process: process.used_bytes or 0, reverse=True)
        lines = [
            self.tr("{0} (pid {1}): {2}").format(process.name, process.pid, figures.gib(process.used_bytes))
            for process in others[:_LISTED_PROCESSES]
        ]
        if len(others) > _LISTED_PROCESSES:
            lines.append(self.tr("and %n more", "", len(others) - _LISTED_PROCESSES))
        return "\n".join(lines)
