"""Memory and processor of this machine and of the engine's processes, from the operating system."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from engine.domain.gpu import HostSample

if TYPE_CHECKING:
    from collections.abc import Iterable

_PAGE_ERRORS = (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess, OSError)


@dataclass(frozen=True, slots=True)
class _Usage:
    """Processor seconds of one process when it was last seen; `created` guards against a reused pid."""

    created: float
    cpu_s: float
    monotonic_s: float


class HostMemory:
    """Samples memory and load. Keeps the last figures, since loads are differences: the first sample has none.

    For one thread at a time.
    """

    def __init__(self) -> None:
        self._usages: dict[int, _Usage] = {}
        self._core_times: list[tuple[float, float]] | None = None

    def sample(self, pids: Iterable[int]) -> HostSample:
        """One sample, `pids` being the engine's processes. Engine figures are None where none of them is alive."""
        memory = psutil.virtual_memory()
        engine_bytes, engine_cpu = self._engine(set(pids))
        return HostSample(
            monotonic_ns=time.monotonic_ns(),
            total_bytes=int(memory.total),
            available_bytes=int(memory.available),
            engine_bytes=engine_bytes,
            engine_cpu=engine_cpu,
            cpu_utilization=self._cores(),
        )

    def _engine(self, pids: set[int]) -> tuple[int | None, float | None]:
        sizes: list[int] = []
        shares: list[float] = []
        usages: dict[int, _Usage] = {}
        for pid in pids:
            try:
                process = psutil.Process(pid)
                with process.oneshot():
                    usage = _usage(process)
                    sizes.append(process_bytes(process))
            except _PAGE_ERRORS:
                continue
            before = self._usages.get(pid)
            if before is not None and before.created == usage.created and usage.monotonic_s > before.monotonic_s:
                shares.append(max(0.0, usage.cpu_s - before.cpu_s) / (usage.monotonic_s - before.monotonic_s))
            usages[pid] = usage
        self._usages = usages
        return (sum(sizes) if sizes else None), (sum(shares) if shares else None)

    def _cores(self) -> tuple[float, ...]:
        """Busy share of each core since the last sample; empty at the first, or after a core came or went."""
        times = [(sum(core), core.idle + getattr(core, "iowait", 0.0)) for core in psutil.cpu_times(percpu=True)]
        before, self._core_times = self._core_times, times
        if before is None or len(before) != len(times):
            return ()
        return tuple(_busy(old, new) for old, new in zip(before, times, strict=True))


def _usage(process: psutil.Process) -> _Usage:
    times = process.cpu_times()
    return _Usage(process.create_time(), times.user + times.system, time.monotonic())


def process_bytes(process: psutil.Process) -> int:
    """Memory of one process: proportional, so that pages shared among workers count once; resident where hidden.

    Reads the kernel's own sum (smaps_rollup), which takes microseconds where walking every mapping takes many
    milliseconds for an engine. Raises psutil's errors for a process that is gone.
    """
    try:
        text = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii")
        for line in text.splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass  # not Linux, another user's process, or gone: ask for the resident size, which says which
    return int(process.memory_info().rss)


def _busy(before: tuple[float, float], now: tuple[float, float]) -> float:
    total, idle = now[0] - before[0], now[1] - before[1]
    return min(1.0, max(0.0, 1.0 - idle / total)) if total > 0 else 0.0
