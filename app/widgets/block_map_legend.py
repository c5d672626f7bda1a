"""The block map's legend: what the colours of the mode in force mean, and how many blocks have each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.theme.fonts import tabular
from app.widgets import figures
from app.widgets.block_map_palette import (
    AGE_STEPS,
    GROUP_COLOURS,
    OWNER_STEPS,
    REUSE_STEPS,
    ColourMode,
    base_colours,
)
from app.widgets.kv_group_words import group_name
from engine.domain.blocks import BlockState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent

    from app.theme.tokens import Theme
    from engine.domain.telemetry import CacheSnapshot

_SWATCH = 10
_GAP = 14
_TEXT_GAP = 5


@dataclass(frozen=True, slots=True)
class LegendItem:
    """One entry: one or more colours side by side, a label, and the number of blocks (None: not counted)."""

    colours: tuple[str, ...]
    label: str
    blocks: int | None = None
    hatched: bool = False


def legend_items(
    mode: ColourMode, theme: Theme, snapshot: CacheSnapshot, counts: Sequence[int]
) -> tuple[LegendItem, ...]:
    """The legend of a mode for this snapshot; `counts` are how many blocks have each base colour of that mode."""
    names = [colour.name() for colour in base_colours(mode, theme)]
    states = _state_items(names, counts)
    if mode is ColourMode.STATE:
        return (*states, *_elsewhere_items(names, counts))
    own: tuple[LegendItem, ...]
    own_names, own_counts = names[len(BlockState):-1], counts[len(BlockState):-1]
    free, cached, shared = states[BlockState.FREE], states[BlockState.CACHED], states[BlockState.SHARED]
    if mode is ColourMode.REQUEST:
        present = sorted({request.row % len(own_names) for request in snapshot.requests}) or range(6)
        colours = tuple(own_names[place] for place in list(present)[:8])
        label = QCoreApplication.translate("BlockLegend", "a colour a request")
        own = (LegendItem(colours, label, sum(own_counts)), shared, cached)
    elif mode is ColourMode.AGE:
        own = _age_items(own_names, own_counts)
    elif mode is ColourMode.REUSE:
        own = _reuse_items(own_names, own_counts, known=snapshot.reuse_counts is not None)
    elif mode is ColourMode.GROUP:
        own = _group_items(own_names, own_counts, snapshot)
    else:
        own = (*_owner_items(own_names, own_counts), cached)
    return (*own, free, *_elsewhere_items(names, counts))


def _elsewhere_items(names: Sequence[str], counts: Sequence[int]) -> tuple[LegendItem, ...]:
    """Where one group is shown alone: the blocks of the others."""
    label = QCoreApplication.translate("BlockLegend", "of another group")
    return (LegendItem((names[-1],), label, counts[-1]),) if counts[-1] else ()


def _state_items(names: Sequence[str], counts: Sequence[int]) -> tuple[LegendItem, ...]:
    tr = QCoreApplication.translate
    labels = {
        BlockState.FREE: tr("BlockLegend", "free"), BlockState.CACHED: tr("BlockLegend", "cached"),
        BlockState.USED: tr("BlockLegend", "used"), BlockState.SHARED: tr("BlockLegend", "shared"),
        BlockState.NULL: tr("BlockLegend", "null"),
    }
    return tuple(LegendItem((names[state],), label, counts[state], state is BlockState.NULL)
                 for state, label in labels.items())


def _age_items(names: Sequence[str], counts: Sequence[int]) -> tuple[LegendItem, ...]:
    tr = QCoreApplication.translate
    bands = ((0, 3, tr("BlockLegend", "used under 8 steps ago")), (3, 6, tr("BlockLegend", "under 64")),
             (6, 9, tr("BlockLegend", "under 512")), (9, AGE_STEPS, tr("BlockLegend", "longer ago")))
    return tuple(LegendItem(tuple(names[low:high]), label, sum(counts[low:high])) for low, high, label in bands)


def _owner_items(names: Sequence[str], counts: Sequence[int]) -> tuple[LegendItem, ...]:
    locale_labels = [QCoreApplication.translate("BlockLegend", "1 owner"), "2"]
    locale_labels += [f"{2 ** (step - 1) + 1}–{2 ** step}" for step in range(2, OWNER_STEPS - 1)]
    locale_labels.append(f"{2 ** (OWNER_STEPS - 2) + 1}+")
    return tuple(LegendItem((name,), label, count)
                 for name, label, count in zip(names, locale_labels, counts, strict=True))


def _reuse_items(names: Sequence[str], counts: Sequence[int], *, known: bool) -> tuple[LegendItem, ...]:
    tr = QCoreApplication.translate
    if not known:
        return (LegendItem((), tr("BlockLegend", "how often blocks were found again is not known here")),)
    labels = [tr("BlockLegend", "never found again"), tr("BlockLegend", "once"), "2–3"]
    labels += [f"{2**step}–{2 ** (step + 1) - 1}" for step in range(2, REUSE_STEPS - 2)]
    labels.append(tr("BlockLegend", "{0} times and more").format(2 ** (REUSE_STEPS - 2)))
    return tuple(LegendItem((name,), label, count) for name, label, count in zip(names, labels, counts, strict=True))


def _group_items(names: Sequence[str], counts: Sequence[int], snapshot: CacheSnapshot) -> tuple[LegendItem, ...]:
    """For each group the colours of its blocks in use and of those that are only cached."""
    return tuple(
        LegendItem((names[place], names[place + GROUP_COLOURS]), group_name(index, group),
                   counts[place] + counts[place + GROUP_COLOURS])
        for index, group in enumerate(snapshot.groups) for place in (index % GROUP_COLOURS,)
    )


class BlockLegend(QWidget):
    """Draws legend items from the leading edge, wrapping where the width ends."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._items: tuple[LegendItem, ...] = ()
        # Not fixed in height: layouts would cap it at the hint, which knows only the width of before.
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_items(self, items: tuple[LegendItem, ...]) -> None:
        """Draw these; the same again costs nothing."""
        if items == self._items:
            return
        reflow = [item.label for item in items] != [item.label for item in self._items]
        self._items = items
        self.setAccessibleDescription(", ".join(f"{item.label} {figures.count(item.blocks)}" for item in items))
        if reflow:
            self.updateGeometry()
        self.update()

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.update()

    def hasHeightForWidth(self) -> bool:
        """Narrower means higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of all lines at this width."""
        lines = self._places(width)
        return round(lines[-1][1].bottom()) + 1 if lines else round(self._line_height())

    def sizeHint(self) -> QSize:
        """The height at the present width."""
        return QSize(320, self.heightForWidth(max(200, self.width())))

    def minimumSizeHint(self) -> QSize:
        """One line."""
        return QSize(120, round(self._line_height()))

    def _font(self) -> QFont:
        font = tabular(self.font())
        font.setPointSizeF(max(7.5, font.pointSizeF() * 0.9))
        return font

    def _line_height(self) -> float:
        return QFontMetricsF(self._font()).height() + 4

    def _places(self, width: int) -> list[tuple[LegendItem, QRectF]]:
        metrics = QFontMetricsF(self._font())
        x, y, height = 0.0, 0.0, self._line_height()
        places = []
        for item in self._items:
            room = len(item.colours) * _SWATCH + _TEXT_GAP + metrics.horizontalAdvance(item.label)
            if item.blocks is not None:  # room for two more digits, so that growing numbers push nothing
                digits = max(5, len(figures.count(item.blocks)))
                room += _TEXT_GAP + metrics.horizontalAdvance("0") * digits
            if x > 0 and x + room > width:
                x, y = 0.0, y + height
            places.append((item, QRectF(x, y, room, height)))
            x += room + _GAP
        return places

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Draw swatches, labels and counts."""
        with QPainter(self) as painter:
            self._paint(painter)

    def _paint(self, painter: QPainter) -> None:
        painter.setFont(self._font())
        metrics = painter.fontMetrics()
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        leading = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignAbsolute
        leading |= Qt.AlignmentFlag.AlignRight if mirrored else Qt.AlignmentFlag.AlignLeft
        for item, place in self._places(self.width()):
            swatches = len(item.colours) * _SWATCH
            for number, colour in enumerate(item.colours):
                self._paint_swatch(painter, self._mirror(QRectF(
                    place.left() + number * _SWATCH, place.center().y() - _SWATCH / 2, _SWATCH, _SWATCH), mirrored),
                    colour, hatched=item.hatched)
            text = place.adjusted(swatches + _TEXT_GAP, 0, 0, 0)
            painter.setPen(QColor(self._theme.text_muted))
            painter.drawText(self._mirror(text, mirrored), leading, item.label)
            if item.blocks is not None:
                text.adjust(metrics.horizontalAdvance(item.label) + _TEXT_GAP, 0, 0, 0)
                painter.setPen(QColor(self._theme.text))
                painter.drawText(self._mirror(text, mirrored), leading, figures.count(item.blocks))

    def _mirror(self, area: QRectF, mirrored: bool) -> QRectF:
        return QRectF(self.width() - area.right(), area.top(), area.width(), area.height()) if mirrored else area

    def _paint_swatch(self, painter: QPainter, area: QRectF, colour: str, *, hatched: bool) -> None:
        painter.fillRect(area, QColor(colour))
        if hatched:
            painter.fillRect(area, QBrush(QColor(self._theme.text_faint), Qt.BrushStyle.BDiagPattern))
        painter.setPen(QColor(self._theme.line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5))
