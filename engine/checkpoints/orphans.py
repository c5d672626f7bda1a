"""Engine processes that nobody steers any more: vLLM's outlive a killed parent and hold their memory."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

from engine.domain.errors import KVDeckError

if TYPE_CHECKING:
    from collections.abc import Iterable

_TITLE = "VLLM::"
_TERM_S = 3.0
_SERVER = "VLLM::APIServer"  # it is started from a shell, and owns what it started


@dataclass(frozen=True, slots=True)
class Orphan:
    """One process. `started_s` (Unix time) tells it from another program that was given its pid since."""

    pid: int
    name: str
    memory_bytes: int
    started_s: float


def find_orphans() -> tuple[Orphan, ...]:
    """This user's engine processes whose parent is gone. Tens of milliseconds: call it in a thread."""
    found: list[Orphan] = []
    for process in psutil.process_iter(["pid", "ppid", "uids"]):
        with contextlib.suppress(psutil.Error):
            uids = process.info["uids"]
            if uids is None or uids.real != os.getuid():
                continue
            title = _title(process)
            if title.startswith(_TITLE) and not title.startswith(_SERVER) and _is_left_alone(process):
                memory = process.memory_info().rss
                found.append(Orphan(process.pid, title.removeprefix(_TITLE).split()[0], memory, process.create_time()))
    return tuple(found)


def _title(process: psutil.Process) -> str:
    return " ".join(process.cmdline()[:1])


def _is_left_alone(process: psutil.Process) -> bool:
    """Whether no program that could have started an engine stands above it: only what adopts orphans, which is no
    Python (the first process, a user's service manager, a container's init)."""
    parent = process.parent()
    while parent is not None:
        title = _title(parent)
        if title.startswith(_SERVER):
            return False
        if not title.startswith(_TITLE):
            return parent.pid == 1 or "python" not in f"{parent.name()} {title}".lower()
        parent = parent.parent()
    return True


def end_orphans(orphans: Iterable[Orphan]) -> None:
    """End these, gently first; takes seconds: call it in a thread. Raises KVDeckError naming what would not end."""
    living = [process for orphan in orphans if (process := _same(orphan)) is not None]
    for how in (signal.SIGTERM, signal.SIGKILL):
        for process in living:
            with contextlib.suppress(psutil.Error):
                process.send_signal(how)
        deadline = time.monotonic() + _TERM_S
        while living and time.monotonic() < deadline:
            living = [process for process in living if _runs(process)]
            time.sleep(0.02)
    if living:
        pids = ", ".join(str(process.pid) for process in living)
        raise KVDeckError(
            f"These engine processes did not end: {pids}.", remedy="End them yourself (kill -9), or restart the system."
        )


def _same(orphan: Orphan) -> psutil.Process | None:
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(orphan.pid)
        if abs(process.create_time() - orphan.started_s) < 1.0:
            return process
    return None


def _runs(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.Error):
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    return False
