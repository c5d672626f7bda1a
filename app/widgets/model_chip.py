"""A chip that stands for one variant of a model: one click loads it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.widgets.model_words import variant_text, verdict_text

if TYPE_CHECKING:
    from PySide6.QtGui import QEnterEvent, QFocusEvent

    from app.tables.models import Variant
    from app.theme.themes import Themes

_PAD = 7
_DOT = 6


class ChipState(StrEnum):
    """What the engine has to do with this variant now."""

    IDLE = "idle"
    LOADING = "loading"
    RUNNING = "running"
    FAILED = "failed"


class VariantChip(QAbstractButton):
    """Drawn from the theme. A refused variant can be reached and read, but its click explains instead of loading.

    `chosen` is emitted for a click that should load; `looked_at` when the pointer or the focus comes (True) or goes.
    """

    chosen = Signal(str)
    looked_at = Signal(object, bool)

    def __init__(self, variant: Variant, themes: Themes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.variant = variant
        self._themes = themes
        self._state = ChipState.IDLE
        self._share: float | None = None
        self._warm = ""
        self.setText(variant.label)
        self.setObjectName(f"variant_{variant.checkpoint.family}_{variant.label}")
        self.setProperty("checkpoint", variant.checkpoint.path)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.ArrowCursor if variant.refusal else Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self._clicked)
        themes.changed.connect(self.update)
        self._describe()

    @property
    def state(self) -> ChipState:
        """Idle, loading, running or failed."""
        return self._state

    def show_state(self, state: ChipState, share: float | None = None) -> None:
        """Mark it; `share` (0 to 1) is how far a load is."""
        if (state, share) == (self._state, self._share):
            return
        self._state, self._share = state, share
        self._describe()
        self.updateGeometry()
        self.update()

    def show_warm(self, text: str) -> None:
        """Mark a variant whose engine waits, with what that means in words; "" takes the mark away."""
        if text != self._warm:
            self._warm = text
            self._describe()
            self.updateGeometry()
            self.update()

    @property
    def is_warm(self) -> bool:
        """Whether its engine waits, so that a click brings it back in a moment."""
        return bool(self._warm)

    @property
    def warmth(self) -> str:
        """The words on its warmth, "" where it has none."""
        return self._warm

    def sizeHint(self) -> QSize:
        """The label and some air; room for the dot of the running one."""
        width = self._metrics_width() + 2 * _PAD + (_DOT + 5 if self._has_dot() else 0)
        return QSize(width, self.fontMetrics().height() + 8)

    def minimumSizeHint(self) -> QSize:
        """Chips are never cut."""
        return self.sizeHint()

    def event(self, event: QEvent) -> bool:
        """Tell when the pointer comes and goes."""
        if event.type() is QEvent.Type.HoverEnter:
            self.looked_at.emit(self.variant, True)
        elif event.type() is QEvent.Type.HoverLeave:
            self.looked_at.emit(self.variant, False)
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The keyboard looks at it too."""
        super().focusInEvent(event)
        self.looked_at.emit(self.variant, True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """And looks away."""
        super().focusOutEvent(event)
        self.looked_at.emit(self.variant, False)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Draw the hover."""
        super().enterEvent(event)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Background, border, label, and the marks of the state."""
        theme = self._themes.current
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        back, line, ink = self._colours()
        pen = QPen(QColor(theme.accent if self.hasFocus() else line), 2 if self.hasFocus() else 1)
        if self.variant.refusal and not self.hasFocus():
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(QColor(back) if back else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 5, 5)
        area = box.adjusted(_PAD, 0, -_PAD, 0)
        if self._state is ChipState.RUNNING:
            area = self._draw_dot(painter, area, theme.good)
        elif self._has_dot():
            area = self._draw_dot(painter, area, theme.good, hollow=True)
        elif self._state is ChipState.LOADING:
            self._draw_progress(painter, box, theme.accent)
        elif self.variant.unpacked:
            self._draw_mark(painter, box, theme.warning)
        painter.setFont(self._label_font())
        painter.setPen(QColor(ink))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, self.text())

    def _colours(self) -> tuple[str, str, str]:
        theme = self._themes.current
        if self.variant.refusal:
            return "", theme.line, theme.text_faint
        if self._state is ChipState.RUNNING:
            return theme.accent_soft, theme.accent, theme.text
        if self._state is ChipState.LOADING:
            return theme.raised, theme.accent, theme.text
        if self._state is ChipState.FAILED:
            return theme.raised, theme.error, theme.text
        hovered = self.underMouse() and self.isEnabled()
        return (theme.selection if hovered or self.isDown() else theme.raised), theme.line, theme.text

    def _has_dot(self) -> bool:
        """A full dot runs, a ring waits."""
        return self._state is ChipState.RUNNING or (self._state is ChipState.IDLE and bool(self._warm))

    def _draw_dot(self, painter: QPainter, area: QRectF, colour: str, *, hollow: bool = False) -> QRectF:
        mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        x = area.right() - _DOT if mirrored else area.left()
        painter.setPen(QPen(QColor(colour), 1.5) if hollow else Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush if hollow else QColor(colour))
        painter.drawEllipse(QRectF(x, area.center().y() - _DOT / 2, _DOT, _DOT))
        room = _DOT + 5
        return area.adjusted(0, 0, -room, 0) if mirrored else area.adjusted(room, 0, 0, 0)

    def _draw_progress(self, painter: QPainter, box: QRectF, colour: str) -> None:
        share = self._share if self._share is not None else 0.12
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        width = max(3.0, (box.width() - 6) * share)
        mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        left = box.right() - 3 - width if mirrored else box.left() + 3
        painter.drawRoundedRect(QRectF(left, box.bottom() - 4, width, 2.5), 1, 1)

    def _draw_mark(self, painter: QPainter, box: QRectF, colour: str) -> None:
        mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        painter.drawEllipse(QPointF(box.left() + 6 if mirrored else box.right() - 6, box.top() + 6), 2, 2)

    def _label_font(self) -> QFont:
        font = QFont(self.font())
        font.setBold(self._state is ChipState.RUNNING)
        return font

    def _metrics_width(self) -> int:
        font = QFont(self.font())
        font.setBold(True)  # room for the bold label of the running one, so that nothing moves when it is loaded
        return max(QFontMetrics(font).horizontalAdvance(self.text()), 12) + 2

    def _describe(self) -> None:
        state = {
            ChipState.IDLE: "",
            ChipState.LOADING: self.tr("loading"),
            ChipState.RUNNING: self.tr("running"),
            ChipState.FAILED: self.tr("could not be loaded"),
        }[self._state]
        if self._state is ChipState.IDLE and self._warm:
            state = self.tr("warm")
        name = f"{self.variant.checkpoint.family} {self.variant.label}"
        self.setAccessibleName(f"{name}, {state}" if state else name)
        why = verdict_text(self.variant)
        text = "\n".join(part for part in (variant_text(self.variant), why, self._warm) if part)
        self.setAccessibleDescription(text)
        self.setToolTip(text)

    def _clicked(self) -> None:
        self.looked_at.emit(self.variant, True)
        if not self.variant.refusal and self._state in (ChipState.IDLE, ChipState.FAILED):
            self.chosen.emit(self.variant.checkpoint.path)
