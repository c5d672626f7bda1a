"""Everything that the lab is made of on this side of the window: what sends loads, keeps runs, and searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.bridge.lab_desk import LabDesk
from app.bridge.lab_search import LabSearch
from app.bridge.lab_shelf import LabShelf
from engine.bench.store import RunStore

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtCore import QObject

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.client.engine import EngineClient


@dataclass(frozen=True, slots=True)
class Lab:
    """Sends loads (`desk`), lists and compares what is kept (`shelf`), and searches (`search`)."""

    desk: LabDesk
    shelf: LabShelf
    search: LabSearch

    async def close(self) -> None:
        """End whatever goes on, in good order, and close the file of runs."""
        await self.search.close()
        await self.desk.close()


def make_lab(store: Store, tasks: Tasks, engine: EngineClient | None, folder: Path, parent: QObject | None) -> Lab:
    """Wire a lab that keeps its runs and jobs in `folder`; `engine` is None where there is none (a replay)."""
    desk = LabDesk(store, tasks, RunStore(folder / "runs.sqlite"), None if engine is None else engine.status, parent)
    search = LabSearch(store, tasks, desk, engine, folder / "lab", parent)
    return Lab(desk, LabShelf(store, tasks, desk, parent), search)
