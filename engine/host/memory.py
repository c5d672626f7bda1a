"""How much memory an engine holds: VRAM from NVML, main memory from the operating system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.host.processes import resident_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.domain.lifecycle import EngineProcess


def memory_held(device: str, processes: Iterable[EngineProcess], gpu_uuids: Sequence[str]) -> int | None:
    """Bytes in use: on the CPU those of `processes`; with GPUs all that is used on them, since NVML cannot always tell
    whose it is. None where the driver does not answer."""
    if device != "cuda":
        return resident_bytes(processes)
    return _vram_used(gpu_uuids)


def _vram_used(gpu_uuids: Sequence[str]) -> int | None:
    import pynvml  # only where there is a GPU

    try:
        pynvml.nvmlInit()
        try:
            handles = (
                [pynvml.nvmlDeviceGetHandleByUUID(uuid) for uuid in gpu_uuids]
                if gpu_uuids
                else [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(pynvml.nvmlDeviceGetCount())]
            )
            return sum(int(pynvml.nvmlDeviceGetMemoryInfo(handle).used) for handle in handles)
        finally:
            pynvml.nvmlShutdown()
    except pynvml.NVMLError:
        return None
