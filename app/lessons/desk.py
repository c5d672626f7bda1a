"""Runs one lesson at a time, and knows how each stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.bridge.store import Pointer
from app.lessons.batching import batching
from app.lessons.lesson import Lesson, LessonPhase, LessonState
from app.lessons.paging import paging
from app.lessons.phases import two_phases
from app.lessons.sharing import sharing
from app.lessons.stage import LessonStage
from app.wording.engine import worded
from engine.domain.errors import KVDeckError

if TYPE_CHECKING:
    import asyncio

    from app.bridge.commands import Commands
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks


def lessons() -> tuple[Lesson, ...]:
    """All lessons in their order, in the window's language."""
    return two_phases(), paging(), sharing(), batching()


class LessonDesk(QObject):
    """`changed` carries the key of the lesson whose state is another one now."""

    changed = Signal(str)

    def __init__(self, store: Store, commands: Commands, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._commands = commands
        self._tasks = tasks
        self._task: asyncio.Task[None] | None = None
        self._states: dict[str, LessonState] = {}
        self.running: Lesson | None = None

    def state(self, key: str) -> LessonState:
        """How a lesson stands."""
        return self._states.get(key, LessonState())

    def start(self, lesson: Lesson) -> None:
        """Begin a lesson; nothing while another one runs."""
        if self.running is None:
            self.running = lesson
            self._set(lesson.key, LessonState(LessonPhase.RUNNING))
            self._task = self._tasks.start(self._run(lesson), lesson.title)

    def stop(self) -> None:
        """Stop the lesson that runs: its requests are aborted, and what it changed is put back."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self, lesson: Lesson) -> None:
        def say(text: str) -> None:
            self._set(lesson.key, LessonState(LessonPhase.RUNNING, text))

        state = LessonState(LessonPhase.STOPPED)
        try:
            with LessonStage(self._store, self._commands, say) as stage:
                self._store.publish(Pointer(lesson.panel))
                state = LessonState(LessonPhase.DONE, result=await lesson.run(stage))
        except KVDeckError as error:
            state = LessonState(LessonPhase.FAILED, error=f"{worded(error.message)} {worded(error.remedy)}".strip())
        finally:
            self.running = self._task = None
            self._set(lesson.key, state)

    def _set(self, key: str, state: LessonState) -> None:
        self._states[key] = state
        self.changed.emit(key)
