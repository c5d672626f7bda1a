"""Asks which stretch of a recording becomes an animation and how, makes it, and shows how far it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QStandardPaths, Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from app.animation.plan import FRAME_RATES, AnimationPlan
from app.bridge.store import Notice
from app.widgets import figures
from app.widgets.file_question import ask_to_save
from app.widgets.labels import role_label
from app.widgets.named_combo import NamedCombo
from app.wording.engine import worded
from engine.domain.errors import ParameterInvalid

if TYPE_CHECKING:
    import asyncio

    from app.bridge.replay import Replay
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.main_window import MainWindow

_SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
_USUAL_S = 10.0


class AnimationDialog(QDialog):
    """Over the window that replays, which shows what is being drawn meanwhile."""

    def __init__(self, window: MainWindow, store: Store, tasks: Tasks, replay: Replay) -> None:
        super().__init__(window)
        self._window, self._store, self._tasks, self._replay = window, store, tasks, replay
        self._task: asyncio.Task[None] | None = None
        self._asked_end = False
        self.setWindowTitle(self.tr("Save as an animation"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        whole_s = (replay.end_ns - replay.begin_ns) / 1e9
        here_s = (replay.position_ns - replay.begin_ns) / 1e9
        self.panel = NamedCombo()
        self.panel.addItem(self.tr("The whole window"), "")
        for key, slot in window.slots.items():
            if slot.isVisible():
                self.panel.addItem(slot.accessibleName(), key)
        begin_s = here_s if whole_s - here_s > 1 else 0.0
        self.begin, self.end = self._seconds(begin_s, whole_s), self._seconds(min(whole_s, begin_s + _USUAL_S), whole_s)
        self.fps, self.speed = NamedCombo(), NamedCombo()
        for rate in FRAME_RATES:
            self.fps.addItem(QLocale().toString(rate), rate)
        self.fps.setCurrentIndex(FRAME_RATES.index(10))
        for speed in _SPEEDS:
            self.speed.addItem(f"{QLocale().toString(speed, 'g', 3)}\u202f×", speed)
        self.speed.setCurrentIndex(_SPEEDS.index(1.0))
        self.told = role_label("", "muted", wrap=True)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)  # it is no higher than a line is thick
        self.progress.setAccessibleName(self.tr("Progress of the animation"))
        self.progress.hide()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        save = self.buttons.button(QDialogButtonBox.StandardButton.Save)
        save.setProperty("kind", "primary")
        save.setDefault(True)
        self._arrange()
        for box in (self.begin, self.end):
            box.valueChanged.connect(self._tell)
        for choice in (self.fps, self.speed, self.panel):
            choice.currentIndexChanged.connect(self._tell)
        self.buttons.accepted.connect(self._ask_file)
        self.buttons.rejected.connect(self.reject)
        self._tell()

    def _seconds(self, value: float, most: float) -> QDoubleSpinBox:
        box = QDoubleSpinBox()
        box.setDecimals(1)
        box.setRange(0.0, most)
        box.setSuffix("\u202fs")
        box.lineEdit().setTextMargins(4, 0, 0, 0)  # a style sheet's padding does not reach a spin box's text
        box.setValue(value)
        return box

    def _arrange(self) -> None:
        self.form = QWidget()
        stretch = QHBoxLayout()
        stretch.addWidget(self.begin, 1)
        stretch.addWidget(role_label("–", "muted"))
        stretch.addWidget(self.end, 1)
        lines = QFormLayout(self.form)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.addRow(self.tr("What"), self.panel)
        lines.addRow(self.tr("From, to"), stretch)
        lines.addRow(self.tr("Pictures a second"), self.fps)
        lines.addRow(self.tr("Speed"), self.speed)
        self.begin.setAccessibleName(self.tr("From"))
        self.end.setAccessibleName(self.tr("To"))
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(12)
        column.addWidget(self.form)
        column.addWidget(self.told)
        column.addWidget(self.progress)
        column.addWidget(self.buttons)
        self.setMinimumWidth(400)

    def plan(self, path: Path) -> AnimationPlan:
        """What is chosen."""
        return AnimationPlan(
            path, self.panel.currentData(), self.begin.value(), self.end.value(), self.fps.currentData(),
            self.speed.currentData(),
        )  # fmt: skip

    def make(self, path: Path) -> None:
        """Make the animation, and close when it is done."""
        plan = self.plan(path)
        widget = self._widget()
        try:
            plan.check(widget.width(), widget.height())
        except ParameterInvalid as error:
            self.told.setText(worded(str(error)))
            return
        self._asked_end = False
        self.form.setEnabled(False)
        self.progress.setRange(0, plan.num_frames)
        self.progress.setValue(0)
        self.progress.show()
        self.buttons.button(QDialogButtonBox.StandardButton.Save).setEnabled(False)
        self._task = self._tasks.start(self._make(plan), self.tr("Animation"))

    async def _make(self, plan: AnimationPlan) -> None:
        from app.animation.render import render_animation

        try:
            frames = await render_animation(self._widget(), self._replay, plan, self._keep_on)
            size = figures.size(plan.path.stat().st_size)
            message = self.tr("Saved {file}: {frames} pictures, {size}").format(
                file=plan.path.name, frames=figures.count(frames), size=size
            )
            self._store.publish(Notice("info", message, str(plan.path)))
        finally:
            self._task = None
            self.done(QDialog.DialogCode.Accepted)

    def reject(self) -> None:
        """Cancel what is being made, which closes this; or close it."""
        if self._task is not None:
            self._asked_end = True
            return
        super().reject()

    def _keep_on(self, done: int) -> bool:
        self.progress.setValue(done)
        return not self._asked_end

    def _widget(self) -> QWidget:
        slot = self._window.slots.get(self.panel.currentData())
        return (slot.panel or slot) if slot is not None else self._window

    def _tell(self) -> None:
        plan = self.plan(Path("animation.gif"))
        widget = self._widget()
        ratio = widget.devicePixelRatioF()
        text = self.tr("{frames} pictures of {width} × {height}, shown for {seconds}")
        self.told.setText(text.format(
            frames=figures.count(plan.num_frames), width=round(widget.width() * ratio),
            height=round(widget.height() * ratio), seconds=figures.duration(plan.num_frames / plan.fps),
        ))  # fmt: skip
        self.buttons.button(QDialogButtonBox.StandardButton.Save).setEnabled(plan.end_s >= plan.begin_s)

    def _ask_file(self) -> None:
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.MoviesLocation) or str(Path.home())
        name = f"{folder}/{self._replay.path.stem}.gif"
        filters = "GIF (*.gif);;APNG (*.png);;WebP (*.webp)"
        ask_to_save(self, self.tr("Save as an animation"), name, filters, lambda path, _filter: self.make(path))
