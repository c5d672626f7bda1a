"""The processor's name, and how many of its threads an engine takes: what a CPU's measured ceilings are kept under."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

_SMALL_MACHINE = 4  # cores up to which the engine host gives vLLM all of them


def engine_threads() -> int:
    """Threads that the engine computes with here: all cores of a small machine, else all but the scheduler's one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    physical = min(cores, psutil.cpu_count(logical=False) or cores)
    return cores if cores <= _SMALL_MACHINE else max(1, physical - 1)


def cpu_name() -> str:
    """The processor's name as the system tells it, or "CPU"."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    found = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(found, "") or "CPU"


def cpu_key(threads: int | None = None) -> str:
    """The key of this CPU with so many threads, or with as many as the engine takes."""
    return f"{cpu_name()}, {threads or engine_threads()} threads"
