"""`python -m app.screenshot`: the window and each panel as PNGs, in a theme, size, scale, language and state.

States are what real hosts and engines left: a file with the answer of GET /kvdeck/status, a copy of a telemetry page,
a hardware sample and serving figures as JSON, a copy of the chats' database. Without them the window is drawn as it is
before anything runs.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shutil
import sqlite3
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.bridge.store import Address
from engine.domain.paths import data_dir

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.application import Application
    from app.bridge.library_watch import LibraryWatch
    from app.bridge.store import Store
    from engine.domain.checkpoint import Library

_SETTLE_FRAMES = 12
_FRAME_S = 0.03
_SCAN_S = 30.0


@dataclass(frozen=True, slots=True)
class Shot:
    """What to draw. `size` is in logical pixels, `scale` the screen's pixel ratio."""

    folder: Path
    theme: str = "dark"
    size: tuple[int, int] = (1440, 900)
    scale: float = 1.0
    text_size: float = 1.0
    language: str = "en"
    right_to_left: bool = False
    status: Path | None = None
    page: Path | None = None
    hardware: Path | None = None
    serving: Path | None = None
    sleepers: Path | None = None
    chats: Path | None = None
    models: Path | None = None


def parse(arguments: list[str]) -> Shot:
    """A Shot from a command line."""
    parser = argparse.ArgumentParser(prog="python -m app.screenshot", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--theme", choices=("dark", "light"), default="dark")
    parser.add_argument("--size", default="1440x900", metavar="WIDTHxHEIGHT")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--text-size", type=float, default=1.0)
    parser.add_argument("--language", default="en")
    parser.add_argument("--rtl", action="store_true", help="lay out from right to left")
    parser.add_argument("--status", type=Path, help="a saved answer of GET /kvdeck/status")
    parser.add_argument("--page", type=Path, help="a copy of a telemetry page")
    parser.add_argument("--hardware", type=Path, help="a HardwareSample as JSON")
    parser.add_argument("--serving", type=Path, help="a ServingStats as JSON")
    parser.add_argument("--sleepers", type=Path, help="a saved answer of GET /kvdeck/sleepers")
    parser.add_argument("--chats", type=Path, help="a copy of the chats' database; its newest chat is shown")
    parser.add_argument("--models", type=Path, metavar="FOLDER", help="look for checkpoints here first, and elsewhere")
    found = parser.parse_args(arguments)
    for path in (found.status, found.page, found.hardware, found.serving, found.sleepers, found.chats, found.models):
        if path is not None and not path.exists():
            parser.error(f"{path} does not exist")
    width, _, height = found.size.partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        parser.error("--size is WIDTHxHEIGHT, such as 1440x900")
    return Shot(
        folder=found.folder,
        theme=found.theme,
        size=(int(width), int(height)),
        scale=found.scale,
        text_size=found.text_size,
        language=found.language,
        right_to_left=found.rtl,
        status=found.status,
        page=found.page,
        hardware=found.hardware,
        serving=found.serving,
        sleepers=found.sleepers,
        chats=found.chats,
        models=found.models,
    )


async def take(application: Application, shot: Shot) -> list[Path]:
    """Fill the window, bring it into the state, and write window.png and one PNG a panel; their paths."""
    window = application.window
    window.resize(*shot.size)
    window.show()
    side = await application.fill_window()
    await application.charts.done()
    window.reset_layout()
    if shot.models is not None:
        await _scan(application.store, side.library, shot.models)
    _bring_state(application, shot)
    await asyncio.to_thread(shot.folder.mkdir, parents=True, exist_ok=True)
    await _settle()
    paths = [_save(window, shot.folder / "window.png")]
    for name, slot in window.slots.items():
        window.show_panel(name)  # what stands behind a tab has neither its size nor its contents before
        window.setFocus()
        await _settle()
        paths.append(_save(slot, shot.folder / f"{name}.png"))
    return paths


async def _settle() -> None:
    for _ in range(_SETTLE_FRAMES):
        await asyncio.sleep(_FRAME_S)


def _save(widget: QWidget, path: Path) -> Path:
    if not widget.grab().save(str(path)):
        raise OSError(f"{path} could not be written")
    return path


async def _scan(store: Store, library: LibraryWatch, folder: Path) -> None:
    library.add_folder(str(folder))
    scanned = asyncio.Event()

    def note(state: Library) -> None:
        if not state.scanning:
            scanned.set()

    store.library_changed.connect(note)
    await asyncio.wait_for(scanned.wait(), _SCAN_S)


def _bring_state(application: Application, shot: Shot) -> None:
    import msgspec

    from engine.domain.gpu import HardwareSample
    from engine.domain.lifecycle import HostStatus, ServingStats
    from engine.domain.sleepers import Sleepers

    store = application.store
    if shot.status is not None:
        status = msgspec.json.decode(shot.status.read_bytes(), type=HostStatus)
        if status.address:
            store.publish(Address(status.address, ""))
        store.publish(status.lifecycle)
        if status.limits is not None:
            store.publish(status.limits)
    if shot.hardware is not None:
        store.publish(msgspec.json.decode(shot.hardware.read_bytes(), type=HardwareSample))
    if shot.serving is not None:
        store.publish(msgspec.json.decode(shot.serving.read_bytes(), type=ServingStats))
    if shot.sleepers is not None:
        store.publish(msgspec.json.decode(shot.sleepers.read_bytes(), type=Sleepers))
    if shot.page is not None:
        _bring_page(store, shot.page)


def _bring_page(store: Store, page: Path) -> None:
    from dataclasses import replace

    from engine.page.reader import PageReader

    reader = PageReader(page)
    try:
        snapshot, steps = reader.snapshot(), reader.steps_since(0)
    finally:
        reader.close()
    if snapshot is not None:
        store.publish(replace(snapshot, steps=steps))


async def _run(application: Application, shot: Shot) -> int:
    try:
        for path in await take(application, shot):
            sys.stdout.write(f"{path}\n")
    finally:
        await application.end()
    return 0


def main() -> int:
    """Take the pictures that the command line asks for."""
    shot = parse(sys.argv[1:])
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["QT_SCALE_FACTOR"] = str(shot.scale)
    with tempfile.TemporaryDirectory() as home:  # the user's own settings are neither shown nor touched
        os.environ["KVDECK_HOME"] = home
        if shot.chats is not None:
            shutil.copyfile(shot.chats, data_dir() / "chats.sqlite")
        return _draw(shot)


def _newest_chat(chats: Path) -> str:
    with contextlib.closing(sqlite3.connect(chats)) as book:
        row = book.execute("SELECT id FROM conversations WHERE deleted IS NULL ORDER BY updated DESC").fetchone()
    return str(row[0]) if row else ""


def _draw(shot: Shot) -> int:
    import qasync
    from PySide6.QtCore import Qt
    from PySide6.QtWidgets import QApplication

    from app.application import Application
    from app.options import Options
    from app.preferences import TEXT_SIZE
    from app.translations import use_language

    qt = QApplication(sys.argv[:1])
    direction = use_language(qt, shot.language).textDirection()
    qt.setLayoutDirection(Qt.LayoutDirection.RightToLeft if shot.right_to_left else direction)
    with qasync.QEventLoop(qt) as loop:
        application = Application(qt, Options(theme=shot.theme))
        application.preferences.set(TEXT_SIZE, shot.text_size)
        if shot.chats is not None:
            application.settings.setValue("chat/last", _newest_chat(shot.chats))
        return int(loop.run_until_complete(_run(application, shot)))


if __name__ == "__main__":
    sys.exit(main())
