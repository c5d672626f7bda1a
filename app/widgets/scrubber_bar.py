"""The bar at the bottom of a window that replays: play, pause, step, speed, and the place in the recording."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.widgets.icon import IconButton, Tint
from app.widgets.labels import TabularLabel, role_label
from app.widgets.named_combo import NamedCombo
from app.widgets.record_button import clock_text
from app.widgets.scrubber_track import ScrubberTrack

if TYPE_CHECKING:
    from app.bridge.replay import Replay
    from app.bridge.replay_pair import ReplayPair
    from app.bridge.store import ReplayState, Store
    from app.theme.themes import Themes


class ScrubberBar(QWidget):
    """Draws the ReplayState and passes its controls to the replay."""

    def __init__(
        self, store: Store, replay: Replay, themes: Themes, speeds: tuple[float, ...], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("scrubberBar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._is_playing: bool | None = None
        self.back = IconButton("step-back", self.tr("The picture before (Ctrl+Left)"), tint=Tint.TEXT)
        self.play = IconButton("play", self.tr("Play (Ctrl+Space)"), size=20, tint=Tint.TEXT)
        self.forward = IconButton("step-forward", self.tr("The next picture (Ctrl+Right)"), tint=Tint.TEXT)
        self.track = ScrubberTrack(themes.current)
        self.time = TabularLabel("00:00.0 / 00:00")
        self.speed = NamedCombo()
        self.speed.setAccessibleName(self.tr("Speed"))
        self.speed.setToolTip(self.tr("Recorded seconds a second"))
        for speed in speeds:
            self.speed.addItem(f"{QLocale().toString(speed, 'g', 3)}\u202f×", speed)
        self.name = role_label("", "muted")
        self.in_step = IconButton("link", self.tr("In step with the other recording"), tint=Tint.TEXT)
        self.in_step.setCheckable(True)
        self.in_step.hide()
        self._pair: ReplayPair | None = None
        self.track.show_parts(replay.parts)
        self._arrange()
        self.back.clicked.connect(lambda: replay.step(-1))
        self.forward.clicked.connect(lambda: replay.step(1))
        self.play.clicked.connect(replay.toggle)
        self.track.toggled.connect(replay.toggle)
        self.track.sought.connect(replay.seek)
        self.speed.activated.connect(lambda index: replay.set_speed(self.speed.itemData(index)))
        themes.changed.connect(self.track.use_theme)
        self.in_step.clicked.connect(self._set_in_step)
        replay.paired.connect(self._show_pair)
        store.replay_changed.connect(self._show)
        if store.replay is not None:
            self._show(store.replay)

    def _show(self, state: ReplayState) -> None:
        passed, whole = (state.position_ns - state.begin_ns) / 1e9, (state.end_ns - state.begin_ns) / 1e9
        self.time.show_text(f"{clock_text(passed, tenths=True)} / {clock_text(whole)}")
        self.track.show_position(state.position_ns)
        self.speed.setCurrentIndex(self.speed.findData(state.speed))
        if state.playing is not self._is_playing:
            self._is_playing = state.playing
            self.play.show_icon("pause" if state.playing else "play")
            label = self.tr("Pause (Ctrl+Space)") if state.playing else self.tr("Play (Ctrl+Space)")
            self.play.setToolTip(label)
            self.play.setAccessibleName(label)
        if not self.name.text():
            self._show_name(state)

    def _show_pair(self, pair: ReplayPair | None) -> None:
        self._pair = pair
        self.in_step.setVisible(pair is not None)
        if pair is not None:
            self.in_step.setChecked(pair.in_step)
            pair.changed.connect(self.in_step.setChecked)

    def _set_in_step(self, on: bool) -> None:
        if self._pair is not None:
            self._pair.set_in_step(on=on)

    def _show_name(self, state: ReplayState) -> None:
        made = time.strftime("%Y-%m-%d %H:%M", time.localtime(state.created_unix_s))
        text = self.tr("recorded {when}").format(when=made)
        self.name.setText(text if state.finished else self.tr("{text} · cut off").format(text=text))
        self.name.setToolTip(f"{Path(state.path).name}\n{state.path}")

    def _arrange(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 12, 4)
        row.setSpacing(6)
        for button in (self.back, self.play, self.forward):
            row.addWidget(button)
        row.addWidget(self.time)
        row.addWidget(self.track, 1)
        row.addWidget(self.speed)
        row.addWidget(self.in_step)
        row.addSpacing(6)
        row.addWidget(self.name)
