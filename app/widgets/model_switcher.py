"""The header's menu of models: shows what is loaded and switches to another with one choice."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton

from app.widgets import figures
from app.widgets.checkpoint_names import checkpoint_label, loadable
from app.widgets.icon import Tint, tinted
from app.widgets.menu_heading import add_heading
from app.widgets.sleeper_words import warm_text
from app.wording.engine import worded
from engine.domain.checkpoint import VerdictKind

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.bridge.store import Store
    from engine.domain.checkpoint import Checkpoint

_LONGEST = 44
_LEAST = 18  # letters' widths, with the icon


class ModelSwitcher(QToolButton):
    """`chosen` carries the path of the checkpoint that the user wants to run."""

    chosen = Signal(str)

    def __init__(self, store: Store, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._candidate: str | None = None
        self._may_choose = False
        self.setObjectName("modelSwitcher")
        self.setProperty("kind", "switcher")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(18, 18))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self._fill)
        self.setMenu(self._menu)
        self._menu.addAction("")  # an empty menu would not open; _fill replaces this
        store.lifecycle_changed.connect(self.refresh)
        store.library_changed.connect(self.refresh)
        self.refresh()

    @property
    def candidate(self) -> str | None:
        """What Load would load: what runs or ran last, else the first checkpoint that can run here."""
        lifecycle = self._store.lifecycle
        path = lifecycle.checkpoint or lifecycle.previous_checkpoint or self._candidate
        if path is not None:
            return path
        return next((checkpoint.path for checkpoint in loadable(self._store.library)), None)

    def remember(self, path: str | None) -> None:
        """Take the model of the last session as the one to offer."""
        self._candidate = path
        self.refresh()

    def allow(self, may_choose: bool) -> None:
        """Whether another model may be chosen at present; the name stays readable either way."""
        self._may_choose = may_choose

    def refresh(self) -> None:
        """Show the present model's name."""
        path = self.candidate
        full = checkpoint_label(self._store.library, path) if path else self.tr("No model yet")
        text = full if len(full) <= _LONGEST else full[: _LONGEST // 2 - 1] + "…" + full[-_LONGEST // 2 :]
        self.setText(f"{text}  ▾")
        self.setAccessibleName(self.tr("Model: {name}").format(name=full))
        self.setToolTip("\n".join([*([full] if path else []), self.tr("Choose the model to run")]))

    def minimumSizeHint(self) -> QSize:
        """In a narrow window the middle of the name is left out."""
        hint = super().minimumSizeHint()
        return QSize(min(hint.width(), _LEAST * self.fontMetrics().averageCharWidth()), hint.height())

    def changeEvent(self, event: QEvent) -> None:
        """Take the new theme's colour."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self.setIcon(tinted("models", Tint.ACCENT))

    def _fill(self) -> None:
        self._menu.clear()
        checkpoints = self._store.library.checkpoints if self._store.library else ()
        if not checkpoints:
            self._menu.addAction(self.tr("No checkpoints found yet")).setEnabled(False)
            return
        group = QActionGroup(self._menu)
        by_family = sorted(checkpoints, key=lambda checkpoint: checkpoint.family)
        for family, variants in groupby(by_family, key=lambda checkpoint: checkpoint.family):
            add_heading(self._menu, family)
            for checkpoint in variants:
                self._add(checkpoint, group)

    def _add(self, checkpoint: Checkpoint, group: QActionGroup) -> None:
        warm = self._store.sleepers.of(checkpoint.path)
        label = checkpoint.quantization.label
        name = self.tr("{name} · warm").format(name=label) if warm is not None else label
        text = f"{name}\t{figures.size(checkpoint.size_bytes)}"
        action = self._menu.addAction(text)
        refused = checkpoint.verdict.kind is VerdictKind.REFUSED
        action.setEnabled(self._may_choose and checkpoint.problem is None and not refused)
        known = worded(checkpoint.problem or checkpoint.verdict.reason) or checkpoint.quantization.details
        action.setToolTip(warm_text(warm) if warm is not None else known)
        action.setCheckable(True)
        action.setChecked(checkpoint.path == self._store.lifecycle.checkpoint)
        group.addAction(action)
        action.triggered.connect(lambda _checked=False, path=checkpoint.path: self.chosen.emit(path))
