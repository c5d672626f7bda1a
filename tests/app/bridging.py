"""The bridge between a window and a host, wired as the application wires it, for tests."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.bridge.engine_commands import EngineCommands
from app.bridge.engine_feed import EngineFeed
from app.bridge.frame_clock import FrameClock
from app.bridge.library_watch import LibraryWatch
from app.bridge.starter_build import StarterBuild

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    import qasync
    from PySide6.QtCore import QSettings

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from engine.client.remote import RemoteEngine


@dataclass
class Bridge:
    """Everything between a window and a host."""

    store: Store
    tasks: Tasks
    engine: RemoteEngine
    clock: FrameClock
    feed: EngineFeed
    library: LibraryWatch
    commands: EngineCommands

    async def until(self, holds: Callable[[], bool], timeout_s: float = 30.0) -> None:
        """Wait until something holds."""
        async with asyncio.timeout(timeout_s):
            while not holds():  # noqa: ASYNC110 - what a test waits for has no event of its own
                await asyncio.sleep(0.01)

    async def end(self) -> None:
        """What the application does when it ends."""
        self.clock.stop()
        await self.feed.stop()
        await self.library.stop()
        await self.tasks.stop()
        await self.engine.close()


class RunBridge:
    """Runs a test's coroutine on the window's loop and ends the bridge after it, whatever happened."""

    def __init__(self, loop: qasync.QEventLoop) -> None:
        self._loop = loop
        # Threads of Python's own: qasync's QThreads stay in Python's books for ever once they have logged anything.
        loop.set_default_executor(ThreadPoolExecutor(thread_name_prefix="asyncio_"))

    def __call__(self, bridge: Bridge, work: Awaitable[None], timeout_s: float = 60.0) -> None:
        """Run `work` to its end."""

        async def whole() -> None:
            try:
                await work
            finally:
                await bridge.end()

        self._loop.run_until_complete(asyncio.wait_for(whole(), timeout_s))


def make_bridge(store: Store, settings: QSettings, tasks: Tasks, folder: Path, engine: RemoteEngine) -> Bridge:
    """Wire a bridge around this client."""
    clock = FrameClock(store, 60)
    feed = EngineFeed(store, engine, clock, tasks)
    library = LibraryWatch(store, settings, tasks)
    commands = EngineCommands(
        store=store,
        engine=engine,
        feed=feed,
        tasks=tasks,
        library=library,
        starter=StarterBuild(store, library),
        profile_folder=folder / "profiles",
    )
    return Bridge(store, tasks, engine, clock, feed, library, commands)
