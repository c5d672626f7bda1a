"""The explain panel: where the running mix stands on this device's roofline, and four lessons on the user's engine."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.bridge.roofline_feed import RooflineFeed
from app.bridge.store import Pointer
from app.lessons.desk import LessonDesk, lessons
from app.panels.panel import Panel
from app.widgets.lesson_page import LessonPage
from app.widgets.offered_model import OfferedModel
from app.widgets.roofline_page import RooflinePage
from app.widgets.segmented import Segmented
from engine.domain.errors import ParameterInvalid
from engine.domain.lifecycle import Phase
from engine.metrics.roofline_advice import findings

if TYPE_CHECKING:
    from PySide6.QtGui import QHideEvent, QShowEvent

    from app.lessons.lesson import Lesson
    from app.panels.panel import PanelContext
    from app.theme.tokens import Theme
    from engine.metrics.roofline_advice import Finding

_MARGIN = 16
_DRAW_EVERY_MS = 1000  # sentences that change faster cannot be read
_PAGE_KEY = "explain/page"


class ExplainPanel(Panel):
    """Gathers steps from the start, as they come once; computes and draws once a second while it is looked at."""

    def __init__(self, context: PanelContext, parent: QWidget | None = None) -> None:
        super().__init__(context, parent)
        store = context.store
        self.feed = RooflineFeed(store, context.tasks, self)
        self.desk = LessonDesk(store, context.commands, context.tasks, self)
        self.offer = OfferedModel(store, context.commands, self)
        self.pages = Segmented(self.tr("Explain"), (("roofline", self.tr("Roofline")), ("lessons", self.tr("Lessons"))))
        self.roofline = RooflinePage(context.themes.current)
        self.lessons = LessonPage(lessons())
        self.stack = QStackedWidget()
        self._timer = QTimer(self)
        self._timer.setInterval(_DRAW_EVERY_MS)
        self._arrange()
        self._connect()
        if context.replay is not None:  # nobody there to ask
            self.pages.hide()
        self._turn_to(str(context.settings.value(_PAGE_KEY, "roofline")))

    def _arrange(self) -> None:
        for page in (self.roofline, self.lessons):
            self.stack.addWidget(page)
        head = QHBoxLayout()
        head.addWidget(self.pages)
        head.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, 2, _MARGIN, 6)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.stack, 1)
        self.lead_to(self.pages.button("roofline"))

    def _connect(self) -> None:
        store = self.context.store
        self.pages.chosen.connect(self._turn_to)
        self._timer.timeout.connect(self._draw)
        self.feed.changed.connect(self._draw)
        for signal in (store.ceilings_changed, store.lifecycle_changed):
            signal.connect(self._draw)
        self.offer.changed.connect(self._show_offer)
        self.context.themes.changed.connect(self._use_theme)
        self.roofline.findings.acted.connect(self._act)
        ceilings = self.context.ceilings
        if ceilings is not None:
            self.roofline.limits.measure_asked.connect(ceilings.measure)
            self.roofline.limits.cancel_asked.connect(ceilings.cancel)
        self.lessons.asked.connect(self._begin)
        self.lessons.stop_asked.connect(self.desk.stop)
        self.lessons.look_asked.connect(lambda lesson: store.publish(Pointer(lesson.panel)))
        self.desk.changed.connect(
            lambda key: self.lessons.show_state(key, self.desk.state(key), self.desk.running)
        )
        for text, act in (
            (self.tr("Roofline"), lambda: self._show_page("roofline")),
            (self.tr("Lessons: four ideas on this engine"), lambda: self._show_page("lessons")),
            (self.tr("Stop the lesson"), self.desk.stop),
        ):
            action = QAction(text, self)
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            action.triggered.connect(lambda _checked=False, act=act: act())
            self.addAction(action)

    def _show_page(self, key: str) -> None:
        self.context.store.publish(Pointer("explain"))
        self._turn_to(key)
        (self.lessons if key == "lessons" else self.roofline.plot).setFocus()

    def _turn_to(self, key: str) -> None:
        shown = key if key in ("roofline", "lessons") and self.context.replay is None else "roofline"
        self.pages.show_key(shown)
        self.stack.setCurrentIndex(0 if shown == "roofline" else 1)
        if self.context.replay is None:
            self.context.settings.setValue(_PAGE_KEY, shown)
        self._draw()

    # The roofline

    def _draw(self) -> None:
        if not self.isVisible():
            return
        self._show_offer()
        self.feed.describe()
        store = self.context.store
        self.roofline.limits.show_state(
            store.ceilings, engine_runs=store.lifecycle.facts is not None, possible=self.context.ceilings is not None
        )
        if self.stack.currentIndex() != 0:
            return
        situation = self.feed.situation()
        found = findings(situation) if situation is not None else ()
        standing = situation.standing if situation is not None else None
        self.roofline.show_all(standing, self.feed.roof(), found, self._note(says_something=bool(found)))

    def _note(self, *, says_something: bool) -> str:
        if self.context.store.lifecycle.facts is None:
            return self.tr("Each kind of step will be a mark here: how much it computes for a byte it reads, and how "
                           "fast. Load a model and ask it.")  # fmt: skip
        if self.feed.unknown:
            return self.tr("What a step costs is not known: this model's safetensors files are not on this machine, or "
                           "do not tell.")  # fmt: skip
        if self.feed.cost is None:
            return self.tr("Reading the model's weights…")
        if not says_something:
            return self.tr("No step of the last seconds has been seen whole. Ask the model something.")
        roof, ceilings = self.feed.roof(), self.context.store.ceilings.ceilings
        if roof is None and ceilings is not None:
            return self.tr("{0} has not been measured on this device: this model has no roof to stand under.").format(
                self.feed.cost.dtype)  # fmt: skip
        return ""

    def _act(self, finding: Finding) -> None:
        """Open the parameter with the value to try; nothing is applied."""
        if finding.parameter is None:
            self.context.store.publish(Pointer("models"))
            return
        with contextlib.suppress(ParameterInvalid):  # out of its range here: the row is shown all the same
            self.context.commands.edit(finding.parameter, finding.wanted)
        self.context.store.publish(Pointer("parameters", finding.parameter))

    def _use_theme(self, theme: Theme) -> None:
        self.roofline.plot.use_theme(theme)

    # The lessons

    def _show_offer(self) -> None:
        ready = self.context.store.lifecycle.phase is Phase.READY
        self.lessons.show_offer("" if ready else self.offer.text)

    def _begin(self, lesson: Lesson) -> None:
        if self.context.store.lifecycle.phase is Phase.READY:
            self.desk.start(lesson)
        else:
            self.offer.act()

    # Visibility

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what happened while hidden."""
        super().showEvent(event)
        self._timer.start()
        self._draw()

    def hideEvent(self, event: QHideEvent) -> None:
        """Compute nothing while nobody looks."""
        self._timer.stop()
        super().hideEvent(event)
