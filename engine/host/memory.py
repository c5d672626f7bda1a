"""How much memory an engine holds: VRAM from NVML, main memory from the operating system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.host.processes import resident_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from engine.domain.lifecycle import EngineProcess
    from engine.gpu.nvml import Nvml


class MemoryMeter:
    """Measures what an engine holds, before and after its end."""

    def __init__(self, nvml: Nvml) -> None:
        self._nvml = nvml

    def held(self, device: str, processes: Iterable[EngineProcess], gpu_uuids: Sequence[str]) -> int | None:
        """Bytes in use: on the CPU those of `processes`; on GPUs all that is used there, by whomever, since NVML cannot
        always tell. No uuids mean all GPUs. None where the driver does not answer. Blocks for milliseconds."""
        if device != "cuda":
            return resident_bytes(processes)
        readings = self._nvml.read()
        used = [
            reading.used_bytes
            for reading in readings
            if reading.used_bytes is not None and (not gpu_uuids or reading.identity.uuid in gpu_uuids)
        ]
        return sum(used) if used else None

    def free(self, gpu_uuids: Sequence[str]) -> int | None:
        """Bytes of VRAM that are free on that one of these GPUs (all, without uuids) which has the least; None where
        the driver does not tell of each. Blocks for milliseconds."""
        free = [
            reading.free_bytes
            for reading in self._nvml.read()
            if not gpu_uuids or reading.identity.uuid in gpu_uuids
        ]
        known = [each for each in free if each is not None]
        return min(known) if known and len(known) == len(free) >= len(gpu_uuids) else None

    def of_processes(self, processes: Iterable[EngineProcess]) -> int | None:
        """VRAM of these processes over all GPUs, as NVML tells it; None where it does not. Blocks for milliseconds."""
        pids = {process.pid for process in processes}
        sizes = [
            size
            for reading in self._nvml.read()
            for pid, size in (reading.processes or {}).items()
            if pid in pids and size is not None
        ]
        return sum(sizes) if sizes else None
