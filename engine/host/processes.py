"""The engine's processes: which they are, whether they are gone, how they ended, and how to end them."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import signal
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.domain.lifecycle import EngineProcess
from engine.host import guardian
from engine.page import liveness

if TYPE_CHECKING:
    from collections.abc import Iterable

_PR_SET_CHILD_SUBREAPER = 36
_PAGE = os.sysconf("SC_PAGESIZE")
_SHM = re.compile(r"(/dev/shm/[^\s]+)")
_SHM_FOLDER = Path("/dev/shm")  # noqa: S108 - the system's place for shared memory
_SEGMENTS = ("psm_", "torch_", "vllm", "sem.mp-")
_NOT_THE_ENGINES = ("multiprocessing.resource_tracker", guardian.__file__)
# Signals that say all: the log of a process that one of them ended holds no cause.
FROM_OUTSIDE = ("SIGKILL", "SIGBUS", "SIGILL")
_FORKED = 0x40  # <linux/sched.h>: PF_FORKNOEXEC
# What vLLM calls its processes, and what they are before they have that name; compilers and the like come and go.
_PARTS = ("EngineCore", "Worker", "DPCoordinator", "engine process")


@dataclass(frozen=True, slots=True)
class Death:
    """How a process ended: by a signal, or with an exit code. Both None where the system no longer tells."""

    process: EngineProcess
    signal_name: str | None = None
    exit_code: int | None = None

    @property
    def sentence(self) -> str:
        """What a user reads: "EngineCore (pid 12) was ended by SIGKILL"."""
        who = f"{self.process.name} (pid {self.process.pid})" if self.process.pid else self.process.name
        if self.signal_name:
            return f"{who} was ended by {self.signal_name}"
        if self.exit_code is not None:
            return f"{who} exited with code {self.exit_code}"
        return f"{who} has ended"


def adopt_orphans() -> None:
    """Become the parent of grandchildren whose parent dies, so that no worker is lost sight of."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def is_alive(process: EngineProcess) -> bool:
    """Whether this very process still runs; a zombie does not."""
    return liveness.is_alive(process.pid, process.start_ticks)


def _children() -> dict[int, list[int]]:
    """All processes by their parent, zombies among them.

    Not from /proc/PID/task/TID/children: a child belongs to the thread that started it, and one whose thread ends
    while the threads are walked is in none of the lists.
    """
    found: dict[int, list[int]] = defaultdict(list)
    for pid in (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()):
        if (fields := liveness.stat_fields(pid)) and len(fields) > 1:
            found[int(fields[1])].append(pid)
    return found


def children_of(pid: int) -> tuple[int, ...]:
    """The pids of a process's children, ended ones that nobody has collected among them."""
    return tuple(_children()[pid])


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def _is_fork(pid: int) -> bool:
    """Whether it runs its parent's program: for a moment every process does that is to run another one."""
    fields = liveness.stat_fields(pid)
    return bool(fields and len(fields) > 6 and int(fields[6]) & _FORKED)


def is_part(process: EngineProcess) -> bool:
    """Whether an engine cannot go on without this process."""
    return process.name.startswith(_PARTS)


def _name(command: str, *, forked: bool) -> str:
    if forked:
        return f"a process of {_name(command, forked=False)}"
    if command.startswith("VLLM::"):
        return command.removeprefix("VLLM::").split()[0]
    return "engine process" if "multiprocessing" in command else (command.split() or ["process"])[0].rpartition("/")[2]


def engine_processes(root: int | None = None, without: Iterable[EngineProcess] = ()) -> tuple[EngineProcess, ...]:
    """All living descendants of the host but Python's resource tracker and the guardian, parents before children.

    `without` are left out together with their own descendants.
    """
    found: list[EngineProcess] = []
    left_out = {(process.pid, process.start_ticks) for process in without}
    children = _children()
    queue = sorted(children[root or os.getpid()])
    while queue:
        pid = queue.pop(0)
        forked, command = _is_fork(pid), _command(pid)  # in this order: a fork has its parent's command line
        ticks = liveness.start_ticks(pid)
        if ticks is None or any(each in command for each in _NOT_THE_ENGINES) or (pid, ticks) in left_out:
            continue
        queue += sorted(children[pid])
        process = EngineProcess(pid, _name(command, forked=forked), ticks)
        if is_alive(process):
            found.append(process)
    return tuple(found)


