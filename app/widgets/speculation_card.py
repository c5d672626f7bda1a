"""What speculation does in the engine that runs: how much is accepted, position by position; and what it gains."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.widgets.figures import count, percent, significant
from app.widgets.icon import PlainButton
from app.widgets.labels import role_label, show_role
from engine.tuner.speculation import Verdict

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from app.theme.tokens import Theme
    from engine.domain.lifecycle import SpeculationStats
    from engine.tuner.speculation import SpeedUp

_BAR, _GAP, _HIGH = 22, 5, 34


class AcceptanceBars(QWidget):
    """One bar a position of the draft: the share of drafts that were accepted up to there."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shares: tuple[float, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Acceptance by position"))

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self._theme = theme
        self.update()

    def show_shares(self, shares: tuple[float, ...]) -> None:
        """Shares from 0 to 1, first position first."""
        if shares == self._shares:
            return
        resized = len(shares) != len(self._shares)
        self._shares = shares
        words = ", ".join(
            self.tr("position {n}: {share}").format(n=count(n), share=percent(share))
            for n, share in enumerate(shares, start=1)
        )
        self.setAccessibleDescription(words)
        self.setToolTip(words.replace(", ", "\n"))
        if resized:
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as there are positions."""
        return QSize(max(1, len(self._shares)) * (_BAR + _GAP), _HIGH)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The whole height is 100 %."""
        painter = QPainter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        backwards = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        for place, share in enumerate(self._shares):
            at = (len(self._shares) - 1 - place if backwards else place) * (_BAR + _GAP)
            painter.setBrush(QColor(self._theme.memory_free))
            painter.drawRect(QRectF(at, 0, _BAR, _HIGH))
            painter.setBrush(QColor(self._theme.accent))
            painter.drawRect(QRectF(at, _HIGH * (1 - share), _BAR, _HIGH * share))


class SpeculationCard(QWidget):
    """Hidden where nothing is guessed ahead and nothing was measured. `measure_asked` wants the comparison with off."""

    measure_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("speculationCard")
        self.figures = role_label("", "", wrap=True)
        self.bars = AcceptanceBars(theme)
        self.outcome = role_label("", "caption", wrap=True)
        self.measure = PlainButton(self.tr("Measure against off"), "link")
        self.measure.setObjectName("measureSpeculation")
        self.measure.setToolTip(
            self.tr("Sends the same small load with and without speculation, three times each. The engine is reloaded "
                "between, and is afterwards as it was.")
        )  # fmt: skip
        self.measure.clicked.connect(self.measure_asked)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.figures, 1)
        row.addWidget(self.bars)
        column = QVBoxLayout(self)
        column.setContentsMargins(36, 2, 14, 6)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.outcome)
        column.addWidget(self.measure, 0, Qt.AlignmentFlag.AlignLeading)

    def show_stats(self, stats: SpeculationStats | None, *, runs: bool) -> None:
        """The newest figures; `runs` is whether the engine guesses ahead at all."""
        self.figures.setVisible(runs)
        self.bars.setVisible(runs and stats is not None and stats.drafts > 0)
        if not runs:
            return
        text = acceptance_words(stats)
        if text != self.figures.text():
            self.figures.setText(text)
        if stats is not None and stats.drafts:
            self.bars.show_shares(tuple(taken / stats.drafts for taken in stats.accepted_at))

    def show_outcome(self, text: str, role: str, *, can_measure: bool) -> None:
        """What was measured, or how far it is."""
        self.outcome.setText(text)
        show_role(self.outcome, role)
        self.measure.setVisible(can_measure)

    def use_theme(self, theme: Theme) -> None:
        """Draw with another theme's colours."""
        self.bars.use_theme(theme)


def acceptance_words(stats: SpeculationStats | None) -> str:
    """Acceptance rate and mean length of the last minute, or that there was nothing."""
    tr = QCoreApplication.translate
    if stats is None or not stats.drafts_total:
        return tr("SpeculationCard", "No draft was checked yet.")
    if not stats.drafts:
        share = stats.accepted_total / stats.draft_tokens_total if stats.draft_tokens_total else None
        return tr("SpeculationCard", "Since the load {share} of the drafted tokens were accepted; none lately.").format(
            share=percent(share)
        )
    return tr("SpeculationCard", "{share} of the drafted tokens accepted, {length} tokens a step").format(
        share=percent(stats.acceptance), length=significant(stats.mean_length, 3)
    )


def speed_words(found: SpeedUp | None) -> tuple[str, str]:
    """The measurement in words, and how to show them."""
    tr = QCoreApplication.translate
    if found is None or found.ratio is None:
        return tr("SpeculationCard", "The comparison ended before it could tell."), "caption"
    numbers = tr("SpeculationCard", "{on} against {off} tokens/s, {ratio} times ({low} to {high})").format(
        on=significant(found.with_per_s, 3),
        off=significant(found.without_per_s, 3),
        ratio=significant(found.ratio, 3),
        low=significant(found.low, 3),
        high=significant(found.high, 3),
    )
    if found.verdict is Verdict.FASTER:
        return tr("SpeculationCard", "Faster than without: {numbers}.").format(numbers=numbers), "good"
    if found.verdict is Verdict.SLOWER:
        words = tr("SpeculationCard", "Slower than without: {numbers}. Guess fewer tokens, or switch it off.")
        return words.format(numbers=numbers), "warning"
    return tr("SpeculationCard", "No difference is shown: {numbers}.").format(numbers=numbers), "caption"
