"""Everything between the window and the engine, constructed and wired."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from app.bridge.asking_engine import AskingEngine
from app.bridge.engine_commands import EngineCommands
from app.bridge.engine_feed import EngineFeed
from app.bridge.frame_clock import FrameClock
from app.bridge.hardware_watch import HardwareWatch
from app.bridge.keep_desk import KeepDesk
from app.bridge.library_watch import LibraryWatch
from app.bridge.starter_build import StarterBuild
from app.bridge.store import Notice
from app.dialogs.consent import ConsentDesk
from engine.client.host_process import HostAddress, HostOptions
from engine.domain.paths import config_dir

if TYPE_CHECKING:
    from PySide6.QtCore import QObject, QSettings

    from app.bridge.store import Store
    from app.bridge.tasks import Tasks
    from app.main_window import MainWindow
    from app.options import Options
    from app.preferences import Preferences
    from engine.client.remote import RemoteEngine

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EngineSide:
    """Made after the first paint, since it takes long to import. Nothing is started or connected by making it."""

    engine: RemoteEngine
    clock: FrameClock
    feed: EngineFeed
    library: LibraryWatch
    hardware: HardwareWatch
    commands: EngineCommands
    keep: KeepDesk


async def make_engine_side(
    window: MainWindow,
    store: Store,
    settings: QSettings,
    tasks: Tasks,
    preferences: Preferences,
    options: Options,
    parent: QObject,
) -> EngineSide:
    """Construct and wire it; the objects belong to `parent`."""
    host = await _host(store, preferences, options)
    engine = AskingEngine(host, ConsentDesk(window, settings).ask)
    clock = FrameClock(store, float(preferences.frame_rate), parent)
    feed = EngineFeed(store, engine, clock, tasks, parent)
    library = LibraryWatch(store, settings, tasks, parent)
    commands = EngineCommands(
        store=store,
        engine=engine,
        feed=feed,
        tasks=tasks,
        library=library,
        starter=StarterBuild(store, library, parent),
        profile_folder=config_dir() / "profiles",
        parent=parent,
    )
    hardware = HardwareWatch(store, lambda: engine.host_pid, parent)
    keep = KeepDesk(store, engine, tasks, lambda: preferences.keep, parent)
    return EngineSide(engine, clock, feed, library, hardware, commands, keep)


async def _host(store: Store, preferences: Preferences, options: Options) -> HostOptions | HostAddress:
    """Where the engine host is: one that runs, or how to start our own."""
    if options.address is None or options.token_file is None:
        return HostOptions(port=preferences.port)
    url = options.address if "://" in options.address else f"http://{options.address}"
    try:
        token = await asyncio.to_thread(options.token_file.read_text, encoding="utf-8")
    except OSError as error:
        log.warning("The file with the host's key cannot be read: %s", error)
        token = ""
        message = QCoreApplication.translate("Application", "{file} cannot be read.").format(file=options.token_file)
        remedy = QCoreApplication.translate("Application", "Start again with the host's own key file.")
        store.publish(Notice("error", message, remedy))
    return HostAddress(0, url.rstrip("/"), token.strip())
