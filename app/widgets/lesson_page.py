"""The lessons: four ideas at the leading side, and the chosen one with what came of it on this engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QBoxLayout,
    QGridLayout,
    QHBoxLayout,
    QListWidget,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.lessons.lesson import LessonPhase
from app.theme.fonts import tabular
from app.widgets.icon import PlainButton
from app.widgets.labels import role_label, show_role

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QResizeEvent

    from app.lessons.lesson import Lesson, LessonFigure, LessonState

_LIST_WIDTH = 168
_WIDE_FROM = 520
_UNBOUNDED = 16_777_215  # Qt's own
_TEXT_WIDTH = 760


class LessonPage(QWidget):
    """Draws; `asked` carries the lesson to begin, `stop_asked` comes from the same button and from Esc."""

    asked = Signal(object)
    stop_asked = Signal()
    look_asked = Signal(object)

    def __init__(self, lessons: tuple[Lesson, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lessons = lessons
        self._states: dict[str, LessonState] = {}
        self._offer = ""
        self._busy: Lesson | None = None
        self.list = QListWidget()
        self.list.setObjectName("lessonList")
        self.list.setAccessibleName(self.tr("Lessons"))
        for number, lesson in enumerate(lessons, 1):
            self.list.addItem(f"{number}  {lesson.title}")
        self._idea = role_label("", "", wrap=True)
        self._act = role_label("", "muted", wrap=True)
        self._doing = role_label("", "muted", wrap=True)
        self._conclusion = role_label("", "", wrap=True)
        self.button = PlainButton("", "primary")
        self.button.setObjectName("lessonStart")
        self.look = PlainButton("", "link")
        self._figures = QGridLayout()
        self._arrange()
        self.list.currentRowChanged.connect(lambda _row: self._draw())
        self.list.itemActivated.connect(lambda _item: self._press())
        self.button.clicked.connect(self._press)
        self.look.clicked.connect(lambda: self.look_asked.emit(self.lesson))
        self.list.setCurrentRow(0)
        self.setFocusProxy(self.list)

    @property
    def lesson(self) -> Lesson:
        """The chosen lesson."""
        return self._lessons[max(0, self.list.currentRow())]

    def show_state(self, key: str, state: LessonState, running: Lesson | None) -> None:
        """How a lesson stands now, and which one runs."""
        self._states[key] = state
        self._busy = running
        marks = {LessonPhase.DONE: "✓", LessonPhase.RUNNING: "▸", LessonPhase.FAILED: "!"}
        for place, lesson in enumerate(self._lessons):
            found = self._states.get(lesson.key)
            mark = marks.get(found.phase) if found is not None else None
            self.list.item(place).setText(f"{mark or place + 1}  {lesson.title}")
        if key == self.lesson.key:
            self._draw()
        else:
            self._draw_button()

    def show_offer(self, offer: str) -> None:
        """What the button offers in place of the lesson while no engine is ready; empty: the lesson."""
        if offer != self._offer:
            self._offer = offer
            self._draw_button()

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(12)
        for button in (self.button, self.look):
            button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
            row.addWidget(button)
        row.addStretch(1)
        self._figures.setContentsMargins(0, 2, 0, 2)
        self._figures.setHorizontalSpacing(16)
        self._figures.setVerticalSpacing(3)
        body = QWidget()
        body.setObjectName("scrollBody")
        body.setMaximumWidth(_TEXT_WIDTH)
        column = QVBoxLayout(body)
        column.setContentsMargins(9, 0, 8, 8)
        column.setSpacing(7)
        column.addWidget(self._idea)
        column.addWidget(self._act)
        column.addLayout(row)
        column.addWidget(self._doing)
        column.addLayout(self._figures)
        column.addWidget(self._conclusion)
        column.addStretch(1)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(body)
        self._parts = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._parts.setContentsMargins(0, 0, 0, 0)
        self._parts.setSpacing(6)
        self._parts.addWidget(self.list)
        self._parts.addWidget(self._scroll, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The list beside the lesson where there is room, else above it, as high as its rows."""
        super().resizeEvent(event)
        wide = self.width() > 1.2 * self.height() and self.width() >= _WIDE_FROM
        self._parts.setDirection(QBoxLayout.Direction.LeftToRight if wide else QBoxLayout.Direction.TopToBottom)
        rows = self.list.sizeHintForRow(0) * self.list.count() + 4
        self.list.setFixedWidth(_LIST_WIDTH if wide else self.width())
        self.list.setMinimumHeight(0 if wide else rows)
        self.list.setMaximumHeight(_UNBOUNDED if wide else rows)

    def _draw(self) -> None:
        lesson, state = self.lesson, self._states.get(self.lesson.key)
        self._idea.setText(lesson.idea)
        self._act.setText(lesson.act)
        phase = state.phase if state is not None else LessonPhase.FRESH
        text = state.doing if state is not None else ""
        if state is not None and phase is LessonPhase.FAILED:
            text = state.error
        elif phase is LessonPhase.STOPPED:
            text = self.tr("Stopped. Its requests were ended, and nothing it changed is left.")
        self._doing.setText(text)
        show_role(self._doing, "warning" if phase is LessonPhase.FAILED else "muted")
        self._doing.setVisible(bool(text))
        result = state.result if state is not None else None
        self._show_figures(result.figures if result is not None else ())
        self._conclusion.setText(result.conclusion if result is not None else "")
        self._conclusion.setVisible(result is not None)
        self._draw_button()
        if result is not None:
            self._scroll.ensureWidgetVisible(self._conclusion)

    def _draw_button(self) -> None:
        state = self._states.get(self.lesson.key)
        runs = state is not None and state.phase is LessonPhase.RUNNING
        name = self.tr("Begin") if state is None or state.result is None else self.tr("Again")
        self.button.setText(self.tr("Stop") if runs else self._offer or name)
        self.button.show_kind("" if runs else "primary")
        self.button.setEnabled(runs or self._busy is None)
        self.look.setText(self.tr("Where to look"))

    def _show_figures(self, found: tuple[LessonFigure, ...]) -> None:
        while (item := self._figures.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for row, figure in enumerate(found):
            value = role_label(figure.value, "")
            value.setFont(tabular(value.font()))
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._figures.addWidget(role_label(figure.name, "muted", wrap=True), row, 0)
            self._figures.addWidget(value, row, 1, Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignTop)
        self._figures.setColumnStretch(0, 1)

    def _press(self) -> None:
        state = self._states.get(self.lesson.key)
        if state is not None and state.phase is LessonPhase.RUNNING:
            self.stop_asked.emit()
        elif self._busy is None:
            self.asked.emit(self.lesson)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc stops the lesson that runs."""
        if event.key() == Qt.Key.Key_Escape and self._busy is not None:
            self.stop_asked.emit()
            event.accept()
            return
        super().keyPressEvent(event)
