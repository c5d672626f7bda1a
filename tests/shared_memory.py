"""Shared memory that is left behind: whose it is, the names do not tell, and other engines make theirs on the same
machine at the same time. So it is asked of the processes, while they live."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FOLDER = Path("/dev/shm")
_NAMES = ("psm_", "torch_", "vllm", "sem.mp-")
_MAPPED = re.compile(r"/dev/shm/([^\s]+)")


def held(pids: Iterable[int]) -> set[str]:
    """The names of engines' shared memory that these processes have mapped or open."""
    found: set[str] = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            found |= set(_MAPPED.findall(Path(f"/proc/{pid}/maps").read_text(errors="replace")))
        with contextlib.suppress(OSError):
            for descriptor in Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(OSError):
                    found |= set(_MAPPED.findall(str(descriptor.readlink())))
    return {name for name in found if name.startswith(_NAMES)}


def ownerless(names: Iterable[str]) -> set[str]:
    """Those of these names in FOLDER that are an engine's, and that no process of this machine has."""
    ours = {name for name in names if name.startswith(_NAMES) and (FOLDER / name).exists()}
    return ours - held(psutil.pids()) if ours else ours


def wait_for_none(names: Iterable[str]) -> None:
    """Who removes it does so a moment after its last process has ended; fails where some of it stays."""
    names, began = set(names), time.monotonic()
    while left := {name for name in names if (FOLDER / name).exists()}:
        assert time.monotonic() - began < PATIENCE_S, f"left in {FOLDER}: {left}"
        time.sleep(0.02)


class OwnSegments:
    """All the shared memory that one family of processes has had, looked at every `every_s` seconds."""

    def __init__(self, root: Callable[[], int | None], every_s: float = 0.2) -> None:
        self._root = root
        self._every_s = every_s
        self._seen: set[str] = set()
        self._ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True, name="own-segments").start()

    def look(self) -> None:
        """See what is mapped now."""
        pid = self._root()
        if pid is not None:
            with contextlib.suppress(psutil.NoSuchProcess):
                self._seen |= held(each.pid for each in psutil.Process(pid).children(recursive=True))

    @property
    def names(self) -> frozenset[str]:
        """All names that were seen."""
        return frozenset(self._seen)

    def stop(self) -> None:
        """Look no more."""
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.wait(self._every_s):
            self.look()
