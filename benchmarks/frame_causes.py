"""Names what took the window's thread its time in the slowest frames: events by widget, tasks, topics, lines of code.

Two books are kept for each frame. One is exact and by event: `MeteredApplication` notes the processor time of each
event that Qt delivers (a widget's painting, a timer's slot, a layout), less that of the events inside it; tasks of the
event loop, what the Store publishes, and garbage collections are taken out of them under names of their own. The other
is by code: a thousand times a second of processor time it is noted which function of ours was at work.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from app.bridge.store import Store

_SMALL_S = 0.0002  # events below it are counted together: to name them would cost as much as they do
_SAMPLE_S = 0.001
_ROOT = Path(__file__).parents[1]
_OURS = tuple(str(_ROOT / name) for name in ("app", "engine"))
_OTHER = "many small events"


class Causes:
    """The books of the present frame; `take` closes them. One for the process, since events know no owner."""

    def __init__(self) -> None:
        self.events: Counter[str] = Counter()
        self.code: Counter[str] = Counter()
        self._open: list[float] = []  # of each span that is open, what the spans inside it took
        self._sampled_s = 0.0
        self._collecting = 0.0
        self._run: Callable[[asyncio.Handle], None] = asyncio.Handle._run  # noqa: SLF001 - no hook is offered

    def take(self) -> tuple[Counter[str], Counter[str]]:
        """Both books since the last call, by name in seconds of processor time."""
        taken = self.events, self.code
        self.events, self.code = Counter(), Counter()
        return taken

    def span(self, call: Callable[..., Any], arguments: tuple[Any, ...], name: Callable[[], str]) -> Any:
        """Call, and note what it took under this name."""
        began = time.thread_time()
        self._open.append(0.0)
        try:
            return call(*arguments)
        finally:
            whole = time.thread_time() - began
            own = whole - self._open.pop()
            if self._open:
                self._open[-1] += whole
            self.events[name() if own > _SMALL_S else _OTHER] += own

    def begin(self, store: Store) -> None:
        """Note tasks, topics, collections and code from now on, on this thread; `end` stops it."""
        publish, run = store.publish, self._run
        store.publish = lambda value: self.span(  # type: ignore[method-assign]
            publish, (value,), lambda: f"Store: {type(value).__name__}"
        )
        _set_run(lambda handle: self.span(run, (handle,), lambda: _task(handle)))
        gc.callbacks.append(self._collected)
        self._sampled_s = time.thread_time()
        # The window wakes up for signals by this; a thousand a second would be what is measured.
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGPROF, self._sample)
        signal.setitimer(signal.ITIMER_PROF, _SAMPLE_S, _SAMPLE_S)

    def end(self) -> None:
        """Note no more."""
        signal.setitimer(signal.ITIMER_PROF, 0)
        gc.callbacks.remove(self._collected)
        _set_run(self._run)

    def _collected(self, phase: str, info: dict[str, int]) -> None:
        now = time.thread_time()
        if phase == "start":
            self._collecting = now
            return
        taken = now - self._collecting
        if self._open:
            self._open[-1] += taken
        self.events[f"garbage collection, generation {info['generation']}"] += taken

    def _sample(self, _number: int, frame: FrameType | None) -> None:
        # A handler runs between two bytecodes: one that a long call of C++ has kept counts for all of that call.
        now = time.thread_time()
        taken, self._sampled_s = now - self._sampled_s, now
        self.code[_place(frame)] += min(taken, 0.2)


CAUSES = Causes()


class MeteredApplication(QApplication):
    """An application that notes in CAUSES what each event took."""

    def notify(self, receiver: QObject, event: QEvent) -> bool:
        """Deliver."""
        kind = event.type()
        return bool(CAUSES.span(super().notify, (receiver, event), lambda: f"{_kind(kind)}: {_name(receiver)}"))


def _kind(kind: QEvent.Type) -> str:
    return kind.name if isinstance(kind, QEvent.Type) else str(kind)


def _name(receiver: QObject) -> str:
    """Its class, and of Qt's own classes the class of ours that it belongs to."""
    try:
        names = [type(receiver).__name__]
        one: QObject | None = receiver
        while one is not None and not type(one).__module__.startswith(("app.", "benchmarks.")):
            one = one.parent()
        if one is not None and one is not receiver:
            names.append(type(one).__name__)
        named = receiver.objectName()
        if isinstance(receiver, QWidget) and named:
            names[0] += f" {named}"
    except RuntimeError:
        return "(gone)"
    return " of ".join(names)


def _set_run(run: Callable[[asyncio.Handle], None]) -> None:
    asyncio.Handle._run = run  # type: ignore[method-assign]  # noqa: SLF001


def _task(handle: asyncio.Handle) -> str:
    callback: Any = handle._callback  # type: ignore[attr-defined]  # noqa: SLF001
    task = getattr(callback, "__self__", None)
    if isinstance(task, asyncio.Task):
        return f"task: {getattr(task.get_coro(), '__qualname__', task.get_name())}"
    return f"callback: {getattr(callback, '__qualname__', callback)}"


def _place(frame: FrameType | None) -> str:
    """The innermost function of ours, and the one of ours that called it."""
    found: list[str] = []
    while frame is not None and len(found) < 2:
        code = frame.f_code
        if code.co_filename.startswith(_OURS):
            found.append(f"{Path(code.co_filename).stem}.{code.co_qualname}")
        frame = frame.f_back
    return " < ".join(found) or "(Qt and Python alone)"


def application(name: str, *, metered: bool) -> QApplication:
    """The process's application; a metered one notes its events."""
    assert QCoreApplication.instance() is None
    return (MeteredApplication if metered else QApplication)([name])
