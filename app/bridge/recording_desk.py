"""Records what the Store is told, on request: one recording at a time."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.bridge.store import Notice, RecordingState
from engine.recording.container import SUFFIX
from engine.recording.recorder import Recorder
from engine.recording.recover import recover

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.bridge.adapter_state import AdaptersState
    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.domain.telemetry import CacheSnapshot, StepSample
    from engine.recording.records import Value

_SHOW_MS = 250
_ASK_MS = 5000
_REST = 100
_POLL_S = 0.01
_MOST_STEPS = 256  # that a picture brings along


class RecordingDesk(QObject):
    """Starts and stops recordings in `folder`; how they go is in the Store (`recording`)."""

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        folder: Path,
        program: str,
        parent: QObject | None = None,
        *,
        steps_since: Callable[[int], tuple[StepSample, ...]] | None = None,
        ask: Callable[[], None] | None = None,
    ) -> None:
        """`steps_since` answers the steps after one, from further back than a picture brings them along. `ask` reads
        into the Store what the engine tells only when it is asked (prefix tree, block times).
        """
        super().__init__(parent)
        self._steps_since = steps_since
        self._last_step = 0
        self._store = store
        self._tasks = tasks
        self._program = program
        self.folder = folder
        self._recorder: Recorder | None = None
        self._path: Path | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_SHOW_MS)
        self._timer.timeout.connect(self._show)
        self._ask = ask
        self._asked_step: int | None = None
        self._asking = QTimer(self)
        self._asking.setInterval(_ASK_MS)
        self._asking.timeout.connect(self._ask_engine)
        for signal in (
            store.lifecycle_changed, store.limits_changed, store.serving_changed, store.hardware_changed,
            store.prefix_tree_changed, store.block_times_changed,
        ):  # fmt: skip
            signal.connect(self._take)
        store.cache_changed.connect(self._take_picture)
        store.adapters_changed.connect(self._take_adapters)

    @property
    def recording(self) -> bool:
        """Whether something is being recorded."""
        return self._recorder is not None

    def toggle(self) -> None:
        """Start a recording, or stop the present one."""
        if self._recorder is None:
            self._tasks.start(self.start(), self.tr("Record"))
        else:
            self._tasks.start(self.stop(), self.tr("Record"))

    async def recover(self) -> list[Path]:
        """Give recordings that a crash cut off their names, and say so."""
        found = await asyncio.to_thread(recover, self.folder)
        for path in found:
            message = self.tr("A recording that was cut off has been kept: {file}").format(file=path.name)
            self._store.publish(Notice("info", message, str(path)))
        return found

    async def start(self) -> Path:
        """Begin a recording with all that is known now; returns its file. Raises DiskFull, KVDeckError."""
        if self._recorder is not None and self._path is not None:
            return self._path
        path = self.folder / f"kvdeck-{time.strftime('%Y-%m-%d-%H%M%S')}{SUFFIX}"
        recorder = self._recorder = Recorder(path, self._program)
        self._path = path
        try:
            await asyncio.to_thread(recorder.prepare)
            recorder.start()
        except BaseException:
            self._recorder = self._path = None
            raise
        store = self._store
        self._last_step = store.cache.counters.step if store.cache is not None else 0
        for value in (
            store.lifecycle, store.limits, store.serving, store.hardware, store.cache, store.prefix_tree,
            store.block_times,
        ):  # fmt: skip
            if value is not None:
                recorder.take(value)
        if store.adapters.engine.enabled:
            recorder.take(store.adapters.engine)
        self._timer.start()
        self._asked_step = None
        self._ask_engine()
        self._asking.start()
        self._show()
        return path

    async def stop(self) -> Path | None:
        """End the recording, if there is one; returns its file once the disk has it. Raises what it died of."""
        recorder, self._recorder, self._path = self._recorder, None, None
        self._timer.stop()
        self._asking.stop()
        if recorder is None:
            return None
        elapsed_s = recorder.elapsed_s
        self._store.publish(RecordingState())
        recorder.ask_end()
        while recorder.running:  # noqa: ASYNC110 - a thread that ends sets no event of this loop
            await asyncio.sleep(_POLL_S)
        path = recorder.result()
        message = self.tr("Recorded {seconds} s: {file}").format(seconds=round(elapsed_s), file=path.name)
        self._store.publish(Notice("info", message, str(path)))
        return path

    def _take(self, value: Value | None) -> None:
        if self._recorder is not None and value is not None:
            self._recorder.take(value)

    def _take_adapters(self, state: AdaptersState) -> None:
        if state.engine.enabled and state.busy is None:
            self._take(state.engine)

    def _ask_engine(self) -> None:
        """The engine stands still for an answer: not at rest, and for no more than a hundredth of the time."""
        picture, tree = self._store.cache, self._store.prefix_tree
        if self._ask is None or picture is None or picture.counters.step == self._asked_step:
            return
        self._asking.setInterval(max(_ASK_MS, tree.walk_ns * _REST // 1_000_000 if tree is not None else 0))
        self._asked_step = picture.counters.step
        self._ask()

    def _take_picture(self, picture: CacheSnapshot | None) -> None:
        if self._recorder is None:
            return
        if picture is not None and picture.steps:
            if len(picture.steps) >= _MOST_STEPS and self._steps_since is not None:  # a stalled window missed some
                picture = dataclasses.replace(picture, steps=self._steps_since(self._last_step) or picture.steps)
            self._last_step = picture.steps[-1].step
        self._recorder.take(picture)  # None, too: no engine runs any more

    def _show(self) -> None:
        recorder = self._recorder
        if recorder is None or self._path is None:
            return
        if not recorder.running:  # it has ended by itself
            self._tasks.start(self.stop(), self.tr("Record"))
            return
        self._store.publish(RecordingState(str(self._path), recorder.elapsed_s, recorder.size_bytes))