def kill(processes: Iterable[EngineProcess], how: int = signal.SIGKILL) -> None:
    """Signal those of `processes` that still run."""
    for process in processes:
        if is_alive(process):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, how)


def wait_gone(processes: Iterable[EngineProcess], timeout_s: float) -> tuple[EngineProcess, ...]:
    """Wait until all have ended; returns those that have not within `timeout_s`. Blocks: call it in a thread."""
    deadline = time.monotonic() + timeout_s
    left = tuple(processes)
    while True:
        left = tuple(process for process in left if is_alive(process))
        if not left or time.monotonic() >= deadline:
            return left
        time.sleep(0.02)


def reap_adopted(processes: Iterable[EngineProcess], own_children: Iterable[int]) -> None:
    """Collect the exit status of adopted grandchildren. multiprocessing collects its own, and must find them."""
    spare = set(own_children)
    for process in processes:
        fields = liveness.stat_fields(process.pid)
        if process.pid not in spare and fields and fields[0] == "Z" and int(fields[1]) == os.getpid():
            with contextlib.suppress(ChildProcessError):
                os.waitpid(process.pid, os.WNOHANG)


def death_of(process: EngineProcess, exit_code: int | None = None, *, status: int | None = None) -> Death:
    """How `process` ended: by `exit_code` (negative for a signal), by the wait status `status`, or by its zombie as
    long as there is one."""
    if exit_code is None and status is None:
        fields = liveness.stat_fields(process.pid)
        if fields and fields[0] == "Z" and int(fields[19]) == process.start_ticks:
            with contextlib.suppress(ValueError, IndexError):
                status = int(fields[49])
    if exit_code is None and status is not None:
        exit_code = -(status & 0x7F) if status & 0x7F else status >> 8
    if exit_code is None:
        return Death(process)
    if exit_code < 0:
        try:
            return Death(process, signal_name=signal.Signals(-exit_code).name)
        except ValueError:
            return Death(process, signal_name=f"signal {-exit_code}")
    return Death(process, exit_code=exit_code)


def resident_bytes(processes: Iterable[EngineProcess]) -> int:
    """Main memory of these processes without double counting: proportional where the kernel tells, else resident."""
    return sum(_memory_of(process.pid) for process in processes if is_alive(process))


def _memory_of(pid: int) -> int:
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    return 0


def shared_segments(processes: Iterable[EngineProcess]) -> frozenset[str]:
    """The /dev/shm files that these processes have mapped: a killed process leaves its own behind."""
    found: set[str] = set()
    unnamed: set[str] = set()
    for process in processes:
        with contextlib.suppress(OSError):
            for line in Path(f"/proc/{process.pid}/maps").read_text(errors="replace").splitlines():
                if (match := _SHM.search(line)) is None:
                    continue
                if line.endswith("(deleted)"):
                    unnamed.add(line.split()[4])
                else:
                    found.add(match[1])
    return frozenset(path for path in found | _links_of(unnamed) if Path(path).name.startswith(_SEGMENTS))


def _links_of(inodes: set[str]) -> set[str]:
    """Where these files of shared memory are all the same: the C library makes a semaphore under another name first,
    and whoever made it has it mapped under that."""
    found: set[str] = set()
    for path in _SHM_FOLDER.iterdir() if inodes else ():
        with contextlib.suppress(OSError):  # gone meanwhile
            if str(path.lstat().st_ino) in inodes:
                found.add(str(path))
    return found


def remove_segments(paths: Iterable[str]) -> None:
    """Unlink shared memory of processes that are gone."""
    for path in paths:
        with contextlib.suppress(OSError):
            Path(path).unlink(missing_ok=True)


class OutOfMemoryWatch:
    """Whether the system has killed a process for want of memory since this was made."""

    def __init__(self) -> None:
        self._before = self._kills()

    @property
    def struck(self) -> bool:
        """True once it has; False also where the system does not count."""
        now = self._kills()
        return now is not None and self._before is not None and now > self._before

    @staticmethod
    def _kills() -> int | None:
        with contextlib.suppress(OSError, ValueError):
            for line in Path("/proc/vmstat").read_text().splitlines():
                if line.startswith("oom_kill "):
                    return int(line.split()[1])
        return None
