"""Gives the busiest threads of two servers the same cores by turns: where the system puts them decides more than what
they do.

On an H200's machine one and the same EngineCore took between 9.8 and 14.7 ms of its main thread for the same 512
requests' step, by which logical cores it and the HTTP process had and whose other halves were busy.
"""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.thread_times import read_threads

_FEWEST_OTHERS = 4


@dataclass(frozen=True, slots=True)
class Places:
    """Logical cores: one for the EngineCore's main thread, one for the HTTP process's, and what all others share."""

    core: int
    api: int
    others: frozenset[int]


@cache
def places() -> Places:
    """Two whole cores of this process's own, and the rest of them. Raises RuntimeError where they are too few."""
    ours = sorted(os.sched_getaffinity(0))
    core = ours[0]
    api = next((each for each in ours if each not in _halves(core)), None)
    if api is None:
        raise RuntimeError("--pin needs two whole cores and more")
    taken = _halves(core) | _halves(api)
    others = frozenset(ours) - taken
    if len(others) < _FEWEST_OTHERS:
        raise RuntimeError(f"--pin needs {_FEWEST_OTHERS} logical cores beside two whole ones, here are {len(others)}")
    return Places(core, api, others)


def pin_server(pid: int) -> None:
    """Place the threads of the server whose HTTP process this is. Again before each turn: threads come and go."""
    where = places()
    mains = {"core": {where.core}, "api": {where.api}}
    for (_, thread), row in read_threads(pid).items():
        with contextlib.suppress(OSError):  # it has ended
            os.sched_setaffinity(thread, mains.get(row.role, where.others) if row.is_main else where.others)


def pin_others(*pids: int) -> None:
    """Keep these processes, and this one with all that it starts, off the two cores."""
    where = places()
    for pid in (os.getpid(), *pids):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                os.sched_setaffinity(int(thread.name), where.others)


def _halves(cpu: int) -> set[int]:
    """This logical core and those that share its whole one."""
    try:
        text = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").read_text().strip()
    except OSError:
        return {cpu}
    found = {cpu}
    for part in text.split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found
