"""In place of the block map after a failed load or a crash: what happened, the numbers, the ways out, the log."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from app.widgets.checkpoint_names import checkpoint_label
from app.widgets.flow_layout import FlowLayout
from app.widgets.fold_mark import fold_mark
from app.widgets.icon import IconLabel, PlainButton, Tint
from app.widgets.labels import role_label
from app.widgets.tab_order import tab_through
from app.wording.engine import worded
from engine.domain.errors import PortInUse, RecordingInvalid
from engine.domain.lifecycle import Failure, Lifecycle, Phase

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.bridge.commands import Commands
    from app.bridge.store import Store
    from engine.domain.lifecycle import RemedyAction

_WIDEST = 720
_LOG_HEIGHT = 220
_BELOW = 24


class FailurePanel(QWidget):
    """Shows the failure of the present lifecycle. `log_asked` opens the whole log."""

    log_asked = Signal()

    def __init__(self, store: Store, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("failurePanel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._store, self._commands = store, commands
        self._failure: Failure | None = None
        self._title = role_label("", "heading", wrap=True)
        self._message = role_label("", "", wrap=True)
        self._remedy = role_label("", "muted", wrap=True)
        self._numbers = role_label("", "mono", wrap=True)
        for label in (self._message, self._remedy, self._numbers):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._buttons = FlowLayout(spacing=8)
        self._ways: list[PlainButton] = []
        self._body = QWidget()
        self._fold = PlainButton("", "link")
        self._fold.clicked.connect(self._toggle_log)
        self._copy = PlainButton(self.tr("Copy details"), "link")
        self._copy.clicked.connect(self.copy_details)
        self._whole_log = PlainButton(self.tr("Open the log"), "link")
        self._whole_log.clicked.connect(self.log_asked)
        self._log = QPlainTextEdit()
        self._log.setReadOnly(True)
        self._log.setObjectName("failureLog")
        self._log.setAccessibleName(self.tr("The last lines of the engine's log"))
        self._log.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._log.setFixedHeight(_LOG_HEIGHT)
        self._arrange()

    def show_lifecycle(self, lifecycle: Lifecycle) -> None:
        """Draw the lifecycle's failure; keeps the folded state while it is the same one."""
        failure = lifecycle.failure
        if failure is None or failure == self._failure:
            return
        self._failure = failure
        name = checkpoint_label(self._store.library, lifecycle.checkpoint) if lifecycle.checkpoint else ""
        self._title.setText(self._headline(lifecycle.phase, name))
        self._message.setText(worded(failure.message))
        self._remedy.setText(worded(failure.remedy))
        self._remedy.setVisible(bool(failure.remedy))
        self._numbers.setText("\n".join(_in_columns([worded(number) for number in failure.numbers])))
        self._numbers.setVisible(bool(failure.numbers))
        self._log.setPlainText("\n".join(failure.log_tail))
        self._show_log(False)
        self._fill_buttons(lifecycle, failure)

    def copy_details(self) -> None:
        """Put everything that this panel knows on the clipboard, for a bug report."""
        failure = self._failure
        if failure is not None:
            said = (failure.message, failure.remedy, *failure.numbers)  # in English: it is for those who mend KVDeck
            parts = (self._title.text(), *said, "", *failure.log_tail)
            QGuiApplication.clipboard().setText("\n".join(parts))

    def _headline(self, phase: Phase, name: str) -> str:
        if phase is Phase.CRASHED:
            return self.tr("The engine died: {name}").format(name=name) if name else self.tr("The engine died")
        if self._failure is not None and self._failure.kind == RecordingInvalid.kind:
            return self.tr("The recording cannot be shown")
        if phase is Phase.OFFLINE:
            return self.tr("The engine host cannot be reached")
        return self.tr("{name} could not be loaded").format(name=name) if name else self.tr("The load failed")

    def _fill_buttons(self, lifecycle: Lifecycle, failure: Failure) -> None:
        self._buttons.clear()
        self._ways.clear()
        again = self.tr("Start again") if lifecycle.phase is Phase.CRASHED else self.tr("Try again")
        if lifecycle.phase is Phase.CRASHED:
            self._add_button(again, "primary", lambda: self._commands.reload()).setObjectName("startAgain")
        if lifecycle.phase is Phase.OFFLINE and failure.kind != RecordingInvalid.kind:
            self._add_ways_to_a_host(again, failure)
        # The way back stands at the end, whoever offers it.
        changes = [action for action in failure.actions if action.checkpoint is None]
        for index, action in enumerate(changes):
            kind = "primary" if index == 0 and lifecycle.phase is not Phase.CRASHED else ""
            self._add_remedy(action, kind)
        if lifecycle.phase is not Phase.CRASHED and lifecycle.checkpoint:
            self._add_button(again, "" if changes else "primary", lambda: self._commands.reload())
        offered = next((action.checkpoint for action in failure.actions if action.checkpoint), None)
        previous = offered or lifecycle.previous_checkpoint
        is_lost_host = lifecycle.phase is Phase.CRASHED and lifecycle.checkpoint is None  # starting again brings it
        if previous and previous != lifecycle.checkpoint and not is_lost_host:
            label = self.tr("Back to {name}").format(name=checkpoint_label(self._store.library, previous))
            self._add_button(label, "", partial(self._commands.load, previous))
        tab_through(self._body, self._ways)

    def _add_ways_to_a_host(self, again: str, failure: Failure) -> None:
        commands, is_taken = self._commands, failure.kind == PortInUse.kind
        if is_taken:
            self._add_button(self.tr("Use a free port"), "primary", lambda: commands.reach_host(any_port=True))
        self._add_button(again, "" if is_taken else "primary", lambda: commands.reach_host())

    def _add_remedy(self, action: RemedyAction, kind: str) -> None:
        def act() -> None:
            if action.ends_sleepers:
                self._commands.reload(dict(action.parameters), end_sleepers=True)
            else:
                self._commands.reload(dict(action.parameters))

        button = self._add_button(worded(action.label), kind, act)
        changes = ", ".join(f"{name} = {value}" for name, value in action.parameters.items())
        button.setToolTip(self.tr("Loads again with {changes}").format(changes=changes) if changes else "")

    def _add_button(self, text: str, kind: str, act: Callable[[], None]) -> PlainButton:
        button = PlainButton(text, kind)
        button.clicked.connect(lambda: act())
        self._buttons.addWidget(button)
        self._ways.append(button)
        return button

    def _toggle_log(self) -> None:
        self._show_log(self._log.isHidden())

    def _show_log(self, visible: bool) -> None:
        lines = len(self._failure.log_tail) if self._failure else 0
        self._fold.setVisible(lines > 0)
        self._log.setVisible(visible and lines > 0)
        words = self.tr("Hide the log") if visible else self.tr("Show the last %n lines of the log", "", lines)
        self._fold.setText(f"{fold_mark(self, unfolded=visible)} {words}")
        if visible:
            bar = self._log.verticalScrollBar()
            bar.setValue(bar.maximum())

    def _bring_log(self) -> None:
        """Scroll so far that all of the log is seen: when it is opened it takes its place later."""
        if self._log.isVisible():
            self._scroll.ensureVisible(0, self._log.geometry().bottom(), 0, _BELOW)

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(IconLabel("error", 24, Tint.ERROR), alignment=Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._title, 1)
        links = FlowLayout(spacing=12)
        for button in (self._fold, self._whole_log, self._copy):
            links.addWidget(button)
        body = self._body
        body.setObjectName("scrollBody")
        body.setMaximumWidth(_WIDEST)
        column = QVBoxLayout(body)
        column.setContentsMargins(16, 16, 24, _BELOW)
        column.setSpacing(12)
        column.addLayout(head)
        for part in (self._message, self._numbers, self._remedy):
            column.addWidget(part)
        column.addSpacing(4)
        column.addLayout(self._buttons)
        column.addSpacing(8)
        column.addLayout(links)
        column.addWidget(self._log)
        column.addStretch(1)
        scroll = self._scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(body)
        scroll.verticalScrollBar().rangeChanged.connect(self._bring_log)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)


def _in_columns(lines: list[str]) -> list[str]:
    """Lines as "name: value" with their values under each other, in letters of one width."""
    parts = [line.partition(": ") for line in lines]
    width = max((len(name) for name, colon, _ in parts if colon), default=0)
    return [f"{name:<{width}}  {value}" if colon else name for name, colon, value in parts]
