"""One family of checkpoints: its name and figures, a chip a variant, and a line about the one that is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.widgets.figures import duration
from app.widgets.flow_layout import FlowLayout
from app.widgets.icon import PlainButton
from app.widgets.labels import role_label, show_role
from app.widgets.model_chip import ChipState, VariantChip
from app.widgets.model_words import (
    family_text,
    fits_text,
    load_share,
    notes_text,
    stage_text,
    variant_text,
    verdict_text,
)
from app.widgets.sleeper_words import warm_text
from app.wording.engine import worded
from engine.domain.lifecycle import Lifecycle, Phase
from engine.domain.sleepers import Sleepers

if TYPE_CHECKING:
    from app.tables.models import Family, Variant
    from app.theme.themes import Themes


class FamilyRow(QWidget):
    """Signals carry a checkpoint's path; `menu_asked` also the place on the screen."""

    chosen = Signal(str)
    cancel_asked = Signal()
    menu_asked = Signal(str, QPoint)

    def __init__(self, family: Family, themes: Themes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.family = family
        self._looked_at: Variant | None = None
        self._lifecycle = Lifecycle(Phase.OFFLINE)
        self._tray = Sleepers()
        self._name = role_label(family.name, "", wrap=True)
        font = self._name.font()
        font.setBold(True)
        self._name.setFont(font)
        self._figures = role_label(family_text(family), "caption", wrap=True)
        self._about = role_label("", "caption", wrap=True)
        self._why = role_label("", "caption", wrap=True)
        self._cancel = PlainButton(self.tr("Cancel"), "link")
        self._cancel.setObjectName("cancelLoad")
        self._cancel.clicked.connect(self.cancel_asked)
        self.chips = tuple(self._chip(variant, themes) for variant in family.variants)
        self._arrange()
        self._draw_words()

    def show_lifecycle(self, lifecycle: Lifecycle) -> None:
        """Mark the chip that runs, loads or failed."""
        self._lifecycle = lifecycle
        for chip in self.chips:
            ours = lifecycle.checkpoint == chip.variant.checkpoint.path
            chip.show_state(_state(lifecycle) if ours else ChipState.IDLE, load_share(lifecycle) if ours else None)
        self._draw_words()

    def show_sleepers(self, tray: Sleepers) -> None:
        """Mark the chips whose engines wait, and say how the last switch to one went."""
        self._tray = tray
        for chip in self.chips:
            sleeper = tray.of(chip.variant.checkpoint.path)
            chip.show_warm(warm_text(sleeper) if sleeper is not None else "")
        self._draw_words()

    def _chip(self, variant: Variant, themes: Themes) -> VariantChip:
        chip = VariantChip(variant, themes)
        chip.chosen.connect(self.chosen)
        chip.looked_at.connect(self._look)
        chip.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        chip.customContextMenuRequested.connect(
            lambda place: self.menu_asked.emit(variant.checkpoint.path, chip.mapToGlobal(place))
        )
        return chip

    def _look(self, variant: Variant, begins: bool) -> None:
        if begins:
            self._looked_at = variant
        elif self._looked_at is variant:
            self._looked_at = None
        self._draw_words()

    def _draw_words(self) -> None:
        """Words on the chip that is looked at, else on the one that runs or loads, else on what cannot run."""
        present = next((chip for chip in self.chips if chip.state is not ChipState.IDLE), None)
        looked_at = self._looked_at
        loading = present is not None and present.state is ChipState.LOADING
        if looked_at is not None:
            chip = next(chip for chip in self.chips if chip.variant is looked_at)
            self._say(variant_text(looked_at), chip.warmth or verdict_text(looked_at), looked_at, self._notes(chip))
        elif present is not None:
            about, why = self._present_text(present), verdict_text(present.variant)
            self._say(about, why, present.variant, self._notes(present))
        elif len(self.chips) == 1:
            only = self.chips[0].variant
            self._say(variant_text(only), verdict_text(only), only)
        else:
            self._say("", "", None)
        self._cancel.setVisible(loading)

    def _present_text(self, chip: VariantChip) -> str:
        lifecycle = self._lifecycle
        if chip.state is ChipState.LOADING:
            stage = f"{chip.variant.label}: {stage_text(lifecycle)}"
            return f"{stage} · {duration(lifecycle.elapsed_s)}" if lifecycle.elapsed_s is not None else stage
        if chip.state is ChipState.RUNNING and lifecycle.facts is not None:
            parts = (variant_text(chip.variant), fits_text(lifecycle.facts), self._woken_text(chip))
            return " · ".join(part for part in parts if part)
        if chip.state is ChipState.FAILED and lifecycle.failure is not None:
            return f"{chip.variant.label}: {worded(lifecycle.failure.message)}"
        return variant_text(chip.variant)

    def _notes(self, chip: VariantChip) -> str:
        facts = self._lifecycle.facts
        return notes_text(facts, chip.variant) if chip.state is ChipState.RUNNING and facts is not None else ""

    def _woken_text(self, chip: VariantChip) -> str:
        switch = self._tray.last_switch
        if not self._lifecycle.warm or switch is None or switch.checkpoint != chip.variant.checkpoint.path:
            return ""
        return self.tr("woken in {span}").format(span=duration(switch.seconds))

    def _say(self, about: str, why: str, variant: Variant | None, notes: str = "") -> None:
        self._about.setText(about)
        self._about.setVisible(bool(about))
        why = "\n".join(filter(None, (why, notes)))
        self._why.setText(why)
        self._why.setVisible(bool(why))
        if variant is not None:
            warns = bool(notes) or variant.unpacked
            show_role(self._why, "error" if variant.refusal else "warning" if warns else "caption")

    def _arrange(self) -> None:
        chips = QWidget()
        flow = FlowLayout(chips, spacing=6)
        for chip in self.chips:
            flow.addWidget(chip)
        foot = QHBoxLayout()
        foot.addWidget(self._about, 1)
        foot.addWidget(self._cancel, alignment=Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 6, 12, 8)
        column.setSpacing(3)
        column.addWidget(self._name)
        column.addWidget(self._figures)
        column.addSpacing(2)
        column.addWidget(chips)
        column.addLayout(foot)
        column.addWidget(self._why)


def _state(lifecycle: Lifecycle) -> ChipState:
    return {
        Phase.LOADING: ChipState.LOADING,
        Phase.READY: ChipState.RUNNING,
        Phase.FAILED: ChipState.FAILED,
        Phase.CRASHED: ChipState.FAILED,
    }.get(lifecycle.phase, ChipState.IDLE)
