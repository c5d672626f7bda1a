"""What a killed process may leave behind on the machine: processes, pages, shared memory, files, GPU memory."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from engine.gpu.nvml import Nvml
from engine.page.liveness import is_alive, start_ticks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_SHARED = ("psm_", "torch_", "vllm", "sem.mp-")
_TEMPORARY = re.compile(r"kvdeck-engine-(\d+)-(\d+)-.*|vllm_dist_.*|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MAPPED = re.compile(r"/dev/shm/([^\s]+)")


@dataclass(frozen=True, slots=True)
class Identity:
    """One process, told from another one that later has its pid."""

    pid: int
    ticks: int

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return is_alive(self.pid, self.ticks)


def identity(pid: int) -> Identity | None:
    """The process that has this pid now."""
    ticks = start_ticks(pid)
    return None if ticks is None else Identity(pid, ticks)


def family(pid: int) -> tuple[Identity, ...]:
    """The descendants of a process that are alive."""
    try:
        children = psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return ()
    found = (identity(child.pid) for child in children)
    return tuple(each for each in found if each is not None and each.alive)


def resident(pid: int | None) -> int | None:
    """Bytes of main memory of one process; None where it is gone."""
    try:
        return None if pid is None else int(psutil.Process(pid).memory_info().rss)
    except psutil.NoSuchProcess:
        return None


def wait_until(holds: Callable[[], bool], timeout_s: float, pause_s: float = 0.01) -> float | None:
    """Seconds until `holds`, or None where it does not within `timeout_s`."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > timeout_s:
            return None
        time.sleep(pause_s)
    return time.monotonic() - began


class Leftovers:
    """Compares the machine with how it was when this was made. `others`: other vLLM engines may come and go on it,
    whose files in the temporary folder cannot be told from ours."""

    def __init__(self, home: Path, *, others: bool = False) -> None:
        self._home = home
        self._shared = _names(Path("/dev/shm"))
        self._temporary = _names(Path(tempfile.gettempdir()))
        self._others = others
        self._nvml = Nvml()
        self._gpu_bytes = self.gpu_bytes()

    def files(self, alive: Iterable[Identity]) -> list[str]:
        """What is new and has no owner: shared memory and temporary files that no process at all has (other engines
        may run on this machine), and pages in this home that belong to none of the processes in `alive`."""
        pids = {each.pid for each in alive}
        new = {name for name in _names(Path("/dev/shm")) - self._shared if name.startswith(_SHARED)}
        left = [f"/dev/shm/{name}" for name in new - _held(psutil.pids())] if new else []
        for name in _names(Path(tempfile.gettempdir())) - self._temporary:
            found = _TEMPORARY.fullmatch(name)
            if found is None:
                continue
            ownerless = not is_alive(int(found[1]), int(found[2])) if found[1] else not self._others
            if ownerless:
                left.append(f"{tempfile.gettempdir()}/{name}")
        run = self._home / "run"
        left += [str(path) for path in run.glob("page-*") if int(path.name.split("-")[1]) not in pids]
        left += [str(path) for path in run.glob("host-*.json") if not pids]
        return left

    def gpu_bytes(self) -> int | None:
        """Memory in use on all GPUs; None without one."""
        used = [gpu.used_bytes for gpu in self._nvml.read()]
        return sum(each for each in used if each is not None) if used else None

    def gpu_bytes_left(self) -> int:
        """How much more is in use than at the start."""
        now = self.gpu_bytes()
        return 0 if now is None or self._gpu_bytes is None else max(0, now - self._gpu_bytes)


def chat_faults(file: Path, acknowledged: dict[str, str]) -> list[str]:
    """What is wrong with the chat file: its structure, and each message that was said to be saved."""
    if not file.exists():
        return [f"{file.name} is gone"] if acknowledged else []
    connection = sqlite3.connect(file, timeout=10)
    try:
        found = connection.execute("PRAGMA integrity_check").fetchone()[0]
        faults = [] if found == "ok" else [f"{file.name}: {found}"]
        for key, content in acknowledged.items():
            row = connection.execute("SELECT content FROM messages WHERE id = ?", (key,)).fetchone()
            if row is None:
                faults.append(f"message {key} was saved and is gone")
            elif not row[0].startswith(content):
                faults.append(f"message {key} was saved as {content[-40:]!r} and is {row[0][-40:]!r}")
    finally:
        connection.close()
    return faults


def setting_faults(file: Path, acknowledged: int) -> list[str]:
    """Whether the settings file is whole and has the last acknowledged value, or a later one."""
    if not acknowledged:
        return []
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    found = re.search(r"^\[soak\]\n(?:.*\n)*?count=(\d+)$", text, re.MULTILINE)
    if found is None:
        return [f"{file.name} has lost its settings: {text[:80]!r}"]
    return [] if int(found[1]) >= acknowledged else [f"{file.name} says {found[1]}, {acknowledged} was kept"]


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def _held(pids: Iterable[int]) -> set[str]:
    """The names in /dev/shm that these processes have mapped or open."""
    found: set[str] = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            found |= set(_MAPPED.findall(Path(f"/proc/{pid}/maps").read_text(errors="replace")))
        with contextlib.suppress(OSError):
            for descriptor in Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    found |= set(_MAPPED.findall(str(descriptor.readlink())))
    return found
