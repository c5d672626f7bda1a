"""The offer of the starter model, its build as it goes, and what to do when it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.widgets.figures import duration
from app.widgets.icon import IconLabel, PlainButton, Tint
from app.widgets.labels import role_label
from app.widgets.model_words import size_text
from app.wording.engine import worded

if TYPE_CHECKING:
    from engine.domain.checkpoint import StarterProgress, StarterVariant

_ICONS = {"ready": "check", "building": "reload", "partial": "pause", "failed": "error", "absent": "clock"}
_PROGRESS_STEPS = 1000


class StarterCard(QWidget):
    """Hidden when there is nothing to offer: no starter model can be built here, or all of it is built."""

    build_asked = Signal()
    cancel_asked = Signal()
    load_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: StarterProgress | None = None
        self._first = True
        self._title = role_label(self.tr("Starter model"), "panelTitle")
        self._text = role_label("", "muted", wrap=True)
        self._more = role_label(
            self.tr(
                "Its AWQ, GPTQ, FP8 and INT8 variants are calibrated after it, in about ten minutes on two cores, and "
                "take 0.8 GB in all. Nothing is downloaded. Apache-2.0."
            ),
            "caption",
            wrap=True,
        )
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Building the starter model"))
        self._step = role_label("", "caption", wrap=True)
        self._error = role_label("", "error", wrap=True)
        self._remedy = role_label("", "muted", wrap=True)
        self._grid = QGridLayout()
        self._rows: dict[str, _VariantLine] = {}
        self.start = PlainButton("", "primary")
        self.start.setObjectName("startStarter")
        self.start.clicked.connect(self.build_asked)
        self.cancel = PlainButton(self.tr("Stop building"))
        self.cancel.setObjectName("cancelStarter")
        self.cancel.setToolTip(self.tr("What is built stays; building can go on later from there."))
        self.cancel.clicked.connect(self.cancel_asked)
        self._arrange()
        self.hide()

    def show_progress(self, starter: StarterProgress | None, *, first: bool) -> None:
        """Show the newest state; `first` when no other model is known, so that the offer says more."""
        if starter == self._shown and first == self._first:
            return
        self._shown, self._first = starter, first
        ready = starter is not None and all(variant.state == "ready" for variant in starter.variants)
        self.setVisible(starter is not None and bool(starter.variants) and (not ready or starter.running))
        if starter is None:
            return
        begun = starter.running or any(variant.state != "absent" for variant in starter.variants)
        self._text.setText(self._offer(begun))
        self._text.setVisible(not starter.running)
        self._more.setVisible(not begun)
        self._draw_progress(starter)
        self._draw_error(starter)
        self._draw_variants(starter, begun)
        self.start.setText(self._start_text(starter, begun))
        self.start.show_kind("primary" if first or starter.error else "")
        self.start.setVisible(not starter.running)
        self.cancel.setVisible(starter.running)

    def _offer(self, begun: bool) -> str:
        if begun:
            return self.tr("SmolLM2-135M-Instruct is not built completely. What is there can be used already.")
        return self.tr("SmolLM2-135M-Instruct, to begin with: 98 MB, installed already, usable in about a minute.")

    def _start_text(self, starter: StarterProgress, begun: bool) -> str:
        if starter.error:
            return self.tr("Try again")
        return self.tr("Go on building") if begun else self.tr("Build the starter model")

    def _draw_progress(self, starter: StarterProgress) -> None:
        self._bar.setVisible(starter.running)
        self._step.setVisible(starter.running)
        if starter.progress is None:
            self._bar.setRange(0, 0)
        else:
            self._bar.setRange(0, _PROGRESS_STEPS)
            self._bar.setValue(round(starter.progress * _PROGRESS_STEPS))
        parts = [starter.step or self.tr("beginning")]
        if starter.elapsed_s is not None:
            parts.append(duration(starter.elapsed_s))
        if starter.remaining_s is not None:
            parts.append(self.tr("about {} more").format(duration(starter.remaining_s)))
        self._step.setText(" · ".join(parts))

    def _draw_error(self, starter: StarterProgress) -> None:
        self._error.setText(worded(starter.error or ""))
        self._error.setVisible(bool(starter.error) and not starter.running)
        self._remedy.setText(worded(starter.remedy or ""))
        self._remedy.setVisible(bool(starter.remedy) and not starter.running)

    def _draw_variants(self, starter: StarterProgress, begun: bool) -> None:
        for variant in starter.variants:
            line = self._rows.get(variant.key)
            if line is None:
                line = _VariantLine(self._grid, len(self._rows))
                line.load.clicked.connect(lambda _checked=False, key=variant.key: self.load_asked.emit(self._path(key)))
                self._rows[variant.key] = line
            line.show_variant(variant, begun)

    def _path(self, key: str) -> str:
        variants = self._shown.variants if self._shown is not None else ()
        return next(variant.path for variant in variants if variant.key == key)

    def _arrange(self) -> None:
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(2, 1)
        buttons = QHBoxLayout()
        buttons.addWidget(self.start)
        buttons.addWidget(self.cancel)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 12, 10)
        column.setSpacing(6)
        for part in (self._title, self._text, self._bar, self._step, self._error, self._remedy):
            column.addWidget(part)
        column.addLayout(buttons)
        column.addLayout(self._grid)
        column.addWidget(self._more)


class _VariantLine:
    """One variant's line in the grid: mark, label, detail, and a way to load it as soon as it is there."""

    def __init__(self, grid: QGridLayout, row: int) -> None:
        self._icon = IconLabel("clock", 14, Tint.FAINT)
        self._label = role_label("", "")
        self._detail = role_label("", "caption", wrap=True)
        self.load = PlainButton(self._detail.tr("Load"), "link")
        for column, part in enumerate((self._icon, self._label, self._detail, self.load)):
            grid.addWidget(part, row, column, Qt.AlignmentFlag.AlignVCenter)

    def show_variant(self, variant: StarterVariant, begun: bool) -> None:
        """Show the newest state."""
        tints = {"ready": Tint.ACCENT, "building": Tint.ACCENT, "failed": Tint.ERROR}
        self._icon.show_icon(_ICONS.get(variant.state, "clock"), tints.get(variant.state, Tint.FAINT))
        self._label.setText(variant.label)
        size = size_text(variant.size_bytes) if variant.size_bytes is not None else ""
        self._detail.setText(" · ".join(part for part in (size, variant.detail) if part))
        self.load.setVisible(variant.state == "ready")
        self.load.setAccessibleName(f"{self.load.text()} {variant.label}")
        policy = self.load.sizePolicy()
        if policy.retainSizeWhenHidden() != begun:
            policy.setRetainSizeWhenHidden(begun)
            self.load.setSizePolicy(policy)
        for part in (self._icon, self._label, self._detail):
            part.setVisible(begun)
