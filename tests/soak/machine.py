"""Processes as a soak knows them, and what must be whole in the files after any of them was killed."""

from __future__ import annotations

import re
import sqlite3
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psutil

from engine.page.liveness import is_alive, start_ticks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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
