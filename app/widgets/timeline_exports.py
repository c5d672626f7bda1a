"""The timeline's steps and requests into files, chosen by the user and written in the background."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.bridge.store import Notice
from app.widgets import figures
from app.widgets.file_question import ask_to_save
from engine.domain.errors import KVDeckError
from engine.recording.export import write_requests, write_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable
    from pathlib import Path

    from PySide6.QtWidgets import QWidget

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.domain.telemetry import StepSample
    from engine.metrics.timeline import Timeline


class TimelineExports(QObject):
    """Asks where to and writes. `timeline` and `steps` answer what there is at that moment."""

    def __init__(
        self,
        store: Store,
        tasks: Tasks,
        timeline: Callable[[], Timeline],
        steps: Callable[[], Iterable[StepSample]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._window = parent
        self._store = store
        self._tasks = tasks
        self._timeline = timeline
        self._steps = steps

    def ask_steps(self) -> None:
        """Write every step to a file that the user names."""
        self._ask("steps.csv", self.export_steps)

    def ask_requests(self) -> None:
        """Write every request to a file that the user names."""
        self._ask("requests.csv", self.export_requests)

    async def export_steps(self, path: Path) -> int:
        """Write one row a step, by the suffix as CSV or Parquet; returns how many. Raises KVDeckError."""
        return await self._write(path, lambda: write_steps(path, self._steps()))

    async def export_requests(self, path: Path) -> int:
        """Write one row a request, those that still live last; returns how many. Raises KVDeckError."""
        timeline = self._timeline()
        lanes = (*timeline.finished, *timeline.live)
        return await self._write(path, lambda: write_requests(path, lanes))

    async def _write(self, path: Path, write: Callable[[], int]) -> int:
        try:
            count = await asyncio.to_thread(write)
        except OSError as error:
            message = self.tr("{file} could not be written: {reason}.").format(file=path, reason=error.strerror)
            raise KVDeckError(message, remedy=self.tr("Choose another folder.")) from error
        message = self.tr("Lines written to {file}: {count}").format(file=path.name, count=figures.count(count))
        self._store.publish(Notice("info", message, str(path)))
        return count

    def _ask(self, name: str, export: Callable[[Path], Coroutine[object, object, int]]) -> None:
        def start(path: Path, _filter: str) -> None:
            self._tasks.start(export(path), self.tr("Export"))

        ask_to_save(self._window, self.tr("Export"), name, "CSV (*.csv);;Parquet (*.parquet)", start)
