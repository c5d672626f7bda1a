"""The state of the engine as a dot and words; the colour is never the only sign."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QColor, QHelpEvent, QPainter
from PySide6.QtWidgets import QHBoxLayout, QToolTip, QWidget

from app.widgets.figures import duration
from app.widgets.labels import ShrinkingLabel
from app.widgets.sleeper_words import switch_text
from app.widgets.stage_names import phase_name, stage_name
from app.wording.engine import worded
from engine.domain.lifecycle import Lifecycle, Phase

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from app.bridge.store import Store
    from app.theme.themes import Themes

_FILLED = {Phase.READY, Phase.LOADING, Phase.FAILED, Phase.CRASHED}


class _Dot(QWidget):
    def __init__(self, themes: Themes) -> None:
        super().__init__()
        self._themes = themes
        self._phase = Phase.OFFLINE
        self._silent = self._slow = False
        self.setFixedSize(12, 12)
        themes.changed.connect(self.update)

    def show_phase(self, phase: Phase, *, silent: bool, slow: bool) -> None:
        self._phase, self._silent, self._slow = phase, silent, slow
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._themes.current
        colours = {
            Phase.READY: theme.good,
            Phase.LOADING: theme.accent,
            Phase.UNLOADING: theme.accent,
            Phase.CONNECTING: theme.accent,
            Phase.FAILED: theme.error,
            Phase.CRASHED: theme.error,
        }
        if self._silent or self._slow:
            colours[self._phase] = theme.error if self._silent else theme.warning
        colour = QColor(colours.get(self._phase, theme.text_faint))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(colour)
        if self._phase in _FILLED and not self._silent and not self._slow:
            painter.setBrush(colour)
        painter.drawEllipse(QPointF(6, 6), 4, 4)


class StateLight(QWidget):
    """A dot and the phase in words; while loading, the stage; and whether host and engine still answer."""

    def __init__(self, store: Store, themes: Themes, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dot = _Dot(themes)
        self.words = ShrinkingLabel("")
        self.words.setObjectName("statusPhase")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self._dot)
        row.addWidget(self.words)
        self._store = store
        self._owed_s: int | None = None
        store.serving_changed.connect(self._take_serving)
        store.lifecycle_changed.connect(self.show_lifecycle)
        store.sleepers_changed.connect(lambda: self.show_lifecycle(store.lifecycle))
        store.silence_changed.connect(lambda: self.show_lifecycle(store.lifecycle))
        self.show_lifecycle(store.lifecycle)

    def _take_serving(self) -> None:
        serving = self._store.serving
        owed_s = None if serving is None or serving.step_owed_s is None else int(serving.step_owed_s)
        if owed_s != self._owed_s:
            self._owed_s = owed_s
            self.show_lifecycle(self._store.lifecycle)

    def show_lifecycle(self, lifecycle: Lifecycle) -> None:
        """Draw a state of the engine."""
        words = phase_name(lifecycle.phase)
        present = [timing.stage for timing in lifecycle.stages if timing.ended_s is None]
        if lifecycle.phase is Phase.LOADING and present:
            words = f"{words}: {stage_name(present[-1])}"
        switch = self._store.sleepers.last_switch
        if switch is not None and switch.checkpoint != lifecycle.checkpoint:
            switch = None
        if lifecycle.phase is not Phase.READY or not lifecycle.warm:
            switch = None
        if switch is not None:
            words = self.tr("{state} in {span}").format(state=words, span=duration(switch.seconds))
        silent_s = self._store.silence.seconds
        if silent_s is not None:
            words = self.tr("{state} · no answer for {seconds} s").format(state=words, seconds=silent_s)
        owed_s = self._owed_s if silent_s is None and lifecycle.phase is Phase.READY else None
        if owed_s is not None:
            words = self.tr("{state} · no step for {seconds} s").format(state=words, seconds=owed_s)
        self._dot.show_phase(lifecycle.phase, silent=silent_s is not None, slow=owed_s is not None)
        if words != self.words.text():
            self.words.setText(words)
            self.words.setAccessibleName(self.tr("Engine: {state}").format(state=words))
        facts = lifecycle.facts
        lines = [f"vLLM {facts.vllm_version}, {facts.device}", *map(worded, facts.notes)] if facts else []
        if switch is not None:
            lines.append(switch_text(switch))
        if silent_s is not None:
            lines.insert(0, self.tr("The engine host says nothing. It may be busy; in a while it counts as lost."))
        if owed_s is not None:
            lines.insert(0, self.tr("The engine has requests, and makes no step. Where that stays so, load it anew."))
        self.setToolTip("\n".join(lines))

    def event(self, event: QEvent) -> bool:
        """What is cut is told in whole."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self.words.is_cut:
            QToolTip.showText(event.globalPos(), f"{self.words.text()}\n{self.toolTip()}".strip(), self)
            return True
        return super().event(event)
