"""The real window of a soak, offscreen: it does what lines on standard input say, and tells what it shows as it does.

`python -m tests.soak.window PARAMETERS`, a JSON object of parameters for each load. Every line out is one JSON object
with "at_s", the monotonic time, which the soak compares with its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import qasync
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.options import Options
from app.tour.robot import Robot, StepFailed
from engine.chat.store import ChatStore
from engine.domain.errors import KVDeckError
from engine.domain.lifecycle import Phase

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.bridge.store import Notice
    from engine.chat.transcript import Message
    from engine.domain.lifecycle import Lifecycle

_SETTING = "soak/count"
_PAUSE_S = 0.05
_LOCK = threading.Lock()


def say(kind: str, **values: Any) -> None:
    """One line for the soak. From any thread."""
    line = json.dumps({"kind": kind, "at_s": time.monotonic(), **values}) + "\n"
    with _LOCK:
        os.write(1, line.encode())


def tell_of_saved_messages() -> None:
    """Have the chat store say what it has written, once it has: this is what a kill must not take away."""
    save = ChatStore.save_messages

    def save_and_tell(self: ChatStore, messages: Iterable[Message], chosen: frozenset[str] = frozenset()) -> None:
        kept = tuple(messages)
        save(self, kept, chosen)
        say("saved", messages={message.id: message.content for message in kept})

    ChatStore.save_messages = save_and_tell  # type: ignore[method-assign]


class SoakWindow:
    """One window with its own hands: loads, chats and settings."""

    def __init__(self, application: Application, parameters: dict[str, Any]) -> None:
        self._application = application
        self._parameters = parameters
        self._robot = Robot(application.window, Path())
        self._busy: set[asyncio.Task[None]] = set()
        self._count = 0

    async def run(self) -> None:
        """Open the window and obey until it is closed."""
        running = asyncio.ensure_future(self._application.run())
        application = self._application
        application.store.lifecycle_changed.connect(self._tell)
        application.store.noticed.connect(_tell_notice)
        await self._robot.until(lambda: application._side is not None, 60, "the panels")
        await self._robot.until(lambda: application.store.lifecycle.phase is Phase.IDLE, 60, "the engine host")
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(loop,), daemon=True).start()
        say("open", host=self._host_pid())
        await running
        for task in self._busy:
            task.cancel()
        await asyncio.gather(*self._busy, return_exceptions=True)

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(self._obey, json.loads(line))
        with contextlib.suppress(RuntimeError):  # it is closed already
            loop.call_soon_threadsafe(self._obey, {"do": "close"})  # nobody is there any more to give orders

    def _obey(self, order: dict[str, str]) -> None:
        match order:
            case {"do": "load", "checkpoint": checkpoint}:
                commands = self._application._side.commands  # type: ignore[union-attr]
                for name, value in self._parameters.items():
                    commands.edit(name, value)
                commands.load(checkpoint)
            case {"do": "work"}:
                for work in (self._chat(), self._set()):
                    self._busy.add(asyncio.ensure_future(work))
            case {"do": "rest"}:
                for task in self._busy:
                    task.cancel()
                self._busy.clear()
            case {"do": "close"}:
                self._application.window.close()

    async def _chat(self) -> None:
        """Ask in a new chat, and again as soon as the answer is there; an engine that dies meanwhile is borne."""
        number = 0
        while True:
            number += 1
            with contextlib.suppress(StepFailed, KVDeckError):
                await self._robot.click("chatNew", 1)
                await self._robot.type_text("chatInput", f"Question {number} of {time.monotonic_ns()}")
                await self._robot.click("chatSend", 1)
            await asyncio.sleep(0.4)
            with contextlib.suppress(StepFailed):
                await self._robot.click("chatStop", 0.1)

    async def _set(self) -> None:
        """Change a setting all the time, and say what was kept."""
        self._count = int(str(self._application.settings.value(_SETTING) or 0))
        while True:
            self._count += 1
            self._application.preferences.set(_SETTING, self._count)
            say("setting", count=self._count)
            await asyncio.sleep(_PAUSE_S)

    def _tell(self, lifecycle: Lifecycle) -> None:
        facts, failure = lifecycle.facts, lifecycle.failure
        say(
            "lifecycle",
            phase=lifecycle.phase.value,
            host=self._host_pid(),
            page=None if facts is None else facts.page_path,
            processes={} if facts is None else {str(each.pid): each.name for each in facts.processes},
            failure=None if failure is None else f"{failure.kind}: {failure.message}",
            load_id=lifecycle.load_id,
        )

    def _host_pid(self) -> int | None:
        side = self._application._side
        return None if side is None else side.engine.host_pid


def _tell_notice(notice: Notice) -> None:
    say("notice", level=notice.level, message=notice.message)


def main() -> int:
    """Run one window until it is closed or killed."""
    tell_of_saved_messages()
    qt = QApplication(["kvdeck-soak"])
    loop = qasync.QEventLoop(qt)
    with loop:
        application = Application(qt, Options())
        loop.run_until_complete(SoakWindow(application, json.loads(sys.argv[1])).run())
    return 0


if __name__ == "__main__":
    sys.exit(main())
