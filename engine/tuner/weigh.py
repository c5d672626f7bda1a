"""What a checkpoint and the processes that run it weigh, where they are on this machine."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from engine.gpu.host_memory import process_bytes
from engine.gpu.nvml import Nvml

if TYPE_CHECKING:
    from collections.abc import Iterable

_WEIGHTS = (".safetensors", ".bin", ".pt", ".gguf")


def disk_bytes(checkpoint: str) -> int | None:
    """The weight files of a folder; None where there are none here. Blocks on the disk."""
    try:
        sizes = [path.stat().st_size for path in Path(checkpoint).iterdir() if path.suffix in _WEIGHTS]
    except OSError:
        return None
    return sum(sizes) or None


def memory_bytes(pids: Iterable[int]) -> int | None:
    """Main memory of these processes and their children; None where none of them is here."""
    family: dict[int, psutil.Process] = {}
    for pid in pids:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            family |= {one.pid: one for one in (process, *process.children(recursive=True))}
    sizes = []
    for process in family.values():
        with contextlib.suppress(psutil.Error, OSError):
            sizes.append(process_bytes(process))
    return sum(sizes) if sizes else None


def gpu_bytes(uuids: Iterable[str]) -> int | None:
    """What is used on these GPUs, by whomever; None without any (or where the driver does not tell)."""
    wanted = set(uuids)
    if not wanted:
        return None
    nvml = Nvml()
    try:
        used = [one.used_bytes for one in nvml.read() if one.identity.uuid in wanted and one.used_bytes is not None]
    finally:
        nvml.close()
    return sum(used) if used else None
